//! din_phil2 to din_phil7: philosophers, each of which eats once (ESBMC's examples).
//!
//! Under a global lock a philosopher takes both forks and gives them back; then it counts itself. That all
//! have eaten is declared a failure, so nearly every run fails: for up to four philosophers the count is a
//! plain variable, and an increment can be lost. Without the bug, main asserts that the count does not
//! exceed the number of philosophers. Nothing is left out.

use crate::parts::{Racy, join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const DIN_PHIL: [Program; 6] = [
    program("din_phil2", 2, 21, || dine(2, true), || dine(2, false)),
    program("din_phil3", 3, 32, || dine(3, true), || dine(3, false)),
    program("din_phil4", 4, 43, || dine(4, true), || dine(4, false)),
    program("din_phil5", 5, 39, || dine(5, true), || dine(5, false)),
    program("din_phil6", 6, 49, || dine(6, true), || dine(6, false)),
    program("din_phil7", 7, 59, || dine(7, true), || dine(7, false)),
];

const fn program(
    name: &'static str,
    philosophers: usize,
    steps: usize,
    buggy: fn(),
    correct: fn(),
) -> Program {
    let failure = Failure::Assertion;
    Program { name, suite: Suite::Cs, threads: philosophers + 1, steps, failure, buggy, correct }
}

/// From this number on, the count is under the global lock.
const LOCKED_FROM: usize = 5;

struct Table {
    forks: Vec<Mutex<()>>,
    /// The global lock, and a count under it.
    global: Mutex<usize>,
    racy_count: Racy,
    fails_if_all_ate: bool,
}

impl Table {
    fn dine(&self, place: usize) {
        let all = self.forks.len();
        let mut count = lock(&self.global);
        {
            let _right = lock(&self.forks[place]);
            let _left = lock(&self.forks[(place + 1) % all]);
        }
        if all >= LOCKED_FROM {
            *count += 1;
            let have_all_eaten = *count == all;
            drop(count);
            assert!(!(self.fails_if_all_ate && have_all_eaten), "all have eaten");
        } else {
            drop(count);
            self.racy_count.add(1);
            let count = self.racy_count.get();
            assert!(!(self.fails_if_all_ate && count == all as i64), "all have eaten");
        }
    }
}

fn dine(philosophers: usize, fails_if_all_ate: bool) {
    let forks = (0..philosophers).map(|_| Mutex::new(())).collect();
    let table = Arc::new(Table { forks, global: Mutex::new(0), racy_count: Racy::new(0), fails_if_all_ate });
    let threads: Vec<_> =
        (0..philosophers).map(|place| spawn(&table, move |table| table.dine(place))).collect();
    join(threads);
    let count = *lock(&table.global) + table.racy_count.get() as usize;
    assert!(count <= philosophers, "{count} meals of {philosophers} philosophers");
}
