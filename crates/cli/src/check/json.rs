//! The results of a file as one JSON object.

use super::verdict::{CheckedProperty, DeadlocksAndErrors, PropertyVerdict, RenderedRun};
use serde_json::{Value, json};
use std::io::{self, Write};

/// `failures` is `None` if the command did not look for deadlocks and errors.
pub(super) fn write(
    file: &str,
    checked: &[CheckedProperty],
    failures: Option<&DeadlocksAndErrors>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let object = json!({
        "file": file,
        "properties": checked.iter().map(property_json).collect::<Vec<_>>(),
        "surveyed": failures.is_some(),
        "deadlocks": failures.map_or(Vec::new(), |failures| runs_json(&failures.deadlocks)),
        "errors": failures.map_or(Vec::new(), |failures| runs_json(&failures.errors)),
    });
    writeln!(output, "{object}")
}

fn property_json(checked: &CheckedProperty) -> Value {
    json!({
        "name": checked.name,
        "formula": checked.formula,
        "verdict": verdict_name(&checked.verdict),
        "as_expected": checked.is_as_expected(),
        "vacuous": checked.vacuous_condition().is_some(),
        "states": checked.stats.states,
        "transitions": checked.stats.transitions,
        "product_states": checked.stats.product_states,
        "automaton_states": checked.stats.automaton_states,
        "seconds": checked.stats.time.as_secs_f64(),
        "counterexample": checked.counterexample().map_or(Value::Null, |run| run.json.clone()),
    })
}

fn verdict_name(verdict: &PropertyVerdict) -> &'static str {
    match verdict {
        PropertyVerdict::Holds { .. } => "holds",
        PropertyVerdict::Violated(_) => "violated",
        PropertyVerdict::MayBeViolated(_) => "may-be-violated",
        PropertyVerdict::Limited(_) => "limit",
    }
}

fn runs_json(runs: &[(String, RenderedRun)]) -> Vec<Value> {
    runs.iter().map(|(message, run)| json!({"message": message, "path": run.json["prefix"]})).collect()
}
