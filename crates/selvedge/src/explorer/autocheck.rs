//! The first thing that a newcomer runs.

use super::test::{failing, pass, say, tell};
use super::{Explorer, Outcome, Report, Strategy, failure, files};
use selvedge_explore::trace::Recording;
use std::fmt::Debug;
use std::time::Duration;

/// No more runs than this, and no longer.
const RUNS: u64 = 100_000;
const TIME: Duration = Duration::from_secs(10);

/// Explores a body and panics with a readable report if a run deadlocks, panics, has a data race or takes too many
/// steps, or if runs return different values.
///
/// Where the body has too many runs for a test, those of the first seconds are made, and it is said that these were not all.
pub fn autocheck<T, F>(body: F)
where
    T: Ord + Clone + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync,
{
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("autocheck");
    let explorer = || Explorer::new().named(name).max_executions(RUNS).max_time(TIME);
    if let Some(recording) = files::wanted(name) {
        // One of several values is what was wrong.
        let is_wrong = recording.get("outcome").is_some_and(|outcome| outcome.starts_with("returned"));
        return replay(name, recording, explorer(), || {
            let value = body();
            if is_wrong { Err(format!("{value:?}")) } else { Ok(()) }
        });
    }
    let report = explorer().explore(body);
    if let Some(outcome) = report.outcomes().keys().find(|outcome| !outcome.is_returned()).cloned() {
        panic!("{}", failure::tell(&report, &outcome, name));
    }
    if report.outcomes().len() > 1 {
        panic!("{}", tell_nondeterminism(&report, name));
    }
    pass(&report, name);
}

/// The message for a body that returns now this, now that.
fn tell_nondeterminism<T: Ord + Clone + Debug>(report: &Report<T>, name: &str) -> String {
    let values: Vec<String> = report.values().take(10).map(|value| format!("{value:?}")).collect();
    let more = if report.outcomes().len() > 10 { ", …" } else { "" };
    let schedules: String =
        report.outcomes().iter().take(10).zip(&values).fold(String::new(), |text, (run, value)| {
            format!("{text}  {value} by {}\n", failure::abridged(&run.1.short().to_string()))
        });
    // Of all runs, those with the most pre-emptions tell the most: the others are like a program without threads.
    let shown = report.outcomes().iter().max_by_key(|(_, trace)| trace.preemptions());
    let shown = shown.map_or(Outcome::Deadlock, |(outcome, _)| outcome.clone());
    let sentence = format!(
        "the result depends on the schedule: {}{more}\n{schedules}  a run that {shown}:",
        values.join(", ")
    );
    failure::tell_of_kind(report, &shown, name, ("nondeterminism", &sentence))
}

/// Makes one run again, as it was written down, and fails as it did.
pub(super) fn replay(
    name: &str,
    recording: Recording,
    explorer: Explorer,
    body: impl Fn() -> Result<(), String> + Send + Sync,
) {
    let was = recording.get("outcome").unwrap_or("unknown").to_owned();
    let report = explorer.strategy(Strategy::replay(recording)).explore(body);
    if let Some(difference) = report.notes().iter().find(|note| note.starts_with(DIFFERS)) {
        panic!(
            "error[run::replay]: {difference}\n  = help: something beside the schedule decides how this program goes: \
             time, addresses, the order of a hash map, or its source has changed since the trace was saved"
        );
    }
    match failing(&report) {
        Some(outcome) => panic!("{}", tell(&report, &outcome, name)),
        None => say(&format!("selvedge: {name}: the replay returned; when it was saved, it ended so: {was}")),
    }
}

/// How the note about a replay that went differently begins.
pub(super) const DIFFERS: &str = "the replay differs at ";
