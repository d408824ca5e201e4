//! A failing run, told to people.
//!
//! What happened; how far every thread was, what it waits for and who has it; the schedule in its short form and as a
//! table; where the trace was saved, and how to run it again.

use super::{Outcome, Report, files};
use selvedge_explore::Trace;
use std::fmt::{Debug, Write};

/// The whole message for a run that ended as it should not.
pub(super) fn tell<T: Ord + Debug>(report: &Report<T>, outcome: &Outcome<T>, name: &str) -> String {
    let empty = Trace::default();
    let trace = report.outcomes.get(outcome).unwrap_or(&empty);
    let mut text = format!("error[run::{}]: {}\n", kind(outcome), sentence(outcome));
    push_endings(&mut text, trace);
    let _ = writeln!(text, "  schedule  {}", trace.short());
    let _ = write!(text, "\n{}\n", trace.table());
    let _ = writeln!(text, "  seen in {}", report.extent());
    for note in &report.notes {
        let _ = writeln!(text, "  note: {note}");
    }
    match files::save(trace, name, kind(outcome), &outcome.to_string(), &report.strategy) {
        Ok(saved) => {
            let test = name.rsplit("::").next().unwrap_or(name);
            let _ = writeln!(text, "  saved as {}", saved.path.display());
            let _ =
                writeln!(text, "  = help: replay with `{}={} cargo test {test}`", files::REPLAY, saved.file);
        }
        Err(error) => {
            let _ = writeln!(text, "  (the trace could not be saved: {error})");
        }
    }
    text
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

fn sentence<T: Debug>(outcome: &Outcome<T>) -> String {
    match outcome {
        Outcome::Deadlock => "every thread is blocked".to_owned(),
        other => other.to_string(),
    }
}
