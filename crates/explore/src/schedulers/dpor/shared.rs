//! Steps whose branches several workers explore.
//!
//! A step belongs to one worker until it gives a branch of it away. Then it, and all steps before it, have a *place* that all
//! workers below it know: what is asleep there, what was claimed, and what is still to be done. Work is *claimed*, always the
//! leftmost branch; asleep in it is what is asleep at the step, and every branch that was claimed before, done or not. So of two branches that
//! could lead to the same run the one that was claimed first makes it, whoever is faster.
//!
//! A reversal that a worker finds for such a step is dropped where a weak initial of it is asleep, or was claimed before the worker's
//! own branch: who sleeps need not be done again. Where a weak initial was claimed after it, as a leaf, it is dropped too: all that was asleep wakes up on the way
//! to a leaf, so what follows is explored whatever others find. Behind the claim of a longer sequence that is not so: a run may have been left out there
//! because somebody slept whose subtree leads back to it by just this reversal. (Nor is it behind another way that a thread of such a sequence can go.)
//! So each step after a claim has a place from the beginning, for as long as anything may be asleep there;
//! the reversal goes on there, and if the workers have left that place already, there is work for another one: an *orphan*. Otherwise the reversal is
//! hung into the tree of what nobody has claimed, to the right. So no branch is a weak initial of one to its right, as with one worker; each
//! trace is run once. (Now and then a run that would lead nowhere is begun and given up, which does not happen with one worker.)
//!
//! How a branch turns out (did an exchange fail?) is known once its first step was done, and others depend on that.
//! Until then nothing else is claimed at the step: who comes goes on further up, and the one who claimed comes back to what is left. Who finds
//! a reversal waits a little; and if it is hung there meanwhile, it is doubtful: it may turn out that the branch leads to it, and a run is made twice.
//!
//! Where it cannot be told whether a branch leads to a reversal, as objects and threads have other numbers from run to run, neither place would be
//! right. Then the workers are *in doubt* ([`Dpor::is_in_doubt`](super::Dpor::is_in_doubt)), and one of them does it all again.
//!
//! Promise: what is hung into a place is found by a worker. Who has the step on its path looks there again before it leaves.

use super::order::Order;
use super::{reversal::Reversal, tree::Branch};
use crate::event::Event;
use crate::ids::EventId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A place, for all who know it.
pub(super) type Known = Arc<Mutex<Place>>;

/// A worker's part in a step that it shares.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) place: Known,
    /// What this worker does next there.
    pub(super) claim: Option<Claim>,
    /// Has it claimed something that has not turned out yet?
    pub(super) is_open: bool,
    /// The place behind what it has just begun.
    pub(super) behind: Option<Known>,
}

/// A branch that was claimed.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// Without what follows.
    pub(super) branch: Branch,
    /// Where it goes on; nothing behind a leaf that all wake up at.
    pub(super) behind: Option<Known>,
    /// How many workers are below it.
    pub(super) workers: usize,
}

/// What all workers below a step know of it.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// What was asleep there before anything was claimed, and what was done before everything else that was claimed.
    pub(super) sleep: Vec<Event>,
    /// How many branches of the step are among that.
    pub(super) done: usize,
    /// Is it behind something that was claimed? Then reversals may come from elsewhere.
    pub(super) is_inner: bool,
    /// Nobody is asleep there, and nothing was to be followed: all that can follow is explored, whatever others find.
    pub(super) is_whole: bool,
    /// What was claimed, in order. All but the last have turned out.
    pub(super) claimed: Vec<Claim>,
    /// Is it unknown how the last one turns out?
    pub(super) is_open: bool,
    /// What nobody has claimed, from left to right.
    pub(super) tree: Vec<Branch>,
    /// How many workers have the step on their paths.
    pub(super) holders: usize,
    /// What can be done there.
    pub(super) fingerprint: u64,
    pub(super) count: usize,
}

impl Place {
    /// Claims the leftmost branch, if that can be done now.
    fn claim(&mut self) -> Option<Claim> {
        if self.is_open || self.tree.is_empty() {
            return None;
        }
        let Branch { event, any_way, next, .. } = self.tree.remove(0);
        let behind = self.behind(next);
        let claim = Claim { branch: Branch::leaf(event, any_way), behind, workers: 0 };
        self.claimed.push(claim.clone());
        self.is_open = true;
        Some(claim)
    }

    /// The place behind what is claimed next, where this is to be followed.
    fn behind(&self, tree: Vec<Branch>) -> Option<Known> {
        let may_be_asleep = !self.sleep.is_empty() || !self.claimed.is_empty();
        let is_needed = may_be_asleep || !tree.is_empty();
        is_needed
            .then(|| Arc::new(Mutex::new(Place { tree, holders: 1, is_inner: true, ..Place::default() })))
    }

    /// The one who claims is a worker below what is claimed last.
    fn claim_here(&mut self) -> Option<Claim> {
        let claim = self.claim()?;
        self.claimed.last_mut()?.workers = 1;
        Some(claim)
    }

    /// What is asleep in the branch that is claimed next, or was claimed last.
    pub(super) fn asleep(&self) -> Vec<Event> {
        let before = self.claimed.len() - usize::from(self.is_open);
        self.sleep
            .iter()
            .copied()
            .chain(self.claimed[..before].iter().map(|claim| claim.branch.event))
            .collect()
    }

    /// A worker has left this branch. What is done, and everything before it, is asleep like what was asleep before; nothing more is found
    /// that leads behind it.
    fn leave(&mut self, own: EventId) {
        let is_own = |claim: &&mut Claim| claim.branch.event.id == own && claim.workers > 0;
        if let Some(claim) = self.claimed.iter_mut().find(is_own) {
            claim.workers -= 1;
        }
        let is_done = |claim: &Claim| claim.workers == 0;
        let done =
            if self.is_inner { 0 } else { self.claimed.iter().take_while(|claim| is_done(claim)).count() };
        self.sleep.extend(self.claimed.drain(..done).map(|claim| claim.branch.event));
        self.done += done;
    }

    /// Hangs what is left of a reversal into the tree. What goes another way than what is claimed comes first.
    fn hang(&mut self, reversal: &mut Reversal, order: &Order) {
        if self.is_open {
            reversal.is_doubtful = true;
        }
        let ways = || self.claimed.iter().filter_map(|claim| reversal.other_way(order, &claim.branch.event));
        let is_known =
            |way: &Event| self.tree.iter().any(|branch| branch.event.id == way.id && !branch.any_way);
        match ways().find(|way| !is_known(way)) {
            Some(way) => {
                let branch = reversal.way_of(order, way.thread());
                self.tree.insert(0, branch);
            }
            None => reversal.insert(order, &mut self.tree),
        }
    }

    /// What was claimed last cannot be done.
    fn unclaim(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.claimed.pop();
        }
    }
}

pub(super) fn lock(place: &Known) -> MutexGuard<'_, Place> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same, where all that was claimed has turned out; if it does so soon. It is known after one step of whoever claimed it, and for a while
/// somebody may not have begun.
fn settled(place: &Known) -> MutexGuard<'_, Place> {
    const PATIENCE: usize = 200;
    for _ in 0..PATIENCE {
        let here = lock(place);
        if !here.is_open {
            return here;
        }
        drop(here);
        std::thread::yield_now();
    }
    lock(place)
}

/// Work at a place that everybody has left.
#[derive(Debug)]
pub(super) struct Orphan {
    /// What is done at the step where the reversal begins.
    pub(super) event: Event,
    /// The places after it, and what is done there.
    pub(super) way: Vec<(Known, Event)>,
    /// What is to be done at the last of them, and what is asleep in that.
    pub(super) claim: Claim,
    pub(super) sleep: Vec<Event>,
}

impl Share {
    /// A share in a place.
    pub(super) fn of(place: Known) -> Share {
        Share { place, claim: None, is_open: false, behind: None }
    }

    /// A worker has come to the place behind what it claimed, where this is asleep. No share where nothing that comes from elsewhere matters.
    pub(super) fn enter(place: Known, fingerprint: u64, count: usize, sleep: &[Event]) -> Option<Box<Share>> {
        let mut here = lock(&place);
        here.is_whole = sleep.is_empty() && here.tree.is_empty();
        (here.fingerprint, here.count) = (fingerprint, count);
        here.sleep.extend_from_slice(sleep);
        let is_whole = here.is_whole;
        drop(here);
        (!is_whole).then(|| Box::new(Share::of(place)))
    }

    pub(super) fn place(&self) -> MutexGuard<'_, Place> {
        lock(&self.place)
    }

    /// A share for another worker, whose path leads through this branch.
    pub(super) fn join(place: Known, own: EventId) -> Share {
        let mut here = lock(&place);
        here.holders += 1;
        // What was claimed last may go another way than the one that it is known by.
        let is_own = |claim: &&mut Claim| claim.branch.event.id == own;
        if let Some(claim) = here.claimed.iter_mut().rev().find(is_own) {
            claim.workers += 1;
        }
        drop(here);
        Share::of(place)
    }

    /// Claims a branch for another worker, who is to join: the branch, and what is asleep in it.
    pub(super) fn give(&self) -> Option<(Claim, Vec<Event>)> {
        let mut place = self.place();
        let claim = place.claim()?;
        Some((claim, place.asleep()))
    }

    /// This worker is to do that.
    pub(super) fn take(&mut self, claim: Claim) {
        self.claim = Some(claim);
        self.is_open = true;
    }

    /// This branch is done. Claims another one for this worker, and returns what is asleep in it; or leaves the place.
    pub(super) fn claim_or_leave(&mut self, own: EventId) -> Option<Vec<Event>> {
        let mut place = lock(&self.place);
        place.leave(own);
        let Some(claim) = place.claim_here() else {
            place.holders -= 1;
            return None;
        };
        let asleep = place.asleep();
        drop(place);
        self.take(claim);
        Some(asleep)
    }

    /// Leaves the place in the middle of a run, unless there is something to be done.
    pub(super) fn leave(&mut self) -> bool {
        let mut place = lock(&self.place);
        let leaves = place.is_open || place.tree.is_empty();
        place.holders -= usize::from(leaves);
        leaves
    }

    /// What was claimed; or another branch.
    pub(super) fn next_branch(&mut self) -> Option<Branch> {
        let claim = self.claim.take().or_else(|| self.place().claim_here());
        self.is_open = claim.is_some();
        let Claim { branch, behind, .. } = claim?;
        self.behind = behind;
        Some(branch)
    }

    /// What was claimed cannot be done. What was to follow may go without it.
    pub(super) fn give_up(&mut self) {
        self.is_open = false;
        let behind = self.behind.take();
        let mut place = self.place();
        place.unclaim();
        if let Some(behind) = behind {
            let next = std::mem::take(&mut lock(&behind).tree);
            place.tree.splice(..0, next);
        }
    }

    /// What is done here is this event; unless it was chosen freely, and there is something to be done.
    pub(super) fn found(&mut self, event: &Event) -> bool {
        let mut place = lock(&self.place);
        let branch = Branch::leaf(*event, false);
        if !self.is_open && !place.tree.is_empty() {
            return false;
        }
        match place.claimed.last_mut().filter(|_| self.is_open) {
            // How it turns out is known already, unless any way would do.
            Some(last) if last.branch.event.id == event.id && !last.branch.any_way => {}
            Some(last) => last.branch = branch,
            None => {
                self.behind = place.behind(Vec::new());
                place.claimed.push(Claim { branch, behind: self.behind.clone(), workers: 1 });
            }
        }
        place.is_open = true;
        self.is_open = true;
        true
    }

    /// What was claimed is done, and turned out like this.
    pub(super) fn resolve(&mut self, event: &Event) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let mut place = lock(&self.place);
        place.is_open = false;
        if let Some(last) = place.claimed.last_mut() {
            last.branch.event = *event;
        }
    }

    /// Hangs a reversal into the tree, unless somebody makes a run that begins so. It reverses a race with the event `own`.
    pub(super) fn insert(&self, reversal: &mut Reversal, order: &Order, own: EventId) -> Option<Orphan> {
        let (event, behind) = {
            let mut place = settled(&self.place);
            if place.sleep.iter().any(|event| reversal.takes(order, event, false)) {
                return None;
            }
            let mine = place.claimed.iter().position(|claim| claim.branch.event.id == own);
            let mine = mine.unwrap_or(place.claimed.len());
            if place.claimed[..mine].iter().any(|claim| reversal.takes(order, &claim.branch.event, false)) {
                return None;
            }
            let mut after = place.claimed.iter().skip(mine + 1);
            match after.find(|claim| reversal.takes_branch(order, &claim.branch)) {
                Some(claim) => (claim.branch.event, claim.behind.clone()?),
                None => {
                    place.hang(reversal, order);
                    return None;
                }
            }
        };
        go_behind(behind, reversal, order, event)
    }
}

/// Goes on with a reversal behind what was claimed.
fn go_behind(behind: Known, reversal: &mut Reversal, order: &Order, event: Event) -> Option<Orphan> {
    let (mut way, mut known) = (Vec::new(), behind);
    loop {
        let mut place = settled(&known);
        if place.is_whole {
            return None;
        }
        if let Some(claim) = place.claimed.iter().find(|claim| reversal.takes_branch(order, &claim.branch)) {
            let (event, behind) = (claim.branch.event, claim.behind.clone()?);
            drop(place);
            way.push((std::mem::replace(&mut known, behind), event));
            continue;
        }
        if reversal.is_empty() {
            return None;
        }
        place.hang(reversal, order);
        let claim = if place.holders == 0 { place.claim() } else { None }?;
        let sleep = place.asleep();
        drop(place);
        way.push((known, claim.branch.event));
        return Some(Orphan { event, way, claim, sleep });
    }
}
