//! A counterexample as a story: who did what, on which line, and what changed.

use selvedge_ltl::Letter;
use selvedge_model::counterexample::{Counterexample, Step};
use selvedge_model::system::System;
use std::io::{self, Write};

/// Writes the run as a table; `atoms` are the texts of the propositions, by number.
pub(super) fn write<S: System>(
    system: &S,
    run: &Counterexample<S::Action>,
    atoms: &[String],
    output: &mut dyn Write,
) -> io::Result<()> {
    let rows = rows(system, run, atoms);
    let cycle_start = run.prefix.len();
    let width = |column: usize, title: &str| {
        rows.iter().map(|row| row[column].chars().count()).chain([title.len()]).max().unwrap_or(0)
    };
    let titles = ["step", "process", "line", "does", "state", "true"];
    let widths: Vec<usize> = titles.iter().enumerate().map(|(column, title)| width(column, title)).collect();
    let mut line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(output, "    {}", cells.join("  ").trim_end())
    };
    line(&titles.map(str::to_owned))?;
    for (index, row) in rows.iter().enumerate() {
        if index == cycle_start {
            line(&[if run.ends() { "the run ends here" } else { "and then, again and again:" }.to_owned()])?;
        }
        if index < cycle_start || !run.ends() {
            line(row)?;
        }
    }
    Ok(())
}

fn rows<S: System>(system: &S, run: &Counterexample<S::Action>, atoms: &[String]) -> Vec<[String; 6]> {
    let mut before: Vec<(String, String)> = Vec::new();
    let mut rows = Vec::new();
    for (number, step) in run.prefix.iter().chain(&run.cycle).enumerate() {
        let now = system.show(&step.state);
        let changed = now.iter().filter(|value| !before.contains(value));
        let changes: Vec<String> = changed.map(|(name, value)| format!("{name} = {value}")).collect();
        rows.push([
            number.to_string(),
            step.action.map_or(String::new(), |action| system.process_name(system.process(action))),
            step.action
                .and_then(|action| system.source_line(action))
                .map_or(String::new(), |l| l.to_string()),
            does(system, step),
            changes.join(", "),
            holding(system.label(&step.state), atoms),
        ]);
        before = now;
    }
    rows
}

/// What a step does, in words.
pub(super) fn does<S: System>(system: &S, step: &Step<S::Action>) -> String {
    step.action.map_or("starts".to_owned(), |action| system.describe(action))
}

/// The propositions that hold, and with `?` those of which it is not known.
fn holding(letter: Letter, atoms: &[String]) -> String {
    let texts = atoms.iter().enumerate().filter_map(|(index, atom)| {
        match letter.value(selvedge_ltl::Prop(index as u8)) {
            Some(true) => Some(atom.clone()),
            Some(false) => None,
            None => Some(format!("{atom}?")),
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}
