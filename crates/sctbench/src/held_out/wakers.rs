//! std_unpark, futures_waker: wake-ups that are lost.
//!
//! std_unpark (rust-lang/rust, issue 53366): `unpark` notifies without the lock, so it can come between the
//! parker's mark and its wait.
//!
//! futures_waker (the documentation of `AtomicWaker` warns of it): a task looks for the event, then
//! registers its waker, and does not look again.

use super::program;
use crate::parts::{Racy, join, lock, spawn, wait, wait_while};
use crate::{Failure, Program};
use selvedge::sync::{Condvar, Mutex};
use std::sync::Arc;

pub(super) const STD_UNPARK: Program =
    program("std_unpark", (2, 8), Failure::Deadlock, || unpark(false), || unpark(true));

pub(super) const FUTURES_WAKER: Program =
    program("futures_waker", (2, 10), Failure::Deadlock, || waker(false), || waker(true));

const EMPTY: i64 = 0;
const PARKED: i64 = 1;
const NOTIFIED: i64 = 2;

struct Parker {
    state: Racy,
    lock: Mutex<()>,
    notified: Condvar,
}

impl Parker {
    fn park(&self) {
        if self.state.replace(NOTIFIED, EMPTY) {
            return;
        }
        let mut held = lock(&self.lock);
        if !self.state.replace(EMPTY, PARKED) {
            self.state.exchange(EMPTY);
            return;
        }
        while !self.state.replace(NOTIFIED, EMPTY) {
            held = wait(&self.notified, held);
        }
    }

    fn unpark(&self, takes_lock: bool) {
        if self.state.exchange(NOTIFIED) == PARKED {
            if takes_lock {
                drop(lock(&self.lock));
            }
            self.notified.notify_one();
        }
    }
}

fn unpark(takes_lock: bool) {
    let parker = Parker { state: Racy::new(EMPTY), lock: Mutex::new(()), notified: Condvar::new() };
    let parker = Arc::new(parker);
    let other = spawn(&parker, move |parker| parker.unpark(takes_lock));
    parker.park();
    join([other]);
}

struct Task {
    has_happened: Racy,
    is_registered: Racy,
    is_woken: Mutex<bool>,
    woken: Condvar,
}

fn waker(looks_again: bool) {
    let task = Arc::new(Task {
        has_happened: Racy::new(0),
        is_registered: Racy::new(0),
        is_woken: Mutex::new(false),
        woken: Condvar::new(),
    });
    let event = spawn(&task, |task| {
        task.has_happened.set(1);
        if task.is_registered.get() == 1 {
            *lock(&task.is_woken) = true;
            task.woken.notify_one();
        }
    });
    while task.has_happened.get() == 0 {
        task.is_registered.set(1);
        if looks_again && task.has_happened.get() == 1 {
            break;
        }
        drop(wait_while(&task.woken, lock(&task.is_woken), |is_woken| !*is_woken));
    }
    join([event]);
}
