//! As [`std::sync::Mutex`].
//!
//! Taking the lock and giving it back are visible actions; so is asking whether it is poisoned. `Debug` is not: it is a look
//! from outside, on which no program should depend. A thread that is stopped at the end of a run poisons nothing.

use super::guards::{rewrap, rewrap_free, rewrap_try};
use crate::control::{Carries, Execution, Pending, Sort, Sync, Tag, current};
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

/// As [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    tag: Tag,
    carries: Carries,
    /// Last, so that a lock around a value of a size unknown can be made of one around a value of a known size.
    inner: std::sync::Mutex<T>,
}

/// As [`std::sync::MutexGuard`].
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    /// There until the lock is given back.
    inner: Option<std::sync::MutexGuard<'a, T>>,
    /// Where the lock was taken. A destructor does not know where it is called, so giving it back is told with this.
    taken: &'static Location<'static>,
}

// SAFETY: a shared guard gives shared access to the value and nothing else; std's guard has this bound too. That the
// compiler does not find it by itself is due to the mutex beside it, which a shared guard has no way to.
#[allow(unsafe_code)]
unsafe impl<T: ?Sized + std::marker::Sync> std::marker::Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// A new lock around a value.
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { tag: Tag::new(), carries: Carries::of::<T>(), inner: std::sync::Mutex::new(value) }
    }
}

impl<T: ?Sized> Mutex<T> {
    #[inline]
    fn object(&self, execution: &Execution) -> ObjectId {
        execution.known(&self.tag).unwrap_or_else(|| self.meet(execution))
    }

    #[inline(never)]
    fn meet(&self, execution: &Execution) -> ObjectId {
        // A lock that a run left poisoned is not as good as new, whatever is in it.
        let carries = if self.inner.is_poisoned() { Carries::State } else { self.carries };
        execution.object(&self.tag, Sort::Mutex, carries, || Sync::Mutex { owner: None })
    }

    /// Announces an action on the lock.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
        let execution = self.tag.current(self.carries)?;
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some((execution, object))
    }

    /// Waits for the lock and takes it.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::Lock) else {
            return rewrap(self.inner.lock(), self.guard());
        };
        execution.take_mutex(object);
        rewrap_free(self.inner.try_lock(), (execution, &self.tag, Sort::Mutex), self.guard())
    }

    /// Takes the lock if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        if let Some((execution, object)) = self.announce(Kind::TryLock) {
            let is_free = execution.with_sync(object, |sync, _| matches!(sync, Sync::Mutex { owner: None }));
            if !is_free {
                execution.read_only();
                return Err(TryLockError::WouldBlock);
            }
            execution.take_mutex(object);
        }
        rewrap_try(self.inner.try_lock(), self.guard())
    }

    /// Makes a guard of std's.
    #[track_caller]
    #[inline]
    fn guard<'a>(&'a self) -> impl FnOnce(std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        let taken = Location::caller();
        move |inner| MutexGuard { mutex: self, inner: Some(inner), taken }
    }

    /// Did a thread panic while it had the lock?
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.announce(Kind::IsPoisoned);
        self.inner.is_poisoned()
    }

    /// The lock is not poisoned any more.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.announce(Kind::ClearPoison);
        self.inner.clear_poison();
    }

    /// The value.
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        self.inner.into_inner()
    }

    /// The value, by a reference that nobody else has.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The mutex, and its number in a run.
    pub(super) fn mutex(&self, execution: &Execution) -> (&'a Mutex<T>, ObjectId) {
        (self.mutex, self.mutex.object(execution))
    }

    /// The mutex, and std's guard, which may go without an action.
    pub(super) fn into_parts(mut self) -> (&'a Mutex<T>, std::sync::MutexGuard<'a, T>) {
        (self.mutex, self.inner.take().expect(ALIVE))
    }

    /// The same guard, from std's.
    #[track_caller]
    pub(super) fn of(mutex: &'a Mutex<T>, inner: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        mutex.guard()(inner)
    }

    /// Gives the lock back as part of another action, a wait, that has been announced.
    pub(super) fn give_up(self, execution: &Execution, object: ObjectId) {
        execution.give_mutex(object);
        drop(self.into_parts());
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        if let Some(execution) = current() {
            let object = self.mutex.object(execution);
            // Whatever becomes of this thread at its announcement, the lock is given back.
            let _held = Held { execution, object, mutex: self.mutex, inner: Some(inner) };
            execution.visible(Pending::new(Action::on(Kind::Unlock, object), Site::Rust(self.taken)));
        }
    }
}

/// A lock that is being given back.
struct Held<'a, 'e, T: ?Sized> {
    execution: &'e Execution,
    object: ObjectId,
    mutex: &'a Mutex<T>,
    inner: Option<std::sync::MutexGuard<'a, T>>,
}

impl<T: ?Sized> Drop for Held<'_, '_, T> {
    fn drop(&mut self) {
        self.execution.give_mutex(self.object);
        let was_poisoned = self.mutex.inner.is_poisoned();
        drop(self.inner.take());
        if !was_poisoned && self.execution.is_stopping() {
            self.mutex.inner.clear_poison();
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(ALIVE)
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect(ALIVE)
    }
}

const ALIVE: &str = "a guard that is alive has the lock";

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
        fmt::Debug::fmt(&self.inner, f)
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
