//! Runs that end the process, explored in child processes, where that is an outcome.

use crate::children::{Bomb, deeper, in_child, text};
use crate::{outcomes, panic_of};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Keep, Outcome, Report, Strategy, thread};
use std::fmt::Debug;

/// What a destructor's panic is told as.
const BOOM: &str = "a destructor panicked while `bomber` unwound, which makes Rust abort: boom";

/// Explores in child processes.
fn ahead<T: Ord + Clone + Debug + Send + 'static>(
    strategy: Strategy,
    body: impl Fn() -> T + Send + Sync,
) -> Report<T> {
    Explorer::new().strategy(strategy).in_child_process(true).explore(body)
}

/// Returns 0 to 2, or goes off where the bomber comes between the two stores.
fn bomb_between_stores() -> u32 {
    let x = Arc::new(AtomicU32::new(0));
    let y = x.clone();
    let bomber = thread::Builder::new().name("bomber".to_owned()).spawn(move || {
        let bomb = Bomb;
        let seen = y.load(SeqCst);
        assert_ne!(seen, 1, "first");
        std::mem::forget(bomb);
        seen
    });
    x.store(1, SeqCst);
    x.store(2, SeqCst);
    bomber.unwrap().join().unwrap()
}

#[test]
fn a_panic_in_a_destructor_while_unwinding_is_one_outcome_of_all() {
    let report = ahead(Strategy::exhaustive(), bomb_between_stores);
    let panicked = Outcome::Panicked(BOOM.to_owned());
    assert_eq!(outcomes(&report), [Outcome::Returned(0), Outcome::Returned(2), panicked.clone()]);
    assert!(report.is_complete(), "{report}");
    assert!(report.notes().is_empty(), "{report}");
    let last = report.outcomes()[&panicked].steps().last().expect("a step").event;
    assert_eq!((last.thread().0, last.action.kind.text()), (1, "load"), "the step in which it aborts");
}

/// Three threads, of which one aborts where it sees something, and others may be about to do something then.
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
        let (all, reduced) = (ahead(Strategy::exhaustive(), body), ahead(Strategy::systematic(), body));
        assert_eq!(outcomes(&all), outcomes(&reduced), "body {index}");
        assert!(all.outcomes().contains_key(&Outcome::Panicked("aborted: SIGABRT".to_owned())));
        assert!(all.is_complete() && reduced.is_complete(), "body {index}: {all} {reduced}");
        assert!(reduced.executions() < all.executions(), "body {index}: {all} {reduced}");
    }
    let all = [Outcome::Returned(0), Outcome::Returned(2), Outcome::Panicked(BOOM.to_owned())];
    assert_eq!(outcomes(&ahead(Strategy::systematic(), bomb_between_stores)), all);
}

#[test]
fn as_many_runs_are_made_as_without_the_abort() {
    let harmless = || {
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        let thread = thread::spawn(move || y.load(SeqCst));
        x.store(1, SeqCst);
        x.store(2, SeqCst);
        thread.join().unwrap()
    };
    let plain = Explorer::new().strategy(Strategy::exhaustive()).explore(harmless);
    let scouted = ahead(Strategy::exhaustive(), harmless);
    assert_eq!(outcomes(&plain), outcomes(&scouted));
    assert_eq!(plain.executions(), scouted.executions());
    assert_eq!(plain.to_string(), scouted.to_string(), "the same traces");
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
        let report = ahead(strategy, bomb_between_stores);
        let all = [Outcome::Returned(0), Outcome::Returned(2), Outcome::Panicked(BOOM.to_owned())];
        assert_eq!(outcomes(&report), all, "{name}");
        assert_eq!(report.executions(), 200, "{name}");
    }
}

#[test]
fn an_abort_leaves_the_choices_of_later_runs_as_they_were() {
    // The second body differs in nothing but how the run ends in which the bomb goes off.
    let returned = |bomb: fn() -> u32| {
        let order = std::sync::Mutex::new(Vec::new());
        let explorer = Explorer::new().strategy(Strategy::random(11, 100)).in_child_process(true);
        explorer.explore_keeping(bomb, |outcome| {
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

/// Ends the process by what it chooses.
fn ends_somehow() -> usize {
    let way = selvedge::choose(5);
    match way {
        1 => std::process::abort(),
        2 => std::process::exit(3),
        3 => std::process::exit(0),
        // SAFETY: it is not; the process is to end here.
        #[allow(unsafe_code)]
        4 => unsafe { std::ptr::with_exposed_provenance::<usize>(8).read_volatile() },
        _ => way,
    }
}

#[test]
fn aborts_exits_and_signals_are_outcomes() {
    let report = ahead(Strategy::exhaustive(), ends_somehow);
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
    let report = ahead(Strategy::exhaustive(), || {
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        let diver = thread::Builder::new().name("diver".to_owned());
        let diver = diver.spawn(move || if y.load(SeqCst) == 1 { deeper(0) } else { 0 }).unwrap();
        x.store(1, SeqCst);
        diver.join().unwrap()
    });
    let overflow = "thread 1 `diver` of the explored program has overflowed its stack of 1024 KiB";
    assert_eq!(outcomes(&report), [Outcome::Returned(0), Outcome::Panicked(overflow.to_owned())]);
    assert!(report.is_complete(), "{report}");
}

#[test]
fn a_body_that_aborts_before_its_first_step_has_one_run() {
    let report = ahead(Strategy::exhaustive(), || std::process::abort());
    assert_eq!(outcomes::<()>(&report), [Outcome::Panicked("aborted: SIGABRT".to_owned())]);
    assert!(report.is_complete() && report.executions() == 1, "{report}");
    let report = ahead(Strategy::random(1, 3), || std::process::abort());
    assert_eq!(outcomes::<()>(&report), [Outcome::Panicked("aborted: SIGABRT".to_owned())]);
    assert_eq!(report.executions(), 3);
}

#[test]
fn what_was_done_before_a_signal_while_unwinding_makes_it_incomplete() {
    struct Late(Arc<AtomicU32>);
    impl Drop for Late {
        fn drop(&mut self) {
            self.0.store(2, SeqCst);
            std::process::abort();
        }
    }
    let report = ahead(Strategy::exhaustive(), || {
        let x = Arc::new(AtomicU32::new(0));
        let late = Late(x.clone());
        thread::spawn(move || {
            let _late = late;
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
        let report = ahead(strategy, || {
            let lock = Mutex::new(0);
            let x = AtomicU32::new(selvedge::choose(2) as u32);
            let _bomb = Bomb;
            let _held = lock.lock();
            if x.load(SeqCst) == 1 {
                drop(lock.lock());
            }
            std::mem::forget(_bomb);
        });
        assert_eq!(outcomes(&report), [Outcome::Returned(()), Outcome::Deadlock]);
        let note = "a stack could not be unwound and was leaked: a destructor panicked while `main` was stopped at the end of \
                    a run (its outcome: deadlock), which makes Rust abort: boom";
        assert_eq!(report.notes(), [note]);
    }
}

#[test]
fn threads_beside_the_one_that_aborts_are_stopped_as_at_every_end() {
    use std::sync::atomic::AtomicUsize;
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPS.fetch_add(1, SeqCst);
        }
    }
    let report = ahead(Strategy::round_robin(), || {
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
fn a_panic_of_what_judges_outcomes_is_the_callers() {
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
fn refusals_are_those_of_a_plain_exploration() {
    static CARRIED: selvedge::sync::atomic::AtomicU32 = AtomicU32::new(0);
    let message = panic_of(|| ahead(Strategy::random(1, 5), || CARRIED.fetch_add(1, SeqCst)));
    assert!(message.contains("carries its state from one run to the next"), "{message}");
}

#[test]
fn a_worker_whose_thread_is_broken_is_followed_by_one_that_sends_scouts_too() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let report = ahead(Strategy::exhaustive(), || {
        let way = selvedge::choose(4);
        let lock = Arc::new(Mutex::new(0));
        match way {
            // A destructor would have to wait while its thread unwinds.
            0 | 2 => {
                let _held = lock.lock().unwrap();
                let _locks = Locks(lock.clone());
                panic!("first");
            }
            1 => std::process::abort(),
            way => way,
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
fn limits_hold_for_the_worker_and_its_scouts() {
    let explorer = Explorer::new().in_child_process(true).max_executions(2);
    let report = explorer.explore(bomb_between_stores);
    assert_eq!((report.executions(), report.is_complete()), (2, false));
    let explorer = Explorer::new().in_child_process(true).max_steps(100);
    let report = explorer.explore(|| {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(outcomes::<()>(&report), [Outcome::StepLimit]);
    let explorer = Explorer::new().in_child_process(true).stop_at_failure(true);
    let report = explorer.explore(ends_somehow);
    assert_eq!(outcomes(&report), [Outcome::Returned(0), Outcome::Panicked("aborted: SIGABRT".to_owned())]);
    assert_eq!(report.executions(), 2);
}

#[test]
fn a_program_that_depends_on_its_process_is_told_that_it_does() {
    let here = std::process::id();
    let message = panic_of(|| {
        ahead(Strategy::random(1, 5), move || {
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
    bomb_between_stores();
}

#[test]
#[ignore = "hangs for a while; run by the test below"]
fn child_scout_hangs() {
    let here = std::process::id();
    let explorer = Explorer::new().in_child_process(true).strategy(Strategy::random(1, 1));
    explorer.watchdog(std::time::Duration::from_millis(100)).explore(|| {
        thread::yield_now();
        if std::process::id() != here {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
    });
}

#[test]
fn where_a_scout_hangs_its_own_watchdog_says_so() {
    let output = in_child("scouts::child_scout_hangs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(said.matches("warning[run::watchdog]").count(), 1, "{said}");
    assert!(said.contains("  thread 0 `main`: its last visible action is yield at "), "{said}");
}
