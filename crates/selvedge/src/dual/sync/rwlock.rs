//! As [`std::sync::RwLock`].
//!
//! std leaves open who goes first. Here a reader waits for a writer who has the lock, never for one who waits, so readers
//! can keep a writer waiting for ever. (On some systems a reader who comes a second time waits for a writer between, who waits for the
//! reader: std says that this may deadlock; here it does not.)

use super::guards::{rewrap, rewrap_free, rewrap_try};
use crate::control::{Carries, Execution, Pending, Sort, Sync, Tag, current};
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

/// As [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    tag: Tag,
    carries: Carries,
    inner: std::sync::RwLock<T>,
}

/// As [`std::sync::RwLockReadGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    /// There until the lock is given back.
    inner: Option<std::sync::RwLockReadGuard<'a, T>>,
    /// Where the lock was taken: giving it back is told with this.
    taken: &'static Location<'static>,
}

/// As [`std::sync::RwLockWriteGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    /// There until the lock is given back.
    inner: Option<std::sync::RwLockWriteGuard<'a, T>>,
    /// Where the lock was taken: giving it back is told with this.
    taken: &'static Location<'static>,
}

// SAFETY: a shared guard gives shared access to the value and nothing else; std's guards have this bound too. That the
// compiler does not find it by itself is due to the lock beside it, which a shared guard has no way to.
#[allow(unsafe_code)]
unsafe impl<T: ?Sized + std::marker::Sync> std::marker::Sync for RwLockReadGuard<'_, T> {}
#[allow(unsafe_code)]
unsafe impl<T: ?Sized + std::marker::Sync> std::marker::Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// A new lock around a value.
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock { tag: Tag::new(), carries: Carries::of::<T>(), inner: std::sync::RwLock::new(value) }
    }
}

impl<T: ?Sized> RwLock<T> {
    fn object(&self, execution: &Execution) -> ObjectId {
        let carries = if self.inner.is_poisoned() { Carries::State } else { self.carries };
        execution.object(&self.tag, Sort::RwLock, carries, || Sync::first(Sort::RwLock))
    }

    /// Announces an action on the lock.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
        let execution = self.tag.current(self.carries)?;
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some((execution, object))
    }

    /// Waits until nobody writes, and takes the lock with others who read.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::ReadLock) else {
            return rewrap(self.inner.read(), self.reader());
        };
        enter(execution, object, Role::Reader);
        rewrap_free(self.inner.try_read(), (execution, &self.tag, Sort::RwLock), self.reader())
    }

    /// Takes the lock with others who read, if nobody writes.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if let Some((execution, object)) = self.announce(Kind::TryReadLock)
            && !enter(execution, object, Role::Reader)
        {
            return Err(TryLockError::WouldBlock);
        }
        rewrap_try(self.inner.try_read(), self.reader())
    }

    /// Waits until nobody has the lock, and takes it alone.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let Some((execution, object)) = self.announce(Kind::WriteLock) else {
            return rewrap(self.inner.write(), self.writer());
        };
        enter(execution, object, Role::Writer);
        rewrap_free(self.inner.try_write(), (execution, &self.tag, Sort::RwLock), self.writer())
    }

    /// Takes the lock alone, if nobody has it.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if let Some((execution, object)) = self.announce(Kind::TryWriteLock)
            && !enter(execution, object, Role::Writer)
        {
            return Err(TryLockError::WouldBlock);
        }
        rewrap_try(self.inner.try_write(), self.writer())
    }

    /// Makes a guard of std's.
    #[track_caller]
    #[inline]
    fn reader<'a>(&'a self) -> impl FnOnce(std::sync::RwLockReadGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let taken = Location::caller();
        move |inner| RwLockReadGuard { lock: self, inner: Some(inner), taken }
    }

    /// Makes a guard of std's.
    #[track_caller]
    #[inline]
    fn writer<'a>(&'a self) -> impl FnOnce(std::sync::RwLockWriteGuard<'a, T>) -> RwLockWriteGuard<'a, T> {
        let taken = Location::caller();
        move |inner| RwLockWriteGuard { lock: self, inner: Some(inner), taken }
    }

    /// Did a thread panic while it wrote?
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

/// How a thread has the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Reader,
    Writer,
}

/// The running thread takes the lock, if it can.
fn enter(execution: &Execution, object: ObjectId, role: Role) -> bool {
    let can = execution.with_sync(object, |sync, running| {
        let Sync::RwLock { writer, readers, .. } = sync else { return false };
        match role {
            Role::Reader if writer.is_none() => readers.push(running),
            Role::Writer if writer.is_none() && readers.is_empty() => *writer = Some(running),
            _ => return false,
        }
        true
    });
    if !can {
        execution.read_only();
        return false;
    }
    execution.acquire(object);
    if role == Role::Writer {
        execution.acquire_readers(object);
    }
    true
}

/// The running thread gives the lock back.
fn leave(execution: &Execution, object: ObjectId, role: Role) {
    match role {
        Role::Reader => execution.release_reader(object),
        Role::Writer => execution.release(object),
    }
    execution.with_sync(object, |sync, running| {
        let Sync::RwLock { writer, readers, .. } = sync else { return };
        match role {
            Role::Reader => {
                if let Some(place) = readers.iter().position(|reader| *reader == running) {
                    readers.swap_remove(place);
                }
            }
            Role::Writer => *writer = None,
        }
    });
}

/// Gives the lock back when it goes, whatever becomes of the thread at its announcement.
struct Held<'e> {
    execution: &'e Execution,
    object: ObjectId,
    role: Role,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        leave(self.execution, self.object, self.role);
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let Some(_inner) = self.inner.take() else { return };
        if let Some(execution) = current() {
            let object = self.lock.object(execution);
            let _held = Held { execution, object, role: Role::Reader };
            execution.visible(Pending::new(Action::on(Kind::UnlockRead, object), Site::Rust(self.taken)));
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        if let Some(execution) = current() {
            let object = self.lock.object(execution);
            let _inner = Quiet { execution, lock: &self.lock.inner, guard: Some(inner) };
            let _held = Held { execution, object, role: Role::Writer };
            execution.visible(Pending::new(Action::on(Kind::UnlockWrite, object), Site::Rust(self.taken)));
        }
    }
}

/// std's guard, which does not poison the lock when the run is over and its threads are stopped.
struct Quiet<'a, 'e, T: ?Sized> {
    execution: &'e Execution,
    lock: &'a std::sync::RwLock<T>,
    guard: Option<std::sync::RwLockWriteGuard<'a, T>>,
}

impl<T: ?Sized> Drop for Quiet<'_, '_, T> {
    fn drop(&mut self) {
        let was_poisoned = self.lock.is_poisoned();
        drop(self.guard.take());
        if !was_poisoned && self.execution.is_stopping() {
            self.lock.clear_poison();
        }
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// The writer goes on as a reader; nobody else writes between.
    #[track_caller]
    pub fn downgrade(mut s: Self) -> RwLockReadGuard<'a, T> {
        let lock = s.lock;
        if let Some((execution, object)) = lock.announce(Kind::Downgrade) {
            leave(execution, object, Role::Writer);
            enter(execution, object, Role::Reader);
        }
        let inner = s.inner.take().expect(ALIVE);
        lock.reader()(std::sync::RwLockWriteGuard::downgrade(inner))
    }
}

const ALIVE: &str = "a guard that is alive has the lock";

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(ALIVE)
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(ALIVE)
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect(ALIVE)
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
        fmt::Debug::fmt(&self.inner, f)
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
