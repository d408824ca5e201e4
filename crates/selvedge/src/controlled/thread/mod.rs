//! As [`std::thread`], with [`set_available_parallelism`] in addition.
//!
//! Inside an exploration a scope waits until its threads have also dropped their thread-local values,
//! [`available_parallelism`] is 2 until [`set_available_parallelism`] changes it, and time is that of the
//! virtual clock ([`crate::time`]).

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
