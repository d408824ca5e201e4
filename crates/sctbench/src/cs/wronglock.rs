//! wronglock, wronglock_3: one variable under two locks (ESBMC's examples; the bug pattern is from IBM's
//! benchmark).
//!
//! One thread increments the variable under lock L1 and asserts that it is one more; 7 or 3 others
//! increment it under lock L2, which is the bug. Without it, they take L1. Nothing is left out.

use crate::parts::{Racy, join, join_one, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const WRONGLOCK: [Program; 2] = [
    program("wronglock", 9, 49, || increments(7, 1), || increments(7, 0)),
    program("wronglock_3", 5, 25, || increments(3, 1), || increments(3, 0)),
];

const fn program(name: &'static str, threads: usize, steps: usize, buggy: fn(), correct: fn()) -> Program {
    Program { name, suite: Suite::Cs, threads, steps, failure: Failure::Assertion, buggy, correct }
}

struct Shared {
    locks: [Mutex<()>; 2],
    value: Racy,
}

/// The others take the lock of this number.
fn increments(others: usize, other_lock: usize) {
    let shared = Arc::new(Shared { locks: [Mutex::new(()), Mutex::new(())], value: Racy::new(0) });
    let first = spawn(&shared, |shared| {
        let _held = lock(&shared.locks[0]);
        let old = shared.value.get();
        shared.value.add(1);
        assert_eq!(shared.value.get(), old + 1, "another increment came between");
    });
    let increment = move |shared: &Shared| {
        let _held = lock(&shared.locks[other_lock]);
        shared.value.add(1);
    };
    let others: Vec<_> = (0..others).map(|_| spawn(&shared, increment)).collect();
    join_one(first);
    join(others);
}
