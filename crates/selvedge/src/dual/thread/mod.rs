//! As [`std::thread`].
//!
//! Inside of explorations: a scope waits until its threads have dropped their thread-local values too;
//! [`available_parallelism`] is 2, or what [`set_available_parallelism`] says; time is the virtual clock's ([`crate::time`]).

mod handle;
mod local;
mod packet;
mod parallelism;
mod pause;
mod scope;
mod spawn;

pub use handle::{Thread, ThreadId, current};
pub use local::{AccessError, LocalKey};
pub use parallelism::{available_parallelism, set_available_parallelism};
#[allow(deprecated)]
pub use pause::{park, park_timeout, park_timeout_ms, sleep, sleep_ms, yield_now};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use spawn::{Builder, JoinHandle, spawn};
pub use std::thread::{Result, panicking};
