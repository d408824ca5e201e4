//! Programs that cannot be explored are refused, with advice.

use crate::{all, panic_of};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::thread;
use std::sync::atomic::AtomicUsize;

const CARRIED: &str = "carries its state from one run to the next, so that runs are not alike; make it inside of the explored body \
                       (a `static` can become a value in an `Arc` that the body makes)";
const CARRIED_BY_STATIC: &str = "carries its state from one run to the next, so that runs are not alike; \
                                 put its value into a `selvedge::sync::LazyLock`, which each run initialises anew";

fn add(atomic: &AtomicU32) {
    atomic.fetch_add(1, SeqCst);
}

fn load(atomic: &AtomicU32) {
    atomic.load(SeqCst);
}

/// Two threads, so that there is a second run.
fn run_on_two_threads(work: impl Fn() + Send + Sync + 'static) {
    let work = Arc::new(work);
    let other = work.clone();
    let thread = thread::spawn(move || other());
    work();
    thread.join().unwrap();
}

#[test]
fn a_static_that_a_run_changed_is_refused() {
    static LIST: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    let list = panic_of(|| all(|| run_on_two_threads(|| LIST.lock().unwrap().push(1))));
    assert!(
        list.starts_with("selvedge: this static mutex, made at crates/selvedge/tests/survival/refusals.rs:"),
        "{list}"
    );
    assert!(list.ends_with(CARRIED_BY_STATIC), "{list}");
}

#[test]
fn an_atomic_from_outside_that_a_run_changed_is_refused() {
    let atomic = Arc::new(AtomicU32::new(0));
    let message = panic_of(|| {
        all(|| {
            let atomic = atomic.clone();
            run_on_two_threads(move || add(&atomic));
        })
    });
    assert!(
        message.starts_with("selvedge: this atomic, made at crates/selvedge/tests/survival/refusals.rs:"),
        "{message}"
    );
    assert!(message.ends_with(CARRIED), "{message}");
}

#[test]
fn an_object_from_outside_that_a_run_changed_is_refused() {
    let lock = Arc::new(Mutex::new(0));
    let message = panic_of(|| {
        all(|| {
            let lock = lock.clone();
            run_on_two_threads(move || *lock.lock().unwrap() += 1);
        })
    });
    assert!(message.starts_with("selvedge: this mutex, made at ") && message.ends_with(CARRIED), "{message}");
}

#[test]
fn a_lock_around_nothing_can_be_used_in_every_run_even_after_a_deadlock() {
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
fn the_exploration_after_a_refusal_is_not_affected() {
    static LIST: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    panic_of(|| all(|| run_on_two_threads(|| LIST.lock().unwrap().push(1))));
    let report = all(|| AtomicU32::new(1).load(SeqCst));
    assert!(report.is_complete() && report.executions() == 1);
}

/// Runs the first function in the first run, and the second function in all others. Returns the panic
/// message.
fn explore_with_different_runs(first: impl Fn() + Send + Sync, others: impl Fn() + Send + Sync) -> String {
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
fn a_program_with_another_action_in_the_second_run_is_refused_naming_both_actions() {
    let message = explore_with_different_runs(|| load(&AtomicU32::new(0)), || drop(Mutex::new(0).lock()));
    assert!(message.starts_with(BEGINNING) && message.ends_with(END), "{message}");
    let expected =
        "step 1: expected load of thread 0 on object 1 at crates/selvedge/tests/survival/refusals.rs:";
    assert!(message.contains(expected), "{message}");
    assert!(message.contains(", but 2 came: lock of thread 0 on object 1 at crates/"), "{message}");
}

#[test]
fn a_program_that_uses_another_object_in_the_second_run_is_refused() {
    let use_in_order = |order: [usize; 2]| {
        let both = [AtomicU32::new(0), AtomicU32::new(0)];
        both[0].load(SeqCst);
        order.iter().for_each(|index| load(&both[*index]));
    };
    let message = explore_with_different_runs(|| use_in_order([0, 1]), || use_in_order([1, 0]));
    assert!(message.contains("step 2: expected load of thread 0 on object 1 at "), "{message}");
    assert!(message.contains("but 2 came: load of thread 0 on object 2 at "), "{message}");
}

#[test]
fn a_program_that_ends_earlier_in_the_second_run_is_refused() {
    let message =
        explore_with_different_runs(|| (0..5).for_each(|_| thread::yield_now()), || panic!("early"));
    assert!(message.contains("step 1: expected yield of thread 0 at "), "{message}");
    assert!(message.contains(", but the run ended; something"), "{message}");
}

#[test]
fn a_program_with_more_enabled_events_in_the_second_run_is_refused() {
    let runs = AtomicUsize::new(0);
    let message = panic_of(|| {
        all(|| {
            let is_first = runs.fetch_add(1, SeqCst) == 0;
            thread::spawn(move || selvedge::choose(if is_first { 2 } else { 3 }));
            thread::yield_now();
        })
    });
    assert!(message.contains("step 1: expected yield of thread 0 at "), "{message}");
    assert!(
        message.contains(" among 3 things that can be done, but 4 came: yield of thread 0 at "),
        "{message}"
    );
    assert!(message.contains("; choose of thread 1 at "), "{message}");
    assert!(message.contains("; choose of thread 1, alternative 2 at "), "{message}");
}

#[test]
fn the_random_order_of_a_hash_set_is_detected() {
    use std::collections::HashSet;
    let message = panic_of(|| {
        all(|| {
            let atomics: Vec<AtomicU32> = (0..20).map(AtomicU32::new).collect();
            atomics.iter().for_each(load);
            let order: HashSet<usize> = (0..20).collect();
            let thread = thread::spawn(thread::yield_now);
            order.iter().for_each(|index| load(&atomics[*index]));
            thread.join().unwrap();
        })
    });
    assert!(
        message.starts_with(BEGINNING) && message.contains("expected load of thread 0 on object "),
        "{message}"
    );
}
