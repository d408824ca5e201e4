//! As [`std::sync::Mutex`].
//!
//! Inside an exploration locking, unlocking and reading or clearing the poison flag are visible actions.
//! `Debug` is not: no program should depend on its output. A thread that is stopped at the end of a run does
//! not poison the lock. If the mutex is a `static` with a plain value, a mutex of the run stands in for it
//! ([`crate::controlled::plain`]).

use super::guards::{ignoring_poison, map_acquired_guard, map_guard, map_try_guard};
use crate::control::{Execution, ObjectKind, Pending, Persistence, Sync, Tag};
use crate::controlled::plain::{Container, InitialValue, is_plain_static, stand_in, stand_in_for};
use crate::controlled::{current, current_for};
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

/// As [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    tag: Tag,
    persistence: Persistence,
    initial: InitialValue,
    /// The last field, so that a lock around a sized value coerces to a lock around an unsized one.
    inner: std::sync::Mutex<T>,
}

/// As [`std::sync::MutexGuard`].
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    /// `None` after the lock was released.
    inner: Option<std::sync::MutexGuard<'a, T>>,
    /// The call that acquired the lock. A destructor does not know its call site, so the unlock is reported
    /// with this one.
    acquired_at: &'static Location<'static>,
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
        Mutex {
            tag: Tag::new(),
            persistence: Persistence::of::<T>(),
            initial: InitialValue::new(),
            inner: std::sync::Mutex::new(value),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    #[inline]
    fn object(&self, execution: &Execution) -> ObjectId {
        execution.known(&self.tag).unwrap_or_else(|| self.register(execution))
    }

    /// Registers the mutex with the run that uses it for the first time.
    #[inline(never)]
    fn register(&self, execution: &Execution) -> ObjectId {
        let has_stand_in = is_plain_static::<T>(&self.tag);
        let persistence = match () {
            () if has_stand_in => Persistence::KeepsStateUnlessStatic,
            // Poisoning is state, even if the value has none.
            () if self.inner.is_poisoned() => Persistence::KeepsState,
            () => self.persistence,
        };
        let first = || Sync::first(ObjectKind::Mutex);
        let object = execution.object(&self.tag, ObjectKind::Mutex, persistence, first);
        if has_stand_in {
            self.outer();
            let id = (&self.tag, object);
            stand_in_for::<T, std::sync::Mutex<T>>(execution, id, &self.initial, Container::Mutex);
        }
        object
    }

    /// The lock of `std` that has the value in the run.
    #[inline]
    fn inner_in(&self, execution: &Execution, object: ObjectId) -> &std::sync::Mutex<T> {
        if self.tag.is_renewed() { stand_in(execution, object) } else { &self.inner }
    }

    /// The lock of `std` that has the value for the calling thread.
    fn current_inner(&self) -> &std::sync::Mutex<T> {
        let in_run = current().and_then(|execution| Some((execution, execution.known(&self.tag)?)));
        in_run.map_or(&self.inner, |(execution, object)| self.inner_in(execution, object))
    }

    /// The lock of `std`, for threads outside of runs. The value that a run begins with is kept before.
    #[inline]
    fn outer(&self) -> &std::sync::Mutex<T> {
        self.initial.keep::<T>(&self.tag, |copy| copy(&*ignoring_poison(self.inner.lock())));
        &self.inner
    }

    /// Announces an action on the mutex.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
        let execution = current_for(&self.tag, self.persistence)?;
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some((execution, object))
    }

    /// Waits until the mutex is unlocked, and locks it.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::Lock) else {
            return map_guard(self.outer().lock(), self.guard());
        };
        execution.take_mutex(object);
        let inner = self.inner_in(execution, object);
        map_acquired_guard(inner.try_lock(), (execution, &self.tag, ObjectKind::Mutex), self.guard())
    }

    /// Locks the mutex, if it is unlocked.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::TryLock) else {
            return map_try_guard(self.outer().try_lock(), self.guard());
        };
        let is_free =
            execution.with_sync(object, |sync, _| matches!(sync, Sync::Mutex(mutex) if mutex.is_free()));
        if !is_free {
            execution.read_only();
            return Err(TryLockError::WouldBlock);
        }
        execution.take_mutex(object);
        map_try_guard(self.inner_in(execution, object).try_lock(), self.guard())
    }

    /// Wraps a guard of `std`.
    #[track_caller]
    #[inline]
    fn guard<'a>(&'a self) -> impl FnOnce(std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        let acquired_at = Location::caller();
        move |inner| MutexGuard { mutex: self, inner: Some(inner), acquired_at }
    }

    /// Has a thread panicked while it held the lock?
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.announce(Kind::IsPoisoned);
        self.current_inner().is_poisoned()
    }

    /// Marks the mutex as not poisoned.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.announce(Kind::ClearPoison);
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

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The mutex, and its object in a run.
    pub(super) fn mutex(&self, execution: &Execution) -> (&'a Mutex<T>, ObjectId) {
        (self.mutex, self.mutex.object(execution))
    }

    /// The mutex and `std`'s guard. Dropping that guard is no visible action.
    pub(super) fn into_parts(mut self) -> (&'a Mutex<T>, std::sync::MutexGuard<'a, T>) {
        (self.mutex, self.inner.take().expect(HELD))
    }

    /// Wraps a guard of `std`.
    #[track_caller]
    pub(super) fn from_std(mutex: &'a Mutex<T>, inner: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        mutex.guard()(inner)
    }

    /// Releases the lock as part of a `wait`, which is already announced.
    pub(super) fn release_for_wait(self, execution: &Execution, object: ObjectId) {
        execution.give_mutex(object);
        drop(self.into_parts());
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        if let Some(execution) = current() {
            let object = self.mutex.object(execution);
            // The lock is released also if the thread is stopped at the announcement.
            let _release = Release { execution, object, mutex: self.mutex, inner: Some(inner) };
            execution.visible(Pending::new(Action::on(Kind::Unlock, object), Site::Rust(self.acquired_at)));
        }
    }
}

/// Releases the lock when it is dropped.
struct Release<'a, 'e, T: ?Sized> {
    execution: &'e Execution,
    object: ObjectId,
    mutex: &'a Mutex<T>,
    inner: Option<std::sync::MutexGuard<'a, T>>,
}

impl<T: ?Sized> Drop for Release<'_, '_, T> {
    fn drop(&mut self) {
        self.execution.give_mutex(self.object);
        let lock = self.mutex.inner_in(self.execution, self.object);
        let was_poisoned = lock.is_poisoned();
        drop(self.inner.take());
        if !was_poisoned && self.execution.is_stopping() {
            lock.clear_poison();
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(HELD)
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect(HELD)
    }
}

const HELD: &str = "a guard holds the lock until it is dropped";

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
