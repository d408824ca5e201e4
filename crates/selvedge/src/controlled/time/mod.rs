//! As [`std::time`], with a virtual clock inside an exploration.
//!
//! There time passes only to the deadlines of sleeps and timed waits; `control/progress/environment.rs` has
//! the rules. So a loop that only reads the clock until some time has passed does not terminate if no thread
//! ever waits that long. Reading the clock is a visible action.

mod instant;
mod system;

pub use instant::Instant;
pub use std::time::{Duration, TryFromFloatSecsError};
pub use system::{SystemTime, SystemTimeError, UNIX_EPOCH};

use crate::control::Execution;

/// The virtual time since the run began. Reading it is a visible action of the running thread.
#[track_caller]
fn since_start_of_run(execution: &Execution) -> Duration {
    execution.read_clock()
}
