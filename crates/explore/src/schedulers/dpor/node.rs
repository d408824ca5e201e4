//! A step of the path that is explored: what was done there, and what is to be done beside it.

use super::shared::{Claim, Place, Share};
use super::tree::Branch;
use crate::event::Event;
use crate::ids::EventId;
use std::sync::{Arc, Mutex};

/// A step of the present run, and what is to be done beside it.
#[derive(Debug)]
pub(super) struct Node {
    /// What is done.
    pub(super) event: Event,
    /// Which threads' events are to be found here: they should be the same whenever the run comes here.
    pub(super) fingerprint: u64,
    pub(super) count: usize,
    /// What was explored before here or above, and is independent of all that was done since.
    pub(super) sleep: Vec<Event>,
    /// What is to be done beside, from left to right.
    pub(super) tree: Vec<Branch>,
    /// How many branches were done here.
    pub(super) done: u32,
    /// Where other workers explore branches too: then what is to be done, and how many were, is there. What is asleep here is
    /// so for the present branch.
    pub(super) shared: Option<Box<Share>>,
}

impl Node {
    /// A step where this is done.
    pub(super) fn new(event: Event) -> Node {
        Node { event, fingerprint: 0, count: 0, sleep: Vec::new(), tree: Vec::new(), done: 0, shared: None }
    }

    /// The first branch that is left.
    pub(super) fn next_branch(&mut self) -> Option<Branch> {
        match &mut self.shared {
            Some(share) => share.next_branch(),
            None => (!self.tree.is_empty()).then(|| self.tree.remove(0)),
        }
    }

    /// The first branch that was left cannot be done. What was to follow may go without it.
    pub(super) fn give_up(&mut self, branch: Branch) {
        match &mut self.shared {
            Some(share) => share.give_up(),
            None => drop(self.tree.splice(..0, branch.next)),
        }
    }

    /// This is to be done next, with that asleep.
    pub(super) fn claim(&mut self, claim: Claim, sleep: Vec<Event>) {
        self.sleep = sleep;
        if let Some(share) = &mut self.shared {
            share.take(claim);
        }
    }

    /// The present branch is done. Is there another one? If not, the step is left for good.
    pub(super) fn goes_on(&mut self) -> bool {
        if let Some(share) = &mut self.shared {
            let asleep = share.claim_or_leave(self.event.id);
            let goes_on = asleep.is_some();
            self.sleep = asleep.unwrap_or_default();
            return goes_on;
        }
        // At most steps nothing is left, and nobody asks what is asleep there.
        let goes_on = !self.tree.is_empty();
        if goes_on {
            self.done += 1;
            self.sleep.push(self.event);
        }
        goes_on
    }

    /// Is there a branch that can be given away, beside the present one?
    pub(super) fn has_more(&self) -> bool {
        match &self.shared {
            Some(share) => {
                let place = share.place();
                !place.is_open && !place.tree.is_empty()
            }
            None => !self.tree.is_empty(),
        }
    }

    /// The step is shared from now on.
    pub(super) fn share(&mut self) {
        if self.shared.is_some() {
            return;
        }
        // What is left of the present branch is done already. Nothing that others find leads back to there.
        let present = Claim { branch: Branch::leaf(self.event, false), behind: None, workers: 1 };
        let place = Place {
            sleep: self.sleep.clone(),
            done: self.done as usize,
            is_inner: false,
            is_whole: false,
            claimed: vec![present],
            is_open: false,
            tree: std::mem::take(&mut self.tree),
            holders: 1,
            fingerprint: self.fingerprint,
            count: self.count,
        };
        self.shared = Some(Box::new(Share::of(Arc::new(Mutex::new(place)))));
    }

    /// The same step on the path of another worker, that goes on by this event.
    pub(super) fn for_another(&self, event: Event) -> Node {
        let Node { fingerprint, count, .. } = *self;
        let shared = self.shared.as_ref().map(|share| Box::new(Share::join(share.place.clone(), event.id)));
        Node { fingerprint, count, shared, ..Node::new(event) }
    }

    /// Of a step on the path between two runs: how many branches it has, and how many of these are left to this worker.
    pub(super) fn left(&self, is_last: bool) -> (f64, f64) {
        match &self.shared {
            Some(share) => {
                let place = share.place();
                let claim = if share.claim.is_some() { 1.0 } else { 0.0 };
                let mine = place.tree.len() as f64 / place.holders.max(1) as f64;
                let branches = place.done + place.claimed.len() + place.tree.len();
                (branches.max(1) as f64, mine + claim)
            }
            None => {
                let present = u32::from(!is_last);
                let left = self.tree.len() as f64;
                (f64::from(self.done + present) + left, left)
            }
        }
    }

    /// All ways that the thread of the present event can go are to be done.
    pub(super) fn add_other_ways(&mut self, enabled: &[Event]) {
        let chosen = self.event.id;
        match &self.shared {
            Some(share) => {
                let place = &mut *share.place();
                let asleep: Vec<Event> = place.asleep();
                add_other_ways(&mut place.tree, &asleep, chosen, enabled, true);
            }
            None => add_other_ways(&mut self.tree, &self.sleep, chosen, enabled, false),
        }
    }
}

/// The place of the event that a branch stands for.
pub(super) fn find_branch(enabled: &[Event], branch: &Branch, sleep: &[Event]) -> Option<usize> {
    let id = branch.event.id;
    let is_it = |event: &Event| {
        if branch.any_way {
            event.thread() == id.thread && !sleep.iter().any(|asleep| asleep.id == event.id)
        } else {
            event.id == id
        }
    };
    enabled.iter().position(is_it)
}

/// Where a thread can go several ways, all of them are to be done, and before anything else: one that is asleep stands for all.
/// Otherwise what another thread does first and one of these ways, done later, would each be left to the other.
fn add_other_ways(
    tree: &mut Vec<Branch>,
    sleep: &[Event],
    chosen: EventId,
    enabled: &[Event],
    is_doubtful: bool,
) {
    tree.sort_by_key(|branch| branch.event.thread() != chosen.thread);
    let others = enabled.iter().filter(|event| event.thread() == chosen.thread && event.id != chosen);
    let mut place = 0;
    for event in others {
        let is_known = sleep.iter().any(|asleep| asleep.id == event.id)
            || tree.iter().any(|branch| branch.event.id == event.id && !branch.any_way);
        if !is_known {
            tree.insert(place, Branch { is_doubtful, ..Branch::leaf(*event, false) });
            place += 1;
        }
    }
}
