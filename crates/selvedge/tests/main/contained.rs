//! Parts of a body that run to any end, and the state that they leave.

#![cfg(feature = "check")]

use selvedge::sync::atomic::AtomicU32;
use selvedge::sync::atomic::Ordering::{Relaxed, SeqCst};
use selvedge::sync::{Arc, MVar, Mutex, mpsc};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy, contained, contained_then, thread};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// The outcomes of the body, the same by the reduction and by the exhaustive strategy.
#[track_caller]
fn outcomes<T: Ord + Clone + Debug + Send + 'static>(
    body: impl Fn() -> T + Send + Sync,
) -> BTreeSet<Outcome<T>> {
    let explore = |memory, strategy| {
        let report = Explorer::new().memory(memory).strategy(strategy).explore(&body);
        assert!(report.is_complete(), "{report}");
        report.outcomes().keys().cloned().collect::<BTreeSet<_>>()
    };
    let [sc, tso, pso] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(|memory| {
        let outcomes = explore(memory, Strategy::systematic());
        assert_eq!(outcomes, explore(memory, Strategy::exhaustive()), "under {memory:?}");
        outcomes
    });
    assert_eq!([&sc, &tso], [&tso, &pso], "by memory model");
    sc
}

/// Sets it to 7 when it is dropped.
struct SetsItToSevenOnDrop(Arc<AtomicU32>);

impl Drop for SetsItToSevenOnDrop {
    fn drop(&mut self) {
        self.0.store(7, SeqCst);
    }
}

fn deadlock() {
    MVar::<()>::empty().take();
}

#[test]
fn destructors_of_a_contained_part_run_before_the_body_goes_on() {
    let found = outcomes(|| {
        let cell = Arc::new(AtomicU32::new(0));
        let outcome = contained(|| {
            let _guard = SetsItToSevenOnDrop(cell.clone());
            deadlock();
        });
        (outcome, cell.load(SeqCst))
    });
    assert_eq!(found, [Outcome::Returned((Outcome::Deadlock, 7))].into());
}

#[test]
fn contained_then_shows_the_state_as_it_was() {
    let found = outcomes(|| {
        let cell = Arc::new(AtomicU32::new(0));
        let seen = contained_then(
            || {
                let _guard = SetsItToSevenOnDrop(cell.clone());
                deadlock();
            },
            |outcome| (outcome, cell.load(SeqCst)),
        );
        (seen, cell.load(SeqCst))
    });
    assert_eq!(found, [Outcome::Returned(((Outcome::Deadlock, 0), 7))].into());
}

#[test]
fn frozen_threads_keep_their_locks_until_they_are_unwound() {
    let found = outcomes(|| {
        let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
        let are_held = || [locks[0].try_lock().is_err(), locks[1].try_lock().is_err()];
        let then = contained_then(
            || {
                let other = locks.clone();
                let thread = thread::spawn(move || {
                    let _second = other[1].lock();
                    let _first = other[0].lock();
                });
                let _first = locks[0].lock();
                let _second = locks[1].lock();
                thread.join().expect("no panic");
            },
            |outcome| (outcome, are_held()),
        );
        (then, are_held())
    });
    let free = [false, false];
    let deadlock = Outcome::Returned(((Outcome::Deadlock, [true, true]), free));
    assert_eq!(found, [deadlock, Outcome::Returned(((Outcome::Returned(()), free), free))].into());
}

#[test]
fn frozen_threads_are_never_scheduled() {
    let found = outcomes(|| {
        let count = Arc::new(AtomicU32::new(0));
        contained_then(
            || {
                let count = count.clone();
                thread::spawn(move || (0..2).for_each(|_| _ = count.fetch_add(1, SeqCst)));
            },
            |_| {
                let before = count.load(SeqCst);
                thread::yield_now();
                let after = thread::scope(|scope| scope.spawn(|| count.load(SeqCst)).join());
                (before, after.expect("no panic"))
            },
        )
    });
    assert_eq!(found, [0, 1, 2].map(|count| Outcome::Returned((count, count))).into());
}

#[test]
fn stores_that_are_not_in_memory_at_the_end_of_a_part_never_get_there() {
    for memory in [MemoryModel::Tso, MemoryModel::Pso] {
        let report = Explorer::new().memory(memory).explore(|| {
            let flag = Arc::new(AtomicU32::new(0));
            contained_then(
                || {
                    let flag = flag.clone();
                    thread::spawn(move || {
                        flag.store(1, Relaxed);
                        deadlock();
                    });
                },
                |_| {
                    let before = flag.load(SeqCst);
                    thread::yield_now();
                    (before, flag.load(SeqCst))
                },
            )
        });
        assert_eq!(report.values().collect::<Vec<_>>(), [&(0, 0), &(1, 1)]);
    }
}

#[test]
fn a_frozen_thread_keeps_its_place_at_a_variable() {
    let found = outcomes(|| {
        let variable = Arc::new(MVar::empty());
        contained_then(
            || variable.take(),
            |outcome| {
                // The frozen thread does not take it.
                variable.put(3);
                (outcome, variable.try_take())
            },
        )
    });
    assert_eq!(found, [Outcome::Returned((Outcome::Deadlock, Some(3)))].into());
}

#[test]
fn parts_can_be_nested() {
    let found = outcomes(|| {
        contained(|| {
            let inner = contained(|| {
                thread::spawn(deadlock).join().expect("no panic");
            });
            let then = contained_then(deadlock, |outcome| contained(|| (outcome.clone(), contained(|| 3))));
            let panicked = contained(|| panic!("inside"));
            deadlock_if(inner != Outcome::Deadlock);
            (then, panicked)
        })
    });
    let then: Outcome<(Outcome<()>, Outcome<i32>)> =
        Outcome::Returned((Outcome::Deadlock, Outcome::Returned(3)));
    let panicked: Outcome<()> = Outcome::Panicked("inside".to_owned());
    assert_eq!(found, [Outcome::Returned(Outcome::Returned((then, panicked)))].into());
}

fn deadlock_if(condition: bool) {
    if condition {
        deadlock();
    }
}

#[test]
fn frozen_threads_do_not_forbid_another_part() {
    let found = outcomes(|| {
        contained_then(
            || thread::spawn(deadlock).join().expect("no panic"),
            |first| contained_then(deadlock, |second| (first, second, contained(|| 1))),
        )
    });
    assert_eq!(
        found,
        [Outcome::Returned((Outcome::Deadlock, Outcome::Deadlock, Outcome::Returned(1)))].into()
    );
}

#[test]
fn the_second_function_can_panic_and_deadlock() {
    let panics = outcomes(|| {
        let cell = Arc::new(AtomicU32::new(0));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            contained_then(
                || {
                    let _guard = SetsItToSevenOnDrop(cell.clone());
                    deadlock();
                },
                |_| panic!("looks"),
            )
        }));
        (caught.is_err(), cell.load(SeqCst))
    });
    assert_eq!(panics, [Outcome::Returned((true, 7))].into());
    let deadlocks = outcomes(|| {
        let lock = Mutex::new(());
        let hold = || {
            let _guard = lock.lock();
            deadlock();
        };
        contained_then(hold, |_| drop(lock.lock()));
    });
    assert_eq!(deadlocks, [Outcome::Deadlock].into());
}

#[test]
fn threads_of_the_second_function_outlive_it() {
    let found = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let handle = contained_then(deadlock, |_| thread::spawn(move || sender.send(5).expect("a receiver")));
        handle.join().expect("no panic");
        receiver.recv().expect("a message")
    });
    assert_eq!(found, [Outcome::Returned(5)].into());
}

#[test]
fn a_part_cannot_begin_in_a_daemon_after_the_return_either() {
    let report = selvedge::explore(|| {
        thread::spawn(|| {
            thread::yield_now();
            contained(|| 1)
        });
        7
    });
    let message = "selvedge: `contained` cannot begin while other threads are alive; join them first";
    assert_eq!(
        report.outcomes().keys().cloned().collect::<BTreeSet<_>>(),
        [Outcome::Returned(7), Outcome::Panicked(message.to_owned())].into()
    );
}

#[test]
fn a_part_whose_threads_panic_does_not_fail_the_body() {
    let found = outcomes(|| {
        contained(|| {
            let threads = ["one", "two"].map(|name| thread::spawn(move || panic!("{name}")));
            while !threads.iter().all(thread::JoinHandle::is_finished) {
                thread::yield_now();
            }
        })
    });
    assert_eq!(found, [Outcome::Returned(Outcome::Panicked("one".to_owned()))].into());
}

/// A store that is not committed at the end of a part is lost, and a commit before that end is not:
/// with a thread that has ended, too.
#[test]
fn the_end_of_a_part_comes_before_and_after_commits() {
    for strategy in [Strategy::systematic(), Strategy::exhaustive()] {
        let report = Explorer::new().memory(MemoryModel::Tso).strategy(strategy).explore(|| {
            let cell = Arc::new(AtomicU32::new(1));
            let part = || {
                let other = cell.clone();
                thread::spawn(move || other.store(other.load(SeqCst), Relaxed));
                cell.swap(0, SeqCst);
            };
            contained_then(part, |_| cell.load(SeqCst))
        });
        assert_eq!(report.values().collect::<Vec<_>>(), [&0, &1]);
    }
}

/// A thread that has ended by then may also be stopped before its first step.
#[test]
fn the_end_of_a_part_comes_before_and_after_threads_that_end() {
    let program = || {
        let cell = Arc::new(AtomicU32::new(0));
        let part = || {
            let other = cell.clone();
            thread::spawn(move || other.store(1, SeqCst));
            thread::spawn(|| ()).join().unwrap();
        };
        contained_then(part, |_| cell.load(SeqCst))
    };
    assert_eq!(outcomes(program), [Outcome::Returned(0), Outcome::Returned(1)].into());
}
