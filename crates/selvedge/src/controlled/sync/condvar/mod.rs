//! As [`std::sync::Condvar`].
//!
//! Inside an exploration a wait is three visible actions: it releases the mutex, consumes a notification,
//! and locks the mutex again. `notify_one` leaves a notification that any thread may consume that waits at
//! that time ([`Waiters`]). A wait with a timeout fixes its deadline before, and may time out at any step,
//! whatever the duration. Spurious wake-ups happen only if the explorer permits them.
//!
//! `std` permits a wait to panic if a condition variable is used with two mutexes, and on some systems it
//! does. Inside an exploration it always panics, so the mistake is found. The controlled side is in
//! `in_run`.

#[cfg(feature = "check")]
mod in_run;

use super::guards::map_guard;
use super::mutex::{Mutex, MutexGuard};
#[cfg(feature = "check")]
use crate::control::{Tag, object::Waiters};
#[cfg(feature = "check")]
use crate::controlled::current;
#[cfg(feature = "check")]
use selvedge_explore::Kind;
use std::fmt;
use std::panic::Location;
use std::sync::LockResult;
use std::time::{Duration, Instant};

/// As [`std::sync::Condvar`].
pub struct Condvar {
    #[cfg(feature = "check")]
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
        Condvar {
            #[cfg(feature = "check")]
            tag: Tag::new(),
            inner: std::sync::Condvar::new(),
        }
    }

    /// Releases the mutex, waits for a notification, and locks the mutex again.
    ///
    /// # Panics
    /// Inside an exploration, if the condition variable is used with two mutexes.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        #[cfg(feature = "check")]
        if let Some(execution) = current() {
            return self.wait_controlled(execution, guard, None).0;
        }
        let (mutex, guard) = guard.begin_wait();
        let end = end_wait(mutex);
        map_guard(self.inner.wait(guard), end)
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
        #[cfg(feature = "check")]
        if let Some(execution) = current() {
            let deadline = execution.fix_deadline(dur);
            let (guard, result) = self.wait_controlled(execution, guard, Some(deadline));
            return map_guard(guard, |guard| (guard, result));
        }
        let (mutex, guard) = guard.begin_wait();
        let end = end_wait(mutex);
        map_guard(self.inner.wait_timeout(guard, dur), |(guard, result)| {
            (end(guard), WaitTimeoutResult(result.timed_out()))
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
        #[cfg(feature = "check")]
        if let Some(execution) = current() {
            return self.wait_while_controlled(execution, guard, dur, condition);
        }
        let start = Instant::now();
        while condition(&mut *guard) {
            let Some(rest) = dur.checked_sub(start.elapsed()) else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            (guard, _) = self.wait_timeout(guard, rest)?;
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// Wakes one waiting thread.
    #[track_caller]
    pub fn notify_one(&self) {
        #[cfg(feature = "check")]
        if let Some(execution) = current() {
            return self.notify(execution, Kind::NotifyOne, Waiters::notify_one);
        }
        self.inner.notify_one();
    }

    /// Wakes all waiting threads.
    #[track_caller]
    pub fn notify_all(&self) {
        #[cfg(feature = "check")]
        if let Some(execution) = current() {
            return self.notify(execution, Kind::NotifyAll, Waiters::notify_all);
        }
        self.inner.notify_all();
    }
}

/// Takes the mutex back from a wait of `std`.
#[track_caller]
fn end_wait<'a, T>(mutex: &'a Mutex<T>) -> impl FnOnce(std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    let at = Location::caller();
    move |guard| MutexGuard::end_wait(mutex, guard, at)
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
