//! What people read of an exploration: failure messages, saved traces, progress, and the watchdog's
//! warnings.

mod abort;
#[cfg(unix)]
mod death;
mod failure;
mod files;
pub(crate) mod json;
mod progress;
mod setup;
#[cfg(unix)]
mod standstill;
mod test_name;
mod watchdog;

pub(super) use abort::AbortReport;
pub(super) use failure::failure_message;
pub(crate) use failure::failure_message_of_kind;
#[cfg(feature = "debug")]
pub(super) use files::{WantedDebugging, crash_recordings, session_file};
pub(super) use files::{prepare_directory, wanted_debugging, wanted_replay, while_replaying};
pub(crate) use progress::Progress;
pub(super) use progress::WorkerProgress;
pub(super) use setup::{RecordedOrigin, adopt, recorded_origin};
pub(crate) use setup::{RunOrigin, RunSetup};
pub(crate) use test_name::TestName;
pub(super) use watchdog::{Tick, Watchdog};
#[cfg(unix)]
pub(super) use watchdog::{forget_watched, with_watchdog_locked};
