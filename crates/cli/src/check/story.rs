//! A counterexample as a story: who did what, on which line, and what changed.

use selvedge_lang::machine::FORGOTTEN;
use selvedge_ltl::{Letter, Prop};
use selvedge_model::{Counterexample, Step};
use selvedge_model::System;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Lines are at most so wide, where what they tell can be put on several.
const MAX_WIDTH: usize = 120;

/// A story that is told shortly has about so many rows, and at most so many more that print.
const MAX_ROWS: usize = 40;
const MAX_PRINTED: usize = 200;

/// Before a line, and between columns.
const MARGIN: &str = "    ";
const GAP: &str = "  ";

/// What is said below states that show [`FORGOTTEN`].
pub(super) const FORGOTTEN_MEANS: &str =
    "(`-` is a value that does not matter: nobody reads it before it is assigned; --exact keeps it)";

const TITLES: [&str; 6] = ["step", "process", "line", "does", "state", "true"];

/// What is told of one step: columns, each a list of things that may go on another line.
type Row = [Vec<String>; 6];

/// The propositions that are told, with their texts.
pub(super) type Atoms<'a> = [(Prop, &'a str)];

/// Writes the run as a table; `atoms` are the texts of the propositions, by number.
pub(super) fn write<S: System>(
    system: &S,
    run: &Counterexample<S::Action>,
    atoms: &[String],
    output: &mut dyn Write,
) -> io::Result<()> {
    let atoms: Vec<_> = (0..).map(Prop).zip(atoms.iter().map(String::as_str)).collect();
    write_rows(run, &rows(system, run, &atoms, &|_| true), output)
}

/// The same of a run that may be long, which is then told by its beginning, its end, and what it prints in between.
pub(super) fn write_shortly<S: System>(
    system: &S,
    run: &Counterexample<S::Action>,
    atoms: &Atoms<'_>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let count = run.prefix.len() + run.cycle.len();
    let printing: BTreeSet<usize> = (0..count)
        .filter(|_| count > MAX_ROWS)
        .filter(|number| printed(system, run, *number).is_some())
        .take(MAX_PRINTED)
        .collect();
    let is_told = |number: usize| {
        let is_marked = number == run.prefix.len() || printing.contains(&number);
        count <= MAX_ROWS || number < MAX_ROWS / 2 || number + MAX_ROWS / 2 >= count || is_marked
    };
    write_rows(run, &rows(system, run, atoms, &is_told), output)
}

/// Writes rows, each with its number in the run.
fn write_rows<A: Copy + Eq>(
    run: &Counterexample<A>,
    rows: &[(usize, Row)],
    output: &mut dyn Write,
) -> io::Result<()> {
    let wrapped = wrap(rows);
    let cycle_start = run.prefix.len();
    let widths: [usize; 6] = std::array::from_fn(|column| {
        let lines = wrapped.iter().flat_map(|row| &row[column]);
        lines.map(|line| line.chars().count()).chain([TITLES[column].len()]).max().unwrap_or(0)
    });
    let mut line = |cells: [&str; 6]| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(output, "{MARGIN}{}", cells.join(GAP).trim_end())
    };
    line(TITLES)?;
    let mut expected = 0;
    for ((number, _), row) in rows.iter().zip(&wrapped) {
        if *number > expected {
            let plural = if number - expected == 1 { "" } else { "s" };
            line([&format!("... {} step{plural}", number - expected), "", "", "", "", ""])?;
        }
        expected = number + 1;
        if *number == cycle_start {
            let text = if run.ends() { "the run ends here" } else { "and then, again and again:" };
            line([text, "", "", "", "", ""])?;
        }
        if *number < cycle_start || !run.ends() {
            let height = row.iter().map(Vec::len).max().unwrap_or(0);
            for part in 0..height {
                line(std::array::from_fn(|column| row[column].get(part).map_or("", String::as_str)))?;
            }
        }
    }
    let is_forgotten = |item: &String| item.ends_with(&format!(" = {FORGOTTEN}"));
    if rows.iter().any(|(_, row)| row[4].iter().any(is_forgotten)) {
        writeln!(output, "{MARGIN}{FORGOTTEN_MEANS}")?;
    }
    Ok(())
}

/// The rows that are told, with their numbers; what changed is what changed since the row before.
fn rows<S: System>(
    system: &S,
    run: &Counterexample<S::Action>,
    atoms: &Atoms<'_>,
    is_told: &dyn Fn(usize) -> bool,
) -> Vec<(usize, Row)> {
    let mut before: Vec<(String, String)> = Vec::new();
    let mut rows = Vec::new();
    let steps = run.prefix.iter().chain(&run.cycle).enumerate();
    for (number, step) in steps.filter(|(number, _)| is_told(*number)) {
        let now = system.show(&step.state);
        let changed = now.iter().filter(|value| !before.contains(value));
        let process = step.action.map(|action| system.process_name(system.process(action)));
        let line = step.action.and_then(|action| system.source_line(action));
        let values = printed(system, run, number).filter(|values| !values.is_empty());
        let cells = [
            vec![number.to_string()],
            process.into_iter().collect(),
            line.iter().map(usize::to_string).collect(),
            vec![does(system, step) + &values.map_or(String::new(), |values| format!(": {values}"))],
            changed.map(|(name, value)| format!("{name} = {value}")).collect(),
            holding(system.label(&step.state), atoms),
        ];
        rows.push((number, cells));
        before = now;
    }
    rows
}

/// What the step of this number prints, if it is one that prints.
fn printed<S: System>(system: &S, run: &Counterexample<S::Action>, number: usize) -> Option<String> {
    let step = |number: usize| match number.checked_sub(run.prefix.len()) {
        None => &run.prefix[number],
        Some(number) => &run.cycle[number],
    };
    system.printed(&step(number.checked_sub(1)?).state, step(number).action?)
}

/// The rows with the lists in the place of their columns broken into lines, so that all fits into [`MAX_WIDTH`] if it can.
///
/// The last two columns share what the others leave; one that needs less than half leaves the rest to the other.
fn wrap(rows: &[(usize, Row)]) -> Vec<Row> {
    let width = |column: usize| {
        let cells = rows.iter().map(|(_, row)| row[column].join(", ").chars().count());
        cells.chain([TITLES[column].len()]).max().unwrap_or(0)
    };
    let fixed = MARGIN.len() + (0..4).map(|column| width(column) + GAP.len()).sum::<usize>();
    let room = MAX_WIDTH.saturating_sub(fixed + GAP.len());
    let half = room / 2;
    let of_state = width(4).min(room.saturating_sub(width(5).min(half)));
    let of_true = width(5).min(room.saturating_sub(of_state));
    let broken = |row: &Row| {
        let mut row = row.clone();
        for (column, most) in [(4, of_state), (5, of_true)] {
            row[column] = lines(&row[column], most);
        }
        row
    };
    rows.iter().map(|(_, row)| broken(row)).collect()
}

/// The list with commas, in lines of at most this width, or of one item that is wider.
fn lines(items: &[String], most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let item = if index + 1 < items.len() { format!("{item},") } else { item.clone() };
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + item.chars().count() <= most => {
                line.push(' ');
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
    lines
}

/// What a step does, in words.
fn does<S: System>(system: &S, step: &Step<S::Action>) -> String {
    step.action.map_or("starts".to_owned(), |action| system.describe(action))
}

/// What keeps a run that is stuck from going on.
pub(super) fn deadlock<S: System>(system: &S, run: &Counterexample<S::Action>) -> String {
    let waiting = run.prefix.last().map_or(Vec::new(), |step| system.waiting(&step.state));
    let waits = waiting.into_iter().map(|(name, what)| format!("{name} waits for {what}"));
    format!("deadlock: {}", waits.collect::<Vec<_>>().join("; "))
}

/// The propositions that hold, and with `?` those of which it is not known.
fn holding(letter: Letter, atoms: &Atoms<'_>) -> Vec<String> {
    let texts = atoms.iter().filter_map(|(prop, atom)| match letter.value(*prop) {
        Some(true) => Some((*atom).to_owned()),
        Some(false) => None,
        None => Some(format!("{atom}?")),
    });
    texts.collect()
}
