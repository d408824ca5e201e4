//! The progress of an exploration: when it is written, and how good its estimate is.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{Explorer, MemoryModel, Strategy, thread};
use selvedge_explore::schedulers::Dpor;
use selvedge_explore::{Event, EventId, Next, Scheduler, Trace};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The threads increment a counter by a load and a store.
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

/// The reduction, and its estimates of the remaining work after each run.
struct RecordEstimates {
    dpor: Dpor,
    estimates: Arc<Mutex<Vec<f64>>>,
}

impl Scheduler for RecordEstimates {
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
        self.estimates.lock().expect("whole").push(self.dpor.remaining());
        next
    }
}

#[test]
fn the_estimate_of_the_remaining_work_is_a_fraction_and_falls() {
    for (threads, times) in [(2, 3), (3, 1), (3, 2), (4, 1)] {
        let estimates = Arc::new(Mutex::new(Vec::new()));
        let scheduler = RecordEstimates { dpor: Dpor::new(), estimates: estimates.clone() };
        let explorer = Explorer::new().memory(MemoryModel::Sc).strategy(Strategy::custom(scheduler));
        explorer.explore(|| increments(threads, times));
        let estimates = estimates.lock().expect("whole").clone();
        assert!(estimates.iter().all(|estimate| (0.0..=1.0).contains(estimate)), "{estimates:?}");
        assert_eq!(estimates.last(), Some(&0.0));
        let mean = |half: &[f64]| half.iter().sum::<f64>() / half.len() as f64;
        // Newly found race reversals raise the estimate at times.
        let (first, second) = estimates.split_at(estimates.len() / 2);
        assert!(mean(second) < mean(first), "{threads}, {times}: {estimates:?}");
    }
}

/// Set in the child process of which a test reads the standard error.
const WATCHED: &str = "SELVEDGE_TEST_WATCHED";

#[test]
#[ignore = "the next tests start it as a child process"]
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

/// The standard error of a child process that explores for a while.
fn standard_error(progress: Option<&str>) -> String {
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
fn no_progress_is_written_if_standard_error_is_no_terminal() {
    assert_eq!(standard_error(None), "");
}

#[test]
fn progress_is_written_on_request_and_ends_with_a_summary() {
    let text = standard_error(Some("1"));
    let (last, lines) = text
        .lines()
        .collect::<Vec<_>>()
        .split_last()
        .map(|(last, lines)| (*last, lines.to_vec()))
        .expect("lines");
    assert!(!lines.is_empty(), "{text}");
    for line in lines {
        assert!(
            line.starts_with("selvedge: progress::a_long_exploration: ") && line.contains(" runs, "),
            "{text}"
        );
    }
    assert!(last.contains("stopped by the limit of time; not complete"), "{text}");
}
