//! A node: a step of the explored path, with its sleep set and its wake-up tree.

use super::shared_node::{Claim, NodeShare, SharedNode};
use super::wakeup_tree::Branch;
use crate::event::Event;
use crate::ids::EventId;
use std::sync::{Arc, Mutex};

/// A step of the current run, and the branches that are left to explore from the state before it.
#[derive(Debug)]
pub(super) struct Node {
    /// The event of the step.
    pub(super) event: Event,
    /// The fingerprint and the number of the enabled events: the same whenever a run reaches this step.
    pub(super) fingerprint: u64,
    pub(super) enabled_count: usize,
    /// The sleep set: events that were explored before from this state or from an earlier one, and are
    /// independent of all events since then.
    pub(super) sleep: Vec<Event>,
    /// The wake-up tree: the branches that are left, from left to right.
    pub(super) wakeup_tree: Vec<Branch>,
    /// The number of explored branches.
    pub(super) explored: u32,
    /// Is the event the last one of a reversal, and no free choice? See [`pruning`](super::pruning).
    pub(super) is_deviation: bool,
    /// Set if other workers explore branches, too. Then the wake-up tree and the number of explored branches
    /// are there, and `sleep` is the sleep set of the current branch.
    pub(super) share: Option<Box<NodeShare>>,
}

impl Node {
    /// A step with this event.
    pub(super) fn new(event: Event) -> Node {
        Node {
            event,
            fingerprint: 0,
            enabled_count: 0,
            sleep: Vec::new(),
            wakeup_tree: Vec::new(),
            explored: 0,
            is_deviation: false,
            share: None,
        }
    }

    /// Removes the leftmost branch.
    pub(super) fn next_branch(&mut self) -> Option<Branch> {
        match &mut self.share {
            Some(share) => share.next_branch(),
            None => (!self.wakeup_tree.is_empty()).then(|| self.wakeup_tree.remove(0)),
        }
    }

    /// The event of the removed branch is disabled. Its subtree takes its place.
    pub(super) fn discard_branch(&mut self, branch: Branch) {
        match &mut self.share {
            Some(share) => share.discard_branch(),
            None => drop(self.wakeup_tree.splice(..0, branch.children)),
        }
    }

    /// The worker explores the claimed branch next, with this sleep set.
    pub(super) fn accept_claim(&mut self, claim: Claim, sleep: Vec<Event>) {
        self.sleep = sleep;
        if let Some(share) = &mut self.share {
            share.accept(claim);
        }
    }

    /// The current branch is explored. Returns whether another branch is left; if not, the node is left for
    /// good.
    pub(super) fn advance(&mut self) -> bool {
        if let Some(share) = &mut self.share {
            let sleep = share.claim_or_leave(self.event.id);
            let has_branch = sleep.is_some();
            self.sleep = sleep.unwrap_or_default();
            return has_branch;
        }
        // Most nodes have no branch left; their sleep sets are not read again.
        let has_branch = !self.wakeup_tree.is_empty();
        if has_branch {
            self.explored += 1;
            self.sleep.push(self.event);
        }
        has_branch
    }

    /// Is there a branch for another worker, beside the current one?
    pub(super) fn has_spare_branch(&self) -> bool {
        match &self.share {
            Some(share) => {
                let node = share.lock();
                !node.has_pending_claim && !node.wakeup_tree.is_empty()
            }
            None => !self.wakeup_tree.is_empty(),
        }
    }

    /// Turns the node into a shared node.
    pub(super) fn make_shared(&mut self) {
        if self.share.is_some() {
            return;
        }
        // The current branch was claimed first. No reversal of another worker leads below it.
        let current = Claim { branch: Branch::leaf(self.event, false), child: None, workers: 1 };
        let node = SharedNode {
            sleep: self.sleep.clone(),
            explored: self.explored as usize,
            is_child: false,
            is_unrestricted: false,
            claimed: vec![current],
            has_pending_claim: false,
            wakeup_tree: std::mem::take(&mut self.wakeup_tree),
            holders: 1,
            fingerprint: self.fingerprint,
            enabled_count: self.enabled_count,
        };
        self.share = Some(Box::new(NodeShare::new(Arc::new(Mutex::new(node)))));
    }

    /// The same node on the path of another worker, which takes this event.
    pub(super) fn for_other_worker(&self, event: Event) -> Node {
        let Node { fingerprint, enabled_count, .. } = *self;
        let join = |share: &NodeShare| Box::new(NodeShare::join(share.node.clone(), event.id));
        let share = self.share.as_deref().map(join);
        Node { fingerprint, enabled_count, share, ..Node::new(event) }
    }

    /// Between two runs: the number of branches, and the number of branches that are left to this worker.
    pub(super) fn count_branches(&self, is_last: bool) -> (f64, f64) {
        match &self.share {
            Some(share) => {
                let node = share.lock();
                let claim = if share.claim.is_some() { 1.0 } else { 0.0 };
                let mine = node.wakeup_tree.len() as f64 / node.holders.max(1) as f64;
                let branches = node.explored + node.claimed.len() + node.wakeup_tree.len();
                (branches.max(1) as f64, mine + claim)
            }
            None => {
                let current = u32::from(!is_last);
                let left = self.wakeup_tree.len() as f64;
                (f64::from(self.explored + current) + left, left)
            }
        }
    }

    /// Adds all other alternatives of the current event's thread to the wake-up tree.
    pub(super) fn add_alternatives(&mut self, enabled: &[Event]) {
        let chosen = self.event.id;
        match &self.share {
            Some(share) => {
                let node = &mut *share.lock();
                let sleep: Vec<Event> = node.sleep_set();
                add_alternatives(&mut node.wakeup_tree, &sleep, chosen, enabled, true);
            }
            None => add_alternatives(&mut self.wakeup_tree, &self.sleep, chosen, enabled, false),
        }
    }
}

/// The index of the enabled event that a branch stands for; of several alternatives, one that no bound holds
/// back.
pub(super) fn find_branch(
    enabled: &[Event],
    branch: &Branch,
    sleep: &[Event],
    is_held: impl Fn(&Event) -> bool,
) -> Option<usize> {
    let id = branch.event.id;
    let is_it = |event: &Event| {
        if branch.any_alternative {
            let is_asleep = || sleep.iter().any(|asleep| asleep.id == event.id);
            event.thread() == id.thread && !is_asleep() && !is_held(event)
        } else {
            event.id == id
        }
    };
    enabled.iter().position(is_it)
}

/// Adds the alternatives of the chosen event's thread, before all other branches, because one alternative
/// that is asleep stands for all of them. Otherwise the branch of another thread and a later alternative
/// would each rely on the other to explore a trace.
fn add_alternatives(
    wakeup_tree: &mut Vec<Branch>,
    sleep: &[Event],
    chosen: EventId,
    enabled: &[Event],
    may_stay_asleep: bool,
) {
    wakeup_tree.sort_by_key(|branch| branch.event.thread() != chosen.thread);
    let others = enabled.iter().filter(|event| event.thread() == chosen.thread && event.id != chosen);
    let mut index = 0;
    for event in others {
        let is_known = sleep.iter().any(|asleep| asleep.id == event.id)
            || wakeup_tree.iter().any(|branch| branch.event.id == event.id && !branch.any_alternative);
        if !is_known {
            wakeup_tree.insert(index, Branch { may_stay_asleep, ..Branch::leaf(*event, false) });
            index += 1;
        }
    }
}
