//! A mutex inside an exploration.

use super::super::guards::{ignoring_poison, map_acquired_guard, map_try_guard};
use super::{Mutex, MutexGuard};
use crate::control::{Execution, ObjectKind, Pending, Persistence, Sync};
use crate::controlled::plain::{Container, is_plain_static, stand_in, stand_in_for};
use crate::controlled::{current, current_for};
use crate::watched::locks::Holding;
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::panic::Location;
use std::sync::{LockResult, TryLockError, TryLockResult};

impl<T: ?Sized> Mutex<T> {
    #[inline]
    pub(super) fn object(&self, execution: &Execution) -> ObjectId {
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
    pub(super) fn current_inner(&self) -> &std::sync::Mutex<T> {
        let in_run = current().and_then(|execution| Some((execution, execution.known(&self.tag)?)));
        in_run.map_or(&self.inner, |(execution, object)| self.inner_in(execution, object))
    }

    /// The lock of `std`, for threads outside of runs. The value that a run begins with is kept before.
    #[inline]
    pub(super) fn outer(&self) -> &std::sync::Mutex<T> {
        self.initial.keep::<T>(&self.tag, |copy| copy(&*ignoring_poison(self.inner.lock())));
        &self.inner
    }

    /// Announces an action on the mutex.
    #[track_caller]
    pub(super) fn announce<'e>(&self, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
        let execution = current_for(&self.tag, self.persistence)?;
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        Some((execution, object))
    }

    /// [`lock`](Mutex::lock) in a run; `None` outside.
    #[track_caller]
    #[inline]
    pub(super) fn lock_in_run(&self) -> Option<LockResult<MutexGuard<'_, T>>> {
        let (execution, object) = self.announce(Kind::Lock)?;
        execution.take_mutex(object);
        let (inner, at) = (self.inner_in(execution, object), Location::caller());
        let wrap = |inner| self.guard(inner, at, Holding::NONE);
        let result = map_acquired_guard(inner.try_lock(), (execution, &self.tag, ObjectKind::Mutex), wrap);
        execution.begin_to_hold(&self.watch, object, at);
        Some(result)
    }

    /// [`try_lock`](Mutex::try_lock) in a run; `None` outside.
    #[track_caller]
    pub(super) fn try_lock_in_run(&self) -> Option<TryLockResult<MutexGuard<'_, T>>> {
        let (execution, object) = self.announce(Kind::TryLock)?;
        let is_free =
            execution.with_sync(object, |sync, _| matches!(sync, Sync::Mutex(mutex) if mutex.is_free()));
        if !is_free {
            execution.read_only();
            return Some(Err(TryLockError::WouldBlock));
        }
        execution.take_mutex(object);
        let at = Location::caller();
        let wrap = |inner| self.guard(inner, at, Holding::NONE);
        let result = map_try_guard(self.inner_in(execution, object).try_lock(), wrap);
        if !matches!(result, Err(TryLockError::WouldBlock)) {
            execution.begin_to_hold(&self.watch, object, at);
        }
        Some(result)
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The mutex, and its object in a run.
    pub(in super::super) fn mutex(&self, execution: &Execution) -> (&'a Mutex<T>, ObjectId) {
        (self.mutex, self.mutex.object(execution))
    }

    /// The running thread is about to wait, and holds the lock no longer.
    pub(in super::super) fn end_hold(&self, execution: &Execution, object: ObjectId) {
        execution.end_hold(&self.mutex.watch, object, self.acquired_at);
    }

    /// Releases the lock as part of a `wait`, which is already announced.
    pub(in super::super) fn release_for_wait(self, execution: &Execution, object: ObjectId) {
        execution.give_mutex(object);
        drop(self.into_inner());
    }

    /// Unlocks in a run; outside it returns the guard.
    #[inline]
    pub(super) fn drop_in_run(
        &self,
        inner: std::sync::MutexGuard<'a, T>,
    ) -> Option<std::sync::MutexGuard<'a, T>> {
        let Some(execution) = current() else { return Some(inner) };
        let object = self.mutex.object(execution);
        // The lock is released also if the thread is stopped at the announcement.
        let _release = Release { execution, object, mutex: self.mutex, inner: Some(inner) };
        execution.end_hold(&self.mutex.watch, object, self.acquired_at);
        execution.visible(Pending::new(Action::on(Kind::Unlock, object), Site::Rust(self.acquired_at)));
        None
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
