//! phase01: a lock that is not given back (ESBMC's examples).
//!
//! Both threads take and give back x, take it again, and take and give back y twice. The bug: x is not
//! given back the second time, so the other thread waits for ever, in every run. Nothing is left out.

use crate::parts::{join, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::Mutex;
use std::sync::Arc;

pub(crate) const PHASE01: Program = Program {
    name: "phase01",
    suite: Suite::Cs,
    threads: 3,
    steps: 11,
    failure: Failure::Deadlock,
    buggy: || phases(true),
    correct: || phases(false),
};

#[derive(Default)]
struct Locks {
    x: Mutex<()>,
    y: Mutex<()>,
}

fn phases(keeps_x: bool) {
    let locks = Arc::new(Locks::default());
    let thread = || {
        spawn(&locks, move |locks| {
            drop(lock(&locks.x));
            let x = lock(&locks.x);
            drop(lock(&locks.y));
            drop(lock(&locks.y));
            if keeps_x {
                std::mem::forget(x);
            }
        })
    };
    join([thread(), thread()]);
}
