//! As [`std::time`], with a virtual clock inside an exploration.
//!
//! There time advances only when a thread sleeps and when a wait times out, by the respective duration. So a
//! loop that only reads the clock until some time has passed does not terminate. Reading the clock is a
//! visible action.

mod instant;
mod system;

pub use instant::Instant;
pub use std::time::{Duration, TryFromFloatSecsError};
pub use system::{SystemTime, SystemTimeError, UNIX_EPOCH};

use crate::control::{Execution, Pending};
use selvedge_explore::{Action, Kind};

/// The virtual time since the run began. Reading it is a visible action of the running thread.
#[track_caller]
fn since_start_of_run(execution: &Execution) -> Duration {
    execution.visible(Pending::here(Action::new(Kind::Now)));
    execution.state.borrow().environment.now()
}
