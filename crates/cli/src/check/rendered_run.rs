//! A run in the format of the command: a table, or JSON.
//!
//! Only that format is made, and only the steps that it tells, for a run may have millions.

use super::arguments::Format;
use super::trace_table;
use crate::failure::Failure;
use crate::phrases::format_count;
use selvedge_lang::{ProgramSystem, ShownRun, ShownStep};
use selvedge_ltl::Prop;
use selvedge_model::Counterexample;
use serde_json::{Map, Value, json};
use std::io::Write;

/// A table of more steps than this is shortened.
const LONG: usize = 2000;

/// A run, ready to be printed.
pub(super) struct RenderedRun {
    pub(super) replay: Option<Replay>,
    told: ToldRun,
}

enum ToldRun {
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
    /// A run of the system; `propositions` are the texts of the propositions, by number.
    pub(super) fn new<S: ProgramSystem>(
        system: &S,
        run: &Counterexample<S::Action>,
        propositions: &[String],
        format: Format,
    ) -> Result<RenderedRun, Failure> {
        let propositions: Vec<_> = (0..).map(Prop).zip(propositions.iter().map(String::as_str)).collect();
        let count = run.prefix.len() + run.cycle.len();
        let ends = matches!(run.cycle.as_slice(), [step] if step.action.is_none());
        let told = match format {
            Format::Text => {
                let mut table = Vec::new();
                trace_table::write_shortened(system, run, &propositions, LONG, &mut table)?;
                if count > LONG {
                    // Without the initial state, and without the stuttering of a run that ends.
                    let steps = format_count(count as u64 - 1 - u64::from(ends), "step");
                    writeln!(table, "    (shortened; --format json has the whole run, {steps})")?;
                }
                ToldRun::Table(String::from_utf8_lossy(&table).into_owned())
            }
            Format::Json => {
                let json = |number| step_json(&ShownStep::new(system, run, number, &propositions), ends);
                let prefix = (0..run.prefix.len()).map(json).collect();
                ToldRun::Json(phases_json(prefix, (run.prefix.len()..count).map(json).collect()))
            }
        };
        Ok(RenderedRun { replay: None, told })
    }

    /// A run that another system has shown; `forgotten` is the system's [`ProgramSystem::FORGOTTEN`].
    pub(super) fn of_shown(
        run: &ShownRun,
        replay: Replay,
        forgotten: Option<&str>,
        format: Format,
    ) -> Result<RenderedRun, Failure> {
        let told = match format {
            Format::Text => {
                let mut table = Vec::new();
                trace_table::write(run, forgotten, &mut table)?;
                ToldRun::Table(String::from_utf8_lossy(&table).into_owned())
            }
            Format::Json => ToldRun::Json(run_json(run)),
        };
        Ok(RenderedRun { replay: Some(replay), told })
    }

    /// The table; empty if the format is another one.
    pub(super) fn table(&self) -> &str {
        match &self.told {
            ToldRun::Table(table) => table,
            ToldRun::Json(_) => "",
        }
    }

    /// The run for programs; null if the format is another one.
    pub(super) fn json(&self) -> &Value {
        match &self.told {
            ToldRun::Table(_) => &Value::Null,
            ToldRun::Json(json) => json,
        }
    }

    /// The same, which is null from then on.
    pub(super) fn take_json(&mut self) -> Value {
        match &mut self.told {
            ToldRun::Table(_) => Value::Null,
            ToldRun::Json(json) => json.take(),
        }
    }
}

/// A run for programs.
pub(super) fn run_json(run: &ShownRun) -> Value {
    let steps = |steps: &[ShownStep]| steps.iter().map(|step| step_json(step, run.ends())).collect();
    phases_json(steps(&run.prefix), steps(&run.cycle))
}

fn phases_json(prefix: Vec<Value>, cycle: Vec<Value>) -> Value {
    let phases = [("prefix", prefix), ("cycle", cycle)];
    Value::Object(phases.map(|(name, steps)| (name.to_owned(), Value::Array(steps))).into_iter().collect())
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
