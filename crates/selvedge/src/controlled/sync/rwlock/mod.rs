//! As [`std::sync::RwLock`].
//!
//! `std` does not specify which of several waiting threads is next. Inside an exploration a waiting writer
//! keeps new readers out, as on Linux and Windows: `read` waits for it, and `try_read` fails. So a thread
//! that reads twice deadlocks if a writer begins to wait in between. The rules, and why they lose no run of
//! a lock that lets readers overtake, are in `control/object/rwlock.rs`. The controlled side is in `in_run`.
//!
//! Outside of explorations, with the feature `watch`, a lock tells which threads hold it
//! ([`crate::watched`]).

#[cfg(feature = "check")]
mod in_run;

use super::guards::{Inner, attempt, ignoring_poison, judged, map_try_guard};
#[cfg(feature = "check")]
use crate::control::{Persistence, Tag};
#[cfg(feature = "check")]
use crate::controlled::plain::InitialValue;
use crate::watched::locks::{self, Access, Holding, Watch};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockResult};

/// As [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    #[cfg(feature = "check")]
    tag: Tag,
    #[cfg(feature = "check")]
    persistence: Persistence,
    #[cfg(feature = "check")]
    initial: InitialValue,
    watch: Watch,
    inner: std::sync::RwLock<T>,
}

/// As [`std::sync::RwLockReadGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    inner: Inner<std::sync::RwLockReadGuard<'a, T>>,
    /// The call that acquired the lock. The unlock is reported with this site.
    #[cfg(feature = "check")]
    acquired_at: &'static Location<'static>,
    holding: Holding,
}

/// As [`std::sync::RwLockWriteGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    inner: Inner<std::sync::RwLockWriteGuard<'a, T>>,
    /// The call that acquired the lock. The unlock is reported with this site.
    #[cfg(feature = "check")]
    acquired_at: &'static Location<'static>,
    holding: Holding,
}

// SAFETY: a shared guard gives shared access to the value (`deref`) and to nothing else; `std`'s guard has
// the same bound. The compiler does not derive it because of the field `lock`, which no method of a shared
// guard exposes.
#[allow(unsafe_code)]
unsafe impl<T: ?Sized + std::marker::Sync> std::marker::Sync for RwLockReadGuard<'_, T> {}
// SAFETY: as for the read guard.
#[allow(unsafe_code)]
unsafe impl<T: ?Sized + std::marker::Sync> std::marker::Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// An unlocked lock around a value.
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock::with_watch(value, Watch::new())
    }

    /// A lock inside of a type of ours, which is not watched.
    #[track_caller]
    #[inline]
    pub(crate) const fn unwatched(value: T) -> RwLock<T> {
        RwLock::with_watch(value, Watch::absent())
    }

    #[track_caller]
    #[inline]
    const fn with_watch(value: T, watch: Watch) -> RwLock<T> {
        RwLock {
            #[cfg(feature = "check")]
            tag: Tag::new(),
            #[cfg(feature = "check")]
            persistence: Persistence::of::<T>(),
            #[cfg(feature = "check")]
            initial: InitialValue::new(),
            watch,
            inner: std::sync::RwLock::new(value),
        }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until no writer holds the lock or waits for it, and locks it for reading, shared with other
    /// readers.
    #[track_caller]
    #[inline]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        #[cfg(feature = "check")]
        if let Some(result) = self.read_in_run() {
            return result;
        }
        let (inner, at) = (self.outer(), Location::caller());
        let attempt = || attempt(inner.try_read());
        let block = || ignoring_poison(inner.read());
        let (guard, holding) = locks::acquire(&self.watch, Access::Read, at, attempt, block);
        judged(self.reader(guard, at, holding), inner.is_poisoned())
    }

    /// Locks for reading, if no writer holds the lock or waits for it.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        #[cfg(feature = "check")]
        if let Some(result) = self.try_read_in_run() {
            return result;
        }
        let at = Location::caller();
        map_try_guard(self.outer().try_read(), |inner| {
            self.reader(inner, at, locks::acquired(&self.watch, Access::Read, at))
        })
    }

    /// Waits until no thread holds the lock, and locks it for writing.
    #[track_caller]
    #[inline]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        #[cfg(feature = "check")]
        if let Some(result) = self.write_in_run() {
            return result;
        }
        let (inner, at) = (self.outer(), Location::caller());
        let attempt = || attempt(inner.try_write());
        let block = || ignoring_poison(inner.write());
        let (guard, holding) = locks::acquire(&self.watch, Access::Write, at, attempt, block);
        judged(self.writer(guard, at, holding), inner.is_poisoned())
    }

    /// Locks for writing, if no thread holds the lock.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        #[cfg(feature = "check")]
        if let Some(result) = self.try_write_in_run() {
            return result;
        }
        let at = Location::caller();
        map_try_guard(self.outer().try_write(), |inner| {
            self.writer(inner, at, locks::acquired(&self.watch, Access::Write, at))
        })
    }

    /// Wraps a guard of `std`.
    #[inline]
    fn reader<'a>(
        &'a self,
        inner: std::sync::RwLockReadGuard<'a, T>,
        #[cfg_attr(not(feature = "check"), allow(unused_variables))] acquired_at: &'static Location<'static>,
        holding: Holding,
    ) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard {
            lock: self,
            inner: Inner::new(inner),
            #[cfg(feature = "check")]
            acquired_at,
            holding,
        }
    }

    /// Wraps a guard of `std`.
    #[inline]
    fn writer<'a>(
        &'a self,
        inner: std::sync::RwLockWriteGuard<'a, T>,
        #[cfg_attr(not(feature = "check"), allow(unused_variables))] acquired_at: &'static Location<'static>,
        holding: Holding,
    ) -> RwLockWriteGuard<'a, T> {
        RwLockWriteGuard {
            lock: self,
            inner: Inner::new(inner),
            #[cfg(feature = "check")]
            acquired_at,
            holding,
        }
    }

    /// The lock of `std`, for threads outside of runs.
    #[cfg(not(feature = "check"))]
    #[inline]
    fn outer(&self) -> &std::sync::RwLock<T> {
        &self.inner
    }

    /// The lock of `std` that has the value for the calling thread.
    #[cfg(not(feature = "check"))]
    #[inline]
    fn current_inner(&self) -> &std::sync::RwLock<T> {
        &self.inner
    }

    /// Has a thread panicked while it held the lock for writing?
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        #[cfg(feature = "check")]
        self.announce(selvedge_explore::Kind::IsPoisoned);
        self.current_inner().is_poisoned()
    }

    /// Marks the lock as not poisoned.
    #[track_caller]
    pub fn clear_poison(&self) {
        #[cfg(feature = "check")]
        self.announce(selvedge_explore::Kind::ClearPoison);
        self.current_inner().clear_poison();
    }

    /// Consumes the lock, and returns the value.
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        self.inner.into_inner()
    }

    /// The value, without locking: the exclusive reference shows that no thread holds the lock.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

impl<T: ?Sized> locks::Lock for RwLock<T> {
    fn set_name(&self, name: &str) {
        #[cfg(feature = "check")]
        if let Some(execution) = crate::controlled::current() {
            return execution.name_lock(self.object(execution), name);
        }
        locks::name(&self.watch, name);
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[allow(unsafe_code)]
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a destructor is the last use of a value.
        let inner = unsafe { self.inner.take() };
        #[cfg(feature = "check")]
        let Some(inner) = self.drop_in_run(inner) else { return };
        locks::release(&self.lock.watch, self.holding);
        drop(inner);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[allow(unsafe_code)]
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a destructor is the last use of a value.
        let inner = unsafe { self.inner.take() };
        #[cfg(feature = "check")]
        let Some(inner) = self.drop_in_run(inner) else { return };
        locks::release(&self.lock.watch, self.holding);
        drop(inner);
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Turns the write lock into a read lock; no other writer can lock in between.
    #[track_caller]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        let (lock, at) = (s.lock, Location::caller());
        #[cfg(feature = "check")]
        if lock.downgrade_in_run() {
            let inner = std::sync::RwLockWriteGuard::downgrade(s.into_inner());
            return lock.reader(inner, at, Holding::NONE);
        }
        locks::release(&lock.watch, s.holding);
        let inner = std::sync::RwLockWriteGuard::downgrade(s.into_inner());
        lock.reader(inner, at, locks::acquired(&lock.watch, Access::Read, at))
    }

    /// The guard of `std`, without a release.
    #[allow(unsafe_code)]
    fn into_inner(self) -> std::sync::RwLockWriteGuard<'a, T> {
        // SAFETY: the destructor, which would take out the guard of `std` again, does not run.
        unsafe { ManuallyDrop::new(self).inner.take() }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.current_inner(), f)
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}
