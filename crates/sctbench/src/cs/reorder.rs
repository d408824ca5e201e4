//! reorder_3, _4, _5, _10, _20: two variables that are set in two steps (ESBMC's examples).
//!
//! Setters set `a` to 1, then `b` to -1; checkers assert that both are set or none is. The bug shows if a
//! checker reads while a setter stands between its stores and all others wait: once one setter is done, the
//! values never change again. Without it, a lock makes the two stores one step. Nothing is left out.

use crate::parts::{Racy, join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const REORDER: [Program; 5] = [
    program("reorder_3", 4, 12, || racy(2, 1), || locked(2, 1)),
    program("reorder_4", 5, 16, || racy(3, 1), || locked(3, 1)),
    program("reorder_5", 6, 20, || racy(4, 1), || locked(4, 1)),
    program("reorder_10", 11, 40, || racy(9, 1), || locked(9, 1)),
    program("reorder_20", 21, 89, || racy(10, 10), || locked(10, 10)),
];

const fn program(name: &'static str, threads: usize, steps: usize, buggy: fn(), correct: fn()) -> Program {
    Program { name, suite: Suite::Cs, threads, steps, failure: Failure::Assertion, buggy, correct }
}

fn racy(setters: usize, checkers: usize) {
    let shared = Arc::new((Racy::new(0), Racy::new(0)));
    let setters = (0..setters).map(|_| {
        spawn(&shared, |(a, b)| {
            a.set(1);
            b.set(-1);
        })
    });
    let setters: Vec<_> = setters.collect();
    let checkers = (0..checkers).map(|_| {
        spawn(&shared, |(a, b)| {
            let is_none_set = || a.get() == 0 && b.get() == 0;
            let are_both_set = || a.get() == 1 && b.get() == -1;
            assert!(is_none_set() || are_both_set(), "one is set, the other is not");
        })
    });
    let checkers: Vec<_> = checkers.collect();
    join(setters);
    join(checkers);
}

fn locked(setters: usize, checkers: usize) {
    let shared = Arc::new(Mutex::new((0, 0)));
    let setters: Vec<_> = (0..setters).map(|_| spawn(&shared, |values| *lock(values) = (1, -1))).collect();
    let check = |values: &Mutex<(i32, i32)>| {
        let values = *lock(values);
        assert!(values == (0, 0) || values == (1, -1), "one is set, the other is not");
    };
    let checkers: Vec<_> = (0..checkers).map(|_| spawn(&shared, check)).collect();
    join(setters);
    join(checkers);
}
