//! What the programs are made of: plain variables that race, locks without poison, threads that share a
//! value, crashes.
//!
//! Sources use only what `selvedge` and `shuttle` both have, under the same names: a package that calls
//! shuttle `selvedge` compiles them, too.
//!
//! Promise: a scheduling point is at the line of the program that calls one of these functions.

use selvedge::sync::atomic::{AtomicI64, Ordering::Relaxed};
use selvedge::sync::{Condvar, Mutex, MutexGuard};
use selvedge::thread::{self, JoinHandle};
use std::sync::{Arc, PoisonError};

/// A plain variable of C that races. Each access is a scheduling point.
#[derive(Debug)]
pub(crate) struct Racy(AtomicI64);

impl Racy {
    pub(crate) fn new(value: i64) -> Racy {
        Racy(AtomicI64::new(value))
    }

    #[track_caller]
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }

    #[track_caller]
    pub(crate) fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    /// An increment as a load and a store, between which other threads run.
    #[track_caller]
    pub(crate) fn add(&self, amount: i64) {
        let old = self.get();
        self.set(old + amount);
    }

    /// An exchange, which is one step.
    #[track_caller]
    pub(crate) fn exchange(&self, value: i64) -> i64 {
        self.0.swap(value, Relaxed)
    }

    /// A compare-and-exchange, which is one step. Was it made?
    #[track_caller]
    pub(crate) fn replace(&self, old: i64, new: i64) -> bool {
        self.0.compare_exchange(old, new, Relaxed, Relaxed).is_ok()
    }

    /// An addition, which is one step. Returns the old value.
    #[track_caller]
    pub(crate) fn fetch_add(&self, amount: i64) -> i64 {
        self.0.fetch_add(amount, Relaxed)
    }
}

/// Data that threads hand to each other by other means. An access is no scheduling point.
#[derive(Debug, Default)]
pub(crate) struct HandedOver<T>(std::sync::Mutex<T>);

impl<T> HandedOver<T> {
    pub(crate) fn new(value: T) -> HandedOver<T> {
        HandedOver(std::sync::Mutex::new(value))
    }

    /// Calls the function, which has no scheduling point.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Takes a lock. A panic of another thread does not matter here: it fails the run anyway.
#[track_caller]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits at a condition variable.
#[track_caller]
pub(crate) fn wait<'g, T>(condvar: &Condvar, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Waits at a condition variable while the condition holds.
#[track_caller]
pub(crate) fn wait_while<'g, T>(
    condvar: &Condvar,
    mut guard: MutexGuard<'g, T>,
    holds: impl Fn(&T) -> bool,
) -> MutexGuard<'g, T> {
    while holds(&guard) {
        guard = wait(condvar, guard);
    }
    guard
}

/// Starts a thread that works on the shared value.
#[track_caller]
pub(crate) fn spawn<S>(shared: &Arc<S>, work: impl FnOnce(&S) + Send + 'static) -> JoinHandle<()>
where
    S: Send + Sync + 'static,
{
    let shared = shared.clone();
    thread::spawn(move || work(&shared))
}

/// Waits for the end of all threads. A failed assertion in one of them fails the caller.
#[track_caller]
pub(crate) fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        join_one(thread);
    }
}

/// Waits for the end of a thread. Its panic is the caller's.
#[track_caller]
pub(crate) fn join_one(thread: JoinHandle<()>) {
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// What every message of a crash begins with.
pub const CRASH: &str = "crash: ";

/// The run ends as a program in C that uses freed or missing memory.
pub(crate) fn crash(what: &str) -> ! {
    panic!("{CRASH}{what}");
}

/// A counting semaphore.
#[derive(Debug)]
pub(crate) struct Semaphore {
    permits: Mutex<usize>,
    is_free: Condvar,
}

impl Semaphore {
    pub(crate) fn new(permits: usize) -> Semaphore {
        Semaphore { permits: Mutex::new(permits), is_free: Condvar::new() }
    }

    #[track_caller]
    pub(crate) fn acquire(&self) {
        *wait_while(&self.is_free, lock(&self.permits), |permits| *permits == 0) -= 1;
    }

    #[track_caller]
    pub(crate) fn release(&self) {
        *lock(&self.permits) += 1;
        self.is_free.notify_one();
    }
}
