//! Signals that end the process in the middle of a run: the run is written before.

use crate::children::{check, in_child};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::{Explorer, Strategy, thread};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

mod c {
    //! What the C library does to a process that uses it wrongly.
    #![allow(unsafe_code)]

    use std::ffi::{c_char, c_void};

    unsafe extern "C" {
        fn strlen(text: *const c_char) -> usize;
        fn malloc(bytes: usize) -> *mut c_void;
        fn free(memory: *mut c_void);
        fn abort() -> !;
        fn raise(signal: i32) -> i32;
    }

    pub(super) fn read_null() {
        // SAFETY: none; the tests are about this.
        std::hint::black_box(unsafe { strlen(std::hint::black_box(std::ptr::null())) });
    }

    pub(super) fn free_twice() {
        // SAFETY: none; the tests are about this.
        unsafe {
            let memory = std::hint::black_box(malloc(24));
            free(memory);
            free(std::hint::black_box(memory));
        }
    }

    pub(super) fn abort_at_once() {
        // SAFETY: `abort` has no preconditions.
        unsafe { abort() }
    }

    pub(super) fn raise_floating_point_signal() {
        // SAFETY: `raise` has no preconditions; the number is that of SIGFPE.
        unsafe { raise(8) };
    }
}

/// The second thread dies if it comes between two stores of the first.
fn die_in_between(death: fn()) {
    let x = Arc::new(AtomicU32::new(0));
    let y = x.clone();
    let dies = move || {
        if y.load(SeqCst) == 1 {
            death();
        }
    };
    let spawned = thread::Builder::new().name("victim".to_owned()).spawn(dies);
    x.store(1, SeqCst);
    x.store(2, SeqCst);
    spawned.unwrap().join().unwrap();
}

#[test]
#[ignore = "dies; run by the tests below"]
fn child_reads_null() {
    selvedge::autocheck(|| die_in_between(c::read_null));
}

#[test]
#[ignore = "dies; run by the tests below"]
fn child_reads_null_in_random_run() {
    let explorer = Explorer::new().strategy(Strategy::random(1, 1_000));
    explorer.explore(|| die_in_between(c::read_null));
}

#[test]
#[ignore = "dies; run by the tests below"]
fn child_reads_null_before_its_first_step() {
    selvedge::autocheck(c::read_null);
}

#[test]
#[ignore = "dies; run by the tests below"]
fn child_reads_null_in_teardown() {
    struct ReadsNull;
    impl Drop for ReadsNull {
        fn drop(&mut self) {
            c::read_null();
        }
    }
    selvedge::autocheck(|| {
        thread::spawn(|| {
            let _reads_null = ReadsNull;
            thread::park();
        });
    });
}

#[test]
#[ignore = "dies; run by the tests below"]
fn child_frees_twice() {
    selvedge::autocheck(|| die_in_between(c::free_twice));
}

#[test]
#[ignore = "dies; run by the tests below"]
fn child_aborts() {
    selvedge::autocheck(|| die_in_between(c::abort_at_once));
}

#[test]
#[ignore = "dies; run by the tests below"]
fn child_raises() {
    selvedge::autocheck(|| die_in_between(c::raise_floating_point_signal));
}

/// Runs a child that dies by this signal. Returns its standard error.
#[track_caller]
fn check_death(test: &str, signal: i32, sentence: &str) -> String {
    let file = format!("signals-{test}-signal.trace");
    let replay =
        format!("= help: replay with `SELVEDGE_REPLAY={file} cargo test signals::{test} -- --exact`");
    let help = "`#[selvedge::test(child_process = true)]` makes an outcome of an abort";
    let test = format!("signals::{test}");
    let stderr = check(&test, false, &[sentence, "  schedule  S0", "  saved as ", &replay, help]);
    assert_eq!(in_child(&test).status.signal(), Some(signal), "{stderr}");
    assert_eq!(stderr.matches("error[run::").count(), 1, "it is reported once:\n{stderr}");
    stderr
}

const SEGV: i32 = 11;
const ABRT: i32 = 6;

#[test]
fn a_null_pointer_is_reported_with_its_run() {
    let stderr = check_death(
        "child_reads_null",
        SEGV,
        "error[run::signal]: `victim` received SIGSEGV at an access to address 0x0, which ends the process\n",
    );
    assert!(
        stderr.contains("  victim  load atomic#1 (crates/selvedge/tests/survival/signals.rs:"),
        "{stderr}"
    );
    assert!(stderr.contains("  after load at crates/selvedge/tests/survival/signals.rs:"), "{stderr}");
}

#[test]
fn a_null_pointer_in_a_random_run_is_reported_with_its_run() {
    let sentence = "error[run::signal]: `victim` received SIGSEGV at an access to address 0x0";
    let stderr = check_death("child_reads_null_in_random_run", SEGV, sentence);
    assert!(stderr.contains("  victim  load atomic#1 "), "{stderr}");
}

#[cfg(target_env = "gnu")]
#[test]
fn a_double_free_that_the_c_library_finds_is_reported_with_its_run() {
    check_death(
        "child_frees_twice",
        ABRT,
        "error[run::signal]: `victim` received SIGABRT, which ends the process\n",
    );
}

#[test]
fn an_abort_without_a_panic_is_reported_with_its_run() {
    check_death(
        "child_aborts",
        ABRT,
        "error[run::signal]: `victim` received SIGABRT, which ends the process\n",
    );
}

#[test]
fn a_signal_that_is_raised_ends_the_process_after_its_report() {
    check_death("child_raises", 8, "error[run::signal]: `victim` received SIGFPE, which ends the process\n");
}

#[test]
fn a_signal_before_the_first_step_and_in_the_teardown_is_reported() {
    let expected = ["error[run::signal]: `main` received SIGSEGV", "  schedule  \n", "  saved as "];
    check("signals::child_reads_null_before_its_first_step", false, &expected);
    let expected = ["error[run::signal]: `thread 1` received SIGSEGV", "  schedule  S0-", "  saved as "];
    check("signals::child_reads_null_in_teardown", false, &expected);
}

#[test]
fn the_saved_run_leads_to_the_same_signal() {
    for test in ["signals::child_reads_null", "signals::child_reads_null_in_random_run"] {
        let stderr = check(test, false, &[]);
        let path = stderr.lines().find_map(|line| line.trim().strip_prefix("saved as ")).expect("a path");
        let saved = std::fs::read_to_string(path).expect("a file");
        let recording = selvedge::runs::Recording::parse(&saved).expect("a trace");
        assert!(recording.get("outcome").is_some_and(|outcome| outcome.starts_with("signal: `victim`")));
        let last = recording.steps.last().expect("a step");
        assert_eq!((last.id.thread.0, last.action.kind.text()), (1, "load"), "the step in which it died");
        let program = std::env::current_exe().expect("a test knows its program");
        let again = Command::new(program)
            .args(["--ignored", "--exact", "--nocapture", "--test-threads=2", test])
            .env("SELVEDGE_REPLAY", path)
            .output()
            .expect("a child can be run");
        assert_eq!(again.status.signal(), Some(SEGV));
        if test.ends_with("null") {
            let line =
                |text: &str| text.lines().find(|line| line.starts_with("  schedule ")).map(str::to_owned);
            let replayed = String::from_utf8_lossy(&again.stderr);
            assert_eq!(line(&stderr), line(&replayed), "{replayed}");
        }
    }
}
