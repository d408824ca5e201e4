//! Reports about a run for people: how far each thread is at its end, what is known when the process aborts,
//! what the running thread does now, whether it drops the last owner of an `Arc`, and uses of its objects by
//! threads that are not explored.

mod crash_report;
#[cfg(unix)]
mod dying_run;
mod ending;
mod heartbeat;
mod last_drop;
#[cfg(feature = "debug")]
mod snapshot;
mod uncontrolled;

pub(crate) use crash_report::CrashReport;
pub(in crate::control) use crash_report::report_crash;
#[cfg(unix)]
pub(crate) use dying_run::{DeathCause, DyingRun};
pub(in crate::control) use ending::describe_run;
#[cfg(unix)]
pub(crate) use heartbeat::OsThread;
pub(crate) use heartbeat::{Doing, Heartbeat, Phase};
pub(in crate::control) use last_drop::count_last_drops;
#[cfg(feature = "debug")]
pub(crate) use snapshot::{ShownBits, Snapshot, ThreadSnapshot, ThreadState};
pub(crate) use uncontrolled::take_uncontrolled_use;
pub(in crate::control) use uncontrolled::{
    Seat, check_uncontrolled_use, newest_foreign_run, note_uncontrolled_use, number_runs,
};
