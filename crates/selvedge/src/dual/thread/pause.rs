//! Letting others go first: parking, sleeping, yielding.

use crate::control::{Pending, SPURIOUS, current};
use selvedge_explore::{Action, Kind};
use std::time::Duration;

/// As [`std::thread::park`]. Wakes up for no reason only where the exploration allows it.
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

/// As [`std::thread::park_timeout`]. In an exploration its time may be up at any step.
#[track_caller]
pub fn park_timeout(duration: Duration) {
    let Some(execution) = current() else { return std::thread::park_timeout(duration) };
    let pending = Pending::here(Action::new(Kind::Park)).or_timeout(true);
    match execution.visible(pending.or_spurious(execution.settings.spurious)) {
        SPURIOUS => {}
        alternative => {
            if alternative == crate::control::TIME_OUT {
                execution.time_passes(duration);
            }
            // As in std, a token that came just before the time was up is gone too.
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

/// As [`std::thread::sleep`]. In an exploration it lets others go first, and the virtual clock goes forward.
#[track_caller]
pub fn sleep(duration: Duration) {
    match current() {
        None => std::thread::sleep(duration),
        Some(execution) => {
            execution.visible(Pending::here(Action::new(Kind::Sleep)));
            execution.time_passes(duration);
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
/// In an exploration, a thread that has only looked at things since it last yielded (loads, exchanges and tries that failed) waits here
/// until one of them has changed: looking again before that would show the same. If nobody can change them any more, and
/// the thread does not give up when it is let go on, that is a livelock, which is reported as a deadlock that says so.
#[track_caller]
pub fn yield_now() {
    match current() {
        Some(execution) => {
            execution.visible(Pending::here(Action::new(Kind::Yield)));
        }
        None => std::thread::yield_now(),
    }
}
