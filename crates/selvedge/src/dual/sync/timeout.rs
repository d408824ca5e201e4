//! The end of a wait's time, by the virtual clock.
//!
//! Whether a wait's time is up before what it waits for comes is the scheduler's choice; where it is, the clock goes
//! forward to the end of that time.

use crate::control::Execution;
use std::time::Duration;

/// When a wait of this length is over that begins now, in nanoseconds of the virtual clock.
pub(super) fn deadline(execution: &Execution, duration: Duration) -> u64 {
    let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    execution.state.borrow().now.saturating_add(nanoseconds)
}

/// The time of a wait is up.
pub(super) fn expire(execution: &Execution, deadline: u64) {
    let mut state = execution.state.borrow_mut();
    state.now = state.now.max(deadline);
}
