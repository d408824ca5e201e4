//! What users of explorations call and read.

mod autocheck;
mod contained;
mod debug;
mod explorer;
mod options;
mod outcome;
pub mod predicate;
mod replay;
mod report;
mod strategy;
mod test_attribute;
mod value;

pub use autocheck::autocheck;
pub use contained::{contained, contained_then};
pub use explorer::{Explorer, explore};
pub(crate) use options::ProgressDisplay;
pub use options::{DEFAULT_PATIENCE, DEFAULT_STACK, DEFAULT_STEPS};
pub(super) use options::{DeadlinePolicy, FailurePolicy, Options, SpinPolicy};
pub use outcome::Outcome;
pub use replay::replay;
pub use report::{FormulaRuns, Keep, Limit, Report};
pub(super) use strategy::ReplayDivergence;
pub use strategy::Strategy;
#[doc(hidden)]
pub use test_attribute::{TestOptions, run_test};
pub(super) use value::Value;
