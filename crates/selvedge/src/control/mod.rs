//! The controlled execution: a Rust program as something that steps.
//!
//! A program's threads are coroutines ([`fiber`]) on one thread of the operating system. Before each visible action a
//! thread announces it and gives control back ([`Execution::visible`]); the [`Driver`] asks a scheduler who goes on. What
//! threads share is described in [`object`]; which run is the present one, in [`context`].

mod announce;
pub(crate) mod buffers;
mod candidates;
pub(crate) mod clocks;
pub(crate) mod context;
mod crash_report;
mod driver;
mod enabled;
mod ending;
mod executed;
mod execution;
mod fast_path;
pub(crate) mod fiber;
mod handoff;
#[cfg(test)]
mod handoff_tests;
pub(crate) mod heartbeat;
mod incremental;
mod interrupts;
mod locals;
mod memory;
pub(crate) mod object;
#[cfg(unix)]
pub(crate) mod overflow;
pub(crate) mod panics;
mod races;
mod recycle;
pub(crate) mod shadow;
mod spin;
mod state;
mod stopping;
mod teardown;
mod thread;
pub(crate) mod transactions;
pub(crate) mod uncontrolled;
pub(crate) mod unroll_bound;
pub(crate) mod values;
pub(crate) mod waiters;
mod waiting;

pub(crate) use context::current;
pub(crate) use crash_report::CrashReport;
pub(crate) use driver::Driver;
pub(crate) use enabled::{GIVES_UP, SPURIOUS, TIME_OUT};
pub(crate) use ending::SPINS;
pub(crate) use execution::{AT_ONCE, Carries, Execution, Settings, Stop};
pub use memory::MemoryModel;
pub(crate) use object::{Sort, Sync, Tag};
pub(crate) use races::{Access, Accesses};
pub(crate) use state::State;
pub(crate) use thread::{ActionSpec, Pending, Thread};
