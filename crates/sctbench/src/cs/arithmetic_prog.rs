//! arithmetic_prog: the sum of an arithmetic progression, by a producer and a consumer (ESBMC's examples).
//!
//! The consumer adds the number of each round, and once more at the end: 6 after three rounds. The bug:
//! main asserts that the sum is *not* 6, so every run that ends fails. Nothing is left out.

use crate::parts::{join, lock, spawn, wait_while};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Condvar, Mutex};
use std::sync::Arc;

pub(crate) const ARITHMETIC_PROG: Program = Program {
    name: "arithmetic_prog",
    suite: Suite::Cs,
    threads: 3,
    steps: 20,
    failure: Failure::Assertion,
    buggy: || assert_ne!(sum(), ROUNDS * (ROUNDS + 1) / 2),
    correct: || assert_eq!(sum(), ROUNDS * (ROUNDS + 1) / 2),
};

const ROUNDS: u64 = 3;

#[derive(Default)]
struct Progression {
    /// The number of produced and not yet consumed rounds, and the sum.
    state: Mutex<(u64, u64)>,
    is_empty: Condvar,
    is_full: Condvar,
}

fn sum() -> u64 {
    let shared = Arc::new(Progression::default());
    let producer = spawn(&shared, |shared| {
        for _ in 0..ROUNDS {
            let mut state = wait_while(&shared.is_empty, lock(&shared.state), |state| state.0 > 0);
            state.0 += 1;
            shared.is_full.notify_one();
        }
    });
    let consumer = spawn(&shared, |shared| {
        for round in 0..ROUNDS {
            let mut state = wait_while(&shared.is_full, lock(&shared.state), |state| state.0 == 0);
            state.1 += round;
            state.0 -= 1;
            shared.is_empty.notify_one();
        }
        lock(&shared.state).1 += ROUNDS;
    });
    join([producer, consumer]);
    lock(&shared.state).1
}
