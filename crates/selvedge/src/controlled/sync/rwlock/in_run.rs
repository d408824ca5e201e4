//! A reader-writer lock inside an exploration.

use super::super::guards::{ignoring_poison, map_acquired_guard, map_try_guard};
use super::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use crate::control::object::{Role, RwLockState};
use crate::control::{Execution, ObjectKind, Pending, Persistence, Sync};
use crate::controlled::plain::{Container, is_plain_static, stand_in, stand_in_for};
use crate::controlled::{current, current_for};
use crate::watched::locks::Holding;
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

impl<T: ?Sized> RwLock<T> {
    #[inline]
    pub(super) fn object(&self, execution: &Execution) -> ObjectId {
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
    pub(super) fn current_inner(&self) -> &std::sync::RwLock<T> {
        let in_run = current().and_then(|execution| Some((execution, execution.known(&self.tag)?)));
        in_run.map_or(&self.inner, |(execution, object)| self.inner_in(execution, object))
    }

    /// The lock of `std`, for threads outside of runs. The value that a run begins with is kept before.
    #[inline]
    pub(super) fn outer(&self) -> &std::sync::RwLock<T> {
        self.initial.keep::<T>(&self.tag, |copy| copy(&*ignoring_poison(self.inner.read())));
        &self.inner
    }

    /// Announces an action on the lock.
    #[track_caller]
    pub(super) fn announce<'e>(&self, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
        let execution = current_for(&self.tag, self.persistence)?;
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some((execution, object))
    }

    /// [`read`](RwLock::read) in a run; `None` outside.
    #[track_caller]
    pub(super) fn read_in_run(&self) -> Option<LockResult<RwLockReadGuard<'_, T>>> {
        let (execution, object) = self.announce(Kind::ReadLock)?;
        acquire(execution, object, Role::Reader);
        let (inner, at) = (self.inner_in(execution, object), Location::caller());
        let wrap = |inner| self.reader(inner, at, Holding::NONE);
        let result = map_acquired_guard(inner.try_read(), (execution, &self.tag, ObjectKind::RwLock), wrap);
        execution.begin_to_hold(&self.watch, object, at);
        Some(result)
    }

    /// [`try_read`](RwLock::try_read) in a run; `None` outside.
    #[track_caller]
    pub(super) fn try_read_in_run(&self) -> Option<TryLockResult<RwLockReadGuard<'_, T>>> {
        let (execution, object) = self.announce(Kind::TryReadLock)?;
        if !acquire(execution, object, Role::Reader) {
            return Some(Err(TryLockError::WouldBlock));
        }
        let at = Location::caller();
        let wrap = |inner| self.reader(inner, at, Holding::NONE);
        let result = map_try_guard(self.inner_in(execution, object).try_read(), wrap);
        execution.begin_to_hold(&self.watch, object, at);
        Some(result)
    }

    /// [`write`](RwLock::write) in a run; `None` outside.
    #[track_caller]
    pub(super) fn write_in_run(&self) -> Option<LockResult<RwLockWriteGuard<'_, T>>> {
        let (execution, object) = self.announce(Kind::WriteLock)?;
        while !execution.take_rwlock(object, Role::Writer) {
            let _waiting = WaitingWriter::begin(execution, object);
            execution.visible(Pending::here(Action::on(Kind::WriteLock, object)));
        }
        let (inner, at) = (self.inner_in(execution, object), Location::caller());
        let wrap = |inner| self.writer(inner, at, Holding::NONE);
        let result = map_acquired_guard(inner.try_write(), (execution, &self.tag, ObjectKind::RwLock), wrap);
        execution.begin_to_hold(&self.watch, object, at);
        Some(result)
    }

    /// [`try_write`](RwLock::try_write) in a run; `None` outside.
    #[track_caller]
    pub(super) fn try_write_in_run(&self) -> Option<TryLockResult<RwLockWriteGuard<'_, T>>> {
        let (execution, object) = self.announce(Kind::TryWriteLock)?;
        if !acquire(execution, object, Role::Writer) {
            return Some(Err(TryLockError::WouldBlock));
        }
        let at = Location::caller();
        let wrap = |inner| self.writer(inner, at, Holding::NONE);
        let result = map_try_guard(self.inner_in(execution, object).try_write(), wrap);
        execution.begin_to_hold(&self.watch, object, at);
        Some(result)
    }

    /// Downgrades the lock in a run. Returns false outside.
    #[track_caller]
    pub(super) fn downgrade_in_run(&self) -> bool {
        let Some((execution, object)) = self.announce(Kind::Downgrade) else { return false };
        execution.give_back_rwlock(object, Role::Writer);
        acquire(execution, object, Role::Reader);
        true
    }
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// Unlocks in a run; outside it returns the guard.
    pub(super) fn drop_in_run(
        &self,
        inner: std::sync::RwLockReadGuard<'a, T>,
    ) -> Option<std::sync::RwLockReadGuard<'a, T>> {
        let Some(execution) = current() else { return Some(inner) };
        let object = self.lock.object(execution);
        let _inner = inner;
        let _release = Release { execution, object, role: Role::Reader };
        execution.end_hold(&self.lock.watch, object, self.acquired_at);
        execution.visible(Pending::new(Action::on(Kind::UnlockRead, object), Site::Rust(self.acquired_at)));
        None
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Unlocks in a run; outside it returns the guard.
    pub(super) fn drop_in_run(
        &self,
        inner: std::sync::RwLockWriteGuard<'a, T>,
    ) -> Option<std::sync::RwLockWriteGuard<'a, T>> {
        let Some(execution) = current() else { return Some(inner) };
        let object = self.lock.object(execution);
        let _inner =
            WithoutPoison { execution, lock: self.lock.inner_in(execution, object), guard: Some(inner) };
        let _release = Release { execution, object, role: Role::Writer };
        execution.end_hold(&self.lock.watch, object, self.acquired_at);
        execution.visible(Pending::new(Action::on(Kind::UnlockWrite, object), Site::Rust(self.acquired_at)));
        None
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
