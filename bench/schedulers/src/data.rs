//! The counts of all measurements as text, one line for each program and variant: what is checked in, and
//! what `--check` compares with.

use crate::measure::{Counts, MARKS};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The counts of a program and a variant, for each seed. A variant without chance has one.
pub(crate) type Cell = Vec<Counts>;

/// The counts of all measurements.
#[derive(Default)]
pub(crate) struct Data {
    pub(crate) executions: u64,
    pub(crate) seeds: u64,
    cells: BTreeMap<(String, String), Cell>,
}

impl Data {
    pub(crate) fn new(executions: u64, seeds: u64) -> Data {
        Data { executions, seeds, cells: BTreeMap::new() }
    }

    pub(crate) fn cell(&self, program: &str, variant: &str) -> Option<&Cell> {
        self.cells.get(&(program.to_owned(), variant.to_owned()))
    }

    pub(crate) fn insert(&mut self, program: &str, variant: &str, cell: Cell) {
        self.cells.insert((program.to_owned(), variant.to_owned()), cell);
    }

    /// All lines. Each seed has the executions, the first failure, the first failed assertion, and the
    /// failing executions at each mark.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("executions {} seeds {}\n", self.executions, self.seeds);
        for ((program, variant), cell) in &self.cells {
            let _ = write!(text, "{program}\t{variant}");
            for counts in cell {
                let Counts { executions, first, first_assertion, failing } = counts;
                let _ = write!(text, "\t{executions} {first} {first_assertion}");
                failing.iter().for_each(|count| _ = write!(text, " {count}"));
            }
            text.push('\n');
        }
        text
    }

    pub(crate) fn parse(text: &str) -> Result<Data, String> {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap_or("").split(' ').collect();
        let &["executions", executions, "seeds", seeds] = &head[..] else {
            return Err("the first line is not `executions N seeds N`".to_owned());
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        let mut data = Data::new(number(executions)?, number(seeds)?);
        for line in lines {
            let mut parts = line.split('\t');
            let (Some(program), Some(variant)) = (parts.next(), parts.next()) else {
                return Err(format!("`{line}` has no program and variant"));
            };
            let cell = parts.map(|part| {
                let numbers = part.split(' ').map(number).collect::<Result<Vec<u64>, String>>()?;
                let failing = numbers.get(3..).and_then(|rest| <[u64; MARKS.len()]>::try_from(rest).ok());
                let failing =
                    failing.ok_or_else(|| format!("`{part}` does not have {} counts", MARKS.len()))?;
                Ok(Counts { executions: numbers[0], first: numbers[1], first_assertion: numbers[2], failing })
            });
            let cell = cell.collect::<Result<Cell, String>>()?;
            data.insert(program, variant, cell);
        }
        Ok(data)
    }
}
