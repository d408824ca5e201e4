//! Steps whose branches several workers explore.
//!
//! A step belongs to one worker until it gives a branch of it away. Then it, and all steps before it, have a *place* that all
//! workers below it know: what is asleep there, and what is still to be done. Work is *claimed*, always the leftmost branch;
//! asleep in it is what is asleep at the step, and every branch that was claimed before, done or not. So of two branches that
//! could lead to the same run the one that was claimed first makes it, whoever is faster.
//!
//! A reversal that a worker finds for such a step is dropped where a weak initial of it is asleep or claimed: that branch is
//! explored with all that can follow, now or later. Otherwise it is hung into the tree of what nobody has claimed, to the right. So no branch
//! is a weak initial of one to its right, as with one worker; each trace is run once, and no run ends asleep.
//!
//! How a branch turns out (did an exchange fail?) is known once its first step was done, and others depend on that.
//! Until then nothing else is claimed at the step: who comes goes on further up, and the one who claimed comes back to what is left.
//!
//! Promise: what is hung into a place is found by a worker. Only who has the step on its path hangs something in, and looks there
//! again before it leaves.

use super::order::Order;
use super::wakeup::{Branch, Reversal};
use crate::event::Event;
use crate::ids::EventId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A worker's part in a step that it shares.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) place: Arc<Mutex<Place>>,
    /// What this worker does next there.
    pub(super) claim: Option<Branch>,
}

/// What all workers below a step know of it.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// What was asleep there from the beginning, and all that was claimed, as it turned out.
    pub(super) sleep: Vec<Event>,
    /// What nobody has claimed, from left to right.
    pub(super) tree: Vec<Branch>,
    /// What was claimed, where it is not known yet how it turns out.
    pub(super) unresolved: Option<Branch>,
    /// How many branches were claimed, and have turned out.
    pub(super) claimed: u32,
}

impl Place {
    /// Claims the leftmost branch, if that can be done now.
    fn claim(&mut self) -> Option<Branch> {
        if self.unresolved.is_some() || self.tree.is_empty() {
            return None;
        }
        let branch = self.tree.remove(0);
        self.unresolved = Some(Branch::leaf(branch.event, branch.any_way));
        Some(branch)
    }

    /// How many branches there are, as far as one knows.
    pub(super) fn branches(&self) -> usize {
        self.claimed as usize + usize::from(self.unresolved.is_some()) + self.tree.len()
    }
}

impl Share {
    /// A step's first share.
    pub(super) fn new(place: Place) -> Share {
        Share { place: Arc::new(Mutex::new(place)), claim: None }
    }

    /// A share for another worker.
    pub(super) fn other(&self, claim: Option<Branch>) -> Share {
        Share { place: self.place.clone(), claim }
    }

    pub(super) fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many workers are below the step.
    pub(super) fn holders(&self) -> usize {
        Arc::strong_count(&self.place)
    }

    /// Claims a branch for another worker: the branch, and what is asleep in it.
    pub(super) fn give(&self) -> Option<(Branch, Vec<Event>)> {
        let mut place = self.place();
        let branch = place.claim()?;
        Some((branch, place.sleep.clone()))
    }

    /// Claims a branch for this worker. Returns what is asleep in it.
    pub(super) fn claim(&mut self) -> Option<Vec<Event>> {
        let (branch, sleep) = self.give()?;
        self.claim = Some(branch);
        Some(sleep)
    }

    /// What was claimed; where that cannot be done, another branch.
    pub(super) fn next_branch(&mut self) -> Option<Branch> {
        self.claim.take().or_else(|| {
            let mut place = self.place();
            place.unresolved = None;
            place.claim()
        })
    }

    /// What was claimed is this event.
    pub(super) fn found(&self, event: &Event) {
        self.place().unresolved = Some(Branch::leaf(*event, false));
    }

    /// What was claimed is done, and turned out like this.
    pub(super) fn resolve(&self, event: &Event) {
        let mut place = self.place();
        place.unresolved = None;
        place.claimed += 1;
        place.sleep.push(*event);
    }

    /// Hangs a reversal into the tree, unless somebody makes a run that begins so. It reverses a race with the event `own`.
    pub(super) fn insert(&self, reversal: &mut Reversal, order: &Order, own: EventId) {
        let place = &mut *self.place();
        let mut sleep = place.sleep.iter().filter(|event| event.id != own);
        if sleep.any(|event| reversal.takes(order, event, false)) {
            return;
        }
        let is_claimed = |branch: &Branch| branch.event.id != own && reversal.takes_branch(order, branch);
        if !place.unresolved.as_ref().is_some_and(is_claimed) {
            reversal.insert(order, &mut place.tree);
        }
    }
}
