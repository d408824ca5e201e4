//! As [`std::sync::Mutex`].

use crate::control::{Carries, Execution, Pending, Sort, Sync, Tag, current};
use selvedge_explore::{Action, Kind, ObjectId};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// As [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    tag: Tag,
    inner: std::sync::Mutex<T>,
}

/// As [`std::sync::MutexGuard`].
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// There until the lock is given back.
    inner: Option<std::sync::MutexGuard<'a, T>>,
}

impl<T> Mutex<T> {
    /// A new lock around a value.
    #[track_caller]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { tag: Tag::new(), inner: std::sync::Mutex::new(value) }
    }

    /// The value.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    fn object(&self, execution: &Execution) -> ObjectId {
        let carries = if size_of_val(&self.inner) == size_of::<std::sync::Mutex<()>>() {
            Carries::Nothing
        } else {
            Carries::State
        };
        execution.object(&self.tag, Sort::Mutex, carries, || Sync::Mutex { owner: None })
    }

    /// Waits for the lock and takes it.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        if let Some(execution) = current() {
            let object = self.object(execution);
            execution.visible(Pending::here(Action::on(Kind::Lock, object)));
            own(execution, object);
            return match self.inner.try_lock() {
                Ok(guard) => Ok(self.guard(guard)),
                Err(TryLockError::Poisoned(poisoned)) => {
                    Err(PoisonError::new(self.guard(poisoned.into_inner())))
                }
                Err(TryLockError::WouldBlock) => execution.end_run(held_outside(&self.tag)),
            };
        }
        match self.inner.lock() {
            Ok(guard) => Ok(self.guard(guard)),
            Err(poisoned) => Err(PoisonError::new(self.guard(poisoned.into_inner()))),
        }
    }

    /// Takes the lock if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        if let Some(execution) = current() {
            let object = self.object(execution);
            execution.visible(Pending::here(Action::on(Kind::TryLock, object)));
            let mut state = execution.state.borrow_mut();
            let is_free = matches!(state.objects[object.index()].sync, Sync::Mutex { owner: None });
            state.only_looked = !is_free;
            drop(state);
            if !is_free {
                return Err(TryLockError::WouldBlock);
            }
            own(execution, object);
        }
        match self.inner.try_lock() {
            Ok(guard) => Ok(self.guard(guard)),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(poisoned)) => {
                Err(TryLockError::Poisoned(PoisonError::new(self.guard(poisoned.into_inner()))))
            }
        }
    }

    fn guard<'a>(&'a self, inner: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard { mutex: self, inner: Some(inner) }
    }

    /// Did a thread panic while it had the lock?
    pub fn is_poisoned(&self) -> bool {
        self.inner.is_poisoned()
    }

    /// The lock is not poisoned any more.
    pub fn clear_poison(&self) {
        self.inner.clear_poison();
    }

    /// The value, by a reference that nobody else has.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

/// The running thread has the lock now.
fn own(execution: &Execution, object: ObjectId) {
    let mut state = execution.state.borrow_mut();
    let owner = Some(state.running);
    state.objects[object.index()].sync = Sync::Mutex { owner };
    drop(state);
    execution.acquire(object);
}

/// A lock that is held where the exploration does not see it.
fn held_outside(tag: &Tag) -> crate::control::Stop {
    let made = tag.made().map_or(String::new(), |made| format!(" made at {}:{}", made.file(), made.line()));
    crate::control::Stop::Refused(format!(
        "the mutex{made} is held by a thread outside of the exploration, or its guard was leaked there; \
         make it inside of the explored body"
    ))
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Gives the guard up without an action of its own: as part of a wait.
    pub(crate) fn into_parts(mut self) -> (&'a Mutex<T>, Option<std::sync::MutexGuard<'a, T>>) {
        (self.mutex, self.inner.take())
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        // Whatever becomes of this thread at its announcement, the value's guard goes at the end of the scope.
        let Some(_inner) = self.inner.take() else { return };
        if let Some(execution) = current() {
            let object = self.mutex.object(execution);
            execution.visible(Pending::here(Action::on(Kind::Unlock, object)));
            give_back(execution, object);
        }
    }
}

/// Nobody has the lock any more.
pub(super) fn give_back(execution: &Execution, object: ObjectId) {
    execution.release(object);
    execution.state.borrow_mut().objects[object.index()].sync = Sync::Mutex { owner: None };
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
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}
