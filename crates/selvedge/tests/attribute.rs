//! `#[selvedge::test]`, as its users write it.
#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::thread;

fn lost_update() -> u32 {
    let counter = Arc::new(AtomicU32::new(0));
    let other = counter.clone();
    let thread = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
    counter.store(counter.load(SeqCst) + 1, SeqCst);
    thread.join().unwrap();
    counter.load(SeqCst)
}

#[selvedge::test]
fn a_test_passes_if_every_run_returns() {
    assert!(lost_update() > 0);
}

#[selvedge::test]
#[should_panic(expected = "both increments count")]
fn a_test_fails_if_some_run_panics() {
    assert_eq!(lost_update(), 2, "both increments count");
}

#[selvedge::test(strategy = "swarm", runs = 1_000, seed = 3)]
#[should_panic(expected = "error[run::deadlock]: every thread is blocked")]
fn a_test_fails_if_some_run_deadlocks() {
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (c, d) = (a.clone(), b.clone());
    let thread = thread::spawn(move || drop((d.lock().unwrap(), c.lock().unwrap())));
    drop((a.lock().unwrap(), b.lock().unwrap()));
    thread.join().unwrap();
}

#[selvedge::test(strategy = "pct", depth = 2, runs = 100)]
#[should_panic(expected = "this is wrong")]
fn a_test_may_return_an_error() -> Result<(), String> {
    Err("this is wrong".to_owned())
}

#[selvedge::test(strategy = "swarm", runs = 200, reuse = 20, weights = (1, 9), change_points = 2, expected_steps = 30)]
#[should_panic(
    expected = "by swarm(0, 200), weights for 20 runs, 2 change points, weights from 1 to 9, 30 steps expected"
)]
fn swarm_has_parameters() {
    assert_eq!(lost_update(), 2);
}

#[selvedge::test(strategy = "mixed", runs = 200, seed = 1)]
#[should_panic(expected = "by mixed(1, 200)")]
fn the_mixture_has_a_seed() {
    assert_eq!(lost_update(), 2);
}

#[selvedge::test(strategy = "pct", runs = 200, depth = 2, expected_steps = 30)]
#[should_panic(expected = "by pct(2, 0, 200), 30 steps expected")]
fn pct_has_parameters() {
    assert_eq!(lost_update(), 2);
}

/// Store buffering: each thread stores, and loads the other's variable. Do both miss the store?
fn both_miss() -> bool {
    let (x, y) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (other_x, other_y) = (x.clone(), y.clone());
    let thread = thread::spawn(move || {
        other_x.store(1, Relaxed);
        other_y.load(Relaxed)
    });
    y.store(1, Relaxed);
    let missed = x.load(Relaxed) == 0;
    thread.join().unwrap() == 0 && missed
}

#[selvedge::test(memory = "sc")]
fn a_test_may_choose_another_memory_model() {
    assert!(!both_miss());
}

#[selvedge::test(memory = "tso")]
#[should_panic(expected = "both missed")]
fn a_test_may_choose_the_default_memory_model() {
    assert!(!both_miss(), "both missed");
}

/// Two threads take three turns each. Do they alternate, which takes four pre-emptions?
fn alternate() -> bool {
    let turns = Arc::new(AtomicU32::new(1));
    let other = turns.clone();
    let take_turns =
        |turns: &AtomicU32, own: u32| (0..3).for_each(|_| turns.store(turns.load(SeqCst) * 2 + own, SeqCst));
    let thread = thread::spawn(move || take_turns(&other, 1));
    take_turns(&turns, 0);
    thread.join().unwrap();
    turns.load(SeqCst) == 0b101_0101
}

#[selvedge::test(preemptions = 0, memory = "sc", strategy = "systematic")]
fn a_test_may_bound_the_preemptions() {
    assert!(!alternate());
}

/// The last turns come too late for a reversal.
#[selvedge::test(length = 3, memory = "sc")]
fn a_test_may_bound_the_length() {
    assert!(!alternate());
}

#[selvedge::test(memory = "sc")]
#[should_panic(expected = "they alternate")]
fn a_test_without_a_bound_finds_runs_with_many_preemptions() {
    assert!(!alternate(), "they alternate");
}

#[selvedge::test(preemptions = 0, memory = "sc", strategy = "systematic")]
#[should_panic(expected = "one outcome was found only by runs beyond the bounds")]
fn a_failure_beyond_the_bounds_is_a_failure() {
    assert_eq!(lost_update(), 2);
}

#[selvedge::test]
fn a_test_may_return_a_result() -> Result<(), std::num::ParseIntError> {
    let _: u32 = "7".parse()?;
    Ok(())
}

#[selvedge::test]
#[ignore = "to see that it can be"]
fn a_test_may_be_ignored() {
    panic!("it was not");
}

/// Runs this program with these arguments. Returns whether it succeeds, and its output.
fn run(arguments: &[&str]) -> (bool, String) {
    let program = std::env::current_exe().expect("a test knows its program");
    let output = std::process::Command::new(program)
        .args(arguments)
        .env_remove("SELVEDGE_REPLAY")
        .output()
        .expect("a child can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn tests_can_be_listed_and_run_one_by_one_as_nextest_does() {
    let (_, listed) = run(&["--list", "--format", "terse"]);
    let (_, ignored) = run(&["--list", "--format", "terse", "--ignored"]);
    assert_eq!(ignored, "a_test_may_be_ignored: test\n");
    for test in [
        "a_test_passes_if_every_run_returns",
        "a_test_fails_if_some_run_panics",
        "a_test_fails_if_some_run_deadlocks",
        "a_test_may_return_an_error",
        "a_test_may_return_a_result",
    ] {
        assert!(listed.contains(&format!("{test}: test\n")), "{listed}");
        let (succeeds, text) = run(&["--exact", test, "--nocapture"]);
        assert!(succeeds && text.contains("1 passed"), "{text}");
    }
    let (succeeds, text) = run(&["--exact", "a_test_may_be_ignored", "--nocapture", "--ignored"]);
    assert!(!succeeds && text.contains("error[run::panic]: panicked: it was not"), "{text}");
    assert!(text.contains("SELVEDGE_REPLAY=attribute-a_test_may_be_ignored-panic.trace"), "{text}");
}
