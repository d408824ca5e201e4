//! A check without options: the first function that a newcomer calls.
//!
//! It ends with three verdicts, each with a schedule for every outcome against it, as in Walker's thesis
//! (Listing 51).
//!
//! Promise: a verdict on an exploration that is not complete never says more than was seen.

use super::test_attribute::{failing_outcome, pass, print_to_stderr, test_failure_message};
use super::{Explorer, Outcome, Report, Value};
use crate::explorer::report::{TestName, failure_message, failure_message_of_kind, wanted_replay};
use selvedge_explore::Trace;
use selvedge_explore::trace::{Recording, abridged};
use std::fmt::{Debug, Write};
use std::time::Duration;

/// The limits of the exploration.
const MAX_RUNS: u64 = 100_000;
const MAX_TIME: Duration = Duration::from_secs(10);

/// The nondeterminism message shows at most this many values, and a verdict this many outcomes.
const MAX_VALUES: usize = 10;

/// Explores a body. Panics with a readable report if a run deadlocks, panics, has a data race or takes too
/// many steps, or if two runs return different values.
///
/// The report ends with three verdicts: on deadlocks, on other failures, and on the result. Below each is a
/// schedule for every outcome that decides it. If no run fails, they are printed to standard output:
///
/// ```text
/// autocheck: 2 runs, complete
///   [pass] no run deadlocks
///   [pass] no run panics or fails in another way
///   [pass] all runs have the same result
///          returned 2  S0---
/// ```
///
/// If the body has too many runs for a test, the exploration stops after a hundred thousand runs or ten
/// seconds and says on standard error that it was not complete.
pub fn autocheck<T, F>(body: F)
where
    T: Ord + Clone + Debug + Send + 'static,
    F: Fn() -> T + Send + Sync,
{
    let name = &TestName::of_current_thread();
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
    let is_failure = |outcome: &Outcome<Value>| !outcome.is_returned();
    if explorer().debug_if_wanted(name, &|| Value::new(body()), &is_failure) {
        return;
    }
    let report = explorer().explore(body);
    if let Some(outcome) = report.outcomes().keys().find(|outcome| !outcome.is_returned()).cloned() {
        panic!("{}\n{}", failure_message(&report, &outcome, name), verdicts(&report));
    }
    if report.outcomes().len() > 1 {
        panic!("{}\n{}", nondeterminism_message(&report, name), verdicts(&report));
    }
    pass(&report, name);
    print_to_stdout(&verdicts(&report));
}

/// Prints what is of interest if the test fails later, or is run with `--nocapture`: the test harness
/// captures what `print` prints.
#[allow(clippy::print_stdout)]
fn print_to_stdout(text: &str) {
    print!("{text}");
}

/// The three verdicts.
fn verdicts<T: Ord + Debug>(report: &Report<T>) -> String {
    let outcomes = || report.outcomes().iter();
    let deadlocks: Vec<_> = outcomes().filter(|(outcome, _)| **outcome == Outcome::Deadlock).collect();
    let is_other = |outcome: &Outcome<T>| !outcome.is_returned() && *outcome != Outcome::Deadlock;
    let others: Vec<_> = outcomes().filter(|(outcome, _)| is_other(outcome)).collect();
    let all: Vec<_> = outcomes().collect();
    let mut text = format!("autocheck: {}\n", report.extent());
    let mut push = |claim: &str, holds: bool, shown: &[(&Outcome<T>, &Trace)]| {
        let word = match (holds, report.is_complete()) {
            (true, true) => "pass",
            (true, false) => "pass so far",
            (false, _) => "fail",
        };
        let _ = writeln!(text, "  [{word}] {claim}");
        push_outcomes(&mut text, shown);
    };
    push("no run deadlocks", deadlocks.is_empty(), &deadlocks);
    push("no run panics or fails in another way", others.is_empty(), &others);
    push("all runs have the same result", all.len() <= 1, &all);
    text
}

/// Adds the outcomes, each with its schedule.
fn push_outcomes<T: Debug>(text: &mut String, outcomes: &[(&Outcome<T>, &Trace)]) {
    for (outcome, trace) in outcomes.iter().take(MAX_VALUES) {
        let outcome = outcome.to_string();
        let first_line = outcome.lines().next().unwrap_or_default();
        let _ = writeln!(text, "         {first_line}  {}", abridged(&trace.short().to_string()));
    }
    if outcomes.len() > MAX_VALUES {
        let _ = writeln!(text, "         … {} more outcomes", outcomes.len() - MAX_VALUES);
    }
}

/// The message for a body that returns different values under different schedules. The verdicts have a
/// schedule for each.
fn nondeterminism_message<T: Ord + Clone + Debug>(report: &Report<T>, name: &TestName) -> String {
    let values: Vec<String> = report.values().take(MAX_VALUES).map(|value| format!("{value:?}")).collect();
    let more = if report.outcomes().len() > MAX_VALUES { ", …" } else { "" };
    // The run with the most pre-emptions is the most instructive: a run with few is like a sequential
    // program.
    let shown = report.outcomes().iter().max_by_key(|(_, trace)| trace.preemptions());
    let shown = shown.map_or(Outcome::Deadlock, |(outcome, _)| outcome.clone());
    let values = values.join(", ");
    let sentence = format!("the result depends on the schedule: {values}{more}\n  a run that {shown}:");
    failure_message_of_kind(report, &shown, name, ("nondeterminism", &sentence))
}

/// Makes a recorded run again and fails as it failed.
pub(super) fn replay(
    name: &TestName,
    recording: Recording,
    explorer: Explorer,
    body: impl Fn() -> Result<(), String> + Send + Sync,
) {
    let was = recording.get("outcome").unwrap_or("unknown").to_owned();
    let report = explorer.replay(name, recording).explore(body);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_a_schedule_for_each_outcome() {
        let report = crate::explore(|| match crate::choose(3) {
            0 => panic!("in two\nlines"),
            chosen => chosen,
        });
        let expected = "autocheck: 3 runs, complete
  [pass] no run deadlocks
  [fail] no run panics or fails in another way
         panicked: in two  S0-
  [fail] all runs have the same result
         returned 1  S0-
         returned 2  S0-
         panicked: in two  S0-
";
        assert_eq!(verdicts(&report), expected);
    }

    #[test]
    fn a_verdict_on_some_of_the_runs_says_so() {
        let report = Explorer::new().max_executions(1).explore(|| _ = crate::choose(3));
        let expected = "autocheck: 1 run by systematic, stopped by the limit of executions; not complete
  [pass so far] no run deadlocks
  [pass so far] no run panics or fails in another way
  [pass so far] all runs have the same result
         returned ()  S0-
";
        assert_eq!(verdicts(&report), expected);
    }

    #[test]
    fn a_verdict_shows_some_of_many_outcomes() {
        let text = verdicts(&crate::explore(|| crate::choose(12)));
        assert!(text.contains("\n         returned 9  S0-\n         … 2 more outcomes\n"), "{text}");
    }
}
