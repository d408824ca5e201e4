//! Searches by several workers, who share one store of states.
//!
//! `shards` is the store: the tables of the sequential searches, many of them, each behind a lock of its own. `reach` goes
//! breadth first, level by level; `ufscc` looks for accepting components with a shared union-find. There is no unsafe
//! code: what is read without a lock is atomic.
//!
//! A second reachability loop stands beside [`explore`](crate::search::explore) because a level is the unit of work here
//! and a single state there; both serve the same visitors ([`Watch`]).
//!
//! Promise: verdicts, and the numbers of states and steps of searches that go through everything, do not depend on the
//! number of workers. A limit that one of them meets ends all, and so does a panic.

mod cycles;
mod grid;
mod product;
mod reach;
mod shards;
mod ufscc;
mod union_find;

pub(crate) use cycles::find_run;
pub use reach::{Levels, Watch, explore_by_levels};

use crate::budget::Limit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// At most so many workers: each has a bit of a word.
pub const MAX_WORKERS: usize = 64;

/// Locks. A worker that panicked has stopped all others, so nobody relies on what it left behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells all workers to stop, and why.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    is_over: AtomicBool,
    limit: Mutex<Option<Limit>>,
}

impl Signal {
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    /// Something ran out. The first to say so is believed.
    pub(crate) fn stop_by(&self, limit: Limit) {
        lock(&self.limit).get_or_insert(limit);
        self.stop();
    }

    pub(crate) fn limit(&self) -> Option<Limit> {
        *lock(&self.limit)
    }
}

/// Does the work of `help` on other threads and of `lead` on this one; returns what each brings back. Without enough threads there
/// is less help. A panic of one stops all, and is passed on.
pub(crate) fn team<T: Send>(
    signal: &Signal,
    workers: usize,
    help: impl Fn(usize) -> T + Sync,
    lead: impl FnOnce() -> T,
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
        let helpers: Vec<_> = (1..workers).filter_map(start).collect();
        let stop = StopOnPanic(signal);
        let mut brought = vec![lead()];
        drop(stop);
        for helper in helpers {
            match helper.join() {
                Ok(result) => brought.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        brought
    })
}

/// Stops all workers when the one that holds it panics, so that nobody waits for it.
struct StopOnPanic<'a>(&'a Signal);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
