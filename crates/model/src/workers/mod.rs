//! Searches by several workers.
//!
//! `levels` searches breadth first, level by level (after `first_levels`, by one worker): each
//! `level_worker` stores the states of its `partition`, with their parents, and gets steps from the others
//! by its `mailbox`, in batches (`batch`); `state_task` says what is done with a state, `level_records` are
//! the checkpoints. `nodes` searches for accepted runs in the same way, by levels of the product.
//! There is no unsafe code, and no table that workers share.
//!
//! A second reachability loop stands beside [`explore`](crate::search::explore) because the unit of work is
//! a level here and a single state there. Both serve the same visitors ([`ParallelVisitor`]).
//!
//! Promise: verdicts do not depend on the number of workers, nor do the numbers of states and steps of a
//! complete search. A limit that one worker reaches stops all workers, and so does a panic.

mod batch;
#[cfg(test)]
mod explored;
mod first_levels;
mod level_records;
mod level_worker;
mod levels;
mod mailbox;
mod nodes;
mod partition;
mod quota;
mod state_task;

pub use levels::{LevelSearch, ParallelVisitor, explore_by_levels};
pub(crate) use nodes::find_run;

use crate::search::Limit;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Mutex, MutexGuard, PoisonError, thread};

/// The largest number of workers: each has a bit of a word.
pub const MAX_WORKERS: usize = 64;

/// Locks a mutex, poisoned or not. A worker that panics stops all workers, so no result depends on the data
/// it leaves.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells all workers to stop, and why.
#[derive(Debug, Default)]
pub(crate) struct StopSignal {
    is_stopped: AtomicBool,
    limit: Mutex<Option<Limit>>,
}

impl StopSignal {
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
    }

    /// Stops all workers because a limit is reached. The first limit is kept.
    pub(crate) fn stop_by(&self, limit: Limit) {
        lock(&self.limit).get_or_insert(limit);
        self.stop();
    }

    pub(crate) fn limit(&self) -> Option<Limit> {
        *lock(&self.limit)
    }
}

/// Runs `help` on `workers - 1` other threads and `lead` on this one; returns their results. Where threads
/// cannot be started, there are fewer workers, and `lead` is told their numbers. A panic in one worker stops
/// all, and is passed on.
pub(crate) fn run_workers<T: Send>(
    signal: &StopSignal,
    workers: usize,
    help: impl Fn(usize) -> T + Sync,
    lead: impl FnOnce(&[usize]) -> T,
) -> Vec<T> {
    thread::scope(|scope| {
        let help = &help;
        let start = |number| {
            let work = move || {
                let _stop = StopOnPanic(signal);
                help(number)
            };
            thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        let mut missing = Vec::new();
        let mut helpers = Vec::new();
        for number in 1..workers {
            match start(number) {
                Some(helper) => helpers.push(helper),
                None => missing.push(number),
            }
        }
        let stop = StopOnPanic(signal);
        let mut results = vec![lead(&missing)];
        drop(stop);
        for helper in helpers {
            match helper.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

/// Stops all workers if its owner panics, so that no worker waits for a result that never comes.
struct StopOnPanic<'a>(&'a StopSignal);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}
