//! As [`std::time`], with clocks that are virtual inside of explorations.
//!
//! There, time passes where a thread sleeps and where a wait ends because its time is up, by that duration, and nowhere else: a
//! loop that only looks at the clock until some time has passed does not end. Reading the clock is a step.

mod instant;
mod system;

pub use instant::Instant;
pub use std::time::{Duration, TryFromFloatSecsError};
pub use system::{SystemTime, SystemTimeError, UNIX_EPOCH};

use crate::control::{Execution, Pending};
use selvedge_explore::{Action, Kind};

/// The time since the run began, by a step of the running thread.
#[track_caller]
fn since_beginning(execution: &Execution) -> Duration {
    execution.visible(Pending::here(Action::new(Kind::Now)));
    execution.state.borrow().environment.now()
}
