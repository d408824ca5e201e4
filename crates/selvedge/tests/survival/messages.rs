//! The output of a test, observed from outside: why it is refused, where it panicked, why it is not
//! complete, and how to replay its run.

use crate::children::{check, text};
use selvedge::sync::atomic::AtomicU32;
use selvedge::sync::atomic::Ordering::{Relaxed, SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, thread};
use std::process::Command;

#[test]
#[ignore = "fails; run by the test below"]
fn child_is_refused() {
    static LIST: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    selvedge::autocheck(|| {
        let other = thread::spawn(|| LIST.lock().unwrap().push(1));
        LIST.lock().unwrap().push(2);
        other.join().unwrap();
    });
}

#[test]
fn a_refusal_is_reported_in_the_output_of_the_test() {
    check(
        "messages::child_is_refused",
        false,
        &[
            "panicked at",
            "selvedge: this static mutex, made at",
            "carries its state from one run to the next",
        ],
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
fn a_test_that_was_cut_short_passes_and_reports_it_in_its_visible_output() {
    let program = std::env::current_exe().expect("a test knows its program");
    // Not `--nocapture`: the test harness hides the output of tests that pass.
    let output = Command::new(program)
        .args(["--ignored", "--exact", "messages::child_is_cut_short"])
        .env_remove("SELVEDGE_REPLAY")
        .output()
        .expect("a child can be run");
    assert!(output.status.success(), "{}", text(&output));
    let note = "selvedge: cut_short: no failure in 3 runs by systematic, stopped by the limit of executions; not complete";
    assert!(text(&output).contains(note), "{}", text(&output));
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
fn the_reason_why_a_test_is_not_complete_is_reported() {
    let notes =
        ["no failure in 2 runs by systematic; not complete\n  note: a thread that panicked gave back locks"];
    check("messages::child_unwinds_with_a_lock", true, &notes);
}

#[test]
#[ignore = "fails; run by the test below"]
fn child_panics_in_two_threads() {
    let panicking = || {
        let joined = thread::spawn(|| panic!("in a thread\nthat says more")).join();
        assert!(joined.is_ok(), "was not joined well");
    };
    selvedge::autocheck(panicking);
}

#[test]
fn the_locations_of_panics_are_reported() {
    let stderr = check("messages::child_panics_in_two_threads", false, &["panicked: was not joined well"]);
    let location = "panicked at crates/selvedge/tests/survival/messages.rs:";
    let is_reported = |thread: &str, message: &str| {
        stderr.lines().any(|line| {
            line.trim_start().starts_with(thread) && line.contains(location) && line.ends_with(message)
        })
    };
    assert!(
        is_reported("main", ": was not joined well") && is_reported("thread 1", ": in a thread"),
        "{stderr}"
    );
}

#[test]
#[ignore = "fails; run by the test below"]
fn child_asserts_a_predicate() {
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
fn child_returns_different_values() {
    selvedge::autocheck(|| {
        let x = Arc::new(AtomicU32::new(0));
        let same = x.clone();
        let other = thread::spawn(move || same.store(same.load(SeqCst) + 1, SeqCst));
        x.store(x.load(SeqCst) + 1, SeqCst);
        other.join().unwrap();
        x.load(SeqCst)
    });
}

/// Runs a child process that fails, and then the replay that it suggests, which runs this test alone.
fn fail_and_replay(test: &str) -> (String, String) {
    fail_and_replay_with(test, "")
}

/// The environment variable that names the memory model of `child_needs_pso`.
const MEMORY: &str = "SELVEDGE_TEST_MEMORY";

/// The same; the replay asks for this memory model.
fn fail_and_replay_with(test: &str, memory: &str) -> (String, String) {
    let stderr = check(test, false, &["= help: replay with `SELVEDGE_REPLAY="]);
    let command = stderr.split("SELVEDGE_REPLAY=").nth(1).and_then(|rest| rest.split('`').next());
    let words: Vec<&str> = command.unwrap_or_default().split(' ').collect();
    let [file, "cargo", "test", path, "--", "--exact"] = words[..] else { panic!("{stderr}") };
    let program = std::env::current_exe().expect("a test knows its program");
    let again = Command::new(program)
        .args([path, "--exact", "--ignored", "--nocapture", "--test-threads=2"])
        .env("SELVEDGE_REPLAY", file)
        .env(MEMORY, memory)
        .output()
        .expect("a child can be run");
    assert!(!again.status.success(), "{}", text(&again));
    assert!(text(&again).contains("\nrunning 1 test\n"), "{}", text(&again));
    (stderr, text(&again))
}

#[test]
fn a_run_that_violates_a_predicate_can_be_replayed() {
    let (_, again) = fail_and_replay("messages::child_asserts_a_predicate");
    assert!(
        again.contains("error[run::deadlock]") && again.contains("found after 1 run by replay"),
        "{again}"
    );
}

/// Only PSO commits the stores in the other order.
#[test]
#[ignore = "fails; run by the test below"]
fn child_needs_pso() {
    let memory = match std::env::var(MEMORY).as_deref() {
        Ok("tso") => "tso",
        _ => "pso",
    };
    let options = selvedge::private::TestOptions { memory: Some(memory), ..Default::default() };
    selvedge::private::run_test("survival::messages::child_needs_pso", options, || {
        let memory = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let other = memory.clone();
        let thread = thread::spawn(move || {
            other[0].store(1, Relaxed);
            other[1].store(1, Relaxed);
        });
        let [second, first] = [1, 0].map(|index: usize| memory[index].load(Relaxed));
        thread.join().unwrap();
        assert!(second <= first, "the stores were reordered");
    });
}

#[test]
fn a_replay_takes_the_memory_model_from_the_file_and_says_so() {
    let told =
        "child_needs_pso: the trace was made with memory = pso, and so is the replay; the test asks for tso";
    let (stderr, again) = fail_and_replay("messages::child_needs_pso");
    assert!(stderr.contains("the stores were reordered") && !again.contains(told), "{again}");
    let path = stderr.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
    let recording = || {
        let saved = std::fs::read(path).expect("a file");
        selvedge::runs::Recording::from_bytes(&saved).expect("a trace")
    };
    let first = recording();
    assert_eq!((first.get("memory"), first.get("strategy")), (Some("pso"), Some("systematic")));
    let (_, again) = fail_and_replay_with("messages::child_needs_pso", "tso");
    assert!(again.contains("the stores were reordered") && again.contains(told), "{again}");
    // The replay has saved its run, with the strategy that found it.
    assert_eq!(recording(), first);
}

#[test]
fn each_of_several_values_is_shown_by_a_run_that_can_be_replayed() {
    let (stderr, again) = fail_and_replay("messages::child_returns_different_values");
    let head =
        "error[run::nondeterminism]: the result depends on the schedule: 1, 2\n  a run that returned 1:";
    assert!(stderr.contains(head), "{stderr}");
    let verdict = "\n  [fail] all runs have the same result\n         returned 1  S0-";
    assert!(stderr.contains(verdict) && stderr.contains("\n         returned 2  S0-"), "{stderr}");
    assert!(again.contains("error[run::returned]: returned 1"), "{again}");
}

// The time is no limit, however busy the machine is.
#[selvedge::test(seconds = 3600)]
#[ignore = "fails; run by the test below"]
fn child_waits_without_yielding() {
    let x = Arc::new(AtomicU32::new(0));
    let same = x.clone();
    let other = thread::spawn(move || same.store(1, SeqCst));
    while x.load(SeqCst) == 0 {}
    other.join().unwrap();
}

#[test]
fn a_loop_without_yields_gets_short_advice() {
    let stderr = check(
        "messages::child_waits_without_yielding",
        false,
        &["error[run::step-limit]", "needs `selvedge::hint::spin_loop()` or `selvedge::thread::yield_now()`"],
    );
    let rounds = stderr.lines().find(|line| line.contains("… the row above, "));
    assert!(rounds.is_some_and(|line| line.contains(" more times (steps ")), "rounds are folded: {stderr}");
    assert!(stderr.lines().all(|line| line.chars().count() < 500), "{stderr}");
}

/// Two tests with the same last name.
mod replayed {
    /// A test of the attribute that fails.
    #[selvedge::test]
    #[ignore = "fails; run by the test below"]
    fn child_fails_by_attribute() {
        assert_eq!(selvedge::choose(2), 0);
    }

    mod inner {
        #[selvedge::test]
        #[ignore = "fails; run by the test below"]
        fn child_fails_by_attribute() {
            assert_eq!(selvedge::choose(3), 0);
        }
    }
}

#[test]
fn the_replay_line_names_the_whole_path_of_the_test_and_runs_that_one() {
    for path in [
        "messages::replayed::child_fails_by_attribute",
        "messages::replayed::inner::child_fails_by_attribute",
    ] {
        let (_, again) = fail_and_replay(path);
        assert!(again.contains("found after 1 run by replay"), "{again}");
        assert!(again.contains(&format!("cargo test {path} -- --exact`")), "{again}");
    }
}

#[test]
#[ignore = "passes; run by the test below"]
fn child_passes_autocheck() {
    selvedge::autocheck(|| {
        let x = Arc::new(AtomicU32::new(0));
        let same = x.clone();
        thread::spawn(move || same.store(1, SeqCst)).join().unwrap();
        x.load(SeqCst)
    });
}

#[test]
fn autocheck_prints_its_verdicts_also_if_it_passes() {
    let program = std::env::current_exe().expect("a test knows its program");
    let output = Command::new(program)
        .args(["--ignored", "--exact", "--nocapture", "messages::child_passes_autocheck"])
        .env_remove("SELVEDGE_REPLAY")
        .output()
        .expect("a child can be run");
    let verdicts = "autocheck: 1 run, complete
  [pass] no run deadlocks
  [pass] no run panics or fails in another way
  [pass] all runs have the same result
         returned 1  S0";
    assert!(text(&output).contains(verdicts), "{}", text(&output));
}
