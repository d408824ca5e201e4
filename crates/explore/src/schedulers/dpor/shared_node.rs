//! Shared nodes: steps with branches that several workers explore.
//!
//! A step belongs to one worker until that worker gives away a branch of it. From then on this step and all
//! steps before it are *shared nodes*, which all workers below them know: the sleep set, the claimed
//! branches, and the wake-up tree of the branches that are left. A worker *claims* branches, always the
//! leftmost one. Asleep in a branch are the sleep set of the node and the events of all branches that were
//! claimed before, explored or not. If two branches reach the same trace, the earlier claim explores it,
//! independent of timing.
//!
//! A worker that finds a reversal for a shared node drops it if a weak initial of it is asleep, or was
//! claimed before the worker's own branch. If a weak initial was claimed later, as a leaf, the reversal is
//! dropped, too: every sleeping event wakes up on the way to a leaf, so the worker of the leaf explores all
//! that follows it. This does not hold below the claim of a longer sequence (nor below another alternative
//! of a thread in such a sequence): there a run may have been left out because of a sleeping event, in the
//! subtree of which just this reversal leads back to the run. Therefore the step after a claim is a shared
//! node from the beginning, as long as an event may be asleep there, and the reversal continues at that
//! node. If all workers have left that node, the reversal becomes an *orphan*: work for another worker.
//! Otherwise the reversal is inserted into the wake-up tree of unclaimed branches, to the right. So no
//! branch is a weak initial of a branch to its right, as with one worker, and each trace is explored once.
//! (Seldom a run is begun that turns out to be sleep-set blocked, which does not happen with one worker.)
//!
//! The effect of a branch's event (did an exchange fail?) is known once the event is executed, and
//! dependency needs the effect. Until then the claim is *pending* and no other branch of the node is
//! claimed: other workers look for work further up, and the claiming worker comes back for the branches that
//! are left. A worker with a reversal for the node waits a little. If it inserts the reversal while the
//! claim is pending, the pending branch may turn out to lead to it; then a trace is explored twice.
//!
//! Objects and threads have other numbers from run to run, so it can be unknown whether a branch leads to a
//! reversal. Then neither decision is safe, the exploration by several workers is
//! [inconclusive](super::Dpor::is_inconclusive), and one worker repeats it.
//!
//! Promise: a worker finds each sequence that is inserted into a shared node. A worker with the node on its
//! path claims the remaining branches before it leaves the node.

use super::happens_before::HappensBefore;
use super::{reversal::Reversal, wakeup_tree::Branch};
use crate::event::Event;
use crate::ids::EventId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A reference to a shared node.
pub(super) type SharedNodeRef = Arc<Mutex<SharedNode>>;

/// A worker's share in a shared node.
#[derive(Debug)]
pub(super) struct NodeShare {
    pub(super) node: SharedNodeRef,
    /// The branch that this worker explores next.
    pub(super) claim: Option<Claim>,
    /// Has this worker claimed a branch with an unknown effect?
    pub(super) has_pending_claim: bool,
    /// The shared node after the branch that this worker has just begun.
    pub(super) child: Option<SharedNodeRef>,
}

/// A claimed branch.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// The branch without its subtree.
    pub(super) branch: Branch,
    /// The shared node after the branch; none after a leaf where no event is asleep.
    pub(super) child: Option<SharedNodeRef>,
    /// The number of workers below the branch.
    pub(super) workers: usize,
}

/// The part of a step that all workers below it know.
#[derive(Debug, Default)]
pub(super) struct SharedNode {
    /// The events that were asleep before the first claim, and the events of the first claims that are
    /// explored.
    pub(super) sleep: Vec<Event>,
    /// The number of the step's branches among them.
    pub(super) explored: usize,
    /// Is this node after a claim? Then reversals may come from elsewhere.
    pub(super) is_child: bool,
    /// No event is asleep here, and there is no sequence to follow: all that follows is explored without
    /// restriction.
    pub(super) is_unrestricted: bool,
    /// The claimed branches, in order. The effects of all but the last are known.
    pub(super) claimed: Vec<Claim>,
    /// Is the effect of the last claim unknown?
    pub(super) has_pending_claim: bool,
    /// The branches that are not claimed, from left to right.
    pub(super) wakeup_tree: Vec<Branch>,
    /// The number of workers with this node on their paths.
    pub(super) holders: usize,
    /// The fingerprint and the number of the enabled events.
    pub(super) fingerprint: u64,
    pub(super) enabled_count: usize,
}

impl SharedNode {
    /// Claims the leftmost branch, unless a claim is pending.
    fn claim(&mut self) -> Option<Claim> {
        if self.has_pending_claim || self.wakeup_tree.is_empty() {
            return None;
        }
        let Branch { event, any_alternative, children, .. } = self.wakeup_tree.remove(0);
        let child = self.new_child(children);
        let claim = Claim { branch: Branch::leaf(event, any_alternative), child, workers: 0 };
        self.claimed.push(claim.clone());
        self.has_pending_claim = true;
        Some(claim)
    }

    /// The node after the next claim, with the subtree of the claimed branch; none if it need not be shared.
    fn new_child(&self, wakeup_tree: Vec<Branch>) -> Option<SharedNodeRef> {
        let may_be_asleep = !self.sleep.is_empty() || !self.claimed.is_empty();
        let is_needed = may_be_asleep || !wakeup_tree.is_empty();
        let child = || SharedNode { wakeup_tree, holders: 1, is_child: true, ..SharedNode::default() };
        is_needed.then(|| Arc::new(Mutex::new(child())))
    }

    /// Claims the leftmost branch for the calling worker.
    fn claim_for_caller(&mut self) -> Option<Claim> {
        let claim = self.claim()?;
        self.claimed.last_mut()?.workers = 1;
        Some(claim)
    }

    /// The sleep set of the pending claim, or else of the next claim.
    pub(super) fn sleep_set(&self) -> Vec<Event> {
        let before = self.claimed.len() - usize::from(self.has_pending_claim);
        let claimed = self.claimed[..before].iter().map(|claim| claim.branch.event);
        self.sleep.iter().copied().chain(claimed).collect()
    }

    /// A worker leaves this branch. The first claims without workers become part of the sleep set; no
    /// reversal leads below them any more.
    fn leave_branch(&mut self, own: EventId) {
        let is_own = |claim: &&mut Claim| claim.branch.event.id == own && claim.workers > 0;
        if let Some(claim) = self.claimed.iter_mut().find(is_own) {
            claim.workers -= 1;
        }
        let is_explored = |claim: &&Claim| claim.workers == 0;
        let explored = if self.is_child { 0 } else { self.claimed.iter().take_while(is_explored).count() };
        self.sleep.extend(self.claimed.drain(..explored).map(|claim| claim.branch.event));
        self.explored += explored;
    }

    /// Inserts the rest of a reversal into the wake-up tree; another alternative of a claimed thread comes
    /// first.
    fn insert(&mut self, reversal: &mut Reversal, order: &HappensBefore) {
        if self.has_pending_claim {
            reversal.may_stay_asleep = true;
        }
        let alternatives =
            || self.claimed.iter().filter_map(|claim| reversal.other_alternative(order, &claim.branch.event));
        let is_known = |event: &Event| {
            self.wakeup_tree.iter().any(|branch| branch.event.id == event.id && !branch.any_alternative)
        };
        match alternatives().find(|event| !is_known(event)) {
            Some(event) => {
                let branch = reversal.as_alternative(order, event.thread());
                self.wakeup_tree.insert(0, branch);
            }
            None => reversal.insert(order, &mut self.wakeup_tree),
        }
    }

    /// Withdraws the pending claim, the event of which is disabled.
    fn withdraw_claim(&mut self) {
        if std::mem::take(&mut self.has_pending_claim) {
            self.claimed.pop();
        }
    }
}

pub(super) fn lock(node: &SharedNodeRef) -> MutexGuard<'_, SharedNode> {
    node.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a node without a pending claim, if the claim is settled soon: after one step of the claiming
/// worker, which may not have begun yet.
fn lock_settled(node: &SharedNodeRef) -> MutexGuard<'_, SharedNode> {
    const MAX_ATTEMPTS: usize = 200;
    for _ in 0..MAX_ATTEMPTS {
        let locked = lock(node);
        if !locked.has_pending_claim {
            return locked;
        }
        drop(locked);
        std::thread::yield_now();
    }
    lock(node)
}

/// A claim at a node that all workers have left.
#[derive(Debug)]
pub(super) struct Orphan {
    /// The event at the step where the reversal starts.
    pub(super) event: Event,
    /// The shared nodes after it, and the event at each of them.
    pub(super) path: Vec<(SharedNodeRef, Event)>,
    /// The claim at the last of these nodes, and its sleep set.
    pub(super) claim: Claim,
    pub(super) sleep: Vec<Event>,
}

impl NodeShare {
    /// A share in a node.
    pub(super) fn new(node: SharedNodeRef) -> NodeShare {
        NodeShare { node, claim: None, has_pending_claim: false, child: None }
    }

    /// A worker reaches the node after its claim, with this sleep set. No share if the node is explored
    /// without restriction: then no reversal from elsewhere matters.
    pub(super) fn enter(
        node: SharedNodeRef,
        fingerprint: u64,
        enabled_count: usize,
        sleep: &[Event],
    ) -> Option<Box<NodeShare>> {
        let mut locked = lock(&node);
        locked.is_unrestricted = sleep.is_empty() && locked.wakeup_tree.is_empty();
        (locked.fingerprint, locked.enabled_count) = (fingerprint, enabled_count);
        locked.sleep.extend_from_slice(sleep);
        let is_unrestricted = locked.is_unrestricted;
        drop(locked);
        (!is_unrestricted).then(|| Box::new(NodeShare::new(node)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SharedNode> {
        lock(&self.node)
    }

    /// A share for another worker with this branch on its path.
    pub(super) fn join(node: SharedNodeRef, own: EventId) -> NodeShare {
        let mut locked = lock(&node);
        locked.holders += 1;
        // The last claim may take another alternative than the one that it was claimed by.
        let is_own = |claim: &&mut Claim| claim.branch.event.id == own;
        if let Some(claim) = locked.claimed.iter_mut().rev().find(is_own) {
            claim.workers += 1;
        }
        drop(locked);
        NodeShare::new(node)
    }

    /// Claims a branch for another worker, which joins afterwards: the branch, and its sleep set.
    pub(super) fn give(&self) -> Option<(Claim, Vec<Event>)> {
        let mut node = self.lock();
        let claim = node.claim()?;
        Some((claim, node.sleep_set()))
    }

    /// This worker explores the claimed branch next.
    pub(super) fn accept(&mut self, claim: Claim) {
        self.claim = Some(claim);
        self.has_pending_claim = true;
    }

    /// The worker's branch is explored. Claims another branch for this worker, and returns its sleep set; or
    /// leaves the node.
    pub(super) fn claim_or_leave(&mut self, own: EventId) -> Option<Vec<Event>> {
        let mut node = lock(&self.node);
        node.leave_branch(own);
        let Some(claim) = node.claim_for_caller() else {
            node.holders -= 1;
            return None;
        };
        let sleep = node.sleep_set();
        drop(node);
        self.accept(claim);
        Some(sleep)
    }

    /// Leaves the node in the middle of a run, unless there is a branch to claim. Returns whether the worker
    /// leaves.
    pub(super) fn leave_if_idle(&mut self) -> bool {
        let mut node = lock(&self.node);
        let leaves = node.has_pending_claim || node.wakeup_tree.is_empty();
        node.holders -= usize::from(leaves);
        leaves
    }

    /// The claimed branch; or a newly claimed one.
    pub(super) fn next_branch(&mut self) -> Option<Branch> {
        let claim = self.claim.take().or_else(|| self.lock().claim_for_caller());
        self.has_pending_claim = claim.is_some();
        let Claim { branch, child, .. } = claim?;
        self.child = child;
        Some(branch)
    }

    /// The event of the claimed branch is disabled. Its subtree takes its place.
    pub(super) fn discard_branch(&mut self) {
        self.has_pending_claim = false;
        let child = self.child.take();
        let mut node = self.lock();
        node.withdraw_claim();
        if let Some(child) = child {
            let children = std::mem::take(&mut lock(&child).wakeup_tree);
            node.wakeup_tree.splice(..0, children);
        }
    }

    /// The worker is about to execute this event. Returns false if it chose the event freely although there
    /// is a branch to claim.
    pub(super) fn begin_branch(&mut self, event: &Event) -> bool {
        let mut node = lock(&self.node);
        let branch = Branch::leaf(*event, false);
        if !self.has_pending_claim && !node.wakeup_tree.is_empty() {
            return false;
        }
        match node.claimed.last_mut().filter(|_| self.has_pending_claim) {
            // The effect is predicted already, unless the branch stands for any alternative.
            Some(last) if last.branch.event.id == event.id && !last.branch.any_alternative => {}
            Some(last) => last.branch = branch,
            None => {
                self.child = node.new_child(Vec::new());
                node.claimed.push(Claim { branch, child: self.child.clone(), workers: 1 });
            }
        }
        node.has_pending_claim = true;
        self.has_pending_claim = true;
        true
    }

    /// The event of the pending claim is executed; `event` has its effect.
    pub(super) fn settle_claim(&mut self, event: &Event) {
        if !std::mem::take(&mut self.has_pending_claim) {
            return;
        }
        let mut node = lock(&self.node);
        node.has_pending_claim = false;
        if let Some(last) = node.claimed.last_mut() {
            last.branch.event = *event;
        }
    }

    /// Inserts a reversal of a race with the event `own`, unless a worker explores an equivalent sequence.
    pub(super) fn insert(
        &self,
        reversal: &mut Reversal,
        order: &HappensBefore,
        own: EventId,
    ) -> Option<Orphan> {
        let (event, child) = {
            let mut node = lock_settled(&self.node);
            if node.sleep.iter().any(|event| reversal.takes(order, event, false)) {
                return None;
            }
            let mine = node.claimed.iter().position(|claim| claim.branch.event.id == own);
            let mine = mine.unwrap_or(node.claimed.len());
            if node.claimed[..mine].iter().any(|claim| reversal.takes(order, &claim.branch.event, false)) {
                return None;
            }
            let mut later = node.claimed.iter().skip(mine + 1);
            match later.find(|claim| reversal.descends_into(order, &claim.branch)) {
                Some(claim) => (claim.branch.event, claim.child.clone()?),
                None => {
                    node.insert(reversal, order);
                    return None;
                }
            }
        };
        insert_below_claim(child, reversal, order, event)
    }
}

/// Continues the insertion of a reversal at the node after a claim.
fn insert_below_claim(
    child: SharedNodeRef,
    reversal: &mut Reversal,
    order: &HappensBefore,
    event: Event,
) -> Option<Orphan> {
    let (mut path, mut current) = (Vec::new(), child);
    loop {
        let mut node = lock_settled(&current);
        if node.is_unrestricted {
            return None;
        }
        let mut claimed = node.claimed.iter();
        if let Some(claim) = claimed.find(|claim| reversal.descends_into(order, &claim.branch)) {
            let (event, child) = (claim.branch.event, claim.child.clone()?);
            drop(node);
            path.push((std::mem::replace(&mut current, child), event));
            continue;
        }
        if reversal.is_empty() {
            return None;
        }
        node.insert(reversal, order);
        let claim = if node.holders == 0 { node.claim() } else { None }?;
        let sleep = node.sleep_set();
        drop(node);
        path.push((current, claim.branch.event));
        return Some(Orphan { event, path, claim, sleep });
    }
}
