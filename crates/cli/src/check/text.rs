//! The results of a file as text.

use super::verdict::{CheckedProperty, DeadlocksAndErrors, PropertyVerdict};
use crate::failure::Failure;
use crate::phrases::format_count;
use selvedge_lang::Expect;
use selvedge_model::Stats;
use std::io::Write;

/// Writes a line for each property, then the runs that violate properties, then errors and deadlocks.
pub(super) fn write(
    file: &str,
    checked: &[CheckedProperty],
    failures: Option<&DeadlocksAndErrors>,
    fails_on_deadlock: bool,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    writeln!(output, "{file}")?;
    let none = DeadlocksAndErrors::default();
    let failures = failures.unwrap_or(&none);
    let width = checked.iter().map(|checked| checked.name.chars().count()).max().unwrap_or(0);
    for checked in checked {
        writeln!(output, "  {:width$}  {}", checked.name, line(checked))?;
        if let Some(never) = checked.vacuous_condition() {
            writeln!(output, "  {:width$}  warning: it holds vacuously, since never `{never}`", "")?;
        }
    }
    if checked.is_empty() {
        writeln!(output, "  no properties; {}", format_count(failures.states as u64, "state"))?;
    }
    if failures.deadlock_count > 0 {
        let hint = if fails_on_deadlock { "" } else { " (--deadlock makes this a failure)" };
        let states = format_count(failures.deadlock_count as u64, "deadlocked state");
        writeln!(output, "  {states}{hint}")?;
    }
    for checked in checked {
        if let Some(run) = checked.counterexample() {
            writeln!(output, "\n{}: {}\n  is violated by this run:", checked.name, checked.formula)?;
            output.write_all(run.table.as_bytes())?;
        }
    }
    for (message, run) in failures.errors.iter().chain(&failures.deadlocks) {
        writeln!(output, "\n{message}:")?;
        output.write_all(run.table.as_bytes())?;
    }
    Ok(())
}

/// The verdict and the figures in one line.
fn line(checked: &CheckedProperty) -> String {
    let verdict = describe_verdict(&checked.verdict, checked.expect);
    let Stats { states, transitions, automaton_states, time, .. } = checked.stats;
    let (states, transitions) =
        (format_count(states as u64, "state"), format_count(transitions as u64, "transition"));
    let seconds = time.as_secs_f64();
    format!("{verdict:21}  {states}, {transitions}, automaton of {automaton_states}, {seconds:.2} s")
}

/// Capitals mark a verdict that is not as expected.
fn describe_verdict(verdict: &PropertyVerdict, expect: Option<Expect>) -> String {
    match (verdict, expect) {
        (PropertyVerdict::Holds { .. }, Some(Expect::Violated)) => {
            "HOLDS, but is expected to be violated".to_owned()
        }
        (PropertyVerdict::Holds { .. }, Some(Expect::MayBeViolated)) => {
            "HOLDS, but is expected to be possibly violated".to_owned()
        }
        (PropertyVerdict::Holds { .. }, _) => "holds".to_owned(),
        (PropertyVerdict::Violated(_), Some(Expect::Violated)) => "violated, as expected".to_owned(),
        (PropertyVerdict::Violated(_), _) => "VIOLATED".to_owned(),
        (PropertyVerdict::MayBeViolated(_), Some(Expect::MayBeViolated)) => {
            "may be violated, as expected".to_owned()
        }
        (PropertyVerdict::MayBeViolated(_), _) => "MAY-BE-VIOLATED".to_owned(),
        (PropertyVerdict::Limited(limit), _) => {
            format!("stopped by the limit of {limit}, no violation so far")
        }
    }
}
