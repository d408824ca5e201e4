//! As [`std::sync::RwLock`].
//!
//! `std` does not specify which of several waiting threads is next. Inside an exploration a waiting writer
//! keeps new readers out, as on Linux and Windows: `read` waits for it, and `try_read` fails. So a thread
//! that reads twice deadlocks if a writer begins to wait in between. The rules, and why they lose no run of
//! a lock that lets readers overtake, are in `control/object/rwlock.rs`.

use super::guards::{ignoring_poison, map_acquired_guard, map_guard, map_try_guard};
use crate::control::object::{Role, RwLockState};
use crate::control::{Execution, ObjectKind, Pending, Persistence, Sync, Tag};
use crate::controlled::plain::{Container, InitialValue, is_plain_static, stand_in, stand_in_for};
use crate::controlled::{current, current_for};
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

/// As [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    tag: Tag,
    persistence: Persistence,
    initial: InitialValue,
    inner: std::sync::RwLock<T>,
}

/// As [`std::sync::RwLockReadGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    /// `None` after the lock was released.
    inner: Option<std::sync::RwLockReadGuard<'a, T>>,
    /// The call that acquired the lock. The unlock is reported with this site.
    acquired_at: &'static Location<'static>,
}

/// As [`std::sync::RwLockWriteGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    /// `None` after the lock was released.
    inner: Option<std::sync::RwLockWriteGuard<'a, T>>,
    /// The call that acquired the lock. The unlock is reported with this site.
    acquired_at: &'static Location<'static>,
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
        RwLock {
            tag: Tag::new(),
            persistence: Persistence::of::<T>(),
            initial: InitialValue::new(),
            inner: std::sync::RwLock::new(value),
        }
    }
}

impl<T: ?Sized> RwLock<T> {
    #[inline]
    fn object(&self, execution: &Execution) -> ObjectId {
        execution.known(&self.tag).unwrap_or_else(|| self.register(execution))
    }

    /// Registers the lock with the run that uses it for the first time.
    #[inline(never)]
    fn register(&self, execution: &Execution) -> ObjectId {
        let has_stand_in = is_plain_static::<T>(&self.tag);
        let persistence = match () {
            () if has_stand_in => Persistence::KeepsStateUnlessStatic,
            // Poisoning is state, even if the value has none.
            () if self.inner.is_poisoned() => Persistence::KeepsState,
            () => self.persistence,
        };
        let first = || Sync::first(ObjectKind::RwLock);
        let object = execution.object(&self.tag, ObjectKind::RwLock, persistence, first);
        if has_stand_in {
            self.outer();
            let id = (&self.tag, object);
            stand_in_for::<T, std::sync::RwLock<T>>(execution, id, &self.initial, Container::RwLock);
        }
        object
    }

    /// The lock of `std` that has the value in the run.
    #[inline]
    fn inner_in(&self, execution: &Execution, object: ObjectId) -> &std::sync::RwLock<T> {
        if self.tag.is_renewed() { stand_in(execution, object) } else { &self.inner }
    }

    /// The lock of `std` that has the value for the calling thread.
    fn current_inner(&self) -> &std::sync::RwLock<T> {
        let in_run = current().and_then(|execution| Some((execution, execution.known(&self.tag)?)));
        in_run.map_or(&self.inner, |(execution, object)| self.inner_in(execution, object))
    }

    /// The lock of `std`, for threads outside of runs. The value that a run begins with is kept before.
    #[inline]
    fn outer(&self) -> &std::sync::RwLock<T> {
        self.initial.keep::<T>(&self.tag, |copy| copy(&*ignoring_poison(self.inner.read())));
        &self.inner
    }

    /// Announces an action on the lock.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
        let execution = current_for(&self.tag, self.persistence)?;
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some((execution, object))
    }

    /// Waits until no writer holds the lock or waits for it, and locks it for reading, shared with other
    /// readers.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::ReadLock) else {
            return map_guard(self.outer().read(), self.reader());
        };
        acquire(execution, object, Role::Reader);
        let inner = self.inner_in(execution, object);
        map_acquired_guard(inner.try_read(), (execution, &self.tag, ObjectKind::RwLock), self.reader())
    }

    /// Locks for reading, if no writer holds the lock or waits for it.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::TryReadLock) else {
            return map_try_guard(self.outer().try_read(), self.reader());
        };
        if !acquire(execution, object, Role::Reader) {
            return Err(TryLockError::WouldBlock);
        }
        map_try_guard(self.inner_in(execution, object).try_read(), self.reader())
    }

    /// Waits until no thread holds the lock, and locks it for writing.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::WriteLock) else {
            return map_guard(self.outer().write(), self.writer());
        };
        while !execution.take_rwlock(object, Role::Writer) {
            let _waiting = WaitingWriter::begin(execution, object);
            execution.visible(Pending::here(Action::on(Kind::WriteLock, object)));
        }
        let inner = self.inner_in(execution, object);
        map_acquired_guard(inner.try_write(), (execution, &self.tag, ObjectKind::RwLock), self.writer())
    }

    /// Locks for writing, if no thread holds the lock.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::TryWriteLock) else {
            return map_try_guard(self.outer().try_write(), self.writer());
        };
        if !acquire(execution, object, Role::Writer) {
            return Err(TryLockError::WouldBlock);
        }
        map_try_guard(self.inner_in(execution, object).try_write(), self.writer())
    }

    /// Wraps a guard of `std`.
    #[track_caller]
    #[inline]
    fn reader<'a>(&'a self) -> impl FnOnce(std::sync::RwLockReadGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let acquired_at = Location::caller();
        move |inner| RwLockReadGuard { lock: self, inner: Some(inner), acquired_at }
    }

    /// Wraps a guard of `std`.
    #[track_caller]
    #[inline]
    fn writer<'a>(&'a self) -> impl FnOnce(std::sync::RwLockWriteGuard<'a, T>) -> RwLockWriteGuard<'a, T> {
        let acquired_at = Location::caller();
        move |inner| RwLockWriteGuard { lock: self, inner: Some(inner), acquired_at }
    }

    /// Has a thread panicked while it held the lock for writing?
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.announce(Kind::IsPoisoned);
        self.current_inner().is_poisoned()
    }

    /// Marks the lock as not poisoned.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.announce(Kind::ClearPoison);
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

/// Acquires the lock for the running thread. Returns false, and changes nothing, if another thread excludes
/// that.
fn acquire(execution: &Execution, object: ObjectId, role: Role) -> bool {
    let is_acquired = execution.take_rwlock(object, role);
    if !is_acquired {
        execution.read_only();
    }
    is_acquired
}

/// A writer that has begun to wait. It waits no longer when this is dropped, also if the thread is stopped.
struct WaitingWriter<'e> {
    execution: &'e Execution,
    object: ObjectId,
}

impl<'e> WaitingWriter<'e> {
    fn begin(execution: &'e Execution, object: ObjectId) -> WaitingWriter<'e> {
        execution.with_rwlock(object, RwLockState::begin_to_wait);
        WaitingWriter { execution, object }
    }
}

impl Drop for WaitingWriter<'_> {
    fn drop(&mut self) {
        self.execution.with_rwlock(self.object, RwLockState::stop_waiting);
    }
}

/// Releases the lock when it is dropped, also if the thread is stopped at the announcement.
struct Release<'e> {
    execution: &'e Execution,
    object: ObjectId,
    role: Role,
}

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.execution.give_back_rwlock(self.object, self.role);
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let Some(_inner) = self.inner.take() else { return };
        if let Some(execution) = current() {
            let object = self.lock.object(execution);
            let _release = Release { execution, object, role: Role::Reader };
            execution
                .visible(Pending::new(Action::on(Kind::UnlockRead, object), Site::Rust(self.acquired_at)));
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        if let Some(execution) = current() {
            let object = self.lock.object(execution);
            let _inner =
                WithoutPoison { execution, lock: self.lock.inner_in(execution, object), guard: Some(inner) };
            let _release = Release { execution, object, role: Role::Writer };
            execution
                .visible(Pending::new(Action::on(Kind::UnlockWrite, object), Site::Rust(self.acquired_at)));
        }
    }
}

/// Drops `std`'s guard without poisoning the lock, if the run is over and its threads are stopped.
struct WithoutPoison<'a, 'e, T: ?Sized> {
    execution: &'e Execution,
    lock: &'a std::sync::RwLock<T>,
    guard: Option<std::sync::RwLockWriteGuard<'a, T>>,
}

impl<T: ?Sized> Drop for WithoutPoison<'_, '_, T> {
    fn drop(&mut self) {
        let was_poisoned = self.lock.is_poisoned();
        drop(self.guard.take());
        if !was_poisoned && self.execution.is_stopping() {
            self.lock.clear_poison();
        }
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Turns the write lock into a read lock; no other writer can lock in between.
    #[track_caller]
    pub fn downgrade(mut s: Self) -> RwLockReadGuard<'a, T> {
        let lock = s.lock;
        if let Some((execution, object)) = lock.announce(Kind::Downgrade) {
            execution.give_back_rwlock(object, Role::Writer);
            acquire(execution, object, Role::Reader);
        }
        let inner = s.inner.take().expect(HELD);
        lock.reader()(std::sync::RwLockWriteGuard::downgrade(inner))
    }
}

const HELD: &str = "a guard holds the lock until it is dropped";

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(HELD)
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(HELD)
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect(HELD)
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
