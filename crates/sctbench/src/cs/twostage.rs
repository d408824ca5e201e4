//! twostage, twostage_100: two values, each under a lock of its own (ESBMC's examples; the bug pattern is
//! from IBM's benchmark).
//!
//! A writer sets the first value under lock A, then the second to one more under lock B. The reader reads
//! the first under A and, unless it is 0, the second under B. The bug: the reader comes between the two
//! stages of the first writer, before any second stage. Without it, A is held until the end. Nothing is
//! left out.

use crate::parts::{join, join_one, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const TWOSTAGE: [Program; 2] = [
    program("twostage", 3, 11, || two_stages(1, false), || two_stages(1, true)),
    program("twostage_100", 101, 792, || two_stages(99, false), || two_stages(99, true)),
];

const fn program(name: &'static str, threads: usize, steps: usize, buggy: fn(), correct: fn()) -> Program {
    Program { name, suite: Suite::Cs, threads, steps, failure: Failure::Assertion, buggy, correct }
}

#[derive(Default)]
struct Stages {
    first: Mutex<u32>,
    second: Mutex<u32>,
}

fn two_stages(writers: usize, keeps_first: bool) {
    let stages = Arc::new(Stages::default());
    let write = move |stages: &Stages| {
        let mut first = lock(&stages.first);
        *first = 1;
        let value = *first;
        let kept = keeps_first.then_some(first);
        *lock(&stages.second) = value + 1;
        drop(kept);
    };
    let read = move |stages: &Stages| {
        let first = lock(&stages.first);
        let value = *first;
        if value == 0 {
            return;
        }
        let kept = keeps_first.then_some(first);
        assert_eq!(*lock(&stages.second), value + 1, "the second stage is missing");
        drop(kept);
    };
    let writers: Vec<_> = (0..writers).map(|_| spawn(&stages, write)).collect();
    let reader = spawn(&stages, read);
    join(writers);
    join_one(reader);
}
