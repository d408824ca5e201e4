//! What a thread of a run leaves for whoever joins it.
//!
//! All threads of a run are on one thread of the operating system, so nobody needs a lock to come to it.

#![allow(unsafe_code)]

use crate::control::Execution;
use std::cell::UnsafeCell;
use std::sync::Arc;

/// A place for a thread's result.
pub(super) struct Packet<T>(Arc<Place<T>>);

struct Place<T>(UnsafeCell<Option<std::thread::Result<T>>>);

// SAFETY: whoever comes to the value shows the execution that it is a part of, and by that is on the execution's thread
// of the operating system. Elsewhere the place can only be dropped, by the last who has it; what can be dropped there is decided
// where threads are spawned: `T` can be sent, or belongs to a scope.
unsafe impl<T> Sync for Place<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Place<T> {}

impl<T> Packet<T> {
    /// Nothing is there yet.
    pub(super) fn new() -> Packet<T> {
        Packet(Arc::new(Place(UnsafeCell::new(None))))
    }

    /// Leaves a result. Both must belong to this execution.
    #[inline]
    pub(super) fn put(&self, _here: &Execution, result: std::thread::Result<T>) {
        // SAFETY: see `Place`; the reference lives for this statement, in which nothing of the program's runs: a thread
        // leaves one result, so there is nothing to be dropped.
        let before = unsafe { (*self.0.0.get()).replace(result) };
        debug_assert!(before.is_none(), "a thread leaves one result");
    }

    /// Takes the result, if it is there.
    #[inline]
    pub(super) fn take(&self, _here: &Execution) -> Option<std::thread::Result<T>> {
        // SAFETY: see `Place`; the reference lives for this expression.
        unsafe { (*self.0.0.get()).take() }
    }

    /// Is the result there?
    #[inline]
    pub(super) fn is_there(&self, _here: &Execution) -> bool {
        // SAFETY: see `Place`; the reference lives for this expression.
        unsafe { (*self.0.0.get()).is_some() }
    }
}

impl<T> Clone for Packet<T> {
    fn clone(&self) -> Packet<T> {
        Packet(self.0.clone())
    }
}
