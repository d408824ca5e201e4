//! As `tokio::sync::MutexGuard`.

use crate::mutex::Tag;
use selvedge_monitor::lock_order::HolderId;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// As [`tokio::sync::MutexGuard`]. It can be given back by another task or thread than the one that took it.
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized> {
    pub(crate) tag: &'a Tag,
    /// The task that has taken the lock, if that is recorded.
    pub(crate) holder: Option<HolderId>,
    /// Dropped after the destructor of this guard.
    pub(crate) inner: tokio::sync::MutexGuard<'a, T>,
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.tag.release(self.holder);
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.inner, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.inner, f)
    }
}
