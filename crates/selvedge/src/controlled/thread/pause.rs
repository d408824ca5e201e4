//! Parking, sleeping and yielding.

use crate::control::{Pending, SPURIOUS};
use crate::controlled::current;
use selvedge_explore::{Action, Kind};
use std::time::Duration;

/// As [`std::thread::park`]. Inside an exploration it wakes up spuriously only if the explorer permits that.
#[track_caller]
pub fn park() {
    match current() {
        None => std::thread::park(),
        Some(execution) => {
            let is_spurious = execution.may_be_spurious();
            let pending = Pending::here(Action::new(Kind::Park)).or_spurious(is_spurious);
            if execution.visible(pending) != SPURIOUS {
                execution.take_token();
            }
        }
    }
}

/// As [`std::thread::park_timeout`]. Inside an exploration it may time out at any step.
#[track_caller]
pub fn park_timeout(duration: Duration) {
    let Some(execution) = current() else { return std::thread::park_timeout(duration) };
    let deadline = execution.fix_deadline(duration);
    let pending = Pending::here(Action::new(Kind::Park)).or_timeout(true);
    match execution.visible(pending.or_spurious(execution.settings.spurious)) {
        SPURIOUS => {}
        alternative => {
            if alternative == crate::control::TIME_OUT {
                execution.reach(deadline);
            }
            // As in `std`, a token that arrives just before the timeout is consumed, too.
            execution.take_token();
        }
    }
}

/// As [`std::thread::park_timeout_ms`].
#[deprecated(note = "replaced by `park_timeout`")]
#[track_caller]
pub fn park_timeout_ms(milliseconds: u32) {
    park_timeout(Duration::from_millis(u64::from(milliseconds)));
}

/// As [`std::thread::sleep`]. Inside an exploration the thread yields, and the virtual clock shows at least
/// the deadline of the sleep afterwards.
#[track_caller]
pub fn sleep(duration: Duration) {
    match current() {
        None => std::thread::sleep(duration),
        Some(execution) => {
            let deadline = execution.fix_deadline(duration);
            execution.visible(Pending::here(Action::new(Kind::Sleep)));
            execution.reach(deadline);
        }
    }
}

/// As [`std::thread::sleep_ms`].
#[deprecated(note = "replaced by `sleep`")]
#[track_caller]
pub fn sleep_ms(milliseconds: u32) {
    sleep(Duration::from_millis(u64::from(milliseconds)));
}

/// As [`std::thread::yield_now`].
///
/// Inside an exploration this is how a spinning thread waits. If a thread has only read since its last yield
/// (loads, and exchanges and tries that failed), it waits here until one of the objects that it has read
/// changes: reading again before that would give the same values. If no thread can change them any more, the
/// spinning thread continues; if it then does not give up, that is a livelock, and the report of the
/// deadlock says so.
#[track_caller]
pub fn yield_now() {
    match current() {
        Some(execution) => {
            execution.visible(Pending::here(Action::new(Kind::Yield)));
        }
        None => std::thread::yield_now(),
    }
}
