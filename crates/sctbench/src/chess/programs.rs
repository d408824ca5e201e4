//! WSQ, IWSQ, SWSQ, IWSQWS: CHESS's tests of its work-stealing queue.
//!
//! Main owns the queue, two thieves try to steal twice each; every item must have been taken once. WSQ
//! locks with a mutex, IWSQ spins; their bug is a `push` that keeps no place free, and so overwrites an
//! item that a thief is about to read. SWSQ and IWSQWS are the same queues without that bug, but each call
//! is put on record in a vector that threads grow without a lock. Left out: what CHESS records of its own
//! state beside the stacks, which makes runs longer.

use super::queue::{Build, Queue};
use crate::parts::{Racy, join, spawn};
use crate::{Failure, Program, Suite};
use std::sync::Arc;

pub(crate) const WSQ: [Program; 4] = [
    program("WSQ", 161, || test(false, false, None), || test(false, true, None)),
    program("SWSQ", 2406, || test_pushes_first(false), || test_pushes_first(true)),
    program("IWSQ", 169, || test(true, false, None), || test(true, true, None)),
    program("IWSQWS", 660, || test(true, true, Some(false)), || test(true, true, Some(true))),
];

const fn program(name: &'static str, steps: usize, buggy: fn(), correct: fn()) -> Program {
    Program { name, suite: Suite::Chess, threads: 3, steps, failure: Failure::Assertion, buggy, correct }
}

const ITEMS: usize = 4;
const THIEVES: usize = 2;
const STEALS: usize = 2;
const OWNER: usize = 0;

struct Shared {
    queue: Queue,
    /// How often each item was taken.
    taken: [Racy; ITEMS],
}

impl Shared {
    fn take(&self, item: Option<i64>) {
        if let Some(item) = item {
            let before = self.taken[item as usize].fetch_add(1);
            assert_eq!(before, 0, "an item is taken twice");
        }
    }

    fn steal(&self, thief: usize) {
        for _ in 0..STEALS {
            self.take(self.queue.steal(thief));
        }
    }
}

fn run(build: Build, own: fn(&Shared)) {
    let shared = Arc::new(Shared { queue: Queue::new(build), taken: std::array::from_fn(|_| Racy::new(0)) });
    let thieves: Vec<_> =
        (1..=THIEVES).map(|thief| spawn(&shared, move |shared| shared.steal(thief))).collect();
    own(&shared);
    join(thieves);
    for item in 0..ITEMS {
        assert_eq!(shared.taken[item].get(), 1, "an item is lost");
    }
}

/// Two pushes and a pop, twice, then pops.
fn test(spins: bool, keeps_place_free: bool, record: Option<bool>) {
    run(Build { spins, keeps_place_free, record }, |shared| {
        for item in 0..ITEMS {
            shared.queue.push(OWNER, item as i64);
            if item % 2 == 1 {
                shared.take(shared.queue.pop(OWNER));
            }
        }
        for _ in 0..ITEMS / 2 {
            shared.take(shared.queue.pop(OWNER));
        }
    });
}

/// All pushes first, then pops.
fn test_pushes_first(locks_record: bool) {
    run(Build { spins: false, keeps_place_free: true, record: Some(locks_record) }, |shared| {
        for item in 0..ITEMS {
            shared.queue.push(OWNER, item as i64);
        }
        for _ in 0..ITEMS {
            shared.take(shared.queue.pop(OWNER));
        }
    });
}
