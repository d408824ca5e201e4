//! What a test says, seen from outside: why it is refused, where it panicked, what it left out, and how its run can be made again.

use crate::children::{check, text};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, thread};
use std::process::Command;

#[test]
#[ignore = "fails; run by the test below"]
fn child_is_refused() {
    static LOCK: Mutex<u32> = Mutex::new(0);
    selvedge::autocheck(|| {
        let other = thread::spawn(|| *LOCK.lock().unwrap() += 1);
        *LOCK.lock().unwrap() += 1;
        other.join().unwrap();
    });
}

#[test]
fn what_cannot_be_explored_is_told_in_the_output_of_a_test() {
    check(
        "told::child_is_refused",
        false,
        &["panicked at", "selvedge: this mutex, made at", "carries its state from one run to the next"],
    );
}

#[test]
#[ignore = "passes; run by the test below"]
fn child_is_cut_short() {
    let runs = 3;
    selvedge::private::run_test(
        "cut_short",
        selvedge::private::TestOptions { runs: Some(runs), ..Default::default() },
        || {
            let x = Arc::new(AtomicU32::new(0));
            let threads = [x.clone(), x.clone(), x].map(|x| thread::spawn(move || x.fetch_add(1, SeqCst)));
            threads.into_iter().for_each(|thread| drop(thread.join()));
        },
    );
}

#[test]
fn a_test_that_was_cut_short_passes_and_says_so_where_it_is_seen() {
    let program = std::env::current_exe().expect("a test knows its program");
    // Not `--nocapture`: what tests print that pass is kept from people.
    let output = Command::new(program)
        .args(["--ignored", "--exact", "told::child_is_cut_short"])
        .env_remove("SELVEDGE_REPLAY")
        .output()
        .expect("a child can be run");
    assert!(output.status.success(), "{}", text(&output));
    let said = "selvedge: cut_short: no failure in 3 runs by systematic, stopped by the limit of executions; not complete";
    assert!(text(&output).contains(said), "{}", text(&output));
}

#[test]
#[ignore = "passes; run by the test below"]
fn child_unwinds_with_a_lock() {
    selvedge::autocheck(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || {
            let _held = other.lock().unwrap();
            panic!("boom")
        });
        drop(lock.lock());
        assert!(thread.join().is_err());
    });
}

#[test]
fn why_a_test_was_not_complete_is_said() {
    let said =
        ["no failure in 2 runs by systematic; not complete\n  note: a thread that panicked gave back locks"];
    check("told::child_unwinds_with_a_lock", true, &said);
}

#[test]
#[ignore = "fails; run by the test below"]
fn child_panics_somewhere() {
    let panicking = || {
        let joined = thread::spawn(|| panic!("in a thread\nthat says more")).join();
        assert!(joined.is_ok(), "was not joined well");
    };
    selvedge::autocheck(panicking);
}

#[test]
fn where_threads_panicked_is_told() {
    let said = check("told::child_panics_somewhere", false, &["panicked: was not joined well"]);
    let place = "panicked at crates/selvedge/tests/survival/told.rs:";
    let of = |thread: &str, message: &str| {
        said.lines().any(|line| {
            line.trim_start().starts_with(thread) && line.contains(place) && line.ends_with(message)
        })
    };
    assert!(of("main", ": was not joined well") && of("thread 1", ": in a thread"), "{said}");
}

#[test]
#[ignore = "fails; run by the test below"]
fn child_asserts() {
    let report = Explorer::new().explore(|| {
        let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
        let same = locks.clone();
        let other = thread::spawn(move || drop((same[1].lock().unwrap(), same[0].lock().unwrap())));
        drop((locks[0].lock().unwrap(), locks[1].lock().unwrap()));
        other.join().unwrap();
    });
    report.assert(&selvedge::predicate::never_deadlocks());
}

#[test]
#[ignore = "fails; run by the test below"]
fn child_returns_now_this_now_that() {
    selvedge::autocheck(|| {
        let x = Arc::new(AtomicU32::new(0));
        let same = x.clone();
        let other = thread::spawn(move || same.store(same.load(SeqCst) + 1, SeqCst));
        x.store(x.load(SeqCst) + 1, SeqCst);
        other.join().unwrap();
        x.load(SeqCst)
    });
}

/// Runs a child that fails, and the replay that it asks for.
fn replayed(test: &str) -> (String, String) {
    let said = check(test, false, &["= help: replay with `SELVEDGE_REPLAY="]);
    let file = said.split("SELVEDGE_REPLAY=").nth(1).and_then(|rest| rest.split(' ').next());
    let program = std::env::current_exe().expect("a test knows its program");
    let again = Command::new(program)
        .args(["--ignored", "--exact", "--nocapture", test])
        .env("SELVEDGE_REPLAY", file.expect("a file"))
        .output()
        .expect("a child can be run");
    assert!(!again.status.success(), "{}", text(&again));
    (said, text(&again))
}

#[test]
fn what_a_claim_fails_by_can_be_run_again_alone() {
    let (_, again) = replayed("told::child_asserts");
    assert!(
        again.contains("error[run::deadlock]") && again.contains("found after 1 run by replay"),
        "{again}"
    );
}

#[test]
fn a_value_among_others_is_shown_by_a_run_with_preemptions_that_can_be_run_again() {
    let (said, again) = replayed("told::child_returns_now_this_now_that");
    let head = "error[run::nondeterminism]: the result depends on the schedule: 1, 2\n  1 by S0-";
    assert!(said.contains(head) && said.contains("  a run that returned 1:"), "{said}");
    assert!(again.contains("error[run::returned]: returned 1"), "{again}");
}

#[test]
#[ignore = "fails; run by the test below"]
fn child_waits_without_yielding() {
    selvedge::autocheck(|| {
        let x = Arc::new(AtomicU32::new(0));
        let same = x.clone();
        let other = thread::spawn(move || same.store(1, SeqCst));
        while x.load(SeqCst) == 0 {}
        other.join().unwrap();
    });
}

#[test]
fn a_loop_without_yields_gets_help_in_few_words() {
    let said = check(
        "told::child_waits_without_yielding",
        false,
        &["error[run::step-limit]", "needs `selvedge::hint::spin_loop()` or `selvedge::thread::yield_now()`"],
    );
    assert!(said.lines().all(|line| line.chars().count() < 500), "{said}");
}
