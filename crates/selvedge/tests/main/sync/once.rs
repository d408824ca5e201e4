//! `Once`, `OnceLock` and `LazyLock`.

use super::{check, explore, panic_of, returns};
use selvedge::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, LazyLock, Once, OnceLock};
use selvedge::{Outcome, thread};

#[test]
fn call_once_runs_once_and_all_threads_wait_for_its_end() {
    returns(
        || {
            let shared = Arc::new((Once::new(), AtomicU32::new(0)));
            let other = shared.clone();
            let call = |shared: &(Once, AtomicU32)| {
                shared.0.call_once(|| {
                    shared.1.fetch_add(1, SeqCst);
                });
                shared.1.load(SeqCst)
            };
            let thread = thread::spawn(move || call(&other));
            (call(&shared), thread.join().unwrap())
        },
        [(1, 1)],
    );
}

#[test]
fn is_completed_can_be_read_during_the_call() {
    // Before, during and after the call; it is completed only when the whole function is done.
    returns(
        || {
            let shared = Arc::new((Once::new(), AtomicBool::new(false)));
            let other = shared.clone();
            let thread = thread::spawn(move || other.0.call_once(|| other.1.store(true, SeqCst)));
            let seen = (shared.1.load(SeqCst), shared.0.is_completed(), shared.1.load(SeqCst));
            thread.join().unwrap();
            seen
        },
        [
            (false, false, false),
            (false, false, true),
            (false, true, true),
            (true, false, true),
            (true, true, true),
        ],
    );
}

#[test]
fn a_wait_for_a_once_that_is_never_called_is_a_deadlock() {
    check(|| Once::new().wait(), &[Outcome::Deadlock]);
    check(|| *OnceLock::<u8>::new().wait(), &[Outcome::Deadlock]);
    // A thread that runs the function cannot wait for its completion.
    let body = || {
        let once = Once::new();
        once.call_once(|| once.call_once(|| {}));
    };
    check(body, &[Outcome::Deadlock]);
}

#[test]
fn a_waiting_thread_goes_on_after_the_call() {
    returns(
        || {
            let shared = Arc::new((Once::new(), OnceLock::new()));
            let other = shared.clone();
            let thread = thread::spawn(move || {
                other.0.call_once(|| {});
                other.1.set(3).unwrap();
            });
            shared.0.wait();
            shared.0.wait_force();
            let seen = (shared.0.is_completed(), *shared.1.wait());
            thread.join().unwrap();
            seen
        },
        [(true, 3)],
    );
}

#[test]
fn a_panic_poisons_a_once_until_call_once_force() {
    let poisoned = "Once instance has previously been poisoned";
    returns(
        || {
            let once = Once::new();
            let first = panic_of(|| once.call_once(|| panic!("first")));
            let second = panic_of(|| once.call_once(|| {}));
            let waited = panic_of(|| once.wait());
            assert!(!once.is_completed());
            let mut saw = None;
            once.call_once_force(|state| saw = Some(state.is_poisoned()));
            once.call_once(|| panic!("it has happened"));
            (first, second, waited, saw, once.is_completed())
        },
        [(Some("first".to_owned()), Some(poisoned.to_owned()), Some(poisoned.to_owned()), Some(true), true)],
    );
}

#[test]
fn threads_that_wait_for_a_once_that_panics_find_it_poisoned() {
    // The first thread panics, and the other finds the `Once` poisoned.
    returns(
        || {
            let once = Arc::new(Once::new());
            let other = once.clone();
            let thread = thread::spawn(move || panic_of(|| other.call_once(|| panic!("thread"))));
            let mine = panic_of(|| once.call_once(|| panic!("body"))).unwrap();
            (mine, thread.join().unwrap().unwrap())
        },
        [
            ("Once instance has previously been poisoned".to_owned(), "thread".to_owned()),
            ("body".to_owned(), "Once instance has previously been poisoned".to_owned()),
        ],
    );
}

#[test]
fn one_of_two_sets_wins() {
    returns(
        || {
            let cell = Arc::new(OnceLock::new());
            let other = cell.clone();
            let thread = thread::spawn(move || other.set(1));
            let mine = cell.set(2);
            (cell.get().copied(), mine, thread.join().unwrap())
        },
        [(Some(1), Err(2), Ok(())), (Some(2), Ok(()), Err(1))],
    );
}

#[test]
fn two_calls_of_get_or_init_get_the_same_value_and_one_makes_it() {
    returns(
        || {
            let shared = Arc::new((OnceLock::new(), AtomicU32::new(0)));
            let other = shared.clone();
            let make = |shared: &(OnceLock<u32>, AtomicU32), value| {
                *shared.0.get_or_init(|| {
                    shared.1.fetch_add(1, SeqCst);
                    value
                })
            };
            let thread = thread::spawn(move || make(&other, 1));
            let seen = shared.0.get().copied();
            let mine = make(&shared, 2);
            (seen, mine, thread.join().unwrap(), shared.1.load(SeqCst))
        },
        [(None, 1, 1, 1), (None, 2, 2, 1), (Some(1), 1, 1, 1)],
    );
}

#[test]
fn after_a_panic_in_get_or_init_another_thread_can_make_the_value() {
    returns(
        || {
            let mut cell = OnceLock::new();
            let panicked = panic_of(|| *cell.get_or_init(|| panic!("oh")));
            let made = *cell.get_or_init(|| 5);
            let taken = cell.take();
            let is_empty = cell.get().is_none();
            cell.set(6).unwrap();
            (panicked, made, taken, is_empty, *cell.wait(), cell.clone().into_inner())
        },
        [(Some("oh".to_owned()), 5, Some(5), true, 6, Some(6))],
    );
}

#[test]
fn a_lazy_value_is_made_once() {
    returns(
        || {
            let count = Arc::new(AtomicU32::new(0));
            let counter = count.clone();
            let lazy = Arc::new(LazyLock::new(move || counter.fetch_add(1, SeqCst) + 1));
            let other = lazy.clone();
            let thread = thread::spawn(move || **other);
            let before = LazyLock::get(&lazy).copied();
            (before, **lazy, thread.join().unwrap(), count.load(SeqCst))
        },
        [(None, 1, 1, 1), (Some(1), 1, 1, 1)],
    );
}

#[test]
fn a_panic_in_the_initialiser_poisons_a_lazy_value() {
    returns(
        || {
            let lazy: LazyLock<u8> = LazyLock::new(|| panic!("oh"));
            let first = panic_of(|| *lazy);
            let second = panic_of(|| *lazy);
            let mut lazy = lazy;
            let third = panic_of(|| *LazyLock::force_mut(&mut lazy));
            [first, second, third].map(Option::unwrap).join(", ")
        },
        ["oh, LazyLock instance has previously been poisoned, \
          LazyLock instance has previously been poisoned"
            .to_owned()],
    );
}

#[test]
fn a_run_can_end_during_call_once() {
    // The thread never leaves the function; its destructor, while it unwinds, reads the state.
    struct Last(Arc<(Once, OnceLock<u8>)>);
    impl Drop for Last {
        fn drop(&mut self) {
            self.0.0.call_once(|| {});
            let _ = self.0.1.set(1);
        }
    }
    let report = explore(|| {
        let last = Last(Arc::new((Once::new(), OnceLock::new())));
        let thread = thread::spawn(move || {
            let last = last;
            last.0.0.call_once(|| {
                last.0.1.get_or_init(|| {
                    Once::new().wait();
                    0
                });
            });
        });
        thread.join().unwrap();
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Deadlock]);
    assert!(report.notes().is_empty(), "{:?}", report.notes());
}
