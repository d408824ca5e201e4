//! A place for a shared value that is replaced as a whole, and read without waiting: the one door to `arc-swap`.
//!
//! With the feature `check` it is a lock that explorations see, so that they show every order of reads and replacements.
//!
//! Promise: a read returns the first value, or one that was put by a [`Slot::replace`], and everything before that
//! `replace` happened before what follows the read.

use std::ops::Deref;
use std::sync::Arc;

/// A value that is there for as long as this is held.
pub(crate) struct Held<T>(Inner<T>);

#[cfg(not(feature = "check"))]
type Inner<T> = arc_swap::Guard<Arc<T>>;
#[cfg(feature = "check")]
type Inner<T> = Arc<T>;

impl<T> Deref for Held<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A place for a shared value.
#[cfg(not(feature = "check"))]
pub(crate) struct Slot<T>(arc_swap::ArcSwap<T>);

#[cfg(not(feature = "check"))]
impl<T> Slot<T> {
    pub(crate) fn new(value: Arc<T>) -> Slot<T> {
        Slot(arc_swap::ArcSwap::new(value))
    }

    /// The value that is there now.
    #[inline]
    pub(crate) fn load(&self) -> Held<T> {
        Held(self.0.load())
    }

    /// Puts a value there. The old one is the caller's to drop: its destructor is somebody else's code.
    #[inline]
    pub(crate) fn replace(&self, value: Arc<T>) -> Arc<T> {
        self.0.swap(value)
    }
}

/// A place for a shared value.
#[cfg(feature = "check")]
pub(crate) struct Slot<T>(crate::sync::RwLock<Arc<T>>);

#[cfg(feature = "check")]
impl<T> Slot<T> {
    pub(crate) fn new(value: Arc<T>) -> Slot<T> {
        Slot(crate::sync::RwLock::new(value))
    }

    /// The value that is there now.
    pub(crate) fn load(&self) -> Held<T> {
        Held(self.0.read().unwrap_or_else(crate::sync::PoisonError::into_inner).clone())
    }

    /// Puts a value there. The old one is the caller's to drop: its destructor is somebody else's code.
    pub(crate) fn replace(&self, value: Arc<T>) -> Arc<T> {
        std::mem::replace(&mut *self.0.write().unwrap_or_else(crate::sync::PoisonError::into_inner), value)
    }
}
