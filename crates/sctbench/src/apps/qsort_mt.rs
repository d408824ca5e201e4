//! qsort_mt: quicksort by a pool of workers (SCTBench's version of FreeBSD's `qsort_mt`).
//!
//! Each worker has a state, a lock and a condition variable. A worker with a list of at least four numbers
//! gives one half to an idle worker. A worker that finishes becomes idle and, if all are idle, tells all to
//! stop. The bug: allocation looks at a worker's state before it has that worker's lock, and so does the
//! worker that finishes. It can see itself idle, then be given work by the last other worker, then see that
//! one idle: the work is never done. Without it, one lock covers all states. Left out: the choice of
//! pivots.

use crate::parts::{HandedOver, Racy, join, lock, spawn, wait};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::ops::Range;
use std::sync::Arc;

pub(crate) const QSORT_MT: Program = Program {
    name: "qsort_mt",
    suite: Suite::Conseq,
    threads: 3,
    steps: 81,
    failure: Failure::Assertion,
    buggy: || sort(false),
    correct: || sort(true),
};

const NUMBERS: usize = 32;
const FORK_FROM: usize = 4;
const WORKERS: usize = 2;

const IDLE: i64 = 0;
const WORKING: i64 = 1;
const STOPPED: i64 = 2;

struct Worker {
    state: Racy,
    part: Mutex<Option<Range<usize>>>,
    changed: Condvar,
}

struct Pool {
    workers: Vec<Worker>,
    /// Covers all states, without the bug.
    states: Option<Mutex<()>>,
    numbers: HandedOver<Vec<usize>>,
}

impl Pool {
    /// Works until all workers are idle.
    fn work(&self, number: usize) {
        let worker = &self.workers[number];
        loop {
            let mut part = lock(&worker.part);
            while part.is_none() && worker.state.get() != STOPPED {
                part = wait(&worker.changed, part);
            }
            let Some(taken) = part.take() else { return };
            drop(part);
            self.sort(taken);
            self.finish(number);
        }
    }

    fn sort(&self, mut part: Range<usize>) {
        while part.len() >= FORK_FROM {
            let middle = self.numbers.with(|numbers| partition(&mut numbers[part.clone()])) + part.start;
            let (left, right) = (part.start..middle, middle + 1..part.end);
            if !self.fork(left.clone()) {
                self.numbers.with(|numbers| numbers[left].sort_unstable());
            }
            part = right;
        }
        self.numbers.with(|numbers| numbers[part].sort_unstable());
    }

    /// Gives the part to an idle worker, if there is one.
    fn fork(&self, part: Range<usize>) -> bool {
        let _held = self.states.as_ref().map(|states| lock(states));
        let Some(idle) = self.workers.iter().find(|worker| worker.state.get() == IDLE) else { return false };
        let mut place = lock(&idle.part);
        idle.state.set(WORKING);
        *place = Some(part);
        idle.changed.notify_one();
        true
    }

    fn finish(&self, number: usize) {
        let _held = self.states.as_ref().map(|states| lock(states));
        self.workers[number].state.set(IDLE);
        if self.workers.iter().all(|worker| worker.state.get() == IDLE) {
            for worker in &self.workers {
                let mut place = lock(&worker.part);
                worker.state.set(STOPPED);
                *place = None;
                worker.changed.notify_one();
            }
        }
    }
}

/// Moves the numbers below the last one before it, and returns its place.
fn partition(part: &mut [usize]) -> usize {
    let last = part.len() - 1;
    let pivot = part.len() / 2;
    part.swap(pivot, last);
    let mut place = 0;
    for index in 0..last {
        if part[index] < part[last] {
            part.swap(index, place);
            place += 1;
        }
    }
    part.swap(place, last);
    place
}

fn sort(has_one_lock: bool) {
    let worker = |_| Worker { state: Racy::new(IDLE), part: Mutex::new(None), changed: Condvar::new() };
    let numbers: Vec<usize> = (0..NUMBERS).map(|index| index * 13 % NUMBERS).collect();
    let pool = Arc::new(Pool {
        workers: (0..WORKERS).map(worker).collect(),
        states: has_one_lock.then(|| Mutex::new(())),
        numbers: HandedOver::new(numbers),
    });
    pool.fork(0..NUMBERS);
    let threads: Vec<_> = (0..WORKERS).map(|number| spawn(&pool, move |pool| pool.work(number))).collect();
    join(threads);
    pool.numbers.with(|numbers| assert!(numbers.is_sorted(), "the list is not sorted"));
}
