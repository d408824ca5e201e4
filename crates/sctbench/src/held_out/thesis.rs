//! auto_update, monad_par: the case studies of Walker's thesis (§5.8), reduced.
//!
//! auto_update: a worker computes a value on request, shows it, and takes it back later. The bug: it takes
//! it back before the reader has read it, and both wait for ever. Without it, the value stays until the
//! next one.
//!
//! monad_par: a worker that finds no work checks whether the computation is over, enters the list of idle
//! workers and waits; the end of the computation wakes the workers in the list. The bug: the computation
//! ends between the check and the entry. Without it, the worker checks once more after the entry. Left out:
//! futures, and the choice of victims.

use super::program;
use crate::parts::{Racy, join, lock, spawn, wait_while};
use crate::{Failure, Program};
use selvedge::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

pub(super) const AUTO_UPDATE: Program =
    program("auto_update", (2, 12), Failure::Deadlock, || auto_update(true), || auto_update(false));

pub(super) const MONAD_PAR: Program =
    program("monad_par", (3, 40), Failure::Deadlock, || monad_par(false), || monad_par(true));

/// A place for one value, at which threads wait.
#[derive(Default)]
struct MVar {
    value: Mutex<Option<u32>>,
    changed: Condvar,
}

impl MVar {
    fn take(&self) -> u32 {
        let taken = wait_while(&self.changed, lock(&self.value), Option::is_none).take();
        self.changed.notify_all();
        taken.unwrap_or_default()
    }

    fn read(&self) -> u32 {
        wait_while(&self.changed, lock(&self.value), Option::is_none).unwrap_or_default()
    }

    /// Puts the value in the place of what is there.
    fn replace(&self, value: u32) {
        *lock(&self.value) = Some(value);
        self.changed.notify_all();
    }
}

struct AutoUpdate {
    current: Racy,
    needs_running: MVar,
    last_value: MVar,
}

fn auto_update(takes_back: bool) {
    let shared = Arc::new(AutoUpdate {
        current: Racy::new(0),
        needs_running: MVar::default(),
        last_value: MVar::default(),
    });
    spawn(&shared, move |shared| {
        loop {
            shared.needs_running.take();
            shared.current.set(1);
            shared.last_value.replace(1);
            shared.current.set(0);
            if takes_back {
                shared.last_value.take();
            }
        }
    });
    if shared.current.get() == 0 {
        shared.needs_running.replace(1);
        shared.last_value.read();
    }
}

const WORKERS: usize = 2;
const TASKS: usize = 3;

struct Session {
    pools: [Mutex<VecDeque<usize>>; WORKERS],
    idle: Mutex<Vec<usize>>,
    wake: [MVar; WORKERS],
    is_over: Racy,
}

impl Session {
    fn wake_idle(&self) {
        let idle = std::mem::take(&mut *lock(&self.idle));
        for worker in idle {
            self.wake[worker].replace(1);
        }
    }

    /// A task begins the next one; the last one ends the computation.
    fn run(&self, worker: usize, task: usize) {
        if task + 1 < TASKS {
            lock(&self.pools[worker]).push_front(task + 1);
        } else {
            self.is_over.set(1);
        }
        self.wake_idle();
    }

    fn work(&self, worker: usize, checks_again: bool) {
        loop {
            let own = lock(&self.pools[worker]).pop_front();
            let task = own.or_else(|| lock(&self.pools[(worker + 1) % WORKERS]).pop_back());
            if let Some(task) = task {
                self.run(worker, task);
            } else if self.is_over.get() == 1 {
                return;
            } else {
                lock(&self.idle).push(worker);
                let is_over = checks_again && self.is_over.get() == 1;
                // An entry that comes after the last push of work must find the work, too.
                let has_work = || self.pools.iter().any(|pool| !lock(pool).is_empty());
                if !is_over && !has_work() {
                    self.wake[worker].take();
                }
            }
        }
    }
}

fn monad_par(checks_again: bool) {
    let session = Arc::new(Session {
        pools: Default::default(),
        idle: Mutex::default(),
        wake: Default::default(),
        is_over: Racy::new(0),
    });
    lock(&session.pools[0]).push_front(0);
    let workers = (0..WORKERS).map(|worker| spawn(&session, move |s| s.work(worker, checks_again)));
    let workers: Vec<_> = workers.collect();
    join(workers);
}
