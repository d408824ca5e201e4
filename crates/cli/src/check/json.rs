//! The results of a file as one JSON object.

use super::verdict::{Checked, Surveyed};
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn write(
    file: &str,
    checked: &[Checked],
    surveyed: Option<&Surveyed>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let property = |checked: &Checked| {
        json!({
            "name": checked.name,
            "formula": checked.formula,
            "verdict": checked.verdict,
            "as_expected": checked.is_as_it_should(),
            "vacuous": checked.vacuous.is_some(),
            "states": checked.stats.states,
            "transitions": checked.stats.transitions,
            "product_states": checked.stats.product_states,
            "automaton_states": checked.stats.automaton_states,
            "seconds": checked.stats.time.as_secs_f64(),
            "counterexample": checked.story.as_ref().map_or(Value::Null, |story| story.value.clone()),
        })
    };
    let described = |list: &[(String, super::verdict::Story)]| -> Vec<Value> {
        list.iter()
            .map(|(message, story)| json!({"message": message, "path": story.value["prefix"]}))
            .collect()
    };
    let object = json!({
        "file": file,
        "properties": checked.iter().map(property).collect::<Vec<_>>(),
        // Where it is false, nobody looked for deadlocks.
        "surveyed": surveyed.is_some(),
        "deadlocks": surveyed.map_or(Vec::new(), |surveyed| described(&surveyed.deadlocks)),
        "errors": surveyed.map_or(Vec::new(), |surveyed| described(&surveyed.errors)),
    });
    writeln!(output, "{object}")
}
