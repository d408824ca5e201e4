//! The results of a file as text.

use super::found_failures::{FoundFailure, FoundFailures};
use super::limit_text::ReachedLimit;
use super::rendered_run::Replay;
use super::verdict::{CheckedProperty, PropertyVerdict, Vacuity};
use crate::failure::Failure;
use crate::phrases::format_count;
use selvedge_lang::Expect;
use selvedge_model::{MAX_LISTED, Stats};
use std::io::Write;

/// So many instances that hold vacuously are listed for a property; JSON has all.
const MAX_WARNINGS: usize = 6;

/// Writes a line for each property, then the runs that violate properties, then errors and deadlocks.
pub(super) fn write(
    file: &str,
    checked: &[CheckedProperty],
    failures: Option<&FoundFailures>,
    fails_on_deadlock: bool,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    writeln!(output, "{file}")?;
    let none = FoundFailures::default();
    let failures = failures.unwrap_or(&none);
    let width = checked.iter().map(|checked| checked.name.chars().count()).max().unwrap_or(0);
    for checked in checked {
        writeln!(output, "  {:width$}  {}", checked.name, line(checked))?;
        for warning in vacuity_warnings(checked.vacuities()) {
            writeln!(output, "  {:width$}  warning: {warning}", "")?;
        }
        for note in notes(checked) {
            writeln!(output, "  {:width$}  {note}", "")?;
        }
    }
    if checked.is_empty() {
        writeln!(output, "  no properties; {}", format_count(failures.states as u64, "state"))?;
    }
    write_counts(failures, fails_on_deadlock, output)?;
    for checked in checked {
        if let Some(run) = checked.counterexample() {
            let how = match &checked.verdict {
                PropertyVerdict::MayBeViolated(_, doubt) => {
                    format!("may be violated by this run ({}):", doubt.detail())
                }
                _ => match run.replay {
                    None => "is violated by this run:".to_owned(),
                    Some(Replay::Follows) => {
                        "is violated by this concrete run, which follows the abstract one:".to_owned()
                    }
                    Some(Replay::Another) => {
                        "is violated by this concrete run (none was found that follows the abstract one):"
                            .to_owned()
                    }
                },
            };
            writeln!(output, "\n{}: {}\n  {how}", checked.name, checked.formula)?;
            output.write_all(run.table().as_bytes())?;
        }
    }
    let FoundFailures { errors, crashes, deadlocks, waits_for_ever, .. } = failures;
    for failure in errors.iter().chain(crashes).chain(deadlocks).chain(waits_for_ever) {
        writeln!(output, "\n{}:", title(failure))?;
        output.write_all(failure.run.table().as_bytes())?;
    }
    Ok(())
}

/// A line for each condition that is never true, but for those of further instances.
fn vacuity_warnings(vacuities: &[Vacuity]) -> Vec<String> {
    let mut warnings: Vec<String> = vacuities
        .iter()
        .take(MAX_WARNINGS)
        .map(|Vacuity { instance, never }| match instance {
            None => format!("it holds vacuously, since never `{never}`"),
            Some(instance) => format!("it holds vacuously for {instance}, since never `{never}`"),
        })
        .collect();
    if let Some(further) = vacuities.len().checked_sub(MAX_WARNINGS).filter(|further| *further > 0) {
        warnings.push(format!("and for {}", format_count(further as u64, "further instance")));
    }
    warnings
}

/// Writes how many failures there are, unless their runs say so, and what cut their search off.
fn write_counts(
    failures: &FoundFailures,
    fails_on_deadlock: bool,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let hint = if fails_on_deadlock { "" } else { " (--deadlock makes this a failure)" };
    if !failures.errors.is_empty() {
        let more = if failures.errors.len() == MAX_LISTED { " or more" } else { "" };
        writeln!(output, "  {}{more}", format_count(failures.errors.len() as u64, "run-time error"))?;
    }
    if failures.deadlock_count > 0 {
        let states = format_count(failures.deadlock_count as u64, "deadlocked state");
        let sets = match failures.waiting_sets {
            ..=1 => String::new(),
            sets if sets > failures.deadlocks.len() => {
                let told = failures.deadlocks.len();
                format!(" in {sets} sets of waiting places, of which {told} are told (--max-deadlocks)")
            }
            sets => format!(" in {sets} sets of waiting places"),
        };
        writeln!(output, "  {states}{sets}{hint}")?;
    }
    if !failures.waits_for_ever.is_empty() {
        let count = format_count(failures.waits_for_ever.len() as u64, "endless wait");
        writeln!(output, "  {count}{hint}")?;
    }
    if let Some(advice) = failures.limit.as_ref().and_then(ReachedLimit::advice) {
        writeln!(output, "  not all failures may be listed: {advice}")?;
    }
    Ok(())
}

/// The message of a failure, with the doubt about its run.
fn title(failure: &FoundFailure) -> String {
    match &failure.doubt {
        None if failure.states > 1 => format!("{} (one of {} such states)", failure.message, failure.states),
        None => failure.message.clone(),
        Some(doubt) => format!("possible: {} ({})", failure.message, doubt.detail()),
    }
}

/// What a verdict relies on, or what stopped its search.
fn notes(checked: &CheckedProperty) -> Vec<String> {
    match &checked.verdict {
        PropertyVerdict::Holds { .. } => {
            checked.assumptions.iter().map(|assumption| format!("assuming: {assumption}")).collect()
        }
        PropertyVerdict::Limited(limit) => Vec::from_iter(limit.advice()),
        PropertyVerdict::Violated(_) | PropertyVerdict::MayBeViolated(..) => Vec::new(),
    }
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
        (PropertyVerdict::MayBeViolated(..), Some(Expect::MayBeViolated)) => {
            "may be violated, as expected".to_owned()
        }
        (PropertyVerdict::MayBeViolated(_, doubt), _) => format!("MAY-BE-VIOLATED ({})", doubt.name()),
        (PropertyVerdict::Limited(limit), _) => {
            format!("{}, no violation so far", limit.how_it_ended())
        }
    }
}
