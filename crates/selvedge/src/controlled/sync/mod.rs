//! As [`std::sync`], with [`MVar`], [`AtomicRef`] and [`tracked`] in addition.

#[cfg(feature = "check")]
pub mod atomic;
#[cfg(feature = "check")]
mod atomic_ref;
#[cfg(feature = "check")]
mod barrier;
mod condvar;
mod guards;
#[cfg(all(test, feature = "check"))]
mod happens_before_tests;
#[cfg(feature = "check")]
mod lazy_lock;
pub mod mpsc;
mod mutex;
mod mvar;
#[cfg(feature = "check")]
mod once;
#[cfg(feature = "check")]
mod once_lock;
mod rwlock;
#[cfg(feature = "check")]
pub mod tracked;

pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use mvar::MVar;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};

#[cfg(feature = "check")]
#[allow(deprecated)]
pub use once::ONCE_INIT;
#[cfg(not(feature = "check"))]
pub use {
    crate::production::atomic_ref::{AtomicRef, Ticket},
    crate::uncontrolled::tracked,
    std::sync::*,
};
#[cfg(feature = "check")]
pub use {
    atomic_ref::{AtomicRef, Ticket},
    barrier::{Barrier, BarrierWaitResult},
    lazy_lock::LazyLock,
    once::{Once, OnceState},
    once_lock::OnceLock,
    std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak},
};

#[cfg(feature = "check")]
use crate::control::{Execution, ObjectKind, Stop, Tag};
#[cfg(feature = "check")]
use selvedge_explore::ObjectId;

/// An object of the current run, and the run.
#[cfg(feature = "check")]
#[derive(Clone, Copy)]
struct ObjectInRun<'e> {
    execution: &'e Execution,
    object: ObjectId,
}

/// Why a run is refused: a thread outside of the exploration holds a lock that the run uses.
#[cfg(feature = "check")]
fn held_outside(tag: &Tag, kind: ObjectKind) -> Stop {
    let (kind, created_at) = (kind.text(), tag.created_at());
    Stop::Refused(format!(
        "the {kind} made at {}:{} is held by a thread outside of the exploration, or its guard was leaked there; \
         make it inside of the explored body",
        created_at.file(),
        created_at.line()
    ))
}
