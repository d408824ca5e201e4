//! Threads that let others go first again and again: they wait with a time, sleep, or yield.
//!
//! A loop around such a wait has runs of any length: its time may be up once, twice, and so on. So has one that yields, where it does more
//! than to look between two yields (see [`spin`](super::spin)): it takes a lock, say. Who goes through them depth first never comes
//! back from that. So an exploration can say how often a thread may go on like that at one place of the program in one run, which is to be *late*. Beyond that
//! the thread is *held back*: its time is not up any more, and it goes on only when what it waits for comes; a sleep, or a yield, does not end.
//!
//! How often that happens at a place depends on what the thread itself did, and on nothing else. So it is the same in all runs that differ
//! in the order of independent steps, and what is explored is a program like any other: reductions hold for it too.
//!
//! Promise: who is held back is told at the end of a run. A run in which nobody can go on, and somebody is held back, is no deadlock.

use crate::control::execution::Execution;
use crate::control::schedule::{SPURIOUS, TIME_OUT};
use crate::control::state::State;
use crate::control::thread::Pending;
use selvedge_explore::{Kind, Site, ThreadId};
use std::ptr;

/// No bound at all.
pub(crate) const ANY: u32 = u32::MAX;

/// How often a thread has gone on late, by the place.
#[derive(Debug, Default)]
pub(crate) struct Timeouts(Vec<(Site, u32)>);

impl Timeouts {
    pub(in crate::control) fn clear(&mut self) {
        self.0.clear();
    }

    fn at(&self, site: Site) -> u32 {
        self.0.iter().find(|(known, _)| is_same(*known, site)).map_or(0, |(_, times)| *times)
    }

    fn count(&mut self, site: Site) {
        match self.0.iter_mut().find(|(known, _)| is_same(*known, site)) {
            Some((_, times)) => *times += 1,
            None => self.0.push((site, 1)),
        }
    }
}

fn is_same(one: Site, other: Site) -> bool {
    match (one, other) {
        (Site::Rust(one), Site::Rust(other)) => ptr::eq(one, other),
        (one, other) => one == other,
    }
}

impl Pending {
    /// Can it end because of the time alone, or for no reason?
    #[inline(always)]
    pub(in crate::control) fn can_time_out(&self) -> bool {
        self.has_timeout || self.is_spurious || self.is_late_at_once()
    }

    /// Does it let others go first, and waits for nothing else?
    #[inline(always)]
    fn is_late_at_once(&self) -> bool {
        matches!(self.action.kind, Kind::Sleep | Kind::Yield)
    }
}

impl Execution {
    /// Is it counted how often threads are late?
    #[inline(always)]
    pub(in crate::control) fn has_unroll_bound(&self) -> bool {
        self.unroll_bound.get() != ANY
    }

    /// The running thread is about to announce this, which can be late. If it was so too often here, it cannot be any more.
    pub(in crate::control) fn block_by_bound(&self, pending: &mut Pending) {
        let state = &mut *self.state.borrow_mut();
        if state.threads[state.running.index()].late.at(pending.site) < self.unroll_bound.get() {
            return;
        }
        (pending.has_timeout, pending.is_spurious, pending.is_blocked_by_bound) = (false, false, true);
        pending.may_wait = true;
        // Whether a yield waits for something of its own accord is not known yet.
        if pending.action.kind != Kind::Yield {
            state.was_blocked_by_bound.set(true);
        }
    }

    /// The running thread goes on in this way.
    pub(in crate::control) fn count_timeout(&self, pending: &Pending, alternative: u32) {
        let state = &mut *self.state.borrow_mut();
        let running = state.running;
        let is_late = match pending.action.kind {
            Kind::Sleep => true,
            Kind::Yield => state.yields_freely(running),
            _ => matches!(alternative, TIME_OUT | SPURIOUS),
        };
        if is_late {
            state.threads[running.index()].late.count(pending.site);
        }
    }
}

impl State {
    /// Is this thread held back, which is about to sleep or to yield?
    pub(in crate::control) fn blocks_by_bound(&self, thread: ThreadId, pending: &Pending) -> bool {
        let is_blocked_by_bound =
            pending.is_blocked_by_bound && (pending.action.kind != Kind::Yield || self.yields_freely(thread));
        if is_blocked_by_bound {
            self.was_blocked_by_bound.set(true);
        }
        is_blocked_by_bound
    }

    /// Is somebody held back at present?
    pub(in crate::control) fn holds_somebody_back(&self) -> bool {
        let is_blocked_by_bound =
            |thread: ThreadId| self.blocks_by_bound(thread, &self.threads[thread.index()].pending);
        self.was_blocked_by_bound.get() && self.live().any(is_blocked_by_bound)
    }

    /// Nothing could be done any more, or the run was over: did it come to an end of its own?
    pub(crate) fn came_to_its_end(&self) -> bool {
        self.is_over() || !self.holds_somebody_back()
    }
}
