//! Runs that end the process, explored in child processes. There the end of the process is an outcome.

use crate::children::{PanicOnDrop, in_child, recurse_for_ever, text};
use crate::{outcomes, panic_of};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Keep, Outcome, Report, Strategy, thread};
use std::fmt::Debug;

/// The outcome of a panic in a destructor.
const BOOM: &str = "a destructor panicked while `bomber` unwound, which makes Rust abort: boom";

/// Explores in child processes.
fn explore_in_child_process<T: Ord + Clone + Debug + Send + 'static>(
    strategy: Strategy,
    body: impl Fn() -> T + Send + Sync,
) -> Report<T> {
    Explorer::new().strategy(strategy).in_child_process(true).explore(body)
}

/// Returns 0 or 2, or panics while it unwinds if the bomber loads between the two stores.
fn panic_between_stores() -> u32 {
    let x = Arc::new(AtomicU32::new(0));
    let y = x.clone();
    let bomber = thread::Builder::new().name("bomber".to_owned()).spawn(move || {
        let panic_on_drop = PanicOnDrop;
        let seen = y.load(SeqCst);
        assert_ne!(seen, 1, "first");
        std::mem::forget(panic_on_drop);
        seen
    });
    x.store(1, SeqCst);
    x.store(2, SeqCst);
    bomber.unwrap().join().unwrap()
}

#[test]
fn a_panic_in_a_destructor_while_unwinding_is_an_outcome() {
    let report = explore_in_child_process(Strategy::exhaustive(), panic_between_stores);
    let panicked = Outcome::Panicked(BOOM.to_owned());
    assert_eq!(outcomes(&report), [Outcome::Returned(0), Outcome::Returned(2), panicked.clone()]);
    assert!(report.is_complete(), "{report}");
    assert!(report.notes().is_empty(), "{report}");
    let last = report.outcomes()[&panicked].steps().last().expect("a step").event;
    assert_eq!((last.thread().0, last.action.kind.text()), (1, "load"), "the step in which it aborts");
}

/// Three threads, one of which aborts if it sees these values while the others may have enabled steps.
fn abort_among_three(sees: fn(u32, u32) -> bool) -> (u32, u32) {
    let shared = Arc::new((AtomicU32::new(0), AtomicU32::new(0), Mutex::new(0)));
    let (one, other) = (shared.clone(), shared.clone());
    let one = thread::spawn(move || {
        one.0.store(1, SeqCst);
        *one.2.lock().unwrap() += 1;
        one.1.store(1, SeqCst);
    });
    let other = thread::spawn(move || {
        let (x, y) = (other.0.load(SeqCst), other.1.load(SeqCst));
        if sees(x, y) {
            std::process::abort();
        }
        *other.2.lock().unwrap() += 1;
        x
    });
    let here = shared.1.load(SeqCst);
    one.join().unwrap();
    (here, other.join().unwrap())
}

#[test]
fn the_reduction_finds_all_outcomes_beside_an_abort() {
    let bodies: [fn(u32, u32) -> bool; 4] =
        [|x, y| (x, y) == (0, 1), |x, y| (x, y) == (1, 0), |x, _| x == 0, |_, y| y == 1];
    for (index, sees) in bodies.into_iter().enumerate() {
        let body = move || abort_among_three(sees);
        let (all, reduced) = (
            explore_in_child_process(Strategy::exhaustive(), body),
            explore_in_child_process(Strategy::systematic(), body),
        );
        assert_eq!(outcomes(&all), outcomes(&reduced), "body {index}");
        assert!(all.outcomes().contains_key(&Outcome::Panicked("aborted: SIGABRT".to_owned())));
        assert!(all.is_complete() && reduced.is_complete(), "body {index}: {all} {reduced}");
        assert!(reduced.executions() < all.executions(), "body {index}: {all} {reduced}");
    }
    let all = [Outcome::Returned(0), Outcome::Returned(2), Outcome::Panicked(BOOM.to_owned())];
    assert_eq!(outcomes(&explore_in_child_process(Strategy::systematic(), panic_between_stores)), all);
}

#[test]
fn child_processes_make_the_same_runs_as_a_plain_exploration() {
    let harmless = || {
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        let thread = thread::spawn(move || y.load(SeqCst));
        x.store(1, SeqCst);
        x.store(2, SeqCst);
        thread.join().unwrap()
    };
    let plain = Explorer::new().strategy(Strategy::exhaustive()).explore(harmless);
    let in_child_process = explore_in_child_process(Strategy::exhaustive(), harmless);
    assert_eq!(outcomes(&plain), outcomes(&in_child_process));
    assert_eq!(plain.executions(), in_child_process.executions());
    assert_eq!(plain.to_string(), in_child_process.to_string(), "the same traces");
}

#[test]
fn every_random_strategy_goes_on_after_aborts() {
    let strategies = [
        Strategy::random(3, 200),
        Strategy::pct(2, 3, 200),
        Strategy::pct(3, 5, 200),
        Strategy::swarm(3, 200),
        Strategy::pos(3, 200),
    ];
    for strategy in strategies {
        let name = strategy.to_string();
        let report = explore_in_child_process(strategy, panic_between_stores);
        let all = [Outcome::Returned(0), Outcome::Returned(2), Outcome::Panicked(BOOM.to_owned())];
        assert_eq!(outcomes(&report), all, "{name}");
        assert_eq!(report.executions(), 200, "{name}");
    }
}

#[test]
fn an_abort_does_not_change_the_random_choices_of_later_runs() {
    // The two bodies differ only in the outcome of the run in which the second alternative is chosen.
    let returned = |body: fn() -> u32| {
        let order = std::sync::Mutex::new(Vec::new());
        let explorer = Explorer::new().strategy(Strategy::random(11, 100)).in_child_process(true);
        explorer.explore_keeping(body, |outcome| {
            order.lock().unwrap().push(outcome.returned().copied());
            Keep::All
        });
        order.into_inner().unwrap()
    };
    let harmless = || match selvedge::choose(3) as u32 {
        1 => panic!("boom"),
        other => other,
    };
    let fatal = || match selvedge::choose(3) as u32 {
        1 => std::process::abort(),
        other => other,
    };
    let (harmless, fatal) = (returned(harmless), returned(fatal));
    assert_eq!(harmless, fatal);
    assert!(harmless.contains(&None) && harmless.contains(&Some(0)) && harmless.contains(&Some(2)));
}

/// Ends the process in the chosen way.
fn end_process_by_choice() -> usize {
    let choice = selvedge::choose(5);
    match choice {
        1 => std::process::abort(),
        2 => std::process::exit(3),
        3 => std::process::exit(0),
        // SAFETY: none; the process is to end here.
        #[allow(unsafe_code)]
        4 => unsafe { std::ptr::with_exposed_provenance::<usize>(8).read_volatile() },
        _ => choice,
    }
}

#[test]
fn aborts_exits_and_signals_are_outcomes() {
    let report = explore_in_child_process(Strategy::exhaustive(), end_process_by_choice);
    let panicked = |text: &str| Outcome::Panicked(format!("aborted: {text}"));
    let expected = [
        Outcome::Returned(0),
        panicked("SIGABRT"),
        panicked("SIGSEGV"),
        panicked("the process exited with code 0"),
        panicked("the process exited with code 3"),
    ];
    assert_eq!(outcomes(&report), expected);
    assert!(report.is_complete() && report.executions() == 5, "{report}");
}

#[test]
fn a_stack_overflow_is_an_outcome() {
    let report = explore_in_child_process(Strategy::exhaustive(), || {
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        let diver = thread::Builder::new().name("diver".to_owned());
        let diver = diver.spawn(move || if y.load(SeqCst) == 1 { recurse_for_ever(0) } else { 0 }).unwrap();
        x.store(1, SeqCst);
        diver.join().unwrap()
    });
    let overflow = "thread 1 `diver` of the explored program has overflowed its stack of 1024 KiB";
    assert_eq!(outcomes(&report), [Outcome::Returned(0), Outcome::Panicked(overflow.to_owned())]);
    assert!(report.is_complete(), "{report}");
}

#[test]
fn a_body_that_aborts_before_its_first_step_has_one_run() {
    let report = explore_in_child_process(Strategy::exhaustive(), || std::process::abort());
    assert_eq!(outcomes::<()>(&report), [Outcome::Panicked("aborted: SIGABRT".to_owned())]);
    assert!(report.is_complete() && report.executions() == 1, "{report}");
    let report = explore_in_child_process(Strategy::random(1, 3), || std::process::abort());
    assert_eq!(outcomes::<()>(&report), [Outcome::Panicked("aborted: SIGABRT".to_owned())]);
    assert_eq!(report.executions(), 3);
}

#[test]
fn a_step_before_an_abort_while_unwinding_makes_the_exploration_incomplete() {
    struct StoresAndAborts(Arc<AtomicU32>);
    impl Drop for StoresAndAborts {
        fn drop(&mut self) {
            self.0.store(2, SeqCst);
            std::process::abort();
        }
    }
    let report = explore_in_child_process(Strategy::exhaustive(), || {
        let x = Arc::new(AtomicU32::new(0));
        let on_drop = StoresAndAborts(x.clone());
        thread::spawn(move || {
            let _on_drop = on_drop;
            panic!("first");
        });
        x.load(SeqCst)
    });
    assert!(report.outcomes().contains_key(&Outcome::Panicked("aborted: SIGABRT".to_owned())), "{report}");
    assert!(!report.is_complete(), "{report}");
}

#[test]
fn a_deadlock_whose_destructors_abort_is_a_deadlock_with_a_note() {
    for strategy in [Strategy::exhaustive(), Strategy::random(1, 5)] {
        let report = explore_in_child_process(strategy, || {
            let lock = Mutex::new(0);
            let x = AtomicU32::new(selvedge::choose(2) as u32);
            let _panic_on_drop = PanicOnDrop;
            let _held = lock.lock();
            if x.load(SeqCst) == 1 {
                drop(lock.lock());
            }
            std::mem::forget(_panic_on_drop);
        });
        assert_eq!(outcomes(&report), [Outcome::Returned(()), Outcome::Deadlock]);
        let note = "a stack could not be unwound and was leaked: a destructor panicked while `main` was stopped at the end of \
                    a run (its outcome: deadlock), which makes Rust abort: boom";
        assert_eq!(report.notes(), [note]);
    }
}

#[test]
fn other_threads_are_torn_down_after_an_abort() {
    use std::sync::atomic::AtomicUsize;
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPS.fetch_add(1, SeqCst);
        }
    }
    let report = explore_in_child_process(Strategy::round_robin(), || {
        let _here = Counted;
        thread::spawn(|| {
            let _there = Counted;
            thread::park();
        });
        thread::yield_now();
        thread::yield_now();
        std::process::abort();
    });
    assert_eq!(outcomes::<()>(&report), [Outcome::Panicked("aborted: SIGABRT".to_owned())]);
    assert_eq!(DROPS.load(SeqCst), 2);
}

#[test]
fn a_panic_of_the_outcome_filter_reaches_the_caller() {
    let message = panic_of(|| {
        let explorer = Explorer::new().strategy(Strategy::random(1, 5)).in_child_process(true);
        explorer.explore_keeping(|| selvedge::choose(2), |_| -> Keep { panic!("{}", "not this") })
    });
    assert_eq!(message, "not this");
    let message = panic_of(|| {
        let explorer = Explorer::new().strategy(Strategy::random(1, 5)).in_child_process(true);
        explorer.explore_keeping(|| selvedge::choose(2), |_| std::process::abort())
    });
    assert_eq!(message, "selvedge: what judges the outcomes of runs ends the process: aborted: SIGABRT");
}

#[test]
fn refusals_are_the_same_as_in_a_plain_exploration() {
    let carried = AtomicU32::new(0);
    let message =
        panic_of(|| explore_in_child_process(Strategy::random(1, 5), || carried.fetch_add(1, SeqCst)));
    assert!(message.contains("carries its state from one run to the next"), "{message}");
}

#[test]
fn a_worker_that_replaces_a_broken_one_uses_child_processes_too() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let report = explore_in_child_process(Strategy::exhaustive(), || {
        let choice = selvedge::choose(4);
        let lock = Arc::new(Mutex::new(0));
        match choice {
            // A destructor would have to wait while its thread unwinds.
            0 | 2 => {
                let _held = lock.lock().unwrap();
                let _locks = Locks(lock.clone());
                panic!("first");
            }
            1 => std::process::abort(),
            choice => choice,
        }
    });
    let [Outcome::Returned(3), Outcome::Panicked(aborted), Outcome::Panicked(stuck)] = &outcomes(&report)[..]
    else {
        panic!("{report}")
    };
    assert_eq!(aborted, "aborted: SIGABRT");
    assert!(
        stuck.starts_with("first (and then, while `main` unwound, a destructor had to lock mutex#"),
        "{stuck}"
    );
    assert_eq!(report.executions(), 4);
}

#[test]
fn limits_hold_for_the_worker_and_its_child_processes() {
    let explorer = Explorer::new().in_child_process(true).max_executions(2);
    let report = explorer.explore(panic_between_stores);
    assert_eq!((report.executions(), report.is_complete()), (2, false));
    let explorer = Explorer::new().in_child_process(true).max_steps(100);
    let report = explorer.explore(|| {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(outcomes::<()>(&report), [Outcome::StepLimit]);
    let explorer = Explorer::new().in_child_process(true).stop_at_failure(true);
    let report = explorer.explore(end_process_by_choice);
    assert_eq!(outcomes(&report), [Outcome::Returned(0), Outcome::Panicked("aborted: SIGABRT".to_owned())]);
    assert_eq!(report.executions(), 2);
}

#[test]
fn a_program_that_depends_on_its_process_is_refused() {
    let here = std::process::id();
    let message = panic_of(|| {
        explore_in_child_process(Strategy::random(1, 5), move || {
            thread::yield_now();
            if std::process::id() != here {
                thread::yield_now();
                std::process::abort();
            }
        })
    });
    assert!(message.starts_with("selvedge: the program is not deterministic"), "{message}");
    assert!(
        message.contains("a child process ended in this run (aborted: SIGABRT), but not this one"),
        "{message}"
    );
}

#[selvedge::test(child_process = true)]
#[should_panic(expected = "error[run::panic]: panicked: a destructor panicked while `bomber` unwound")]
fn a_test_fails_by_an_abort() {
    panic_between_stores();
}

#[test]
#[ignore = "hangs for a while; run by the test below"]
fn child_hangs() {
    let here = std::process::id();
    let explorer = Explorer::new().in_child_process(true).strategy(Strategy::random(1, 1));
    explorer.watchdog(std::time::Duration::from_millis(100)).explore(|| {
        thread::yield_now();
        if std::process::id() != here {
            // In parts: on a busy machine the watchdog is scheduled about as often as this thread.
            (0..50).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(10)));
        }
    });
}

#[test]
fn a_hanging_child_process_is_reported_by_its_own_watchdog() {
    let output = in_child("child_process::child_hangs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(stderr.matches("warning[run::watchdog]").count(), 1, "{stderr}");
    assert!(stderr.contains("  thread 0 `main`: its last visible action is yield at "), "{stderr}");
}
