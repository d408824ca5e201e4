//! How far an exploration is: shown where somebody looks, and a fair guess.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{Explorer, MemoryModel, Strategy, thread};
use selvedge_explore::schedulers::Dpor;
use selvedge_explore::{Event, EventId, Next, Scheduler, Trace};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Threads that read and write back what they read plus one.
fn increments(threads: usize, times: usize) {
    let x = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..times {
                    let read = x.load(Ordering::SeqCst);
                    x.store(read + 1, Ordering::SeqCst);
                }
            });
        }
    });
}

/// The reduction, and what it thinks is left after each run.
struct Guessing {
    dpor: Dpor,
    left: Arc<Mutex<Vec<f64>>>,
}

impl Scheduler for Guessing {
    fn begin(&mut self) {
        self.dpor.begin();
    }
    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.dpor.choose(enabled)
    }
    fn done(&mut self, event: &Event) {
        self.dpor.done(event);
    }
    fn stopped(&mut self, left: &[Event]) {
        self.dpor.stopped(left);
    }
    fn finish(&mut self, run: &Trace) -> Next {
        let next = self.dpor.finish(run);
        self.left.lock().expect("whole").push(self.dpor.remaining());
        next
    }
}

#[test]
fn what_is_left_is_a_part_of_all_and_gets_less() {
    for (threads, times) in [(2, 3), (3, 1), (3, 2), (4, 1)] {
        let left = Arc::new(Mutex::new(Vec::new()));
        let guessing = Guessing { dpor: Dpor::new(), left: left.clone() };
        let explorer = Explorer::new().memory(MemoryModel::Sc).strategy(Strategy::custom(guessing));
        explorer.explore(|| increments(threads, times));
        let left = left.lock().expect("whole").clone();
        assert!(left.iter().all(|left| (0.0..=1.0).contains(left)), "{left:?}");
        assert_eq!(left.last(), Some(&0.0));
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        // Reversals that nobody knew of make it rise at times.
        let (first, second) = left.split_at(left.len() / 2);
        assert!(mean(second) < mean(first), "{threads}, {times}: {left:?}");
    }
}

/// Set in a process whose standard error is looked at.
const WATCHED: &str = "SELVEDGE_TEST_WATCHED";

#[test]
#[ignore = "what the next tests start"]
fn a_long_exploration() {
    if std::env::var_os(WATCHED).is_some() {
        let explorer = Explorer::new().max_time(Duration::from_millis(3500));
        let report = explorer.explore(|| {
            std::thread::sleep(Duration::from_millis(5));
            increments(3, 3);
        });
        assert!(!report.is_complete());
    }
}

/// What another process that explores for a while writes to standard error.
fn said(progress: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "--nocapture", "progress::a_long_exploration"]).env(WATCHED, "1");
    match progress {
        Some(value) => command.env("SELVEDGE_PROGRESS", value),
        None => command.env_remove("SELVEDGE_PROGRESS"),
    };
    let output = command.stdin(Stdio::null()).output().expect("another process");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn nothing_is_said_where_standard_error_is_no_terminal() {
    assert_eq!(said(None), "");
}

#[test]
fn who_asks_for_it_is_told_and_is_told_the_end() {
    let said = said(Some("1"));
    let (last, lines) = said
        .lines()
        .collect::<Vec<_>>()
        .split_last()
        .map(|(last, lines)| (*last, lines.to_vec()))
        .expect("lines");
    assert!(!lines.is_empty(), "{said}");
    for line in lines {
        assert!(
            line.starts_with("selvedge: progress::a_long_exploration: ") && line.contains(" runs, "),
            "{said}"
        );
    }
    assert!(last.contains("stopped by the limit of time; not complete"), "{said}");
}
