//! Aborts and warnings on standard error, observed from outside: the test runs in a child process.

use selvedge::sync::atomic::{AtomicPtr, AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, Outcome, Strategy, thread};
use std::process::{Command, Output};
use std::time::Duration;

/// Runs one of the ignored tests in a child process.
pub(crate) fn in_child(test: &str) -> Output {
    let program = std::env::current_exe().expect("a test knows its program");
    Command::new(program)
        .args(["--ignored", "--exact", "--nocapture", "--test-threads=2", test])
        .env_remove("SELVEDGE_REPLAY")
        .output()
        .expect("a child can be run")
}

/// The whole output of a child process.
pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs a child process, and checks that its standard error contains these texts. Returns its standard
/// error.
#[track_caller]
pub(crate) fn check(test: &str, succeeds: bool, expected: &[&str]) -> String {
    let output = in_child(test);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), succeeds, "{}: {}", output.status, text(&output));
    for expected in expected {
        assert!(stderr.contains(expected), "no `{expected}` in:\n{stderr}");
    }
    stderr
}

/// Panics when it is dropped.
pub(crate) struct PanicOnDrop;

impl Drop for PanicOnDrop {
    fn drop(&mut self) {
        panic!("boom");
    }
}

fn panic_while_unwinding() {
    let x = Arc::new(AtomicU32::new(0));
    let y = x.clone();
    let spawned = thread::Builder::new().name("bomber".to_owned()).spawn(move || {
        let _panic_on_drop = PanicOnDrop;
        assert_eq!(y.load(SeqCst), 0, "first");
        std::mem::forget(_panic_on_drop);
    });
    x.store(1, SeqCst);
    drop(spawned.unwrap().join());
}

#[test]
#[ignore = "aborts; run by the test below"]
fn child_panics_while_unwinding() {
    selvedge::autocheck(panic_while_unwinding);
}

#[test]
#[ignore = "aborts; run by the test below"]
fn child_panics_in_teardown() {
    selvedge::autocheck(|| {
        let lock = Mutex::new(0);
        let _panic_on_drop = PanicOnDrop;
        let _held = lock.lock();
        drop(lock.lock());
    });
}

#[test]
#[ignore = "aborts; run by the test below"]
#[allow(unsafe_code)]
fn child_has_undefined_behaviour() {
    selvedge::autocheck(|| {
        let null = Arc::new(AtomicPtr::new(std::ptr::null_mut::<u32>()));
        null.load(SeqCst);
        // SAFETY: none; the test is about this undefined behaviour.
        let read = move || unsafe { std::slice::from_raw_parts(null.load(SeqCst), 1).len() };
        thread::spawn(read).join().unwrap();
    });
}

/// Whether the compiler and the library notice undefined behaviour depends on how both were built.
#[cfg(debug_assertions)]
#[test]
fn the_run_is_reported_before_undefined_behaviour_aborts() {
    check(
        "children::child_has_undefined_behaviour",
        false,
        &[
            "error[run::abort]: `thread 1` did what is undefined, which makes Rust abort: unsafe precondition(s) violated: ",
            "  1               spawn",
            "null  ",
            "= help: replay with `SELVEDGE_REPLAY=children-child_has_undefined_behaviour-abort.trace",
        ],
    );
}

#[test]
fn the_run_is_reported_and_saved_before_a_panic_in_a_destructor_aborts() {
    let stderr = check(
        "children::child_panics_while_unwinding",
        false,
        &[
            "error[run::abort]: a destructor panicked while `bomber` unwound, which makes Rust abort: boom\n",
            "  schedule  S0-",
            "store  ",
            "= help: replay with `SELVEDGE_REPLAY=children-child_panics_while_unwinding-abort.trace cargo test children::child_panics_while_unwinding -- --exact`",
        ],
    );
    let path = stderr.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
    let saved = std::fs::read_to_string(path).expect("a file");
    let recording = selvedge::runs::Recording::parse(&saved).expect("a trace");
    assert!(recording.get("outcome").is_some_and(|outcome| outcome.starts_with("abort: ")));
    let last = recording.steps.last().expect("a step");
    assert_eq!((last.id.thread.0, last.action.kind.text()), (1, "load"), "the step in which it aborted");
}

#[test]
fn an_abort_is_replayed_by_the_reported_command() {
    let stderr = check("children::child_panics_while_unwinding", false, &[]);
    let path = stderr.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
    let program = std::env::current_exe().expect("a test knows its program");
    let again = Command::new(program)
        .args([
            "--ignored",
            "--exact",
            "--nocapture",
            "--test-threads=2",
            "children::child_panics_while_unwinding",
        ])
        .env("SELVEDGE_REPLAY", path)
        .output()
        .expect("a child can be run");
    let schedule = |text: &str| text.lines().find(|line| line.starts_with("  schedule  ")).map(str::to_owned);
    let replayed = String::from_utf8_lossy(&again.stderr);
    assert!(!again.status.success() && schedule(&stderr).is_some());
    assert_eq!(schedule(&stderr), schedule(&replayed), "{replayed}");
}

#[test]
fn the_run_is_reported_before_a_panic_in_a_destructor_of_a_stopped_thread_aborts() {
    check(
        "children::child_panics_in_teardown",
        false,
        &[
            "error[run::abort]: a destructor panicked while `main` was stopped at the end of a run (its outcome: deadlock), which \
             makes Rust abort: boom\n",
            "= help: replay with `SELVEDGE_REPLAY=children-child_panics_in_teardown-abort.trace",
        ],
    );
}

#[test]
#[ignore = "waits; run by the test below"]
fn child_waits_outside_the_control() {
    let explorer = Explorer::new().strategy(Strategy::random(1, 2)).watchdog(Duration::from_millis(100));
    let report = explorer.explore(|| {
        let x = AtomicU32::new(0);
        x.store(1, SeqCst);
        std::thread::sleep(Duration::from_millis(400));
        x.load(SeqCst)
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(1)]);
}

#[test]
fn a_thread_that_hangs_is_named_once_for_each_hang_and_not_stopped() {
    let stderr = check(
        "children::child_waits_outside_the_control",
        true,
        &[
            " s in the exploration of `children::child_waits_outside_the_control`\n",
            "  thread 0 `main`: its last visible action is store at crates/selvedge/tests/survival/children.rs:",
            "= help: it may wait for something that the exploration does not see",
        ],
    );
    assert_eq!(stderr.matches("warning[run::watchdog]").count(), 2, "one in each run:\n{stderr}");
}

#[test]
#[ignore = "never ends by itself; run by the test below"]
fn child_loops_for_ever() {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(600));
        std::process::exit(0);
    });
    Explorer::new().watchdog(Duration::from_millis(100)).explore(|| {
        let spinner = thread::Builder::new().name("spinner".to_owned());
        spinner
            .spawn(|| {
                loop {
                    std::hint::spin_loop();
                }
            })
            .map(drop)
            .unwrap();
        thread::yield_now();
    });
}

#[test]
fn a_loop_without_a_visible_action_is_named() {
    let expected = "  thread 1 `spinner` has begun, and has not come to its first visible action\n";
    let stderr = check("children::child_loops_for_ever", true, &[expected]);
    assert_eq!(stderr.matches("warning[run::watchdog]").count(), 1, "{stderr}");
}

#[test]
#[ignore = "never ends by itself; run by the test below"]
fn child_waits_for_a_std_mutex() {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(600));
        std::process::exit(0);
    });
    // A lock of std is no visible action, so the reduction does not see it.
    let explorer = Explorer::new().strategy(Strategy::exhaustive());
    explorer.watchdog(Duration::from_millis(100)).explore(|| {
        let lock = std::sync::Arc::new(std::sync::Mutex::new(0));
        let other = lock.clone();
        thread::spawn(move || {
            thread::yield_now();
            drop(other.lock());
        });
        let _held = lock.lock();
        thread::yield_now();
        thread::yield_now();
    });
}

#[test]
fn a_std_mutex_that_is_never_released_is_reported() {
    let expected =
        "  thread 1: its last visible action is yield at crates/selvedge/tests/survival/children.rs:";
    check("children::child_waits_for_a_std_mutex", true, &[expected]);
}

/// Recurses until the stack overflows.
#[allow(unconditional_recursion)]
pub(crate) fn recurse_for_ever(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 64]);
    recurse_for_ever(depth + 1) + room[(depth % 64) as usize]
}

#[test]
#[ignore = "overflows its stack; run by the test below"]
fn child_overflows() {
    Explorer::new().stack_size(128 * 1024).explore(|| {
        let x = Arc::new(AtomicU32::new(0));
        let diver = thread::Builder::new().name("diver".to_owned()).spawn(move || {
            x.store(1, SeqCst);
            recurse_for_ever(0)
        });
        diver.unwrap().join().unwrap()
    });
}

#[test]
#[ignore = "overflows its stack; run by the test below"]
fn child_overflows_in_plain_thread() {
    Explorer::new().explore(|| 1);
    recurse_for_ever(0);
}

#[test]
#[ignore = "reads an invalid address; run by the test below"]
fn child_has_a_segmentation_fault() {
    Explorer::new().explore(|| {
        // SAFETY: none; the process is to end here.
        #[allow(unsafe_code)]
        unsafe {
            std::ptr::with_exposed_provenance::<u8>(8).read_volatile()
        }
    });
}

#[cfg(unix)]
#[test]
fn a_stack_overflow_is_a_message() {
    use std::os::unix::process::ExitStatusExt;
    let expected = [
        "error[run::stack-overflow]: thread 1 `diver` of the explored program has overflowed its stack of 128 KiB\n",
        "  after store at crates/selvedge/tests/survival/children.rs:",
        "  schedule  S0-",
        "= help: replay with `SELVEDGE_REPLAY=children-child_overflows-stack-overflow.trace cargo test children::child_overflows -- --exact`\n",
        "= help: raise it by `stack_size`, or look for a recursion without an end\n",
    ];
    check("children::child_overflows", false, &expected);
    assert_eq!(in_child("children::child_overflows").status.signal(), Some(6), "aborted, as std does");
}

#[cfg(unix)]
#[test]
fn other_faults_are_handled_as_before() {
    use std::os::unix::process::ExitStatusExt;
    let plain = in_child("children::child_overflows_in_plain_thread");
    assert_eq!(plain.status.signal(), Some(6));
    assert!(
        text(&plain).contains("has overflowed its stack") && !text(&plain).contains("run::stack-overflow")
    );
    let fault = in_child("children::child_has_a_segmentation_fault");
    assert_eq!(fault.status.signal(), Some(11), "{}", text(&fault));
}
