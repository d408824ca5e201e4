//! spin_once, loom_buggy_inc, dashmap_refs, arc_get_mut: locks, counters and counts of owners.
//!
//! spin_once (RUSTSEC-2023-0031): a thread that waits for an initialisation takes its end for success, but
//! it failed.
//!
//! loom_buggy_inc (loom's smoke tests): an increment as a load and a store.
//!
//! dashmap_refs (dashmap's documentation warns of it): threads insert into a shard while they hold a
//! reference into another one, round a circle of three.
//!
//! arc_get_mut (the reason for the lock of the weak count in the standard library's `Arc`): the count of
//! weak owners is read, then that of strong ones; between the two, the other strong owner becomes a weak
//! one.

use super::program;
use crate::parts::{Racy, crash, join, lock, spawn};
use crate::{Failure, Program};
use selvedge::sync::Mutex;
use selvedge::thread;
use std::sync::Arc;

pub(super) const SPIN_ONCE: Program =
    program("spin_once", (3, 10), Failure::Crash, || spin_once(false), || spin_once(true));

pub(super) const LOOM_BUGGY_INC: Program = program(
    "loom_buggy_inc",
    (3, 8),
    Failure::Assertion,
    || increments(|number| number.add(1)),
    || increments(|number| _ = number.fetch_add(1)),
);

pub(super) const DASHMAP_REFS: Program =
    program("dashmap_refs", (4, 30), Failure::Deadlock, || shards(true), || shards(false));

pub(super) const ARC_GET_MUT: Program =
    program("arc_get_mut", (2, 8), Failure::Assertion, || get_mut(false), || get_mut(true));

const INCOMPLETE: i64 = 0;
const RUNNING: i64 = 1;
const COMPLETE: i64 = 2;

fn spin_once(retries: bool) {
    let status = Arc::new(Racy::new(INCOMPLETE));
    let fails = spawn(&status, |status| {
        if status.replace(INCOMPLETE, RUNNING) {
            status.set(INCOMPLETE);
        }
    });
    let succeeds = spawn(&status, move |status| {
        while !status.replace(INCOMPLETE, RUNNING) {
            while status.get() == RUNNING {
                thread::yield_now();
            }
            if status.get() == COMPLETE {
                return;
            }
            if !retries {
                crash("the value is not initialised");
            }
        }
        status.set(COMPLETE);
    });
    join([fails, succeeds]);
}

fn increments(increment: fn(&Racy)) {
    let number = Arc::new(Racy::new(0));
    join([spawn(&number, increment), spawn(&number, increment)]);
    assert_eq!(number.get(), 2, "an increment is lost");
}

const SHARDS: usize = 3;
const INSERTS: usize = 2;

fn shards(keeps_reference: bool) {
    let shards: Arc<[Mutex<usize>; SHARDS]> = Arc::new(std::array::from_fn(Mutex::new));
    let thread = |at: usize| {
        spawn(&shards, move |shards: &[Mutex<usize>; SHARDS]| {
            for _ in 0..INSERTS {
                let reference = lock(&shards[at]);
                let read = *reference;
                let kept = keeps_reference.then_some(reference);
                *lock(&shards[(at + 1) % SHARDS]) += read;
                drop(kept);
            }
        })
    };
    let threads: Vec<_> = (0..SHARDS).map(thread).collect();
    join(threads);
}

const LOCKED: i64 = -1;

struct Counts {
    strong: Racy,
    weak: Racy,
}

impl Counts {
    fn is_unique(&self, locks_weak: bool) -> bool {
        if !locks_weak {
            return self.weak.get() == 1 && self.strong.get() == 1;
        }
        if !self.weak.replace(1, LOCKED) {
            return false;
        }
        let is_unique = self.strong.get() == 1;
        self.weak.set(1);
        is_unique
    }

    fn downgrade(&self) {
        loop {
            let weak = self.weak.get();
            if weak == LOCKED {
                thread::yield_now();
            } else if self.weak.replace(weak, weak + 1) {
                return;
            }
        }
    }
}

fn get_mut(locks_weak: bool) {
    let counts = Arc::new(Counts { strong: Racy::new(2), weak: Racy::new(1) });
    let other = spawn(&counts, |counts| {
        counts.downgrade();
        counts.strong.fetch_add(-1);
    });
    if counts.is_unique(locks_weak) {
        assert_eq!(counts.weak.get(), 1, "the data has another owner");
    }
    join([other]);
}
