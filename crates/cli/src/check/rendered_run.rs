//! A run in the format of the command: a table, or JSON.
//!
//! Only that format is made, and only the steps that it tells, for a run may have millions.

use super::arguments::Format;
use super::told_run::ToldRun;
use super::trace_table;
use crate::failure::Failure;
use crate::phrases::format_count;
use selvedge_lang::ShownStep;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::ops::Range;

/// A table of more steps than this is shortened.
const LONG: usize = 2000;

/// A run, ready to be printed.
pub(super) struct RenderedRun {
    pub(super) replay: Option<Replay>,
    rendering: Rendering,
}

enum Rendering {
    Table(String),
    Json(Value),
}

/// How a run with real steps came from one whose steps may not be real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replay {
    /// It takes the same steps.
    Follows,
    /// It takes other steps, and shows the same.
    Another,
}

impl Replay {
    pub(super) fn name(self) -> &'static str {
        match self {
            Replay::Follows => "follows",
            Replay::Another => "another",
        }
    }
}

impl RenderedRun {
    /// `replay` says where the run is from if it confirms another one; `forgotten` is the system's
    /// [`ProgramSystem::FORGOTTEN`](selvedge_lang::ProgramSystem::FORGOTTEN).
    pub(super) fn new(
        run: &impl ToldRun,
        replay: Option<Replay>,
        forgotten: Option<&str>,
        format: Format,
    ) -> Result<RenderedRun, Failure> {
        let rendering = match format {
            Format::Text => Rendering::Table(table(run, forgotten)?),
            Format::Json => Rendering::Json(run_json(run)),
        };
        Ok(RenderedRun { replay, rendering })
    }

    /// The table; empty if the format is another one.
    pub(super) fn table(&self) -> &str {
        match &self.rendering {
            Rendering::Table(table) => table,
            Rendering::Json(_) => "",
        }
    }

    /// The run for programs; null if the format is another one.
    pub(super) fn json(&self) -> &Value {
        match &self.rendering {
            Rendering::Table(_) => &Value::Null,
            Rendering::Json(json) => json,
        }
    }

    /// The same, which is null from then on.
    pub(super) fn take_json(&mut self) -> Value {
        match &mut self.rendering {
            Rendering::Table(_) => Value::Null,
            Rendering::Json(json) => json.take(),
        }
    }
}

fn table(run: &impl ToldRun, forgotten: Option<&str>) -> io::Result<String> {
    let mut table = Vec::new();
    trace_table::write(run, LONG, forgotten, &mut table)?;
    if run.step_count() > LONG {
        // Without the initial state, and without the stuttering of a run that ends.
        let steps = run.step_count() - 1 - usize::from(run.ends());
        let steps = format_count(steps as u64, "step");
        writeln!(table, "    (shortened; --format json has the whole run, {steps})")?;
    }
    Ok(String::from_utf8_lossy(&table).into_owned())
}

/// A run for programs.
pub(super) fn run_json(run: &impl ToldRun) -> Value {
    let ends = run.ends();
    let steps = |numbers: Range<usize>| {
        Value::Array(numbers.map(|number| step_json(&run.step(number), ends)).collect())
    };
    let (start, count) = (run.cycle_start(), run.step_count());
    let phases = [("prefix", steps(0..start)), ("cycle", steps(start..count))];
    Value::Object(phases.map(|(name, steps)| (name.to_owned(), steps)).into_iter().collect())
}

/// A step of a run that ends, or goes on for ever.
fn step_json(step: &ShownStep, ends: bool) -> Value {
    let no_action = if ends { "stutter" } else { "" };
    let place = step.place.as_ref();
    json!({
        "process": step.process,
        "action": step.action.as_deref().unwrap_or(no_action),
        "line": place.and_then(|place| place.rsplit(':').next()?.parse::<usize>().ok()),
        "file": place.and_then(|place| place.rsplit_once(':')).map(|(file, _)| file),
        "state": values_json(step.state.iter().cloned()),
        "values": step.state.iter().map(|(name, value)| (name.clone(), value_json(value))).collect::<Map<_, _>>(),
    })
}

/// A value as JSON has it: a number, a truth value, `null`, or the text of anything else.
fn value_json(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        _ => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
    }
}

/// The values of a state, by name, as text.
pub(super) fn values_json(values: impl IntoIterator<Item = (String, String)>) -> Map<String, Value> {
    values.into_iter().map(|(name, value)| (name, Value::from(value))).collect()
}
