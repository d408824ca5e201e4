//! deadlock01: two locks in opposite orders (ESBMC's examples). Nothing is left out.

use crate::parts::{join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const DEADLOCK01: Program = Program {
    name: "deadlock01",
    suite: Suite::Cs,
    threads: 3,
    steps: 11,
    failure: Failure::Deadlock,
    buggy: || two_locks([1, 0]),
    correct: || two_locks([0, 1]),
};

/// The second thread takes the locks in this order.
fn two_locks(order: [usize; 2]) {
    let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
    let take = |order: [usize; 2]| {
        spawn(&locks, move |locks| {
            let mut first = lock(&locks[order[0]]);
            let mut second = lock(&locks[order[1]]);
            *first += 1;
            *second += 1;
        })
    };
    join([take([0, 1]), take(order)]);
}
