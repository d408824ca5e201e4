//! sync01, sync02: a producer and a consumer that wait for each other (ESBMC's examples).
//!
//! sync01: the number is 1; the producer waits until it is 0, and the consumer does not change it: the bug.
//! sync02: the number begins with 2 instead of 0, so the producer's second round has no consumer left: the
//! bug. Both deadlock in every run. Nothing is left out.

use crate::parts::{join, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::sync::Arc;

pub(crate) const SYNC: [Program; 2] = [
    program("sync01", 9, || exchange(1, 1, 0), || exchange(1, 1, 1)),
    program("sync02", 18, || exchange(2, 2, 1), || exchange(0, 2, 1)),
];

const fn program(name: &'static str, steps: usize, buggy: fn(), correct: fn()) -> Program {
    Program { name, suite: Suite::Cs, threads: 3, steps, failure: Failure::Deadlock, buggy, correct }
}

struct Shared {
    number: Mutex<u32>,
    is_empty: Condvar,
    is_full: Condvar,
}

/// The consumer takes this many from the number in each of its rounds.
fn exchange(start: u32, rounds: u32, taken: u32) {
    let shared = Shared { number: Mutex::new(start), is_empty: Condvar::new(), is_full: Condvar::new() };
    let shared = Arc::new(shared);
    let producer = spawn(&shared, move |shared| {
        for _ in 0..rounds {
            let mut number = wait_while(&shared.is_empty, lock(&shared.number), |number| *number > 0);
            *number += 1;
            drop(number);
            shared.is_full.notify_one();
        }
    });
    let consumer = spawn(&shared, move |shared| {
        for _ in 0..rounds {
            let mut number = wait_while(&shared.is_full, lock(&shared.number), |number| *number == 0);
            *number -= taken;
            drop(number);
            shared.is_empty.notify_one();
        }
    });
    join([producer, consumer]);
}
