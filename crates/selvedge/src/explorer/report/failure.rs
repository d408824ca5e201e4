//! The message for a failing run.
//!
//! What happened; how far every thread came, what it waits for and which thread holds it; the schedule in
//! its short form and as a table; where the trace is saved, and how to replay it.

use super::files::{self, TraceFile};
use super::test_name::TestName;
use crate::explorer::api::{Outcome, Report};
use selvedge_explore::{Stall, Trace};
use std::fmt::{self, Debug, Write};

/// The message for a run with a failure as its outcome.
pub(crate) fn failure_message<T: Ord + Debug>(
    report: &Report<T>,
    outcome: &Outcome<T>,
    name: &TestName,
) -> String {
    let trace = report.outcomes.get(outcome);
    let is_livelock = *outcome == Outcome::Deadlock && trace.is_some_and(is_livelock);
    let kind = if is_livelock { "livelock" } else { outcome.kind() };
    failure_message_of_kind(report, outcome, name, (kind, &sentence(outcome, is_livelock)))
}

/// The same with another kind of failure and a sentence that describes it.
pub(crate) fn failure_message_of_kind<T: Ord + Debug>(
    report: &Report<T>,
    outcome: &Outcome<T>,
    name: &TestName,
    (kind, sentence): (&'static str, &str),
) -> String {
    let empty = Trace::default();
    let failure = Failure {
        kind,
        sentence,
        outcome: &outcome.to_string(),
        trace: report.outcomes.get(outcome).unwrap_or(&empty),
        extent: Some(report.extent()),
        notes: &report.notes,
        strategy: &report.strategy,
    };
    failure.message(name)
}

/// The parts of a failure message.
pub(super) struct Failure<'f> {
    /// The kind of failure, as a word.
    pub(super) kind: &'static str,
    /// The failure in one sentence.
    pub(super) sentence: &'f str,
    /// The outcome in words, for the saved trace.
    pub(super) outcome: &'f str,
    pub(super) trace: &'f Trace,
    /// How much was explored.
    pub(super) extent: Option<String>,
    pub(super) notes: &'f [String],
    pub(super) strategy: &'f str,
}

impl Failure<'_> {
    /// The message. The run is saved under the name of the test.
    pub(super) fn message(&self, name: &TestName) -> String {
        let trace = self.trace;
        let mut text = format!("error[run::{}]: {}\n", self.kind, self.sentence);
        push_endings(&mut text, trace);
        let _ = writeln!(text, "  schedule  {}", abridged_schedule(&trace.short().to_string()));
        let _ = write!(text, "\n{}\n", trace.table());
        if let Some(extent) = &self.extent {
            let _ = writeln!(text, "  found after {extent}");
        }
        for note in self.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        if self.kind == "step-limit" {
            let _ = writeln!(text, "{STEP_LIMIT_HELP}");
        }
        let file = TraceFile { test: name.text(), kind: self.kind };
        match files::save(trace, &file, self.outcome, self.strategy) {
            Ok(path) => {
                let _ = files::write_saved_as(&mut text, &path.display(), &file, name);
            }
            Err(error) => {
                let _ = writeln!(text, "  (the trace could not be saved: {error})");
            }
        }
        text
    }
}

/// The advice for a run with too many steps.
const STEP_LIMIT_HELP: &str = "  = help: a loop that waits for what others do needs `selvedge::hint::spin_loop()` or `selvedge::thread::yield_now()` in it: \
    then it is not run again until something has changed. How many steps a run may take is set by `max_steps`, or `steps = ...` of a test";

/// A long schedule is shown with this many characters at its beginning and at its end.
const SHOWN: usize = 120;

/// The schedule, or its beginning and end if it is long. The saved trace has all of it.
pub(crate) fn abridged_schedule(schedule: &str) -> String {
    let mut text = String::new();
    let _ = write_abridged(&mut text, &|out| out.write_str(schedule));
    text
}

/// Writes the schedule that the function writes, or its beginning and end if it is long. Does not allocate.
pub(super) fn write_abridged(
    out: &mut dyn Write,
    schedule: &dyn Fn(&mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    let mut counter = Abridged { out: None, index: 0, length: 0 };
    schedule(&mut counter)?;
    let length = counter.index;
    schedule(&mut Abridged { out: Some(out), index: 0, length })
}

/// Writes the characters at the beginning and at the end of a text of this length, and counts them.
struct Abridged<'o> {
    out: Option<&'o mut dyn Write>,
    index: usize,
    length: usize,
}

impl Write for Abridged<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let (length, is_short) = (self.length, self.length <= 3 * SHOWN);
        for char in text.chars() {
            if let Some(out) = &mut self.out {
                if is_short || self.index < SHOWN || self.index >= length - SHOWN {
                    out.write_char(char)?;
                } else if self.index == SHOWN {
                    write!(out, " … {} more … ", length - 2 * SHOWN)?;
                }
            }
            self.index += 1;
        }
        Ok(())
    }
}

/// How far every thread came, in columns.
fn push_endings(text: &mut String, trace: &Trace) {
    let width =
        |length: fn(&selvedge_explore::Ending) -> usize| trace.endings.iter().map(length).max().unwrap_or(0);
    let names = width(|ending| ending.thread.chars().count());
    let states = width(|ending| ending.state.chars().count());
    for ending in &trace.endings {
        let line = format!("  {:names$}  {:states$}  {}", ending.thread, ending.state, ending.site);
        let _ = writeln!(text, "{}", line.trim_end_matches(['-', ' ']));
    }
}

/// Whether a thread spins for ever.
fn is_livelock(trace: &Trace) -> bool {
    trace.endings.iter().any(|ending| ending.stall == Some(Stall::Spinning))
}

fn sentence<T: Debug>(outcome: &Outcome<T>, is_livelock: bool) -> String {
    match outcome {
        Outcome::Deadlock if is_livelock => {
            "no thread can go on, and those that spin wait for ever".to_owned()
        }
        Outcome::Deadlock => "every thread is blocked".to_owned(),
        other => other.to_string(),
    }
}
