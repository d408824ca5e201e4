//! Runs that are torn down: the remaining threads unwind, destructors run, and teardown neither waits nor
//! aborts.

use crate::{all, all_once, outcomes};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex, RwLock, mpsc};
use selvedge::{Explorer, Outcome, Strategy, contained, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// Counts, outside the exploration, the dropped values.
struct Counted<'c>(&'c AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Calls a function when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Waits for ever.
fn wait_for_ever() {
    let lock = Mutex::new(());
    let _held = lock.lock();
    let _again = lock.lock();
}

#[test]
fn more_than_five_threads_can_be_explored() {
    let report = Explorer::new().strategy(Strategy::random(1, 200)).explore(|| {
        let counter = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = (0..10)
            .map(|_| {
                let counter = counter.clone();
                thread::spawn(move || counter.fetch_add(1, SeqCst))
            })
            .collect();
        threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() < 10));
        counter.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [Outcome::Returned(10)]);
    assert_eq!(report.executions(), 200);
}

#[test]
fn six_threads_are_explored_completely() {
    // Beside the body, five threads of one step each all wait for a lock that the body releases after it has
    // spawned them. Then they go in one of 5! orders; the last thread leaves its number.
    let report = all(|| {
        let last = Arc::new(Mutex::new(0));
        let closed = last.lock().unwrap();
        let spawn = |number: u32| {
            let last = last.clone();
            thread::spawn(move || *last.lock().unwrap() = number)
        };
        let _threads: Vec<_> = (1..=5).map(spawn).collect();
        drop(closed);
        locked_value(&last)
    });
    let expected: Vec<_> = (0..=5).map(Outcome::Returned).collect();
    assert_eq!(outcomes(&report), expected);
    assert!(report.is_complete());
}

/// The value of the mutex, once it is free.
fn locked_value(lock: &Mutex<u32>) -> u32 {
    *lock.lock().unwrap()
}

#[test]
fn after_a_deadlock_all_arcs_are_dropped() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let report = all_once(|| {
        let shared = Arc::new((Mutex::new(0), Mutex::new(0), Counted(&DROPS)));
        let other = shared.clone();
        let thread = thread::spawn(move || drop((other.1.lock().unwrap(), other.0.lock().unwrap())));
        drop((shared.0.lock().unwrap(), shared.1.lock().unwrap()));
        thread.join().unwrap();
    });
    assert_eq!(outcomes(&report), [Outcome::Returned(()), Outcome::Deadlock]);
    assert!(report.is_complete());
    assert_eq!(DROPS.load(SeqCst), report.executions(), "one in each run, deadlock or not");
    assert!(report.notes().is_empty(), "{:?}", report.notes());
}

#[test]
fn threads_that_remain_when_the_body_returns_are_stopped_and_their_values_dropped() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let report = all_once(|| {
        let x = Arc::new(AtomicU32::new(0));
        for _ in 0..2 {
            let (x, counted) = (x.clone(), Counted(&DROPS));
            thread::spawn(move || {
                let _counted = &counted;
                x.fetch_add(1, SeqCst);
                x.fetch_add(1, SeqCst);
            });
        }
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), (0..=4).map(Outcome::Returned).collect::<Vec<_>>());
    assert!(report.is_complete());
    assert_eq!(DROPS.load(SeqCst), 2 * report.executions());
}

#[test]
fn a_step_limit_drops_the_values_of_the_threads() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let report = Explorer::new().strategy(Strategy::random(3, 50)).max_steps(30).explore(|| {
        let _here = Counted(&DROPS);
        thread::spawn(|| {
            let _there = Counted(&DROPS);
            loop {
                thread::yield_now();
            }
        });
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(outcomes(&report), [Outcome::<()>::StepLimit]);
    assert!(DROPS.load(SeqCst) >= 2 * 50 - 1, "{}", DROPS.load(SeqCst));
    assert!(!report.is_complete());
}

#[test]
fn a_stopped_thread_can_drop_guards_channels_handles_and_waits() {
    let report = all(|| {
        let (lock, rwlock, condvar) = (Mutex::new(1), RwLock::new(2), Condvar::new());
        let (sender, receiver) = mpsc::sync_channel::<u8>(1);
        let _guard = (rwlock.read().unwrap(), sender);
        let _thread = thread::spawn(move || receiver.recv());
        let _notified = condvar.wait(lock.lock().unwrap());
    });
    // The body waits for a notification that never comes, and the thread for a message.
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    assert!(report.is_complete() && report.notes().is_empty(), "{:?}", report.notes());
}

#[test]
fn a_destructor_may_use_locks_atomics_and_channels_while_its_thread_is_stopped() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let report = all(|| {
        let (lock, atomic) = (Mutex::new(0), AtomicU32::new(0));
        let (sender, _receiver) = mpsc::channel();
        let _on_drop = OnDrop(move || {
            *lock.lock().unwrap() += 1;
            atomic.fetch_add(1, SeqCst);
            sender.send(1).unwrap();
            thread::yield_now();
            DROPS.fetch_add(1, SeqCst);
        });
        wait_for_ever();
    });
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    assert_eq!(DROPS.load(SeqCst), 1);
    assert!(report.notes().is_empty(), "{:?}", report.notes());
}

/// As in the Rust book: the destructor of the pool joins its threads, and panics if a thread failed.
struct Pool(Vec<Option<thread::JoinHandle<()>>>);

impl Drop for Pool {
    fn drop(&mut self) {
        for worker in &mut self.0 {
            if let Some(worker) = worker.take() {
                worker.join().unwrap();
            }
        }
    }
}

#[test]
fn a_thread_pool_that_joins_and_unwraps_in_its_destructor_does_not_abort() {
    let report = all(|| {
        let (lock, started) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let _held = lock.lock().unwrap();
        let _pool = Pool(
            (0..2)
                .map(|_| {
                    let (lock, started) = (lock.clone(), started.clone());
                    Some(thread::spawn(move || drop((started.lock().unwrap(), lock.lock().unwrap()))))
                })
                .collect(),
        );
    });
    // The pool is dropped first, and waits for threads that wait for the lock.
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    assert!(report.is_complete() && report.notes().is_empty(), "{:?}", report.notes());
}

#[test]
fn a_destructor_that_joins_a_stopped_thread_leaks_only_a_stack() {
    let report = all(|| {
        let mut thread = Some(thread::spawn(|| {
            wait_for_ever();
            5
        }));
        let _on_drop = OnDrop(move || assert_eq!(thread.take().unwrap().join().unwrap(), 5));
        wait_for_ever();
    });
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    let note = "a stack could not be unwound and was leaked: when `main` was stopped at the end of a run, a destructor joined \
                `thread 1`, which had been stopped too";
    assert_eq!(report.notes(), [note]);
    assert!(report.is_complete() && report.executions() > 1, "it goes on afterwards");
}

#[test]
fn a_destructor_that_needs_a_lock_of_a_stopped_thread_leaks_only_a_stack() {
    let report = all(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        let _thread = thread::spawn(move || {
            let _on_drop = OnDrop(|| *other.lock().unwrap() += 1);
            y.store(1, SeqCst);
            wait_for_ever();
        });
        let _held = lock.lock().unwrap();
        x.load(SeqCst);
        wait_for_ever();
    });
    // The younger thread unwinds first, while the body has the lock.
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    assert!(report.is_complete() && report.executions() > 1);
    assert_eq!(report.notes().len(), 1, "{:?}", report.notes());
    assert!(
        report.notes()[0]
            .contains("when `thread 1` was stopped at the end of a run, a destructor had to lock mutex#")
    );
}

#[test]
fn a_panic_whose_unwinding_would_have_to_wait_reports_it() {
    let report = all(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let _held = lock.lock().unwrap();
        let _ = thread::spawn(move || {
            let _on_drop = OnDrop(|| *other.lock().unwrap() += 1);
            panic!("oh");
        })
        .join();
    });
    let [Outcome::Panicked(message)] = &outcomes(&report)[..] else { panic!("{report}") };
    assert!(
        message.starts_with("oh (and then, while `thread 1` unwound, a destructor had to lock mutex#"),
        "{message}"
    );
    assert!(message.ends_with("; nothing can wait there)"), "{message}");
    assert!(!report.is_complete(), "the body could have given the lock back first");
}

#[test]
fn a_timed_wait_while_unwinding_times_out_and_makes_the_exploration_incomplete() {
    let report = all(|| {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || {
            let _on_drop = OnDrop(|| {
                let _ = receiver.recv_timeout(Duration::from_secs(1));
            });
            panic!("oh");
        });
        let arrives = sender.send(1).is_ok();
        thread.join().unwrap_err();
        arrives
    });
    assert_eq!(report.values().collect::<Vec<_>>(), [&false], "{report}");
    assert!(!report.is_complete(), "the message could have come first");
}

#[test]
fn a_thread_that_catches_the_stop_is_stopped_again() {
    static CAUGHT: AtomicUsize = AtomicUsize::new(0);
    let report = all(|| {
        thread::spawn(|| {
            let lock = Mutex::new(0);
            let _held = lock.lock();
            for _ in 0..3 {
                if catch_unwind(AssertUnwindSafe(|| drop(lock.lock()))).is_err() {
                    CAUGHT.fetch_add(1, SeqCst);
                }
            }
            panic!("in a run that is over");
        });
        wait_for_ever();
    });
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    assert!(report.notes().is_empty(), "{:?}", report.notes());
    assert_eq!(CAUGHT.load(SeqCst), 3 * report.executions());
}

#[test]
fn a_thread_that_catches_every_stop_is_leaked() {
    let report = all(|| {
        thread::spawn(|| {
            let lock = Mutex::new(0);
            let _held = lock.lock();
            loop {
                let _ = catch_unwind(AssertUnwindSafe(|| drop(lock.lock())));
            }
        });
        let x = AtomicU32::new(0);
        x.store(1, SeqCst);
        wait_for_ever();
    });
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    let note = "a stack could not be unwound and was leaked: `thread 1` went on when it was stopped at the end of a run, 1000 times";
    assert_eq!(report.notes(), [note]);
    assert!(report.is_complete() && report.executions() > 1);
}

#[test]
fn a_panic_of_a_destructor_in_a_stopped_thread_that_does_not_unwind_is_ignored() {
    let report = all(|| {
        thread::spawn(|| {
            let lock = Mutex::new(0);
            let _held = lock.lock();
            let _ = catch_unwind(AssertUnwindSafe(|| drop(lock.lock())));
            // The panic that stops the thread is caught, so the thread does not unwind here.
            drop(OnDrop(|| panic!("in a destructor")));
        });
        wait_for_ever();
    });
    assert_eq!(outcomes(&report), [Outcome::Deadlock]);
    assert!(report.is_complete() && report.notes().is_empty(), "{:?}", report.notes());
}

#[test]
fn the_destructor_of_a_returned_value_may_panic() {
    struct PanicOnDrop;
    impl Drop for PanicOnDrop {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    let report = all(|| {
        drop(thread::spawn(|| PanicOnDrop));
        thread::yield_now();
    });
    let text = "boom (in the destructor of what a thread returned, where a panic ends the process)";
    assert_eq!(outcomes(&report), [Outcome::Panicked(text.to_owned())]);
}

#[test]
fn the_destructor_of_a_returned_value_may_use_locks() {
    let report = all(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let held = lock.lock().unwrap();
        drop(thread::spawn(move || OnDrop(move || *other.lock().unwrap() += 1)));
        drop(held);
        *lock.lock().unwrap()
    });
    assert_eq!(outcomes(&report), [Outcome::Returned(0), Outcome::Returned(1)]);
    assert!(report.is_complete());
}

#[test]
fn a_contained_part_that_panics_while_it_is_stopped_is_still_a_deadlock() {
    let report = all(|| {
        contained(|| {
            thread::spawn(|| {
                let lock = Mutex::new(0);
                let _held = lock.lock();
                let _ = catch_unwind(AssertUnwindSafe(|| drop(lock.lock())));
                panic!("in a part that is over");
            });
            wait_for_ever();
        })
    });
    assert_eq!(outcomes(&report), [Outcome::Returned(Outcome::Deadlock)]);
}

#[test]
fn a_contained_part_that_cannot_be_unwound_ends_the_run() {
    let report = all(|| {
        let lock = Arc::new(Mutex::new(0));
        let _held = lock.lock().unwrap();
        let part = contained(|| {
            let other = lock.clone();
            let _on_drop = OnDrop(|| *other.lock().unwrap() += 1);
            wait_for_ever();
        });
        part.is_returned()
    });
    let [Outcome::Panicked(message)] = &outcomes(&report)[..] else { panic!("{report}") };
    assert!(
        message.starts_with("when `contained` was stopped at the end of a run, a destructor had to lock"),
        "{message}"
    );
}

#[test]
fn a_panic_of_an_earlier_run_is_not_reported_in_a_later_contained_part() {
    let report = all(|| {
        let choice = selvedge::choose(2);
        if choice == 0 {
            (0..3).for_each(|_| drop(thread::spawn(|| panic!("heard in this run only"))));
            thread::yield_now();
            return None;
        }
        Some(contained(|| 1))
    });
    let expected_panic = Outcome::Panicked("heard in this run only".to_owned());
    assert_eq!(outcomes(&report), [Outcome::Returned(Some(Outcome::Returned(1))), expected_panic]);
}

/// The values of threads that remain at the end of a run are dropped when the threads unwind, and leaked if
/// the threads are forgotten. Nothing else differs.
#[test]
fn threads_that_remain_at_the_end_of_a_run_can_be_forgotten() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let explore = |unwinds| {
        [&MADE, &DROPPED].into_iter().for_each(|count| count.store(0, SeqCst));
        let report = Explorer::new().unwind(unwinds).explore(|| {
            let number = Arc::new(AtomicU32::new(0));
            let (other, lock) = (number.clone(), Arc::new(Mutex::new(())));
            drop(thread::spawn(move || {
                MADE.fetch_add(1, SeqCst);
                let _owned = (Counted, lock.lock());
                (1..4).for_each(|value| other.store(value, SeqCst));
            }));
            number.load(SeqCst)
        });
        let values: Vec<u32> = report.values().copied().collect();
        (values, report.executions(), report.is_complete())
    };
    let unwound = explore(true);
    assert_eq!(DROPPED.load(SeqCst), MADE.load(SeqCst), "everything is dropped");
    let forgotten = explore(false);
    assert!(DROPPED.load(SeqCst) < MADE.load(SeqCst), "something is leaked");
    assert_eq!(forgotten, unwound);
    assert_eq!(unwound.0, [0, 1, 2, 3]);
}
