//! Explorations: the body of a test is run under many schedules, and a report says what can happen.
//!
//! | room | content |
//! |---|---|
//! | [`api`] | what users call and read: `Explorer`, `Strategy`, `Outcome`, `Report`, predicates |
//! | [`engine`] | the loop over runs, its workers, how one run is made and judged, checkpoints |
//! | [`child_process`] | runs that end the process, made in a forked child first |
//! | `debugger` | with the feature `debug`: a session in which a person chooses the runs |
//! | [`report`] | what people read: failures, saved traces, progress, warnings |
//!
//! The rooms use only what each other's `mod.rs` exports.

mod api;
#[cfg(unix)]
mod child_process;
#[cfg(not(unix))]
#[path = "child_process/unsupported.rs"]
mod child_process;
#[cfg(feature = "debug")]
mod debugger;
mod engine;
mod report;

pub use crate::control::MemoryModel;
pub(crate) use api::ProgressDisplay;
pub use api::{
    DEFAULT_PATIENCE, DEFAULT_STACK, DEFAULT_STEPS, Explorer, FormulaRuns, Keep, Limit, Outcome, Report,
    Strategy, autocheck, contained, contained_then, explore, predicate, replay,
};
#[doc(hidden)]
pub use api::{TestOptions, run_test};
#[cfg(test)]
pub(crate) use engine::body_result;
pub(crate) use engine::host;
pub(crate) use report::{Progress, TestName, failure_message_of_kind, json};
