//! Threads that outlive the body: the return of the body depends on failures only (Walker's thesis, §5.6).

#![cfg(feature = "check")]

use crate::common::{MODELS, outcomes};
use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::AtomicU32;
use selvedge::sync::atomic::Ordering::{Relaxed, SeqCst};
use selvedge::sync::{Arc, MVar, Mutex, mpsc};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, hint, thread};
use std::time::Duration;

fn explore<T: Ord + Clone + std::fmt::Debug + Send + 'static>(
    strategy: Strategy,
    memory: MemoryModel,
    body: impl Fn() -> T + Send + Sync,
) -> Report<T> {
    Explorer::new().memory(memory).strategy(strategy).explore(body)
}

/// Explores the body by the reduction: it is complete, makes this many runs, and finds what the exhaustive
/// strategy finds, whose runs end with the return of the body.
#[track_caller]
fn check<T: Ord + Clone + std::fmt::Debug + Send + 'static>(runs: usize, body: impl Fn() -> T + Send + Sync) {
    for memory in MODELS {
        let report = explore(Strategy::systematic(), memory, &body);
        let expected = explore(Strategy::exhaustive(), memory, &body);
        assert_eq!(outcomes(&report), outcomes(&expected), "under {memory:?}");
        assert!(report.is_complete(), "under {memory:?}: {report}");
        assert_eq!(report.executions(), runs, "under {memory:?}");
    }
}

/// Steps that no other thread observes.
fn own_steps(number: usize) {
    let own = AtomicU32::new(0);
    (0..number).for_each(|_| own.store(1, SeqCst));
}

#[test]
fn daemons_with_steps_of_their_own_take_one_run() {
    for (daemons, steps) in [(1, 1), (1, 8), (3, 8), (10, 100)] {
        let report = selvedge::explore(|| {
            for _ in 0..daemons {
                thread::spawn(move || own_steps(steps));
            }
            7
        });
        assert_eq!(outcomes(&report), [Outcome::Returned(7)].into());
        assert!(report.is_complete());
        assert_eq!(report.executions(), 1, "{daemons} daemons with {steps} steps");
    }
}

#[test]
fn a_daemon_that_only_yields_takes_one_run() {
    for daemons in [1, 3] {
        let report = selvedge::explore(|| {
            for _ in 0..daemons {
                thread::spawn(|| {
                    loop {
                        thread::yield_now();
                    }
                });
            }
            7
        });
        assert_eq!(outcomes(&report), [Outcome::Returned(7)].into());
        assert!(report.is_complete(), "{report}");
        assert_eq!(report.executions(), 1);
    }
}

#[test]
fn a_daemon_that_yields_some_times_is_seen_to_its_end() {
    check(2, || {
        let flag = Arc::new(AtomicU32::new(0));
        let daemon = flag.clone();
        thread::spawn(move || {
            (0..10).for_each(|_| thread::yield_now());
            daemon.store(1, SeqCst);
        });
        flag.load(SeqCst)
    });
}

#[test]
fn a_daemon_that_waits_takes_one_run() {
    check(1, || {
        thread::spawn(|| MVar::<()>::empty().take());
        7
    });
    check(1, || {
        let flag = Arc::new(AtomicU32::new(0));
        thread::spawn(move || {
            while flag.load(SeqCst) == 0 {
                hint::spin_loop();
            }
        });
        7
    });
}

#[test]
fn a_daemon_that_counts_for_ever_is_no_step_limit() {
    for daemons in [1, 2] {
        let explorer = Explorer::new().max_executions(200);
        let report = explorer.explore(|| {
            let count = Arc::new(AtomicU32::new(0));
            for _ in 0..daemons {
                let count = count.clone();
                thread::spawn(move || {
                    loop {
                        count.fetch_add(1, SeqCst);
                    }
                });
            }
            7
        });
        assert_eq!(outcomes(&report), [Outcome::Returned(7)].into());
        assert!(!report.is_complete());
        assert!(report.notes().iter().any(|note| note.contains("goes on for ever")), "{:?}", report.notes());
    }
}

#[test]
fn listing_46_has_both_values() {
    check(2, || {
        let variable = Arc::new(MVar::empty());
        let daemon = variable.clone();
        thread::spawn(move || {
            thread::available_parallelism().expect("a number");
            daemon.put("hello world");
        });
        variable.try_read()
    });
}

#[test]
fn listing_47_has_both_values_in_two_runs() {
    check(2, || {
        let variable = Arc::new(MVar::empty());
        let daemon = variable.clone();
        thread::spawn(move || {
            thread::available_parallelism().expect("a number");
            thread::available_parallelism().expect("a number");
            daemon.put("hello world");
        });
        variable.try_read()
    });
}

#[test]
fn a_daemon_that_panics_after_the_return_panics_before_it_in_another_run() {
    check(2, || {
        thread::spawn(|| {
            own_steps(1);
            panic!("daemon");
        });
        7
    });
    // It panics in the step that spawns it: before the return in every run.
    check(1, || {
        thread::spawn(|| panic!("at once"));
        7
    });
}

#[test]
fn a_daemon_that_panics_while_the_body_yields_can_panic_after_the_return() {
    check(2, || {
        thread::spawn(|| {
            own_steps(1);
            panic!("daemon");
        });
        thread::yield_now();
        7
    });
}

#[test]
fn a_daemon_that_panics_when_it_gets_a_lock_panics_before_the_return_in_another_run() {
    check(4, || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        thread::spawn(move || {
            let _guard = other.lock();
            own_steps(1);
        });
        let other = lock;
        thread::spawn(move || {
            drop(other.lock());
            panic!("has the lock");
        });
        7
    });
}

#[test]
fn two_daemons_that_panic_make_four_runs() {
    check(4, || {
        for message in ["one", "two"] {
            thread::spawn(move || {
                own_steps(1);
                panic!("{message}");
            });
        }
        7
    });
}

#[test]
fn a_failure_that_a_daemon_observes_is_none() {
    // The panic comes before the return, or the return does; then the join comes before the return, or not.
    check(3, || {
        let first = thread::spawn(|| {
            own_steps(1);
            panic!("observed");
        });
        thread::spawn(move || first.join().is_err());
        7
    });
}

#[test]
fn a_data_race_of_a_daemon_is_found_before_the_return() {
    struct Shared(UnsafeCell<u32>);
    // SAFETY: the cell detects races.
    #[allow(unsafe_code)]
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    #[allow(unsafe_code)]
    unsafe impl Send for Shared {}
    for memory in MODELS {
        let body = || {
            let cell = Arc::new(Shared(UnsafeCell::new(0)));
            let other = cell.clone();
            thread::spawn(move || {
                own_steps(1);
                other.0.with(|_| ());
            });
            cell.0.with_mut(|_| ());
            7
        };
        let report = explore(Strategy::systematic(), memory, body);
        let expected = explore(Strategy::exhaustive(), memory, body);
        assert_eq!(outcomes(&report), outcomes(&expected));
        assert_eq!(report.outcomes().len(), 2, "{report}");
        assert!(report.is_complete());
    }
}

#[test]
fn a_store_of_the_body_that_is_committed_after_the_return_is_seen() {
    check(3, || {
        let flag = Arc::new(AtomicU32::new(0));
        let daemon = flag.clone();
        thread::spawn(move || assert_eq!(daemon.load(SeqCst), 0));
        flag.store(1, Relaxed);
        7
    });
}

/// The body reads its own store from its buffer, or after the commits of both stores. Runs end with stores
/// that are never committed: in either order they can be.
#[test]
fn a_body_reads_the_store_of_a_daemon_after_its_own() {
    let copied = || {
        let cell = Arc::new(AtomicU32::new(1));
        let other = cell.clone();
        thread::spawn(move || other.store(other.load(SeqCst), Relaxed));
        cell.swap(0, SeqCst);
        cell.store(0, Relaxed);
        cell.load(SeqCst)
    };
    let read_before = || {
        let cell = Arc::new(AtomicU32::new(0));
        let other = cell.clone();
        thread::spawn(move || {
            other.load(SeqCst);
            other.store(1, Relaxed);
        });
        let before = cell.load(SeqCst);
        cell.store(2, Relaxed);
        10 * before + cell.load(Relaxed)
    };
    for memory in [MemoryModel::Tso, MemoryModel::Pso] {
        for strategy in [Strategy::systematic, Strategy::exhaustive] {
            let report = explore(strategy(), memory, copied);
            assert_eq!(report.values().collect::<Vec<_>>(), [&0, &1], "{memory:?}");
            let report = explore(strategy(), memory, read_before);
            assert_eq!(report.values().collect::<Vec<_>>(), [&1, &2, &12], "{memory:?}");
        }
    }
}

#[test]
fn a_body_that_panics_leaves_daemons_that_make_no_runs() {
    check(1, || -> u32 {
        for _ in 0..3 {
            thread::spawn(|| own_steps(8));
        }
        panic!("body");
    });
}

#[test]
fn daemons_race_with_each_other_after_the_return() {
    // Either comes second and panics, before the return or after it.
    check(4, || {
        let count = Arc::new(AtomicU32::new(0));
        for _ in 0..2 {
            let count = count.clone();
            thread::spawn(move || assert_eq!(count.fetch_add(1, SeqCst), 0));
        }
        7
    });
}

#[test]
fn a_daemon_can_spawn_threads_after_the_return() {
    check(2, || {
        let flag = Arc::new(AtomicU32::new(0));
        let daemon = flag.clone();
        thread::spawn(move || {
            own_steps(2);
            thread::spawn(move || daemon.store(1, SeqCst));
        });
        flag.load(SeqCst)
    });
}

#[test]
fn a_daemon_that_receives_for_ever_ends_with_its_sender() {
    // The first message is received before the second is sent, or after.
    check(2, || {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || receiver.iter().for_each(|()| own_steps(1)));
        (0..2).for_each(|_| sender.send(()).expect("a receiver"));
        7
    });
}

#[test]
fn a_daemon_that_sleeps_for_ever_leaves_the_report_incomplete() {
    let report = selvedge::explore(|| {
        thread::spawn(|| {
            loop {
                thread::sleep(Duration::from_secs(1));
            }
        });
        7
    });
    assert_eq!(outcomes(&report), [Outcome::Returned(7)].into());
    assert!(!report.is_complete());
}

#[test]
fn the_shown_run_ends_with_the_return() {
    let report = selvedge::explore(|| {
        thread::spawn(|| own_steps(8));
        7
    });
    let trace = &report.outcomes()[&Outcome::Returned(7)];
    assert_eq!(trace.short().to_string(), "S0--");
}

#[test]
fn several_workers_find_what_one_finds() {
    let body = || {
        let flag = Arc::new(AtomicU32::new(0));
        for _ in 0..3 {
            let flag = flag.clone();
            thread::spawn(move || assert_ne!(flag.fetch_add(1, SeqCst), 2));
        }
        flag.load(SeqCst)
    };
    let one = Explorer::new().explore(body);
    for workers in [2, 4] {
        let several = Explorer::new().workers(workers).explore(body);
        assert_eq!(outcomes(&several), outcomes(&one));
        assert_eq!((several.executions(), several.is_complete()), (one.executions(), one.is_complete()));
    }
}
