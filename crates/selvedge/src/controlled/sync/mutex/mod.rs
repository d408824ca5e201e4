//! As [`std::sync::Mutex`].
//!
//! Inside an exploration locking, unlocking and reading or clearing the poison flag are visible actions.
//! `Debug` is not: no program should depend on its output. A thread that is stopped at the end of a run does
//! not poison the lock. If the mutex is a `static` with a plain value, a mutex of the run stands in for it
//! ([`crate::controlled::plain`]). The controlled side is in `in_run`.
//!
//! Outside of explorations, with the feature `watch`, a mutex tells which thread holds it
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

/// As [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    #[cfg(feature = "check")]
    tag: Tag,
    #[cfg(feature = "check")]
    persistence: Persistence,
    #[cfg(feature = "check")]
    initial: InitialValue,
    watch: Watch,
    /// The last field, so that a lock around a sized value coerces to a lock around an unsized one.
    inner: std::sync::Mutex<T>,
}

/// As [`std::sync::MutexGuard`].
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    inner: Inner<std::sync::MutexGuard<'a, T>>,
    /// The call that acquired the lock. A destructor does not know its call site, so the unlock is reported
    /// with this one.
    #[cfg(feature = "check")]
    acquired_at: &'static Location<'static>,
    holding: Holding,
}

// SAFETY: a shared guard gives shared access to the value (`deref`) and to nothing else; `std`'s guard has
// the same bound. The compiler does not derive it because of the field `mutex`, which no method of a shared
// guard exposes.
#[allow(unsafe_code)]
unsafe impl<T: ?Sized + std::marker::Sync> std::marker::Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// An unlocked mutex around a value.
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex::with_watch(value, Watch::new())
    }

    /// A mutex inside of a type of ours, which is not watched.
    #[track_caller]
    #[inline]
    pub(crate) const fn unwatched(value: T) -> Mutex<T> {
        Mutex::with_watch(value, Watch::absent())
    }

    #[track_caller]
    #[inline]
    const fn with_watch(value: T, watch: Watch) -> Mutex<T> {
        Mutex {
            #[cfg(feature = "check")]
            tag: Tag::new(),
            #[cfg(feature = "check")]
            persistence: Persistence::of::<T>(),
            #[cfg(feature = "check")]
            initial: InitialValue::new(),
            watch,
            inner: std::sync::Mutex::new(value),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is unlocked, and locks it.
    #[track_caller]
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        #[cfg(feature = "check")]
        if let Some(result) = self.lock_in_run() {
            return result;
        }
        let (inner, at) = (self.outer(), Location::caller());
        let attempt = || attempt(inner.try_lock());
        let block = || ignoring_poison(inner.lock());
        let (guard, holding) = locks::acquire(&self.watch, Access::Lock, at, attempt, block);
        judged(self.guard(guard, at, holding), inner.is_poisoned())
    }

    /// Locks the mutex, if it is unlocked.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        #[cfg(feature = "check")]
        if let Some(result) = self.try_lock_in_run() {
            return result;
        }
        let at = Location::caller();
        map_try_guard(self.outer().try_lock(), |inner| {
            self.guard(inner, at, locks::acquired(&self.watch, Access::Lock, at))
        })
    }

    /// Wraps a guard of `std`.
    #[inline]
    fn guard<'a>(
        &'a self,
        inner: std::sync::MutexGuard<'a, T>,
        #[cfg_attr(not(feature = "check"), allow(unused_variables))] acquired_at: &'static Location<'static>,
        holding: Holding,
    ) -> MutexGuard<'a, T> {
        MutexGuard {
            mutex: self,
            inner: Inner::new(inner),
            #[cfg(feature = "check")]
            acquired_at,
            holding,
        }
    }

    /// The lock of `std`, for threads outside of runs.
    #[cfg(not(feature = "check"))]
    #[inline]
    fn outer(&self) -> &std::sync::Mutex<T> {
        &self.inner
    }

    /// The lock of `std` that has the value for the calling thread.
    #[cfg(not(feature = "check"))]
    #[inline]
    fn current_inner(&self) -> &std::sync::Mutex<T> {
        &self.inner
    }

    /// Has a thread panicked while it held the lock?
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        #[cfg(feature = "check")]
        self.announce(selvedge_explore::Kind::IsPoisoned);
        self.current_inner().is_poisoned()
    }

    /// Marks the mutex as not poisoned.
    #[track_caller]
    pub fn clear_poison(&self) {
        #[cfg(feature = "check")]
        self.announce(selvedge_explore::Kind::ClearPoison);
        self.current_inner().clear_poison();
    }

    /// Consumes the mutex, and returns the value.
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

impl<T: ?Sized> locks::Lock for Mutex<T> {
    fn set_name(&self, name: &str) {
        #[cfg(feature = "check")]
        if let Some(execution) = crate::controlled::current() {
            return execution.name_lock(self.object(execution), name);
        }
        locks::name(&self.watch, name);
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Gives the lock to a wait of `std`: the mutex and `std`'s guard.
    pub(super) fn begin_wait(self) -> (&'a Mutex<T>, std::sync::MutexGuard<'a, T>) {
        locks::release(&self.mutex.watch, self.holding);
        (self.mutex, self.into_inner())
    }

    /// The guard of `std`, without a release.
    #[allow(unsafe_code)]
    fn into_inner(self) -> std::sync::MutexGuard<'a, T> {
        // SAFETY: the destructor, which would take out the guard of `std` again, does not run.
        unsafe { ManuallyDrop::new(self).inner.take() }
    }

    /// Takes the lock back from a wait of `std`.
    pub(super) fn end_wait(
        mutex: &'a Mutex<T>,
        inner: std::sync::MutexGuard<'a, T>,
        at: &'static Location<'static>,
    ) -> MutexGuard<'a, T> {
        mutex.guard(inner, at, locks::reacquired(&mutex.watch, Access::Lock, at))
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[allow(unsafe_code)]
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a destructor is the last use of a value.
        let inner = unsafe { self.inner.take() };
        #[cfg(feature = "check")]
        let Some(inner) = self.drop_in_run(inner) else { return };
        locks::release(&self.mutex.watch, self.holding);
        drop(inner);
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.current_inner(), f)
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}
