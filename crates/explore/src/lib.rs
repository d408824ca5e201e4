//! Runs of concurrent programs, and the schedulers that choose their interleavings.
//!
//! A [`Stepper`] is a program that runs step by step: it lists the events that its threads can execute next,
//! and executes the chosen one. A [`Scheduler`] chooses. [`run()`] drives a stepper by a scheduler and
//! records the interleaving as a [`Trace`]. This crate knows no coroutines, languages or files: a controlled
//! Rust program and a model are both steppers, so every scheduler serves both.

pub mod checkpoint;
pub mod clock;
pub mod counts;
pub mod dependency;
pub mod enabledness;
pub mod event;
pub mod ids;
pub mod light;
pub mod random;
pub mod run;
pub mod schedulers;
pub mod simplify;
pub mod thread_tree;
pub mod trace;

pub use clock::VectorClock;
pub use counts::Counts;
pub use dependency::dependent;
pub use enabledness::Enabledness;
pub use event::{Action, Effect, Event, Kind, ReadsFrom, Site};
pub use ids::{EventId, ObjectId, ThreadId};
pub use light::{Candidate, LightEvent, LightRun, ThreadScheduler};
pub use random::Random;
pub use run::{Next, Recorder, RunEnd, Scheduler, Stepper, run, run_light};
pub use simplify::simplify;
pub use thread_tree::{Label, RunThreads, ThreadTree};
pub use trace::{Ending, FormatError, RacingAccess, Recording, Stall, Step, Switch, Trace};
