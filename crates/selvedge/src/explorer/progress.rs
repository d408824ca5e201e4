//! How far an exploration is, on a terminal.
//!
//! One line on standard error that is written over, from the first second on, and a last one that says whether that was all. Only
//! where standard error is a terminal, or somebody asks for it: `SELVEDGE_PROGRESS=1` or
//! [`Explorer::progress`](super::Explorer::progress). Where it is no terminal each line is a line of its own.
//!
//! What is left is estimated as Knuth does it (Estimating the Efficiency of Backtrack Programs, 1975): each branch of a step counts as
//! much as its neighbours. Runs that nobody knows of yet do not count, so the estimate rises at times.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The environment variable that asks for progress (1), or for none (0).
pub(super) const PROGRESS: &str = "SELVEDGE_PROGRESS";

/// Nothing is shown before.
const FIRST: Duration = Duration::from_secs(1);

/// Where the cursor goes back to the beginning of the line, and the line is emptied.
const ANEW: &str = "\r\x1b[2K";

/// One exploration is shown at a time: lines of several would write over each other.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// How far a worker is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// How many steps are on the path that is gone down.
    pub(super) depth: usize,
    /// How much of all there is to do is left to this worker, where that can be told.
    pub(super) left: Option<f64>,
}

/// Shows how far an exploration is.
pub(super) struct Progress {
    name: Arc<str>,
    /// Does somebody want it to be shown, or not?
    wanted: Option<bool>,
    /// Is it shown, and to a terminal? Nobody asks before there is something to show.
    way: OnceLock<Way>,
    /// How many runs there are, where that is known.
    total: Option<u64>,
    /// Was something shown, and what?
    last: Mutex<Option<String>>,
}

/// How it is shown.
#[derive(Clone, Copy)]
struct Way {
    is_wanted: bool,
    is_terminal: bool,
}

impl Way {
    /// As somebody wants it, as the environment asks for it, or where there is a terminal.
    fn of(wanted: Option<bool>) -> Way {
        let is_terminal = std::io::stderr().is_terminal();
        let asked = std::env::var(PROGRESS).ok().and_then(|value| match value.as_str() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        });
        Way { is_wanted: wanted.or(asked).unwrap_or(is_terminal), is_terminal }
    }
}

impl Progress {
    /// For an exploration of this name, unless nobody wants it to be shown.
    pub(super) fn new(name: Arc<str>, wanted: Option<bool>, total: Option<u64>) -> Option<Progress> {
        let is_possible = wanted != Some(false);
        is_possible.then(|| Progress { name, wanted, way: OnceLock::new(), total, last: Mutex::new(None) })
    }

    fn way(&self) -> Way {
        *self.way.get_or_init(|| Way::of(self.wanted))
    }

    /// Is it to be shown?
    pub(super) fn is_wanted(&self) -> bool {
        self.way().is_wanted
    }

    /// Shows how far the workers are after so many runs and so much time.
    pub(super) fn show(&self, seen: &[Seen], runs: u64, elapsed: Duration) {
        if elapsed < FIRST {
            return;
        }
        let Ok(mut last) = self.last.lock() else { return };
        if last.is_none() && IS_TAKEN.swap(true, Ordering::Relaxed) {
            return;
        }
        let line = line(&self.name, seen, runs, elapsed, self.total);
        self.write(&line);
        *last = Some(line);
    }

    /// The last line, if there was one before.
    pub(super) fn end(&self, extent: &str, elapsed: Duration) {
        if self.last.lock().is_ok_and(|mut last| last.take().is_some()) {
            self.write(&format!("selvedge: {}: {extent}, {}\n", self.name, in_words(elapsed)));
            IS_TAKEN.store(false, Ordering::Relaxed);
        }
    }

    fn write(&self, line: &str) {
        let text = match (self.way().is_terminal, line.ends_with('\n')) {
            (true, _) => format!("{ANEW}{line}"),
            (false, true) => line.to_owned(),
            (false, false) => format!("{line}\n"),
        };
        // Whoever cannot write there cannot be told.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

impl Drop for Progress {
    /// Where an exploration ends without a report, its line goes too.
    fn drop(&mut self) {
        if self.last.get_mut().is_ok_and(|last| last.is_some()) {
            if self.way().is_terminal {
                self.write("");
            }
            IS_TAKEN.store(false, Ordering::Relaxed);
        }
    }
}

/// The line.
fn line(name: &str, seen: &[Seen], runs: u64, elapsed: Duration, total: Option<u64>) -> String {
    let rate = runs as f64 / elapsed.as_secs_f64().max(0.001);
    let mut line = format!("selvedge: {name}: {runs} runs, {rate:.0}/s");
    let depth = seen.iter().map(|seen| seen.depth).max().unwrap_or(0);
    if depth > 0 {
        line.push_str(&format!(", depth {depth}"));
    }
    if let Some(fraction) = fraction(seen, runs, total) {
        line.push_str(&format!(", about {:.1} % done", 100.0 * fraction));
        if fraction > 0.0 {
            let left = elapsed.mul_f64(((1.0 - fraction) / fraction).min(1e9));
            line.push_str(&format!(", {} to go", in_words(left)));
        }
    }
    line
}

/// How much is done, between 0 and 1, as far as one can tell.
fn fraction(seen: &[Seen], runs: u64, total: Option<u64>) -> Option<f64> {
    if let Some(total) = total {
        return Some((runs as f64 / total.max(1) as f64).min(1.0));
    }
    let left: Vec<f64> = seen.iter().filter_map(|seen| seen.left).collect();
    (!left.is_empty()).then(|| (1.0 - left.iter().sum::<f64>()).clamp(0.0, 1.0))
}

/// A time, for people.
fn in_words(time: Duration) -> String {
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

    fn check(seen: &[Seen], runs: u64, seconds: u64, total: Option<u64>, expected: &Expect) {
        expected.assert_eq(&line("queue", seen, runs, Duration::from_secs(seconds), total));
    }

    #[test]
    fn a_systematic_exploration_tells_its_depth_and_what_is_left() {
        let seen = [Seen { depth: 41, left: Some(0.5) }, Seen { depth: 44, left: Some(0.25) }];
        check(
            &seen,
            123_456,
            60,
            None,
            &expect![[
                r#"selvedge: queue: 123456 runs, 2058/s, depth 44, about 25.0 % done, 3 min 0 s to go"#
            ]],
        );
    }

    #[test]
    fn where_nothing_is_done_nobody_guesses_how_long_it_takes() {
        let seen = [Seen { depth: 7, left: Some(1.0) }];
        check(&seen, 1, 1, None, &expect![[r#"selvedge: queue: 1 runs, 1/s, depth 7, about 0.0 % done"#]]);
    }

    #[test]
    fn what_would_take_for_ever_is_said_to_take_long() {
        let seen = [Seen { depth: 300, left: Some(1.0 - 1e-12) }];
        check(
            &seen,
            10_000,
            5,
            None,
            &expect![[
                r#"selvedge: queue: 10000 runs, 2000/s, depth 300, about 0.0 % done, more than a year to go"#
            ]],
        );
    }

    #[test]
    fn of_random_runs_it_is_known_how_many_are_left() {
        check(
            &[Seen::default()],
            2500,
            10,
            Some(10_000),
            &expect![[r#"selvedge: queue: 2500 runs, 250/s, about 25.0 % done, 30 s to go"#]],
        );
    }

    #[test]
    fn a_strategy_of_ones_own_tells_no_more_than_its_runs() {
        check(&[Seen::default()], 2500, 10, None, &expect!["selvedge: queue: 2500 runs, 250/s"]);
    }
}
