//! Figures over all programs: medians, geometric means, bugs found.

use crate::data::{Cell, Data};
use crate::measure::{Counts, MARKS};
use crate::variants::{self, MIXED, OF_THESIS, RANDOM};
use sctbench::{Program, held_out};
use std::fmt::Write;

/// The median of the first failing executions; the number of executions stands for none.
pub(crate) fn median_first(cell: &Cell, executions: u64) -> f64 {
    let mut firsts: Vec<u64> = cell.iter().map(|counts| first(counts.first, executions)).collect();
    firsts.sort_unstable();
    let middle = firsts.len() / 2;
    match firsts.len() % 2 {
        _ if firsts.is_empty() => executions as f64,
        0 => (firsts[middle - 1] + firsts[middle]) as f64 / 2.0,
        _ => firsts[middle] as f64,
    }
}

/// The geometric mean of the first failing executions.
fn mean_first(cell: &Cell, executions: u64) -> f64 {
    let logs: f64 = cell.iter().map(|counts| (first(counts.first, executions) as f64).ln()).sum();
    (logs / cell.len().max(1) as f64).exp()
}

fn first(first: u64, executions: u64) -> u64 {
    if first == 0 { executions } else { first }
}

/// In how many seeds the bug is found, of how many.
pub(crate) fn found(cell: &Cell) -> (usize, usize) {
    (cell.iter().filter(|counts| counts.first > 0).count(), cell.len())
}

/// The mean number of programs of SCTBench whose bug is found within so many executions of every program,
/// over seeds; `None` if a program is not measured.
pub(crate) fn bugs_after(data: &Data, variant: &str, executions: u64) -> Option<f64> {
    let mut sum = 0.0;
    for program in &sctbench::ALL {
        let cell = data.cell(program.name, variant)?;
        let is_found = |counts: &&Counts| (1..=executions).contains(&counts.first);
        sum += cell.iter().filter(is_found).count() as f64 / cell.len().max(1) as f64;
    }
    Some(sum)
}

/// Executions of every program for each failing execution of any, up to the mark of this number (Table 8,
/// any bug).
pub(crate) fn executions_per_failure(data: &Data, variant: &str, mark: usize) -> Option<f64> {
    let cells = sctbench::ALL.iter().map(|program| data.cell(program.name, variant));
    let cells = cells.collect::<Option<Vec<&Cell>>>()?;
    let failing: u64 = cells.iter().flat_map(|cell| cell.iter()).map(|counts| counts.failing[mark]).sum();
    let seeds = cells.iter().map(|cell| cell.len()).max()?;
    (failing > 0).then(|| MARKS[mark].min(data.executions) as f64 * seeds as f64 / failing as f64)
}

/// The programs that random does not find within ten executions (median), of these programs.
pub(crate) fn harder(data: &Data, programs: &[Program]) -> Vec<Program> {
    let is_harder = |program: &&Program| {
        data.cell(program.name, RANDOM).is_some_and(|cell| median_first(cell, data.executions) > 10.0)
    };
    programs.iter().filter(is_harder).copied().collect()
}

/// The geometric mean, over programs and seeds, of executions to the first failure.
pub(crate) fn geometric_mean(data: &Data, programs: &[Program], variant: &str) -> Option<f64> {
    let means = programs
        .iter()
        .map(|program| data.cell(program.name, variant).map(|cell| mean_first(cell, data.executions).ln()));
    let logs = means.collect::<Option<Vec<f64>>>()?;
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// A program on which the mixture is behind the best of the thesis's variants, and by how much.
pub(crate) fn behind(data: &Data, program: &Program) -> Option<(f64, &'static str)> {
    let own = mean_first(data.cell(program.name, MIXED)?, data.executions);
    let of_thesis = variants::ALL[..OF_THESIS].iter().filter_map(|variant| {
        data.cell(program.name, variant.name)
            .map(|cell| (own / mean_first(cell, data.executions), variant.name))
    });
    of_thesis.max_by(|one, other| one.0.total_cmp(&other.0))
}

/// Programs that some variant of the thesis finds in half of the seeds, and the mixture in fewer than nine
/// tenths.
pub(crate) fn missed(data: &Data) -> Vec<&'static str> {
    let share = |program: &Program, variant: &str| {
        data.cell(program.name, variant)
            .map_or(0.0, |cell| found(cell).0 as f64 / found(cell).1.max(1) as f64)
    };
    let is_missed = |program: &&Program| {
        let best = variants::ALL[..OF_THESIS].iter().map(|variant| share(program, variant.name));
        best.fold(0.0, f64::max) >= 0.5 && share(program, MIXED) < 0.9
    };
    sctbench::ALL.iter().filter(is_missed).map(|program| program.name).collect()
}

/// The figures by which the mixture is judged, as lines of a table.
pub(crate) fn text(data: &Data) -> String {
    let harder_ones = harder(data, &sctbench::ALL);
    let mut text = String::new();
    let row = |name: &str| {
        let mean = |programs: &[Program]| {
            geometric_mean(data, programs, name).map_or("-".to_owned(), |mean| format!("{mean:.1}"))
        };
        format!("| {name} | {} | {} | {} |\n", mean(&sctbench::ALL), mean(&harder_ones), mean(&held_out::ALL))
    };
    let _ = writeln!(
        text,
        "| variant | all 49 | the {} that random does not find within ten | {} held out |\n|---|---|---|---|",
        harder_ones.len(),
        held_out::ALL.len()
    );
    text.extend(variants::ALL.iter().map(|variant| row(variant.name)));
    text
}
