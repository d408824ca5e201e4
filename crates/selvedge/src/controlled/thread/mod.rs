//! As [`std::thread`], with [`set_available_parallelism`] in addition.
//!
//! Inside an exploration a scope waits until its threads have also dropped their thread-local values,
//! [`available_parallelism`] is 2 until [`set_available_parallelism`] changes it, and time is that of the
//! virtual clock ([`crate::time`]). Without the feature `check`, only spawning and joining differ from
//! `std`'s: they tell the order that they make (`watched`).

#[cfg(feature = "check")]
mod handle;
#[cfg(feature = "check")]
mod in_run;
#[cfg(feature = "check")]
mod local;
#[cfg(feature = "check")]
mod packet;
#[cfg(feature = "check")]
mod parallelism;
#[cfg(feature = "check")]
mod pause;
mod scope;
#[cfg(feature = "check")]
mod scope_in_run;
mod spawn;

#[cfg(feature = "check")]
#[allow(deprecated)]
pub use pause::{park, park_timeout, park_timeout_ms, sleep, sleep_ms, yield_now};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use spawn::{Builder, JoinHandle, spawn};
#[cfg(not(feature = "check"))]
pub use {crate::uncontrolled::set_available_parallelism, std::thread::*};
#[cfg(feature = "check")]
pub use {
    handle::{Thread, ThreadId, current},
    local::{AccessError, LocalKey},
    parallelism::{available_parallelism, set_available_parallelism},
    std::thread::{Result, panicking},
};

/// The handle of a thread of `std`.
#[cfg(feature = "check")]
fn thread_of_std(thread: &std::thread::Thread) -> Thread {
    Thread::from_std(thread.clone())
}

/// The handle of a thread of `std`.
#[cfg(not(feature = "check"))]
fn thread_of_std(thread: &std::thread::Thread) -> Thread {
    thread.clone()
}
