//! The results of a file as one JSON object.

use super::doubt::Doubt;
use super::found_failures::{FoundFailure, FoundFailures};
use super::limit_text::ReachedLimit;
use super::rendered_run::Replay;
use super::verdict::{CheckedProperty, PropertyVerdict, Vacuity};
use serde_json::{Value, json};
use std::io::{self, Write};

/// `failures` is `None` if the command did not look for deadlocks and errors.
pub(super) fn write(
    file: &str,
    checked: &mut [CheckedProperty],
    failures: Option<&FoundFailures>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let limit = failures.and_then(|failures| failures.limit.as_ref());
    let mut object = json!({
        "file": file,
        "surveyed": failures.is_some(),
        "limit": limit.map(ReachedLimit::name),
        "detail": limit.and_then(ReachedLimit::detail),
        "deadlocks": failures.map_or(Vec::new(), |failures| failures_json(&failures.deadlocks)),
        "deadlocked_states": failures.map_or(0, |failures| failures.deadlock_count),
        "waiting_sets": failures.map_or(0, |failures| failures.waiting_sets),
        "errors": failures.map_or(Vec::new(), |failures| failures_json(&failures.errors)),
        "crashes": failures.map_or(Vec::new(), |failures| failures_json(&failures.crashes)),
        "waits_for_ever": failures.map_or(Vec::new(), |failures| failures_json(&failures.waits_for_ever)),
    });
    object["properties"] = Value::Array(checked.iter_mut().map(property_json).collect());
    writeln!(output, "{object}")
}

/// A property; its counterexample is taken, for a copy may be too much.
fn property_json(checked: &mut CheckedProperty) -> Value {
    let run = checked.take_json();
    let mut object = json!({
        "name": checked.name,
        "formula": checked.formula,
        "unfolded": checked.unfolded,
        "verdict": verdict_name(&checked.verdict),
        "as_expected": checked.is_as_expected(),
        "why": checked.why(),
        "detail": checked.detail(),
        "line": checked.cut_line(),
        "assumptions": checked.assumptions,
        "vacuous": !checked.vacuities().is_empty(),
        "vacuous_instances": checked.vacuities().iter().filter_map(vacuous_instance).collect::<Vec<_>>(),
        "states": checked.stats.states,
        "transitions": checked.stats.transitions,
        "product_states": checked.stats.product_states,
        "automaton_states": checked.stats.automaton_states,
        "seconds": checked.stats.time.as_secs_f64(),
        "replay": checked.counterexample().and_then(|run| run.replay).map(Replay::name),
    });
    object["counterexample"] = run;
    object
}

/// An instance of a formula with quantifiers that holds vacuously.
fn vacuous_instance(vacuity: &Vacuity) -> Option<Value> {
    let instance = vacuity.instance.as_ref()?;
    Some(json!({"instance": instance, "never": vacuity.never}))
}

fn verdict_name(verdict: &PropertyVerdict) -> &'static str {
    match verdict {
        PropertyVerdict::Holds { .. } => "holds",
        PropertyVerdict::Violated(_) => "violated",
        PropertyVerdict::MayBeViolated(..) => "may-be-violated",
        PropertyVerdict::Limited(_) => "limit",
    }
}

fn failures_json(failures: &[FoundFailure]) -> Vec<Value> {
    let failure_json = |failure: &FoundFailure| {
        let why = failure.doubt.as_ref().map(Doubt::name);
        json!({"message": failure.message, "certain": why.is_none(), "why": why, "states": failure.states, "path": failure.run.json()["prefix"]})
    };
    failures.iter().map(failure_json).collect()
}
