//! Where the runs of `--simulate systematic` end: the distinct states, and whether these are all.

use super::simulate::counted;
use super::story::FORGOTTEN_MEANS;
use crate::failure::Failure;
use selvedge_lang::ProgramSystem;
use selvedge_model::{Simulation, System, Word};
use serde_json::{Map, Value, json};
use std::io::Write;

/// No more ends of a kind are listed in a text.
const MAX_LISTED: usize = 16;

/// What is said of all runs, at the end of a line.
pub(super) fn completeness<A>(met: &Simulation<A>) -> String {
    let mut text = String::new();
    if met.idle > 0 {
        text += &format!("; {} came to where nothing changes", met.idle);
    }
    if met.cut > 0 {
        text += &format!("; {} cut off", met.cut);
    }
    text + if met.is_complete() {
        "; complete"
    } else {
        "; not complete: there are more runs, or longer ones"
    }
}

/// The ends, those of a kind together.
pub(super) fn write<S: ProgramSystem>(
    system: &S,
    met: &Simulation<S::Action>,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let mut is_forgotten = false;
    for (kind, what) in [(Kind::Finished, "finished"), (Kind::Deadlock, "deadlocked")] {
        let ends: Vec<&[Word]> = met.ends.iter().filter(|state| Kind::of(system, state) == kind).collect();
        if ends.is_empty() {
            continue;
        }
        writeln!(output, "\n{} {what}:", counted(ends.len() as u64, "distinct end"))?;
        for state in ends.iter().take(MAX_LISTED) {
            let shown = system.show(state);
            is_forgotten |= shown.iter().any(|(_, value)| Some(value.as_str()) == S::FORGOTTEN);
            let values: Vec<String> = shown.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            writeln!(output, "    {}", values.join(", "))?;
        }
        if let Some(more) = ends.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
            writeln!(output, "    and {more} more; --format json lists all")?;
        }
    }
    if is_forgotten {
        writeln!(output, "    {FORGOTTEN_MEANS}")?;
    }
    Ok(())
}

/// The ends as a list.
pub(super) fn json<S: System>(system: &S, met: &Simulation<S::Action>) -> Value {
    let end = |state: &[Word]| {
        let shown = system.show(state).into_iter().map(|(name, value)| (name, Value::from(value)));
        let kind = match Kind::of(system, state) {
            Kind::Finished => "finished",
            Kind::Deadlock => "deadlock",
        };
        json!({"kind": kind, "state": shown.collect::<Map<_, _>>()})
    };
    met.ends.iter().map(end).collect()
}

/// How a run ends; errors are told by themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Finished,
    Deadlock,
}

impl Kind {
    fn of<S: System>(system: &S, state: &[Word]) -> Kind {
        if system.is_end(state) { Kind::Finished } else { Kind::Deadlock }
    }
}
