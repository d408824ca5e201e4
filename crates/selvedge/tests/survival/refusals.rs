//! What cannot be explored is refused, with what to do instead.

use crate::{all, panic_of};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::thread;
use std::sync::atomic::AtomicUsize;

const CARRIED: &str = "carries its state from one run to the next, so that runs are not alike; make it inside of the explored body \
                       (a `static` can become a value in an `Arc` that the body makes)";

fn add(atomic: &AtomicU32) {
    atomic.fetch_add(1, SeqCst);
}

fn see(atomic: &AtomicU32) {
    atomic.load(SeqCst);
}

/// Two threads, so that there is a second run.
fn twice(work: impl Fn() + Send + Sync + 'static) {
    let work = Arc::new(work);
    let other = work.clone();
    let thread = thread::spawn(move || other());
    work();
    thread.join().unwrap();
}

#[test]
fn a_static_that_a_run_changed_is_refused() {
    static ATOMIC: AtomicU32 = AtomicU32::new(0);
    static LOCK: Mutex<u32> = Mutex::new(0);
    let atomic = panic_of(|| all(|| twice(|| add(&ATOMIC))));
    assert!(
        atomic.starts_with("selvedge: this atomic, made at crates/selvedge/tests/survival/refusals.rs:"),
        "{atomic}"
    );
    assert!(atomic.ends_with(CARRIED), "{atomic}");
    let lock = panic_of(|| all(|| twice(|| *LOCK.lock().unwrap() += 1)));
    assert!(lock.starts_with("selvedge: this mutex, made at ") && lock.ends_with(CARRIED), "{lock}");
}

#[test]
fn what_the_body_takes_from_outside_is_refused() {
    let lock = Arc::new(Mutex::new(0));
    let said = panic_of(|| {
        all(|| {
            let lock = lock.clone();
            twice(move || *lock.lock().unwrap() += 1);
        })
    });
    assert!(said.starts_with("selvedge: this mutex, made at ") && said.ends_with(CARRIED), "{said}");
}

#[test]
fn a_lock_around_nothing_is_as_good_as_new_even_after_a_deadlock() {
    static LOCK: Mutex<()> = Mutex::new(());
    static OTHER: Mutex<()> = Mutex::new(());
    let report = all(|| {
        let thread = thread::spawn(|| drop((LOCK.lock().unwrap(), OTHER.lock().unwrap())));
        drop((OTHER.lock().unwrap(), LOCK.lock().unwrap()));
        thread.join().unwrap();
    });
    assert_eq!(report.outcomes().len(), 2, "returns, and deadlocks");
    assert!(report.is_complete());
}

#[test]
fn the_exploration_after_a_refusal_is_as_any_other() {
    static ATOMIC: AtomicU32 = AtomicU32::new(0);
    panic_of(|| all(|| twice(|| add(&ATOMIC))));
    let report = all(|| AtomicU32::new(1).load(SeqCst));
    assert!(report.is_complete() && report.executions() == 1);
}

/// Does the work of the first run, then that of the others.
fn now_this_now_that(first: impl Fn() + Send + Sync, others: impl Fn() + Send + Sync) -> String {
    let runs = AtomicUsize::new(0);
    panic_of(|| {
        all(|| {
            let thread = thread::spawn(thread::yield_now);
            if runs.fetch_add(1, SeqCst) == 0 {
                first();
            } else {
                others();
            }
            thread.join().unwrap();
        })
    })
}

const BEGINNING: &str = "selvedge: the program is not deterministic: the same choices led to something else than before, at step ";
const END: &str = "; something beside the schedule decides how it goes: time, addresses, the order of a hash map, randomness, \
                   or state that is kept from one run to the next";

#[test]
fn a_program_that_does_something_else_the_second_time_is_refused_with_both() {
    let said = now_this_now_that(|| see(&AtomicU32::new(0)), || drop(Mutex::new(0).lock()));
    assert!(said.starts_with(BEGINNING) && said.ends_with(END), "{said}");
    let expected =
        "step 1: expected load of thread 0 on object 1 at crates/selvedge/tests/survival/refusals.rs:";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains(", but 2 came: lock of thread 0 on object 1 at crates/"), "{said}");
}

#[test]
fn a_program_that_uses_another_object_the_second_time_is_refused() {
    let use_in_order = |order: [usize; 2]| {
        let both = [AtomicU32::new(0), AtomicU32::new(0)];
        both[0].load(SeqCst);
        order.iter().for_each(|index| see(&both[*index]));
    };
    let said = now_this_now_that(|| use_in_order([0, 1]), || use_in_order([1, 0]));
    assert!(said.contains("step 2: expected load of thread 0 on object 1 at "), "{said}");
    assert!(said.contains("but 2 came: load of thread 0 on object 2 at "), "{said}");
}

#[test]
fn a_program_that_ends_earlier_the_second_time_is_refused() {
    let said = now_this_now_that(|| (0..5).for_each(|_| thread::yield_now()), || panic!("early"));
    assert!(said.contains("step 1: expected yield of thread 0 at "), "{said}");
    assert!(said.contains(", but the run ended; something"), "{said}");
}

#[test]
fn a_program_in_which_more_can_be_done_the_second_time_is_refused() {
    let runs = AtomicUsize::new(0);
    let said = panic_of(|| {
        all(|| {
            let is_first = runs.fetch_add(1, SeqCst) == 0;
            thread::spawn(move || selvedge::choose(if is_first { 2 } else { 3 }));
            thread::yield_now();
        })
    });
    assert!(said.contains("step 1: expected yield of thread 0 at "), "{said}");
    assert!(said.contains(" among 3 things that can be done, but 4 came: yield of thread 0 at "), "{said}");
    assert!(said.contains("; choose of thread 1 at "), "{said}");
    assert!(said.contains("; choose of thread 1, alternative 2 at "), "{said}");
}

#[test]
fn the_order_of_a_hash_set_is_noticed() {
    use std::collections::HashSet;
    let said = panic_of(|| {
        all(|| {
            let atomics: Vec<AtomicU32> = (0..20).map(AtomicU32::new).collect();
            atomics.iter().for_each(see);
            let order: HashSet<usize> = (0..20).collect();
            let thread = thread::spawn(thread::yield_now);
            order.iter().for_each(|index| see(&atomics[*index]));
            thread.join().unwrap();
        })
    });
    assert!(said.starts_with(BEGINNING) && said.contains("expected load of thread 0 on object "), "{said}");
}
