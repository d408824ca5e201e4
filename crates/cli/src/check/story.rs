//! A counterexample as a story: who did what, on which line, and what changed.

use selvedge_ltl::Letter;
use selvedge_model::counterexample::{Counterexample, Step};
use selvedge_model::system::System;
use std::io::{self, Write};

/// Lines are at most so wide, where what they tell can be put on several.
const MAX_WIDTH: usize = 120;

/// Before a line, and between columns.
const MARGIN: &str = "    ";
const GAP: &str = "  ";

const TITLES: [&str; 6] = ["step", "process", "line", "does", "state", "true"];

/// What is told of one step: columns, each a list of things that may go on another line.
type Row = [Vec<String>; 6];

/// Writes the run as a table; `atoms` are the texts of the propositions, by number; those without text are not
/// told.
pub(super) fn write<S: System>(
    system: &S,
    run: &Counterexample<S::Action>,
    atoms: &[String],
    output: &mut dyn Write,
) -> io::Result<()> {
    let rows = rows(system, run, atoms);
    let wrapped = wrap(&rows);
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
    for (index, row) in wrapped.iter().enumerate() {
        if index == cycle_start {
            let text = if run.ends() { "the run ends here" } else { "and then, again and again:" };
            line([text, "", "", "", "", ""])?;
        }
        if index < cycle_start || !run.ends() {
            let height = row.iter().map(Vec::len).max().unwrap_or(0);
            for part in 0..height {
                line(std::array::from_fn(|column| row[column].get(part).map_or("", String::as_str)))?;
            }
        }
    }
    Ok(())
}

fn rows<S: System>(system: &S, run: &Counterexample<S::Action>, atoms: &[String]) -> Vec<Row> {
    let mut before: Vec<(String, String)> = Vec::new();
    let mut rows = Vec::new();
    for (number, step) in run.prefix.iter().chain(&run.cycle).enumerate() {
        let now = system.show(&step.state);
        let changed = now.iter().filter(|value| !before.contains(value));
        let process = step.action.map(|action| system.process_name(system.process(action)));
        let line = step.action.and_then(|action| system.source_line(action));
        rows.push([
            vec![number.to_string()],
            process.into_iter().collect(),
            line.iter().map(usize::to_string).collect(),
            vec![does(system, step)],
            changed.map(|(name, value)| format!("{name} = {value}")).collect(),
            holding(system.label(&step.state), atoms),
        ]);
        before = now;
    }
    rows
}

/// The rows with the lists in the place of their columns broken into lines, so that all fits into [`MAX_WIDTH`] if it can.
///
/// The last two columns share what the others leave; one that needs less than half leaves the rest to the other.
fn wrap(rows: &[Row]) -> Vec<Row> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].join(", ").chars().count());
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
    rows.iter().map(broken).collect()
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
pub(super) fn does<S: System>(system: &S, step: &Step<S::Action>) -> String {
    step.action.map_or("starts".to_owned(), |action| system.describe(action))
}

/// The propositions that hold, and with `?` those of which it is not known.
fn holding(letter: Letter, atoms: &[String]) -> Vec<String> {
    let told = atoms.iter().enumerate().filter(|(_, atom)| !atom.is_empty());
    let texts = told.filter_map(|(index, atom)| match letter.value(selvedge_ltl::Prop(index as u8)) {
        Some(true) => Some(atom.clone()),
        Some(false) => None,
        None => Some(format!("{atom}?")),
    });
    texts.collect()
}
