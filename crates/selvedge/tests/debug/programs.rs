//! Tests that are debugged by the tests in `main.rs`, each in a process of its own.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use selvedge::{prop, thread};

/// A counter behind a lock that two threads can take at once.
struct Shared {
    is_taken: AtomicBool,
    counter: UnsafeCell<u32>,
}

impl Shared {
    fn new() -> Shared {
        Shared { is_taken: AtomicBool::new(false), counter: UnsafeCell::new(0) }
    }

    fn increment(&self, name: u32) {
        while self.is_taken.load(SeqCst) {
            thread::yield_now();
        }
        self.is_taken.store(true, SeqCst);
        prop::set(("in_critical", name));
        #[allow(unsafe_code)]
        // SAFETY: the lock is meant to exclude the other thread, and does not, as the test shows.
        self.counter.with_mut(|counter| unsafe { *counter += 1 });
        prop::release(("in_critical", name));
        self.is_taken.store(false, SeqCst);
    }
}

#[allow(unsafe_code)]
// SAFETY: not sound, as the test shows: two threads can be in `increment` at once.
unsafe impl Sync for Shared {}

#[selvedge::test]
#[ignore = "fails; debugged by another test"]
pub(crate) fn increments_exclude_each_other() {
    let shared = Arc::new(Shared::new());
    let other = shared.clone();
    let first = thread::spawn(move || other.increment(1));
    shared.increment(2);
    first.join().unwrap();
}

/// The same by an `Explorer`, whose name is that of the thread.
#[test]
#[ignore = "debugged by another test"]
fn an_exploration_is_debugged() {
    let report = selvedge::explore(|| thread::spawn(|| prop::set("ready")).join().is_ok());
    assert_eq!(report.executions(), 1);
}

#[selvedge::test]
#[ignore = "ends the process; debugged by another test"]
fn a_test_aborts() {
    abort_in_a_run();
}

/// The same, with a session of its own.
#[selvedge::test]
#[ignore = "ends the process; debugged by another test"]
fn a_test_is_killed() {
    abort_in_a_run();
}

fn abort_in_a_run() {
    let first = Arc::new(AtomicU32::new(0));
    let second = first.clone();
    let spawned = thread::spawn(move || second.store(1, SeqCst));
    prop::set("begun");
    if first.load(SeqCst) == 1 {
        std::process::abort();
    }
    prop::set("survived");
    spawned.join().unwrap();
}

/// Not debugged: it explores as always beside one that is.
#[test]
#[ignore = "run by another test"]
fn another_test_explores() {
    let report = selvedge::explore(|| selvedge::choose(3));
    assert_eq!(report.executions(), 3);
}
