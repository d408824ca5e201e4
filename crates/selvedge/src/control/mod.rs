//! The controlled execution: a Rust program as something that steps.
//!
//! A program's threads are coroutines ([`fiber`]) on one thread of the operating system. Before each visible action a
//! thread announces it and gives control back ([`Execution::visible`]); the [`Driver`] asks a scheduler who goes on. What
//! threads share is described in [`object`]; which run is the present one, in [`context`].

mod announce;
pub(crate) mod buffers;
pub(crate) mod clocks;
pub(crate) mod context;
mod deed;
mod driver;
mod enabled;
mod ending;
mod execution;
pub(crate) mod fiber;
pub(crate) mod foreign;
mod interrupts;
mod kept;
mod last_words;
pub(crate) mod late;
mod listed;
mod locals;
mod memory;
pub(crate) mod object;
#[cfg(unix)]
pub(crate) mod overflow;
pub(crate) mod panics;
pub(crate) mod pulse;
mod quick;
mod races;
mod relist;
pub(crate) mod shadow;
mod spin;
mod state;
mod stopping;
mod teardown;
mod thread;
pub(crate) mod transactions;
mod turn;
#[cfg(test)]
mod turn_tests;
pub(crate) mod values;
pub(crate) mod waiters;
mod waiting;

pub(crate) use context::current;
pub(crate) use driver::Driver;
pub(crate) use enabled::{GIVES_UP, SPURIOUS, TIME_OUT};
pub(crate) use ending::SPINS;
pub(crate) use execution::{AT_ONCE, Carries, Execution, Settings, Stop};
pub(crate) use last_words::LastWords;
pub use memory::MemoryModel;
pub(crate) use object::{Sort, Sync, Tag};
pub(crate) use races::{Access, Accesses};
pub(crate) use state::State;
pub(crate) use thread::{Manner, Pending, Thread};
