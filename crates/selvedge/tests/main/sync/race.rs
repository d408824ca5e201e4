//! Data in a cell, protected by each of the types, or not: a data race is an outcome.
#![allow(unsafe_code)]

use super::explore;
use selvedge::cell::UnsafeCell;
use selvedge::sync::mpsc::channel;
use selvedge::sync::{Arc, AtomicRef, Barrier, MVar, OnceLock, RwLock};
use selvedge::{Outcome, thread};

struct Data(UnsafeCell<u32>);

// SAFETY: these tests are about the order of accesses; if they are unordered, the run ends before the second
// access.
unsafe impl Sync for Data {}
// SAFETY: a number can be sent.
unsafe impl Send for Data {}

impl Data {
    #[track_caller]
    fn new() -> Data {
        Data(UnsafeCell::new(0))
    }

    #[track_caller]
    fn increment(&self) {
        // SAFETY: the pointer is valid during the access.
        self.0.with_mut(|data| unsafe { *data += 1 });
    }
}

/// Two threads increment, each in its own way. Is there a race in every run, or in none?
#[track_caller]
fn check<S: Send + Sync + 'static>(
    shared: fn() -> S,
    one: fn(&S, &Data),
    other: fn(&S, &Data),
    is_race: bool,
) {
    let report = explore(move || {
        let both = Arc::new((shared(), Data::new()));
        let theirs = both.clone();
        let thread = thread::spawn(move || one(&theirs.0, &theirs.1));
        other(&both.0, &both.1);
        thread.join().unwrap();
    });
    let races: Vec<bool> =
        report.outcomes().keys().map(|outcome| matches!(outcome, Outcome::DataRace(_))).collect();
    assert!(races.iter().all(|race| *race == is_race), "{:?}", report.outcomes().keys());
}

#[test]
fn writing_under_a_read_lock_is_a_race() {
    let with_write = |lock: &RwLock<()>, data: &Data| {
        let _guard = lock.write().unwrap();
        data.increment();
    };
    let with_read = |lock: &RwLock<()>, data: &Data| {
        let _guard = lock.read().unwrap();
        data.increment();
    };
    check(|| RwLock::new(()), with_write, with_write, false);
    check(|| RwLock::new(()), with_write, with_read, false);
    check(|| RwLock::new(()), with_read, with_read, true);
}

#[test]
fn a_barrier_between_two_accesses_orders_them_and_a_barrier_before_both_does_not() {
    let before = |barrier: &Barrier, data: &Data| {
        data.increment();
        barrier.wait();
    };
    let after = |barrier: &Barrier, data: &Data| {
        barrier.wait();
        data.increment();
    };
    check(|| Barrier::new(2), before, after, false);
    check(|| Barrier::new(2), after, after, true);
}

#[test]
fn an_mvar_hands_data_over() {
    let put = |mvar: &MVar<()>, data: &Data| {
        data.increment();
        mvar.put(());
    };
    let take = |mvar: &MVar<()>, data: &Data| {
        mvar.take();
        data.increment();
    };
    check(MVar::empty, put, take, false);
    check(|| MVar::new(()), take, put, true);
}

#[test]
fn a_load_of_a_reference_synchronises_with_its_store() {
    let store = |reference: &AtomicRef<bool>, data: &Data| {
        data.increment();
        reference.store(true);
    };
    let swap = |reference: &AtomicRef<bool>, data: &Data| {
        data.increment();
        reference.swap(true);
    };
    let load = |reference: &AtomicRef<bool>, data: &Data| {
        if *reference.load() {
            data.increment();
        }
    };
    let too_early = |reference: &AtomicRef<bool>, data: &Data| {
        reference.store(true);
        data.increment();
    };
    check(|| AtomicRef::new(false), store, load, false);
    check(|| AtomicRef::new(false), swap, load, false);
    check(|| AtomicRef::new(true), load, load, true);
    check(|| AtomicRef::new(true), too_early, load, true);
}

#[test]
fn a_get_of_a_once_value_synchronises_with_its_initialisation() {
    let make = |cell: &OnceLock<()>, data: &Data| *cell.get_or_init(|| data.increment());
    let wait = |cell: &OnceLock<()>, data: &Data| {
        cell.wait();
        data.increment();
    };
    check(OnceLock::new, make, wait, false);
}

#[test]
fn a_message_hands_data_over() {
    let report = explore(|| {
        let data = Arc::new(Data::new());
        let theirs = data.clone();
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            theirs.increment();
            sender.send(()).unwrap();
        });
        receiver.recv().unwrap();
        data.increment();
        thread.join().unwrap();
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(())]);
}
