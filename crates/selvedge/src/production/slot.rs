//! A place for a shared value that is replaced as a whole.
//!
//! A lock that is held for a moment: while a count is changed, or two pointers are exchanged. `arc-swap` would let readers pass without
//! a lock, but its writers look at every thread that ever read, which made short transactions that write three times slower.
//!
//! Promise: a read returns the first value, or one that was put by a [`Slot::replace`], and everything before that
//! `replace` happened before what follows the read. Nobody's code runs under the lock.

use crate::sync::{Arc, PoisonError, RwLock};

/// A place for a shared value.
pub(crate) struct Slot<T>(RwLock<Arc<T>>);

impl<T> Slot<T> {
    pub(crate) fn new(value: Arc<T>) -> Slot<T> {
        Slot(RwLock::new(value))
    }

    /// The value that is there now.
    #[inline]
    pub(crate) fn load(&self) -> Arc<T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts a value there. The old one is the caller's to drop: its destructor is somebody else's code.
    #[inline]
    pub(crate) fn replace(&self, value: Arc<T>) -> Arc<T> {
        std::mem::replace(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner), value)
    }
}
