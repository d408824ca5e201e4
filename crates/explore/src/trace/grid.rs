//! Rows in columns, with lines of words between them.

use std::fmt;
use std::ops::Range;

/// The greatest number of rows in a table. A longer table leaves out its middle.
pub(super) const MAX_ROWS: usize = 200;

/// The rows in the middle of a table of so many rows that are left out.
pub(super) fn left_out_rows(rows: usize) -> Range<usize> {
    if rows <= MAX_ROWS { 0..0 } else { MAX_ROWS / 2..rows - MAX_ROWS / 2 }
}

/// Displays rows in columns, below their titles.
pub(super) struct Grid<const COLUMNS: usize> {
    titles: [&'static str; COLUMNS],
    /// The columns that are left out if they are empty.
    optional: &'static [usize],
    lines: Vec<Line<COLUMNS>>,
}

enum Line<const COLUMNS: usize> {
    Row([String; COLUMNS]),
    Words(String),
}

impl<const COLUMNS: usize> Grid<COLUMNS> {
    pub(super) fn new(titles: [&'static str; COLUMNS], optional: &'static [usize]) -> Grid<COLUMNS> {
        Grid { titles, optional, lines: Vec::new() }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, row: [String; COLUMNS]) {
        self.lines.push(Line::Row(row));
    }

    /// Adds a line of words.
    pub(super) fn words(&mut self, words: String) {
        self.lines.push(Line::Words(words));
    }

    /// The columns that are shown, each with its width.
    fn columns(&self) -> Vec<(usize, usize)> {
        let rows = || {
            self.lines.iter().filter_map(|line| match line {
                Line::Row(row) => Some(row),
                Line::Words(_) => None,
            })
        };
        let width = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
        (0..COLUMNS)
            .map(|column| (column, width(column)))
            .filter(|(column, width)| *width > 0 || !self.optional.contains(column))
            .map(|(column, width)| (column, width.max(self.titles[column].len())))
            .collect()
    }
}

impl<const COLUMNS: usize> fmt::Display for Grid<COLUMNS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns();
        let text = |row: &[String; COLUMNS]| {
            let cells = columns.iter().map(|&(column, width)| format!("{:width$}", row[column]));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        writeln!(f, "  {}", text(&self.titles.map(str::to_owned)))?;
        self.lines.iter().try_for_each(|line| match line {
            Line::Row(row) => writeln!(f, "  {}", text(row)),
            Line::Words(words) => writeln!(f, "  {words}"),
        })
    }
}
