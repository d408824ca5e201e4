//! Reports about a run for people: how far each thread was at its end, what is known when the process aborts, what the
//! running thread does now, and uses of its objects by threads that are not explored.

mod crash_report;
mod ending;
mod heartbeat;
mod uncontrolled;

pub(crate) use crash_report::CrashReport;
pub(crate) use heartbeat::{Doing, Heartbeat, Phase};
pub(crate) use uncontrolled::told;
pub(in crate::control) use uncontrolled::{Seat, use_of};
