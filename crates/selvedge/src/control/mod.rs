//! The controlled execution: a Rust program as a system that steps.
//!
//! The threads of a program are coroutines ([`fiber`]) on one thread of the operating system. Before each
//! visible action a thread announces it and yields control; the [`Driver`] asks a scheduler which event is
//! next ([`schedule`]). Shared objects and their rules are in [`object`], the memory models in [`memory`].
//!
//! Each folder owns its data and exports its interface in its `mod.rs`; no other module reaches past that.

pub(crate) mod diagnose;
pub(crate) mod exception;
mod execution;
pub(crate) mod fiber;
mod interface;
pub(crate) mod memory;
pub(crate) mod object;
pub(crate) mod progress;
mod propositions;
mod race;
mod schedule;
mod state;
mod teardown;
mod thread;
pub(crate) mod transaction;

pub(crate) use diagnose::CrashReport;
pub(crate) use execution::{AT_ONCE, Execution, Persistence, Settings, Stop};
pub(crate) use fiber::{current, with_current};
pub use memory::MemoryModel;
pub(crate) use object::{Arrival, ObjectKind, Sync, Tag};
pub(crate) use propositions::{Recorded, ViolatedFormula};
pub(crate) use race::{Access, Accesses};
pub(crate) use schedule::{Driver, FIXES_DEADLINE, GIVES_UP, SPURIOUS, TIME_OUT};
pub(crate) use state::{ContainedPart, State};
pub(crate) use thread::{ActionSpec, Pending, SharedThreadTree};
