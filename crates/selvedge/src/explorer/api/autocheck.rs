//! A check without options: the first function that a newcomer calls.

use super::test_attribute::{failing_outcome, pass, print_to_stderr, test_failure_message};
use super::{Explorer, Outcome, Report, Strategy};
use crate::explorer::report::{abridged_schedule, failure_message, failure_message_of_kind, wanted_replay};
use selvedge_explore::trace::Recording;
use std::fmt::Debug;
use std::time::Duration;

/// The limits of the exploration.
const MAX_RUNS: u64 = 100_000;
const MAX_TIME: Duration = Duration::from_secs(10);

/// The nondeterminism message shows at most this many values.
const MAX_VALUES: usize = 10;

/// Explores a body. Panics with a readable report if a run deadlocks, panics, has a data race or takes too
/// many steps, or if two runs return different values.
///
/// If the body has too many runs for a test, the exploration stops after a hundred thousand runs or ten
/// seconds and says on standard error that it was not complete.
pub fn autocheck<T, F>(body: F)
where
    T: Ord + Clone + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync,
{
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("autocheck");
    let explorer = || Explorer::new().named(name).max_executions(MAX_RUNS).max_time(MAX_TIME);
    if let Some(recording) = wanted_replay(name) {
        // A recorded run that returned was saved because other runs returned other values: its value is the
        // failure.
        let returned = recording.get("outcome").is_some_and(|outcome| outcome.starts_with("returned"));
        return replay(name, recording, explorer(), || {
            let value = body();
            if returned { Err(format!("{value:?}")) } else { Ok(()) }
        });
    }
    let report = explorer().explore(body);
    if let Some(outcome) = report.outcomes().keys().find(|outcome| !outcome.is_returned()).cloned() {
        panic!("{}", failure_message(&report, &outcome, name));
    }
    if report.outcomes().len() > 1 {
        panic!("{}", nondeterminism_message(&report, name));
    }
    pass(&report, name);
}

/// The message for a body that returns different values under different schedules.
fn nondeterminism_message<T: Ord + Clone + Debug>(report: &Report<T>, name: &str) -> String {
    let values: Vec<String> = report.values().take(MAX_VALUES).map(|value| format!("{value:?}")).collect();
    let more = if report.outcomes().len() > MAX_VALUES { ", …" } else { "" };
    let schedules: String =
        report.outcomes().iter().take(MAX_VALUES).zip(&values).fold(String::new(), |text, (run, value)| {
            format!("{text}  {value} by {}\n", abridged_schedule(&run.1.short().to_string()))
        });
    // The run with the most pre-emptions is the most instructive: a run with few is like a sequential
    // program.
    let shown = report.outcomes().iter().max_by_key(|(_, trace)| trace.preemptions());
    let shown = shown.map_or(Outcome::Deadlock, |(outcome, _)| outcome.clone());
    let sentence = format!(
        "the result depends on the schedule: {}{more}\n{schedules}  a run that {shown}:",
        values.join(", ")
    );
    failure_message_of_kind(report, &shown, name, ("nondeterminism", &sentence))
}

/// Makes a recorded run again and fails as it failed.
pub(super) fn replay(
    name: &str,
    recording: Recording,
    explorer: Explorer,
    body: impl Fn() -> Result<(), String> + Send + Sync,
) {
    let was = recording.get("outcome").unwrap_or("unknown").to_owned();
    let report = explorer.strategy(Strategy::replay(recording)).explore(body);
    if let Some(divergence) = &report.divergence {
        panic!(
            "error[run::replay]: {divergence}\n  = help: something beside the schedule decides how this program goes: \
             time, addresses, the order of a hash map, or its source has changed since the trace was saved"
        );
    }
    match failing_outcome(&report) {
        Some(outcome) => panic!("{}", test_failure_message(&report, &outcome, name)),
        None => print_to_stderr(&format!(
            "selvedge: {name}: the replay returned; when it was saved, it ended so: {was}"
        )),
    }
}
