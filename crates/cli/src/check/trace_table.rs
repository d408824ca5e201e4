//! A run as a table: for each step the process, the source line, the action, the changed values and the true
//! propositions.

use super::told_run::ToldRun;
use crate::phrases::format_count;
use selvedge_lang::ShownStep;
use selvedge_model::{Counterexample, System};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Lines are at most this wide, unless a single item is wider.
const MAX_WIDTH: usize = 120;

/// A shortened table has about so many rows, and at most so many more of steps that print.
pub(super) const MAX_ROWS: usize = 40;
const MAX_PRINTING_ROWS: usize = 200;

/// Before a line, and between columns.
const MARGIN: &str = "    ";
const GAP: &str = "  ";

/// The legend below states that show [`ProgramSystem::FORGOTTEN`](selvedge_lang::ProgramSystem::FORGOTTEN).
pub(super) const FORGOTTEN_LEGEND: &str =
    "(`-` is a value that does not matter: no step reads it before it is assigned; --exact keeps it)";

const TITLES: [&str; 6] = ["step", "process", "line", "does", "state", "true"];

/// The cells of one step. Each cell is a list of items, which can be broken into lines.
type Row = [Vec<String>; 6];

/// Writes a run; of one with more steps than `most` the beginning, the end, where the cycle begins, and
/// steps in between that print. `forgotten` is the system's `FORGOTTEN`.
pub(super) fn write(
    run: &impl ToldRun,
    most: usize,
    forgotten: Option<&str>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let (count, cycle_start) = (run.step_count(), run.cycle_start());
    let printing: BTreeSet<usize> = (0..count)
        .filter(|_| count > most)
        .filter(|number| run.prints(*number))
        .take(MAX_PRINTING_ROWS)
        .collect();
    let is_shown = |number: usize| {
        let is_marked = number == cycle_start || printing.contains(&number);
        count <= most || number < MAX_ROWS / 2 || number + MAX_ROWS / 2 >= count || is_marked
    };
    let shown: Vec<(usize, ShownStep)> =
        (0..count).filter(|number| is_shown(*number)).map(|number| (number, run.step(number))).collect();
    Table { cycle_start, ends: run.ends(), forgotten }.write(&rows(&shown), output)
}

/// Describes what every waiting process of a deadlocked state waits for.
pub(super) fn describe_deadlock<S: System>(system: &S, run: &Counterexample<S::Action>) -> String {
    let waiting = run.prefix.last().map_or(Vec::new(), |step| system.waiting(&step.state));
    let waits = waiting.into_iter().map(|(name, what)| format!("{name} waits for {what}"));
    format!("deadlock: {}", waits.collect::<Vec<_>>().join("; "))
}

/// What the table of a run depends on beside its rows.
struct Table<'a> {
    /// The number of the cycle's first step.
    cycle_start: usize,
    /// Has the run ended?
    ends: bool,
    forgotten: Option<&'a str>,
}

impl Table<'_> {
    /// Writes rows, each with the number of its step.
    fn write(&self, rows: &[(usize, Row)], output: &mut dyn Write) -> io::Result<()> {
        let Table { cycle_start, ends, forgotten } = *self;
        let wrapped = wrap(rows);
        let widths: [usize; 6] = std::array::from_fn(|column| {
            let lines = wrapped.iter().flat_map(|row| &row[column]);
            lines.map(|line| line.chars().count()).chain([TITLES[column].len()]).max().unwrap_or(0)
        });
        let mut write_line = |cells: [&str; 6]| {
            let cells: Vec<String> =
                cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            writeln!(output, "{MARGIN}{}", cells.join(GAP).trim_end())
        };
        write_line(TITLES)?;
        let mut next_number = 0;
        for ((number, _), row) in rows.iter().zip(&wrapped) {
            if *number > next_number {
                let skipped = format_count((number - next_number) as u64, "step");
                write_line([&format!("... {skipped}"), "", "", "", "", ""])?;
            }
            next_number = number + 1;
            if *number == cycle_start {
                let text = if ends { "the run ends here" } else { "and then, again and again:" };
                write_line([text, "", "", "", "", ""])?;
            }
            if *number < cycle_start || !ends {
                let height = row.iter().map(Vec::len).max().unwrap_or(0);
                for part in 0..height {
                    write_line(std::array::from_fn(|column| {
                        row[column].get(part).map_or("", String::as_str)
                    }))?;
                }
            }
        }
        let is_forgotten =
            |item: &String| forgotten.is_some_and(|forgotten| item.ends_with(&format!(" = {forgotten}")));
        if rows.iter().any(|(_, row)| row[4].iter().any(is_forgotten)) {
            writeln!(output, "{MARGIN}{FORGOTTEN_LEGEND}")?;
        }
        Ok(())
    }
}

/// The rows of steps, with their numbers. A row's state has the values that changed since the row before.
fn rows(steps: &[(usize, ShownStep)]) -> Vec<(usize, Row)> {
    let mut before: &[(String, String)] = &[];
    let mut rows = Vec::new();
    for (number, step) in steps {
        let changed = step.state.iter().filter(|value| !before.contains(value));
        let cells = [
            vec![number.to_string()],
            step.process.iter().cloned().collect(),
            step.place.iter().cloned().collect(),
            vec![describe_action(step)],
            changed.map(|(name, value)| format!("{name} = {value}")).collect(),
            step.holding.clone(),
        ];
        rows.push((*number, cells));
        before = &step.state;
    }
    rows
}

/// What a step does, with the text that it prints.
fn describe_action(step: &ShownStep) -> String {
    let action = step.action.as_deref().unwrap_or("starts");
    match step.printed.as_deref() {
        None | Some("") => action.to_owned(),
        Some(printed) => format!("{action}: {printed}"),
    }
}

/// The rows with the lists of the last two columns broken into lines, so that lines fit into [`MAX_WIDTH`].
///
/// The two columns share the width that the others leave. A column that needs less than half of it leaves
/// the rest to the other.
fn wrap(rows: &[(usize, Row)]) -> Vec<Row> {
    let width = |column: usize| {
        let cells = rows.iter().map(|(_, row)| row[column].join(", ").chars().count());
        cells.chain([TITLES[column].len()]).max().unwrap_or(0)
    };
    let fixed = MARGIN.len() + (0..4).map(|column| width(column) + GAP.len()).sum::<usize>();
    let shared = MAX_WIDTH.saturating_sub(fixed + GAP.len());
    let of_state = width(4).min(shared.saturating_sub(width(5).min(shared / 2)));
    let of_true = width(5).min(shared.saturating_sub(of_state));
    let break_lists = |row: &Row| {
        let mut row = row.clone();
        for (column, most) in [(4, of_state), (5, of_true)] {
            row[column] = wrap_list(&row[column], most);
        }
        row
    };
    rows.iter().map(|(_, row)| break_lists(row)).collect()
}

/// The list with commas, in lines of at most this width, or of one item that is wider.
fn wrap_list(items: &[String], most: usize) -> Vec<String> {
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
