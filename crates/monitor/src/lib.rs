//! Runtime verification of one run: propositions, states, formulas.
//!
//! The system of Stolz and Huch (Runtime Verification of Concurrent Haskell Programs, RV 2004): a program
//! sets and releases propositions, a step makes a state of what holds, and every formula is progressed by
//! that state. A formula is proven, violated, or open with a remainder. Formulas can be added at any time,
//! and [`Template`]s add them for propositions that occur while the program runs.
//!
//! ```
//! use selvedge_monitor::{Fact, Monitor, OnViolation};
//! let mut monitor: Monitor<Fact> = Monitor::new();
//! monitor.on_violation(OnViolation::Keep);
//! monitor.check("answered", "forall r: G (request(r) -> F answer(r))").unwrap();
//! monitor.check("exclusive", "G !(critical(1) & critical(2))").unwrap();
//! monitor.pulse(&("request", 7).into());
//! monitor.set(&("critical", 1).into());
//! monitor.set(&("critical", 2).into());
//! monitor.step();
//! assert_eq!(monitor.violations()[0].name, "exclusive");
//! let report = monitor.finish();
//! assert_eq!(report.to_string(), "\
//! violated          exclusive  G !(critical(1) & critical(2))
//! presumably false  answered   forall r: G (request(r) -> F answer(r))  [1 instance, such as r = 7]
//! ");
//! ```
//!
//! [`Slices`] is for logs: one formula, judged on every slice of a sequence of lines.
//!
//! Promise: the verdict of each formula, and the state at which it falls, are those of progressing it by
//! every state from its first one on. A step costs time for the formulas that mention a change alone.

mod fact;
mod index;
mod instances;
pub mod lock_order;
mod mentions;
mod monitor;
mod path;
mod property;
mod propositions;
mod quantified;
mod reaction;
mod report;
mod shapes;
mod slices;
mod template;
mod trace_file;
mod violation;

pub use fact::{Fact, Facts, Value};
pub use monitor::{Changes, Monitor};
pub use path::Recording;
pub use property::{CheckError, IntoProperty, Property};
pub use propositions::PropId;
pub use quantified::{Pattern, Quantified};
pub use reaction::Reaction;
pub use report::{Judgement, Report};
pub use slices::{
    Clock, DEFAULT_MAX_SLICES, SliceError, SliceReport, SliceStep, SliceViolation, Slices, StepCause,
    TooManySlices, check_stutter_invariance,
};
pub use template::{Instantiation, Template};
pub use violation::{OnViolation, PathEntry, Violation};

/// The page about trace files. Its code blocks run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/trace.md")]
struct TracePage;
