//! lazy01: a sum that is checked too early (ESBMC's examples).
//!
//! One thread adds 1, one adds 2, one asserts that the sum is below 3, all under one lock. The bug shows if
//! the check comes last; without it, 3 is allowed. Nothing is left out.

use crate::parts::{join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const LAZY01: Program = Program {
    name: "lazy01",
    suite: Suite::Cs,
    threads: 4,
    steps: 11,
    failure: Failure::Assertion,
    buggy: || lazy(3),
    correct: || lazy(4),
};

/// The sum is asserted to be below the bound.
fn lazy(bound: u32) {
    let sum = Arc::new(Mutex::new(0));
    join([
        spawn(&sum, |sum| *lock(sum) += 1),
        spawn(&sum, |sum| *lock(sum) += 2),
        spawn(&sum, move |sum| assert!(*lock(sum) < bound, "the sum is not below {bound}")),
    ]);
}
