//! The result of a thread of a run, for the thread that joins it.
//!
//! All threads of a run are on one thread of the operating system, so the result needs no lock.

#![allow(unsafe_code)]

use crate::control::Execution;
use std::cell::UnsafeCell;
use std::sync::Arc;

/// The result of a thread, shared by the thread and its handle. A caller proves that it is on the run's
/// thread of the operating system by the reference to the execution.
pub(super) struct Packet<T>(Arc<ResultSlot<T>>);

struct ResultSlot<T>(UnsafeCell<Option<std::thread::Result<T>>>);

// SAFETY: every access to the value takes a reference to the execution (`Packet::put`, `take`,
// `has_result`). The execution is not `Sync`, so all accesses are on its thread of the operating system. On
// other threads the slot can only be dropped, with its last `Arc`; `ControlledHandle::spawn_unchecked`
// requires that `T` is `Send`.
unsafe impl<T> Sync for ResultSlot<T> {}
// SAFETY: as above.
unsafe impl<T> Send for ResultSlot<T> {}

impl<T> Packet<T> {
    pub(super) fn empty() -> Packet<T> {
        Packet(Arc::new(ResultSlot(UnsafeCell::new(None))))
    }

    /// Puts the result of a thread of this execution.
    #[inline]
    pub(super) fn put(&self, _of: &Execution, result: std::thread::Result<T>) {
        // SAFETY: all accesses are on this thread of the operating system (see `ResultSlot`). The reference
        // lives for this statement, in which no code of the program runs: each thread puts one result, so
        // none is dropped.
        let before = unsafe { (*self.0.0.get()).replace(result) };
        debug_assert!(before.is_none(), "a thread puts one result");
    }

    /// Takes the result of a thread of this execution, if it is there.
    #[inline]
    pub(super) fn take(&self, _of: &Execution) -> Option<std::thread::Result<T>> {
        // SAFETY: all accesses are on this thread of the operating system (see `ResultSlot`). The reference
        // lives for this expression, in which no code of the program runs.
        unsafe { (*self.0.0.get()).take() }
    }

    /// Has the thread of this execution put its result?
    #[inline]
    pub(super) fn has_result(&self, _of: &Execution) -> bool {
        // SAFETY: all accesses are on this thread of the operating system (see `ResultSlot`). The reference
        // lives for this expression, in which no code of the program runs.
        unsafe { (*self.0.0.get()).is_some() }
    }
}

impl<T> Clone for Packet<T> {
    fn clone(&self) -> Packet<T> {
        Packet(self.0.clone())
    }
}
