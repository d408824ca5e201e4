//! The progress of a discovery, on a terminal: the size, schemas, explorations and laws so far.

use super::law::Figures;
use super::limits::Limits;
use crate::explorer::{Progress as Line, ProgressDisplay, TestName};
use std::time::Duration;

/// Shows the progress of a discovery.
pub(crate) struct Progress {
    line: Option<Line>,
}

impl Progress {
    pub(crate) fn new(limits: &Limits, name: &TestName) -> Progress {
        let display = match limits.shows_progress {
            Some(true) => ProgressDisplay::Shown,
            Some(false) => ProgressDisplay::Hidden,
            None => ProgressDisplay::Automatic,
        };
        Progress { line: Line::new(name.text().clone(), display, None).filter(Line::is_wanted) }
    }

    pub(crate) fn show(&self, size: usize, figures: &Figures, laws: usize, elapsed: Duration) {
        if let Some(line) = &self.line {
            line.show_text(&text(size, figures, laws), elapsed);
        }
    }

    pub(crate) fn end(&self, size: usize, figures: &Figures, laws: usize) {
        if let Some(line) = &self.line {
            line.end(&text(size, figures, laws), figures.time);
        }
    }
}

fn text(size: usize, figures: &Figures, laws: usize) -> String {
    let Figures { schemas, explorations, runs, .. } = figures;
    format!("size {size}, {schemas} schemas, {explorations} explorations, {runs} runs, {laws} laws")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_what_was_done() {
        let figures = Figures { schemas: 20, explorations: 1200, runs: 4000, ..Figures::default() };
        let expected = "size 6, 20 schemas, 1200 explorations, 4000 runs, 8 laws";
        assert_eq!(text(6, &figures, 8), expected);
    }
}
