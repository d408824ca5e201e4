//! A failing run, told to people.
//!
//! What happened; how far every thread was, what it waits for and who has it; the schedule in its short form and as a
//! table; where the trace was saved, and how to run it again.

use super::{Outcome, Report, files};
use selvedge_explore::{Stall, Trace};
use std::fmt::{Debug, Write};

/// The whole message for a run that ended as it should not.
pub(super) fn tell<T: Ord + Debug>(report: &Report<T>, outcome: &Outcome<T>, name: &str) -> String {
    let trace = report.outcomes.get(outcome);
    let is_livelock = *outcome == Outcome::Deadlock && trace.is_some_and(is_livelock);
    let kind = if is_livelock { "livelock" } else { kind(outcome) };
    tell_of_kind(report, outcome, name, (kind, &sentence(outcome, is_livelock)))
}

/// The same with another kind of failure, and a sentence that says what.
pub(super) fn tell_of_kind<T: Ord + Debug>(
    report: &Report<T>,
    outcome: &Outcome<T>,
    name: &str,
    (kind, sentence): (&'static str, &str),
) -> String {
    let empty = Trace::default();
    let failure = Failure {
        kind,
        sentence,
        outcome: &outcome.to_string(),
        trace: report.outcomes.get(outcome).unwrap_or(&empty),
        seen: Some(report.extent()),
        notes: &report.notes,
        strategy: &report.strategy,
    };
    failure.tell(name)
}

/// All that is to be told of a failing run.
pub(super) struct Failure<'f> {
    /// What kind of failure it is, as a word.
    pub(super) kind: &'static str,
    /// The same as a sentence.
    pub(super) sentence: &'f str,
    /// How the run ended, for the file.
    pub(super) outcome: &'f str,
    pub(super) trace: &'f Trace,
    /// In how many runs it was seen.
    pub(super) seen: Option<String>,
    pub(super) notes: &'f [String],
    pub(super) strategy: &'f str,
}

impl Failure<'_> {
    /// The whole message; the run is saved under the name of the test.
    pub(super) fn tell(&self, name: &str) -> String {
        let trace = self.trace;
        let mut text = format!("error[run::{}]: {}\n", self.kind, self.sentence);
        push_endings(&mut text, trace);
        let _ = writeln!(text, "  schedule  {}", abridged(&trace.short().to_string()));
        let _ = write!(text, "\n{}\n", trace.table());
        if let Some(seen) = &self.seen {
            let _ = writeln!(text, "  found after {seen}");
        }
        for note in self.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        if self.kind == "step-limit" {
            let _ = writeln!(text, "{ENDLESS}");
        }
        match files::save(trace, name, self.kind, self.outcome, self.strategy) {
            Ok(saved) => {
                let test = name.rsplit("::").next().unwrap_or(name);
                let _ = writeln!(text, "  saved as {}", saved.path.display());
                let _ = writeln!(
                    text,
                    "  = help: replay with `{}={} cargo test {test}`",
                    files::REPLAY,
                    saved.file
                );
            }
            Err(error) => {
                let _ = writeln!(text, "  (the trace could not be saved: {error})");
            }
        }
        text
    }
}

/// What may help where a run takes too many steps.
const ENDLESS: &str = "  = help: a loop that waits for what others do needs `selvedge::hint::spin_loop()` or `selvedge::thread::yield_now()` in it: \
    then it is not run again until something has changed. How many steps a run may take is set by `max_steps`, or `steps = ...` of a test";

/// No more of a schedule than this is shown at its beginning, and at its end.
const SHOWN: usize = 120;

/// The schedule, or its beginning and end if it is long. The file has all of it.
pub(super) fn abridged(schedule: &str) -> String {
    let all: Vec<char> = schedule.chars().collect();
    if all.len() <= 3 * SHOWN {
        return schedule.to_owned();
    }
    let part = |chars: &[char]| chars.iter().collect::<String>();
    let left_out = all.len() - 2 * SHOWN;
    format!("{} … {left_out} more … {}", part(&all[..SHOWN]), part(&all[all.len() - SHOWN..]))
}

/// How far everybody was, in columns.
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

/// The kind of an outcome, as a word.
pub(super) fn kind<T>(outcome: &Outcome<T>) -> &'static str {
    match outcome {
        Outcome::Returned(_) => "returned",
        Outcome::Deadlock => "deadlock",
        Outcome::Panicked(_) => "panic",
        Outcome::Interrupted(_) => "interrupted",
        Outcome::StepLimit => "step-limit",
        Outcome::DataRace(_) => "data-race",
        Outcome::Violated(_) => "violated",
    }
}

/// Does somebody wait for ever in a loop?
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
