//! The progress of an exploration, on a terminal.
//!
//! One line on standard error that is overwritten, from the first second on, and a last one that says
//! whether the exploration is complete. It is shown if standard error is a terminal, or if
//! `SELVEDGE_PROGRESS=1` or [`Explorer::progress`](crate::Explorer::progress) asks for it. Without a
//! terminal, the lines follow each other.
//!
//! The remaining work is estimated after Knuth (Estimating the Efficiency of Backtrack Programs, 1975): each
//! branch of a step counts as much as its siblings. Branches that are not discovered yet do not count, so
//! the estimate sometimes rises.

use crate::explorer::api::ProgressDisplay;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The environment variable that asks for progress (1), or for none (0).
const PROGRESS: &str = "SELVEDGE_PROGRESS";

/// Nothing is shown before this time.
const FIRST_LINE_AFTER: Duration = Duration::from_secs(1);

/// Moves the cursor to the beginning of the line and clears the line.
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Whether an exploration shows its progress. Only one does at a time: several would overwrite each other's
/// lines.
static IS_SHOWING: AtomicBool = AtomicBool::new(false);

/// How far a worker is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WorkerProgress {
    /// The length of the path that the search is on.
    pub(crate) depth: usize,
    /// The part of the whole exploration that remains for this worker, if it can be estimated.
    pub(crate) remaining: Option<f64>,
}

/// Shows the progress of an exploration.
pub(crate) struct Progress {
    name: Arc<str>,
    display: ProgressDisplay,
    /// Determined when there is something to show.
    output: OnceLock<Output>,
    /// The number of runs, if it is known beforehand.
    total: Option<u64>,
    /// The last line that was shown.
    last: Mutex<Option<String>>,
}

/// Whether and how progress is shown.
#[derive(Clone, Copy)]
struct Output {
    is_wanted: bool,
    is_terminal: bool,
}

impl Output {
    fn of(display: ProgressDisplay) -> Output {
        let is_terminal = std::io::stderr().is_terminal();
        let by_environment = || match std::env::var(PROGRESS).ok()?.as_str() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        };
        let is_wanted = match display {
            ProgressDisplay::Shown => true,
            ProgressDisplay::Hidden => false,
            ProgressDisplay::Automatic => by_environment().unwrap_or(is_terminal),
        };
        Output { is_wanted, is_terminal }
    }
}

impl Progress {
    /// The progress of the exploration with this name, unless it is hidden.
    pub(crate) fn new(name: Arc<str>, display: ProgressDisplay, total: Option<u64>) -> Option<Progress> {
        let (output, last) = (OnceLock::new(), Mutex::new(None));
        (display != ProgressDisplay::Hidden).then_some(Progress { name, display, output, total, last })
    }

    fn output(&self) -> Output {
        *self.output.get_or_init(|| Output::of(self.display))
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.output().is_wanted
    }

    /// Shows how far the workers are after this many runs and this time.
    pub(crate) fn show(&self, workers: &[WorkerProgress], runs: u64, elapsed: Duration) {
        self.show_line(elapsed, || line(&self.name, workers, runs, elapsed, self.total));
    }

    /// Shows this text after the name.
    pub(crate) fn show_text(&self, text: &str, elapsed: Duration) {
        self.show_line(elapsed, || format!("selvedge: {}: {text}, {}", self.name, duration_text(elapsed)));
    }

    fn show_line(&self, elapsed: Duration, line: impl FnOnce() -> String) {
        if elapsed < FIRST_LINE_AFTER {
            return;
        }
        let Ok(mut last) = self.last.lock() else { return };
        if last.is_none() && IS_SHOWING.swap(true, Ordering::Relaxed) {
            return;
        }
        let line = line();
        self.write(&line);
        *last = Some(line);
    }

    /// Shows the last line, if there was one before.
    pub(crate) fn end(&self, extent: &str, elapsed: Duration) {
        if self.last.lock().is_ok_and(|mut last| last.take().is_some()) {
            self.write(&format!("selvedge: {}: {extent}, {}\n", self.name, duration_text(elapsed)));
            IS_SHOWING.store(false, Ordering::Relaxed);
        }
    }

    fn write(&self, line: &str) {
        let text = match (self.output().is_terminal, line.ends_with('\n')) {
            (true, _) => format!("{CLEAR_LINE}{line}"),
            (false, true) => line.to_owned(),
            (false, false) => format!("{line}\n"),
        };
        // If standard error is closed, the line is lost.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

impl Drop for Progress {
    /// Clears the line of an exploration that ends without a report.
    fn drop(&mut self) {
        if self.last.get_mut().is_ok_and(|last| last.is_some()) {
            if self.output().is_terminal {
                self.write("");
            }
            IS_SHOWING.store(false, Ordering::Relaxed);
        }
    }
}

fn line(name: &str, workers: &[WorkerProgress], runs: u64, elapsed: Duration, total: Option<u64>) -> String {
    let rate = runs as f64 / elapsed.as_secs_f64().max(0.001);
    let mut line = format!("selvedge: {name}: {runs} runs, {rate:.0}/s");
    let depth = workers.iter().map(|worker| worker.depth).max().unwrap_or(0);
    if depth > 0 {
        line.push_str(&format!(", depth {depth}"));
    }
    if let Some(fraction) = fraction_done(workers, runs, total) {
        line.push_str(&format!(", about {:.1} % done", 100.0 * fraction));
        if fraction > 0.0 {
            let remaining = elapsed.mul_f64(((1.0 - fraction) / fraction).min(1e9));
            line.push_str(&format!(", {} to go", duration_text(remaining)));
        }
    }
    line
}

/// An estimate of how much is done, between 0 and 1.
fn fraction_done(workers: &[WorkerProgress], runs: u64, total: Option<u64>) -> Option<f64> {
    if let Some(total) = total {
        return Some((runs as f64 / total.max(1) as f64).min(1.0));
    }
    let remaining: Vec<f64> = workers.iter().filter_map(|worker| worker.remaining).collect();
    (!remaining.is_empty()).then(|| (1.0 - remaining.iter().sum::<f64>()).clamp(0.0, 1.0))
}

/// A duration in words.
fn duration_text(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        _ if seconds < 365 * 86_400 => format!("{} days", seconds / 86_400),
        _ => "more than a year".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(workers: &[WorkerProgress], runs: u64, seconds: u64, total: Option<u64>, expected: &Expect) {
        expected.assert_eq(&line("queue", workers, runs, Duration::from_secs(seconds), total));
    }

    #[test]
    fn a_systematic_exploration_shows_its_depth_and_the_remaining_time() {
        let workers = [
            WorkerProgress { depth: 41, remaining: Some(0.5) },
            WorkerProgress { depth: 44, remaining: Some(0.25) },
        ];
        check(
            &workers,
            123_456,
            60,
            None,
            &expect![[
                r#"selvedge: queue: 123456 runs, 2058/s, depth 44, about 25.0 % done, 3 min 0 s to go"#
            ]],
        );
    }

    #[test]
    fn without_progress_there_is_no_estimate_of_the_remaining_time() {
        let workers = [WorkerProgress { depth: 7, remaining: Some(1.0) }];
        check(&workers, 1, 1, None, &expect![[r#"selvedge: queue: 1 runs, 1/s, depth 7, about 0.0 % done"#]]);
    }

    #[test]
    fn an_enormous_remaining_time_reads_more_than_a_year() {
        let workers = [WorkerProgress { depth: 300, remaining: Some(1.0 - 1e-12) }];
        check(
            &workers,
            10_000,
            5,
            None,
            &expect![[
                r#"selvedge: queue: 10000 runs, 2000/s, depth 300, about 0.0 % done, more than a year to go"#
            ]],
        );
    }

    #[test]
    fn random_runs_show_how_many_of_them_are_done() {
        check(
            &[WorkerProgress::default()],
            2500,
            10,
            Some(10_000),
            &expect![[r#"selvedge: queue: 2500 runs, 250/s, about 25.0 % done, 30 s to go"#]],
        );
    }

    #[test]
    fn a_custom_strategy_shows_only_its_runs() {
        check(&[WorkerProgress::default()], 2500, 10, None, &expect!["selvedge: queue: 2500 runs, 250/s"]);
    }
}
