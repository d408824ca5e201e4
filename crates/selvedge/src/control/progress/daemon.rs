//! Threads that outlive the body: daemons, in the words of Walker's thesis, §5.6.
//!
//! A systematic exploration lets a run go on after the return of its body, with its outcome fixed, so that
//! it sees what the daemons would have done before the return: their later events may be in races with
//! earlier events of the body (Listings 46 and 47). The run is over when each daemon has ended, waits, or
//! is *cut off*:
//!
//! | after the return, the daemon | it is cut off | is anything missed? |
//! |---|---|---|
//! | has yielded [`ONLY_YIELDS`] times in a row without another step | at its next yield | no |
//! | has executed actions at one place as often as the bound allows | before the next one there | perhaps |
//!
//! A loop that yields without any other step is taken to be endless, as a loop that spins is. The bound is
//! [`MAX_DAEMON_VISITS`], and smaller in an exploration that deepens iteratively
//! ([`unroll_bound`](super::unroll_bound)).
//!
//! Promise: no daemon that is cut off makes the outcome of a run a step limit, and the run says so, unless
//! the daemon only yields.

use super::unroll_bound::PlaceCounts;
use crate::control::State;
use crate::control::thread::Pending;
use selvedge_explore::{Event, Kind, ThreadId};

/// A daemon that yields this often in a row yields for ever. Smaller than the number of yields at one place
/// that makes an exploration deepen iteratively.
const ONLY_YIELDS: u32 = 50;

/// After the return of the body, a daemon executes actions at one place at most this often.
pub(crate) const MAX_DAEMON_VISITS: u32 = 1_000;

/// What a daemon has done since the return of the body.
#[derive(Debug, Default)]
pub(crate) struct DaemonSteps {
    /// The number of its actions, by place.
    visits: PlaceCounts,
    /// The number of its last actions that are yields.
    yields: u32,
}

impl DaemonSteps {
    /// Another thread has this slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        self.visits.clear();
        self.yields = 0;
    }
}

/// The body has returned, and this event is executed.
#[cold]
pub(in crate::control) fn count_daemon_step(state: &mut State, event: &Event) {
    if event.thread().is_phantom() {
        return;
    }
    let daemon = &mut state.threads[event.thread()].daemon;
    daemon.visits.count(event.site);
    daemon.yields = if event.action.kind == Kind::Yield { daemon.yields + 1 } else { 0 };
}

/// The body has returned: does this thread, which has announced an action, go no further?
#[cold]
pub(in crate::control) fn is_cut_off(state: &State, thread: ThreadId, pending: &Pending) -> bool {
    let daemon = &state.threads[thread].daemon;
    if pending.action.kind == Kind::Yield && daemon.yields >= ONLY_YIELDS {
        return true;
    }
    let is_cut_off = state.bound.daemon_bound.is_some_and(|bound| daemon.visits.at(pending.site) >= bound);
    if is_cut_off {
        state.bound.cut_off_daemon();
    }
    is_cut_off
}
