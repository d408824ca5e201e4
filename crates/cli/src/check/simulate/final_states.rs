//! The distinct states in which the runs of `--simulate systematic` end, and whether all runs were made.

use crate::check::rendered_run::values_json;
use crate::check::trace_table::FORGOTTEN_LEGEND;
use crate::failure::Failure;
use crate::phrases::format_count;
use selvedge_lang::ProgramSystem;
use selvedge_model::{Simulation, System, Word};
use serde_json::{Value, json};
use std::io::Write;

/// The text lists at most so many final states of a kind.
const MAX_LISTED: usize = 16;

/// The end of the summary: which runs were cut off, and whether the runs are all there are.
pub(super) fn describe_completeness<A>(simulation: &Simulation<A>) -> String {
    let mut text = String::new();
    if simulation.idle > 0 {
        text += &format!("; {} came to where nothing changes", simulation.idle);
    }
    if simulation.cut > 0 {
        text += &format!("; {} cut off", simulation.cut);
    }
    text + if simulation.is_complete() {
        "; complete"
    } else {
        "; not complete: there are more runs, or longer ones"
    }
}

/// Writes the final states, grouped by kind.
pub(super) fn write<S: ProgramSystem>(
    system: &S,
    simulation: &Simulation<S::Action>,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let mut has_forgotten = false;
    for (kind, name) in [(Kind::Finished, "finished"), (Kind::Idle, "idle"), (Kind::Deadlock, "deadlocked")] {
        let states: Vec<&[Word]> =
            simulation.ends.iter().filter(|state| Kind::of(system, state) == kind).collect();
        if states.is_empty() {
            continue;
        }
        writeln!(output, "\n{} {name}:", format_count(states.len() as u64, "distinct end"))?;
        for state in states.iter().take(MAX_LISTED) {
            let values = system.show(state);
            has_forgotten |= values.iter().any(|(_, value)| Some(value.as_str()) == S::FORGOTTEN);
            let values: Vec<String> =
                values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            writeln!(output, "    {}", values.join(", "))?;
        }
        if let Some(more) = states.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
            writeln!(output, "    and {more} more; --format json lists all")?;
        }
    }
    if has_forgotten {
        writeln!(output, "    {FORGOTTEN_LEGEND}")?;
    }
    Ok(())
}

/// The final states as a list.
pub(super) fn json<S: System>(system: &S, simulation: &Simulation<S::Action>) -> Value {
    let end_json = |state: &[Word]| {
        let kind = match Kind::of(system, state) {
            Kind::Finished => "finished",
            Kind::Idle => "idle",
            Kind::Deadlock => "deadlock",
        };
        json!({"kind": kind, "state": values_json(system.show(state))})
    };
    simulation.ends.iter().map(end_json).collect()
}

/// How a run ends; errors are reported by themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Finished,
    /// A process waits as it is meant to.
    Idle,
    Deadlock,
}

impl Kind {
    fn of<S: System>(system: &S, state: &[Word]) -> Kind {
        match (system.is_end(state), system.is_idle(state)) {
            (true, true) => Kind::Idle,
            (true, false) => Kind::Finished,
            (false, _) => Kind::Deadlock,
        }
    }
}
