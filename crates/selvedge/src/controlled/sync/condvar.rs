//! As [`std::sync::Condvar`].
//!
//! Inside an exploration a wait is three visible actions: it releases the mutex, consumes a notification,
//! and locks the mutex again. `notify_one` leaves a notification that any thread may consume that waits at
//! that time ([`Waiters`]). A wait with a timeout fixes its deadline before, and may time out at any step,
//! whatever the duration. Spurious wake-ups happen only if the explorer permits them.
//!
//! `std` permits a wait to panic if a condition variable is used with two mutexes, and on some systems it
//! does. Inside an exploration it always panics, so the mistake is found.

use super::guards::map_guard;
use super::mutex::MutexGuard;
use crate::control::object::Waiters;
use crate::control::progress::Deadline;
use crate::control::{Execution, ObjectKind, Pending, Persistence, SPURIOUS, Sync, TIME_OUT, Tag};
use crate::controlled::current;
use selvedge_explore::{Action, Kind, ObjectId};
use std::fmt;
use std::sync::LockResult;
use std::time::Duration;

/// As [`std::sync::Condvar`].
pub struct Condvar {
    tag: Tag,
    inner: std::sync::Condvar,
}

/// As [`std::sync::WaitTimeoutResult`].
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Did the wait end by its timeout?
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// A new condition variable.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new() -> Condvar {
        Condvar { tag: Tag::new(), inner: std::sync::Condvar::new() }
    }

    fn object(&self, execution: &Execution) -> ObjectId {
        // The waiting threads are part of the run's state, so the next run finds the variable as new.
        let first = || Sync::first(ObjectKind::Condvar);
        execution.object(&self.tag, ObjectKind::Condvar, Persistence::InRun, first)
    }

    /// Releases the mutex, waits for a notification, and locks the mutex again.
    ///
    /// # Panics
    /// Inside an exploration, if the condition variable is used with two mutexes.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        if let Some(execution) = current() {
            return self.wait_controlled(execution, guard, None).0;
        }
        let (mutex, guard) = guard.into_parts();
        map_guard(self.inner.wait(guard), |guard| MutexGuard::from_std(mutex, guard))
    }

    /// [Waits](Condvar::wait) repeatedly, while the condition holds.
    ///
    /// # Panics
    /// Inside an exploration, if the condition variable is used with two mutexes.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`wait`](Condvar::wait), with a timeout in milliseconds. The result is `false` if the wait timed
    /// out.
    ///
    /// # Panics
    /// Inside an exploration, if the condition variable is used with two mutexes.
    #[track_caller]
    #[deprecated(note = "replaced by `wait_timeout`")]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let result = self.wait_timeout(guard, Duration::from_millis(u64::from(ms)));
        map_guard(result, |(guard, result)| (guard, !result.timed_out()))
    }

    /// As [`wait`](Condvar::wait), with a timeout.
    ///
    /// # Panics
    /// Inside an exploration, if the condition variable is used with two mutexes.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        if let Some(execution) = current() {
            let deadline = execution.fix_deadline(dur);
            let (guard, result) = self.wait_controlled(execution, guard, Some(deadline));
            return map_guard(guard, |guard| (guard, result));
        }
        let (mutex, guard) = guard.into_parts();
        map_guard(self.inner.wait_timeout(guard, dur), |(guard, result)| {
            (MutexGuard::from_std(mutex, guard), WaitTimeoutResult(result.timed_out()))
        })
    }

    /// [Waits](Condvar::wait_timeout) repeatedly, while the condition holds, with one timeout for all waits.
    ///
    /// # Panics
    /// Inside an exploration, if the condition variable is used with two mutexes.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let Some(execution) = current() else {
            let (mutex, guard) = guard.into_parts();
            let result = self.inner.wait_timeout_while(guard, dur, condition);
            return map_guard(result, |(guard, result)| {
                (MutexGuard::from_std(mutex, guard), WaitTimeoutResult(result.timed_out()))
            });
        };
        let (mut has_timed_out, mut deadline) = (false, None);
        while condition(&mut *guard) {
            if has_timed_out {
                return Ok((guard, WaitTimeoutResult(true)));
            }
            let deadline = *deadline.get_or_insert_with(|| execution.fix_deadline(dur));
            let (waited, result) = self.wait_controlled(execution, guard, Some(deadline));
            (guard, has_timed_out) = map_guard(waited, |guard| (guard, result))
                .map(|(guard, result)| (guard, result.timed_out()))?;
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// Wakes one waiting thread.
    #[track_caller]
    pub fn notify_one(&self) {
        match current() {
            Some(execution) => self.notify(execution, Kind::NotifyOne, Waiters::notify_one),
            None => self.inner.notify_one(),
        }
    }

    /// Wakes all waiting threads.
    #[track_caller]
    pub fn notify_all(&self) {
        match current() {
            Some(execution) => self.notify(execution, Kind::NotifyAll, Waiters::notify_all),
            None => self.inner.notify_all(),
        }
    }

    #[track_caller]
    fn notify(&self, execution: &Execution, kind: Kind, notify: fn(&mut Waiters)) {
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        with_waiters(execution, object, |waiters, _| notify(waiters));
    }

    #[track_caller]
    fn wait_controlled<'a, T>(
        &self,
        execution: &Execution,
        guard: MutexGuard<'a, T>,
        deadline: Option<Deadline>,
    ) -> (LockResult<MutexGuard<'a, T>>, WaitTimeoutResult) {
        // A wait with a timeout ends in any case, so it is never blocked for ever.
        let is_spurious =
            if deadline.is_some() { execution.settings.spurious } else { execution.may_be_spurious() };
        let object = self.object(execution);
        let (mutex, lock) = guard.mutex(execution);
        let wait = Action { second: Some(lock), ..Action::on(Kind::Wait, object) };
        execution.visible(Pending::here(wait));
        let belongs = with_waiters(execution, object, |waiters, running| {
            let belongs = waiters.belongs_to(lock);
            if belongs {
                waiters.wait(running);
            }
            belongs
        });
        assert!(belongs, "attempted to use a condition variable with two mutexes");
        guard.release_for_wait(execution, lock);
        let wake = Pending::here(Action::on(Kind::Wake, object));
        let wake = wake.or_timeout(deadline.is_some()).or_spurious(is_spurious);
        let alternative = execution.visible(wake);
        with_waiters(execution, object, |waiters, running| match alternative {
            TIME_OUT | SPURIOUS => waiters.leave(running),
            _ => waiters.wake(running),
        });
        if let (Some(deadline), TIME_OUT) = (deadline, alternative) {
            execution.reach(deadline);
        }
        (mutex.lock(), WaitTimeoutResult(alternative == TIME_OUT))
    }
}

fn with_waiters<R>(
    execution: &Execution,
    object: ObjectId,
    work: impl FnOnce(&mut Waiters, selvedge_explore::ThreadId) -> R,
) -> R {
    execution.with_sync(object, |sync, running| match sync {
        Sync::Condvar(waiters) => work(waiters, running),
        _ => unreachable!("the object of a condition variable is a condition variable"),
    })
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Condvar {
        Condvar::new()
    }
}
