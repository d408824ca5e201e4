//! As [`std::sync`], with [`MVar`], [`AtomicRef`] and [`tracked`] in addition.

pub mod atomic;
mod atomic_ref;
mod barrier;
mod condvar;
mod guards;
#[cfg(test)]
mod happens_before_tests;
mod lazy_lock;
pub mod mpsc;
mod mutex;
mod mvar;
mod once;
mod once_lock;
mod rwlock;
pub mod tracked;

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

use crate::control::{Execution, ObjectKind, Stop, Tag};
use selvedge_explore::ObjectId;

/// An object of the current run, and the run.
#[derive(Clone, Copy)]
struct ObjectInRun<'e> {
    execution: &'e Execution,
    object: ObjectId,
}

/// Why a run is refused: a thread outside of the exploration holds a lock that the run uses.
fn held_outside(tag: &Tag, kind: ObjectKind) -> Stop {
    let (kind, created_at) = (kind.text(), tag.created_at());
    Stop::Refused(format!(
        "the {kind} made at {}:{} is held by a thread outside of the exploration, or its guard was leaked there; \
         make it inside of the explored body",
        created_at.file(),
        created_at.line()
    ))
}
