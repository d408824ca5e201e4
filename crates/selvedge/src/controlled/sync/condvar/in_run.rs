//! A condition variable inside an exploration.

use super::super::guards::map_guard;
use super::super::mutex::MutexGuard;
use super::{Condvar, WaitTimeoutResult};
use crate::control::object::Waiters;
use crate::control::progress::Deadline;
use crate::control::{Execution, ObjectKind, Pending, Persistence, SPURIOUS, Sync, TIME_OUT};
use selvedge_explore::{Action, Kind, ObjectId};
use std::sync::LockResult;
use std::time::Duration;

impl Condvar {
    fn object(&self, execution: &Execution) -> ObjectId {
        // The waiting threads are part of the run's state, so the next run finds the variable as new.
        let first = || Sync::first(ObjectKind::Condvar);
        execution.object(&self.tag, ObjectKind::Condvar, Persistence::InRun, first)
    }

    #[track_caller]
    pub(super) fn notify(&self, execution: &Execution, kind: Kind, notify: fn(&mut Waiters)) {
        let object = self.object(execution);
        execution.visible(Pending::here(Action::on(kind, object)));
        with_waiters(execution, object, |waiters, _| notify(waiters));
    }

    #[track_caller]
    pub(super) fn wait_controlled<'a, T>(
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
        guard.end_hold(execution, lock);
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

    /// [`wait_timeout_while`](Condvar::wait_timeout_while) in a run.
    #[track_caller]
    pub(super) fn wait_while_controlled<'a, T>(
        &self,
        execution: &Execution,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
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
