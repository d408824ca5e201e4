//! carter01: two classes of threads exclude each other by one lock (ESBMC's examples).
//!
//! The first thread of a class takes the lock of the resource, the last one gives it back; a lock guards
//! the counts. The bug: both classes share the lock of the counts, so the first of one class waits for the
//! resource while it keeps the other class from giving it back. Two more threads do nothing. Nothing is
//! left out.

use crate::parts::{join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const CARTER01: Program = Program {
    name: "carter01",
    suite: Suite::Cs,
    threads: 5,
    steps: 19,
    failure: Failure::Deadlock,
    buggy: || carter(|_| 0),
    correct: || carter(|class| class),
};

#[derive(Default)]
struct Shared {
    /// Locks of counts.
    counts: [Mutex<[u32; 2]>; 2],
    resource: Mutex<()>,
}

/// The function tells which lock guards the count of a class.
fn carter(lock_of: fn(usize) -> usize) {
    let shared = Arc::new(Shared::default());
    let class = |class: usize| {
        spawn(&shared, move |shared| {
            let counts = &shared.counts[lock_of(class)];
            let mut held = None;
            {
                let mut counts = lock(counts);
                counts[class] += 1;
                if counts[class] == 1 {
                    held = Some(lock(&shared.resource));
                }
            }
            let mut counts = lock(counts);
            counts[class] -= 1;
            if counts[class] == 0 {
                drop(held.take());
            }
        })
    };
    let idle = || spawn(&shared, |_| ());
    join([class(0), class(1), idle(), idle()]);
}
