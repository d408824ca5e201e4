//! The message for a failing run.
//!
//! What happened; how far every thread came, what it waits for and which thread holds it; the schedule in
//! its short form and as a table; where the trace is saved, and how to replay it.

use super::files::{self, TraceFile};
use super::setup::{RunOrigin, RunSetup};
use super::test_name::TestName;
use crate::explorer::api::{Outcome, Report};
use selvedge_explore::{Stall, Trace};
use std::fmt::{Debug, Write};

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
        setup: &report.setup,
        origin: report.origins.get(outcome).copied().unwrap_or_default(),
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
    pub(super) setup: &'f RunSetup,
    pub(super) origin: RunOrigin,
}

impl Failure<'_> {
    /// The message. The run is saved under the name of the test.
    pub(super) fn message(&self, name: &TestName) -> String {
        let file = TraceFile { test: name.text(), kind: self.kind };
        let recording = self.setup.recording(name.text(), self.outcome, self.origin, self.trace);
        let mut text = format!("error[run::{}]: {}\n", self.kind, self.sentence);
        let _ = write!(text, "{}", recording.endings_text());
        let _ = writeln!(text, "  schedule  {}", recording.abridged_schedule().unwrap_or_default());
        let _ = write!(text, "\n{}\n", recording.table());
        if let Some(extent) = &self.extent {
            let _ = writeln!(text, "  found after {extent}");
        }
        for note in self.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        if self.kind == "step-limit" {
            let _ = writeln!(text, "{STEP_LIMIT_HELP}");
        }
        match files::save(&recording, &file) {
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
