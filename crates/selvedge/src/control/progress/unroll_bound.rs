//! The unroll bound: how often a thread may time out, sleep or yield at one place of the program.
//!
//! A loop around a timed wait has runs of any length: the wait may time out once, twice, and so on. So has a
//! loop that yields and does more than to read between two yields (see [`super::spin`]): it takes a lock,
//! say. A depth-first search of such runs does not terminate. So an exploration can bound how often a thread
//! times out at one place in one run. Beyond that the thread is *blocked by the bound*: its wait does not
//! time out any more, and it goes on only when the awaited event comes; a sleep, or a yield, does not
//! return.
//!
//! How often that happens at a place depends on the actions of the thread itself, and on nothing else. So it
//! is the same in all equivalent runs, and the bounded program is a program like any other: reductions hold
//! for it too.
//!
//! Promise: a run that ends with a thread blocked by the bound says so. If no thread is enabled in it, it is
//! no deadlock.

use crate::control::State;
use crate::control::schedule::{SPURIOUS, TIME_OUT};
use crate::control::thread::{Pending, Thread};
use selvedge_explore::{Kind, Site, ThreadId};
use std::cell::Cell;
use std::ptr;

/// No bound at all.
pub(crate) const UNBOUNDED: u32 = u32::MAX;

/// How often a thread timed out, or did something else, by place.
#[derive(Debug, Default)]
pub(crate) struct PlaceCounts(Vec<(Site, u32)>);

impl PlaceCounts {
    /// Another thread has this slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn at(&self, site: Site) -> u32 {
        self.0.iter().find(|(known, _)| is_same(*known, site)).map_or(0, |(_, times)| *times)
    }

    pub(super) fn count(&mut self, site: Site) {
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

/// Has a bound blocked a thread in this run?
#[derive(Debug, Default)]
pub(crate) struct BoundState {
    /// A cell: whether a yield waits because of the bound is known when the enabled events are computed.
    has_blocked: Cell<bool>,
    /// How often a thread may execute actions at one place after the return of the body; `None` if the run
    /// ends there. See [`super::daemon`].
    pub(crate) daemon_bound: Option<u32>,
    has_cut_off_daemon: Cell<bool>,
}

impl BoundState {
    /// Has the bound blocked a thread in this run?
    pub(crate) fn has_blocked(&self) -> bool {
        self.has_blocked.get()
    }

    /// Was a thread cut off that went on after the return of the body?
    pub(crate) fn has_cut_off_daemon(&self) -> bool {
        self.has_cut_off_daemon.get()
    }

    /// A thread is cut off that went on after the return of the body.
    pub(super) fn cut_off_daemon(&self) {
        self.has_cut_off_daemon.set(true);
    }
}

/// Can the action end by its time alone, or spuriously?
#[inline(always)]
pub(in crate::control) fn can_time_out(pending: &Pending) -> bool {
    pending.has_timeout || pending.is_spurious || matches!(pending.action.kind, Kind::Sleep | Kind::Yield)
}

/// The running thread is about to announce an action that can time out. At the bound, it cannot any more.
pub(in crate::control) fn block_at_bound(state: &mut State, bound: u32, pending: &mut Pending) {
    if state.threads[state.running].timeouts.at(pending.site) < bound {
        return;
    }
    (pending.has_timeout, pending.is_spurious, pending.is_blocked_by_bound) = (false, false, true);
    pending.may_wait = true;
    // Whether a yield waits for a change anyway is not known yet.
    if pending.action.kind != Kind::Yield {
        state.bound.has_blocked.set(true);
    }
}

/// The thread executes the action with this alternative: a timed-out wait, a sleep and a free yield count.
pub(in crate::control) fn count_timeout(thread: &mut Thread, pending: &Pending, alternative: u32) {
    let is_timeout = match pending.action.kind {
        Kind::Sleep => true,
        Kind::Yield => thread.spin.yields_freely(),
        _ => matches!(alternative, TIME_OUT | SPURIOUS),
    };
    if is_timeout {
        thread.timeouts.count(pending.site);
    }
}

/// Is this thread blocked by the bound, which has announced a sleep or a yield?
pub(in crate::control) fn is_at_bound(state: &State, thread: ThreadId, pending: &Pending) -> bool {
    let is_at_bound = pending.is_blocked_by_bound
        && (pending.action.kind != Kind::Yield || state.threads[thread].spin.yields_freely());
    if is_at_bound {
        state.bound.has_blocked.set(true);
    }
    is_at_bound
}

/// Is a thread blocked by the bound now?
pub(in crate::control) fn has_thread_at_bound(state: &State) -> bool {
    let is_at_bound = |thread: ThreadId| is_at_bound(state, thread, state.threads.pending(thread));
    state.bound.has_blocked() && state.threads.live().any(is_at_bound)
}
