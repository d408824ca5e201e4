//! As [`std::sync`], and [`MVar`] and [`AtomicRef`].

pub mod atomic;
mod atomic_ref;
mod barrier;
mod condvar;
mod guards;
mod lazy_lock;
pub mod mpsc;
mod mutex;
mod mvar;
mod once;
mod once_lock;
#[cfg(test)]
mod order_tests;
mod rwlock;

pub use atomic_ref::{AtomicRef, Ticket};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
pub use mvar::MVar;
#[allow(deprecated)]
pub use once::ONCE_INIT;
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};

use crate::control::{Sort, Stop, Tag};

/// A lock that is held where the exploration does not see it.
fn held_outside(tag: &Tag, sort: Sort) -> Stop {
    let sort = sort.text();
    let made = tag.made().map_or(String::new(), |made| format!(" made at {}:{}", made.file(), made.line()));
    Stop::Refused(format!(
        "the {sort}{made} is held by a thread outside of the exploration, or its guard was leaked there; \
         make it inside of the explored body"
    ))
}
