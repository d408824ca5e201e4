//! Waits outside of the exploration's control: a wait that no thread can end any more ends the process, with
//! the run; a slow one does not.

use crate::children::check;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::{Explorer, Outcome, Strategy, thread};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Little patience, so that the tests are short.
const PATIENCE: Duration = Duration::from_millis(50);

/// Longer than the process stands still before it is ended.
const LONG: Duration = Duration::from_secs(4);

/// An explored thread takes a lock of std that another one holds across a step.
fn hold_lock_across_step() {
    let lock = Arc::new(Mutex::new(0));
    let other = lock.clone();
    let taker = thread::Builder::new().name("taker".to_owned());
    let taker = taker.spawn(move || {
        thread::yield_now();
        drop(other.lock());
    });
    let held = lock.lock();
    thread::yield_now();
    drop(held);
    taker.unwrap().join().unwrap();
}

fn exhaustive() -> Explorer {
    // A lock of std is no visible action, so the reduction does not see it.
    Explorer::new().strategy(Strategy::exhaustive()).watchdog(PATIENCE)
}

#[test]
#[ignore = "never ends by itself; run by the test below"]
fn child_waits_for_a_foreign_lock() {
    exhaustive().explore(hold_lock_across_step);
}

#[test]
#[ignore = "never ends by itself; run by the test below"]
fn child_waits_for_a_foreign_channel() {
    exhaustive().explore(|| {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(1).is_ok());
        let received = receiver.recv();
        (received.is_ok(), thread.join().is_ok())
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_foreign_lock_that_is_never_released_ends_the_process_with_its_run() {
    let stderr = check(
        "blocked::child_waits_for_a_foreign_lock",
        false,
        &[
            "warning[run::watchdog]",
            "error[run::blocked]: `taker` waits for ever, outside of the exploration's control\n",
            "  after yield at crates/selvedge/tests/survival/blocked.rs:",
            "  schedule  S0",
            "= help: replay with `SELVEDGE_REPLAY=blocked-child_waits_for_a_foreign_lock-blocked.trace ",
            "use selvedge's types there, or take and release it inside of one `selvedge::effect`\n",
        ],
    );
    assert_eq!(stderr.matches("error[run::").count(), 1, "{stderr}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_foreign_channel_whose_sender_cannot_run_ends_the_process_with_its_run() {
    let expected = ["error[run::blocked]: `main` waits for ever, outside of the exploration's control\n"];
    check("blocked::child_waits_for_a_foreign_channel", false, &expected);
}

#[cfg(target_os = "linux")]
#[test]
fn in_a_child_process_a_foreign_lock_that_is_never_released_is_an_outcome() {
    let report = exhaustive().in_child_process(true).explore(hold_lock_across_step);
    let blocked = "`taker` waits for ever, outside of the exploration's control".to_owned();
    let outcomes: Vec<_> = report.outcomes().keys().cloned().collect();
    assert_eq!(outcomes, [Outcome::Returned(()), Outcome::Panicked(blocked)]);
}

/// Makes one run.
fn one_run<T: Ord + Clone + std::fmt::Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) {
    let explorer = Explorer::new().strategy(Strategy::round_robin()).watchdog(PATIENCE).simplify(false);
    assert_eq!(explorer.explore(body).values().count(), 1);
}

#[test]
#[ignore = "takes its time; run by the test below"]
fn child_waits_for_a_thread_that_computes() {
    one_run(|| {
        let x = AtomicU32::new(0);
        x.store(1, SeqCst);
        let slow = std::thread::spawn(|| {
            let begun = Instant::now();
            while begun.elapsed() < LONG {
                std::hint::spin_loop();
            }
        });
        slow.join().unwrap();
    });
}

#[test]
#[ignore = "takes its time; run by the test below"]
fn child_sleeps() {
    one_run(|| {
        let x = AtomicU32::new(0);
        x.store(1, SeqCst);
        std::thread::sleep(LONG);
    });
}

#[test]
fn a_slow_run_is_not_ended() {
    for test in ["blocked::child_waits_for_a_thread_that_computes", "blocked::child_sleeps"] {
        let stderr = check(test, true, &["warning[run::watchdog]"]);
        assert!(!stderr.contains("error[run::"), "{stderr}");
    }
}
