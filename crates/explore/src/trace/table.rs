//! A trace as a table: step, thread, action, object, value read or written, place in the source.
//!
//! The accesses of a data race are rows without a step number, between the steps. Rows that repeat are
//! folded ([`fold`]).

use super::fold::{Fold, fold};
use super::{RacingAccess, Switch, Trace};
use crate::event::{Event, Kind};
use std::fmt;

/// The greatest number of rows in a table. A longer table leaves out its middle.
const MAX_ROWS: usize = 200;

const TITLES: [&str; COLUMNS] = ["step", "thread", "action", "object", "value", "at"];
const COLUMNS: usize = 6;

/// The column that is left out if it is empty.
const VALUE: usize = 4;

type Row = [String; COLUMNS];

/// Displays a trace as a table.
#[derive(Clone, Copy)]
pub struct Table<'a>(&'a Trace);

impl Trace {
    /// The steps as a table.
    pub fn table(&self) -> Table<'_> {
        Table(self)
    }

    /// The text of the object column: objects, target thread, alternative.
    fn object_text(&self, event: &Event) -> String {
        let action = &event.action;
        let object = action.object.map(|object| self.object_name(object));
        let target = action.target.map(|target| format!("`{}`", self.thread_name(target)));
        let second = action.second.map(|object| format!("and {}", self.object_name(object)));
        let alternative = (action.kind == Kind::Choose).then(|| event.id.alternative.to_string());
        [object, target, second, alternative].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// A line of a table.
enum Line {
    Row(Row),
    /// Words in place of steps.
    Words(String),
}

impl Table<'_> {
    fn lines(self) -> Vec<Line> {
        let trace = self.0;
        let folds = fold(trace);
        let count = folds.len();
        let middle = if count <= MAX_ROWS { 0..0 } else { MAX_ROWS / 2..count - MAX_ROWS / 2 };
        let mut lines = Vec::new();
        let mut has_name_above = false;
        for (index, fold) in folds.iter().enumerate() {
            for step in fold.steps() {
                has_name_above &= !self.push_racing_accesses(step, &mut lines);
            }
            if index == middle.start && !middle.is_empty() {
                let left_out = folds[middle.end - 1].steps().end - fold.steps().start;
                lines.push(Line::Words(format!("… {left_out} steps …")));
            }
            if middle.contains(&index) {
                has_name_above = false;
                continue;
            }
            match fold {
                Fold::Row(steps) => {
                    lines.push(Line::Row(self.row(steps.clone(), has_name_above)));
                    has_name_above = trace.steps()[steps.start].switch != Switch::Commit;
                }
                Fold::Repetition { rows, times, steps } => {
                    let what = if *rows == 1 { "row".to_owned() } else { format!("{rows} rows") };
                    let numbers = format!("steps {} to {}", steps.start, steps.end - 1);
                    lines.push(Line::Words(format!("… the {what} above, {times} more times ({numbers}) …")));
                    has_name_above = false;
                }
            }
        }
        self.push_racing_accesses(trace.len(), &mut lines);
        lines
    }

    /// The row of a step, or of a store and its commit.
    fn row(self, steps: std::ops::Range<usize>, has_name_above: bool) -> Row {
        let (trace, first) = (self.0, steps.start);
        let step = &trace.steps()[first];
        let event = &step.event;
        // The thread's name is shown after a context switch and after a commit, not at each step.
        let thread = match step.switch {
            Switch::Same if has_name_above => String::new(),
            _ => trace.thread_name(event.thread()),
        };
        let (number, and) = match steps.len() {
            1 => (first.to_string(), ""),
            _ => (format!("{first}-{}", steps.end - 1), ", commit"),
        };
        let failed = if event.effect.read_only { " (in vain)" } else { "" };
        let action = format!("{}{failed}{and}", event.action.kind.text());
        let value = trace.values.get(first).cloned().unwrap_or_default();
        [number, thread, action, trace.object_text(event), value, event.site.to_string()]
    }

    /// Adds the racing accesses after so many steps. Returns whether there are any.
    fn push_racing_accesses(self, steps: usize, lines: &mut Vec<Line>) -> bool {
        let trace = self.0;
        let before = lines.len();
        let row = |access: &RacingAccess| {
            let (thread, object) = (trace.thread_name(access.thread), trace.object_name(access.object));
            let (action, site) = (access.action.to_owned(), access.site.to_string());
            Line::Row([String::new(), thread, action, object, String::new(), site])
        };
        lines.extend(trace.racing_accesses.iter().filter(|access| access.after == steps).map(row));
        lines.len() > before
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let rows =
            || lines.iter().filter_map(|line| if let Line::Row(row) = line { Some(row) } else { None });
        let width = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<(usize, usize)> = (0..COLUMNS)
            .map(|column| (column, width(column)))
            .filter(|(column, width)| *column != VALUE || *width > 0)
            .map(|(column, width)| (column, width.max(TITLES[column].len())))
            .collect();
        let text = |row: &Row| {
            let cells = widths.iter().map(|&(column, width)| format!("{:width$}", row[column]));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        writeln!(f, "  {}", text(&TITLES.map(str::to_owned)))?;
        for line in &lines {
            match line {
                Line::Row(row) => writeln!(f, "  {}", text(row))?,
                Line::Words(words) => writeln!(f, "  {words}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Action, Site};
    use crate::ids::{EventId, ObjectId, ThreadId};

    fn trace(steps: usize) -> Trace {
        let mut trace = Trace { objects: vec!["atomic `x`".to_owned()], ..Trace::default() };
        for step in 0..steps {
            let thread = ThreadId((step % 2) as u32);
            let (id, action) = (EventId { thread, alternative: 0 }, Action::on(Kind::Load, ObjectId::at(0)));
            trace.push(Event::pending(id, action, Site::Unknown), Switch::Preempt);
        }
        trace
    }

    #[test]
    fn the_value_column_is_shown_if_a_step_has_a_value() {
        let mut trace = trace(2);
        assert!(!trace.table().to_string().contains("value"));
        trace.values = vec![String::new(), "0 -> 1".to_owned()];
        let expected = "  step  thread    action  object      value   at\n  \
                        0     thread 0  load    atomic `x`          -\n  \
                        1     thread 1  load    atomic `x`  0 -> 1  -\n";
        assert_eq!(trace.table().to_string(), expected);
    }

    #[test]
    fn racing_accesses_are_shown_between_steps() {
        let mut trace = trace(2);
        let access = |after, action| RacingAccess {
            after,
            thread: ThreadId(1),
            action,
            object: ObjectId::at(0),
            site: Site::Unknown,
        };
        trace.racing_accesses = vec![access(0, "first"), access(1, "middle"), access(2, "last")];
        let table = trace.table().to_string();
        let actions: Vec<&str> = table
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().find(|word| word.len() > 3 && *word != "thread"))
            .collect();
        assert_eq!(actions, ["first", "load", "middle", "load", "last"], "{table}");
    }

    #[test]
    fn steps_that_repeat_are_shown_once() {
        let expected = "  step  thread    action  object      at\n  \
                        0     thread 0  load    atomic `x`  -\n  \
                        1     thread 1  load    atomic `x`  -\n  \
                        … the 2 rows above, 4 more times (steps 2 to 9) …\n";
        assert_eq!(trace(10).table().to_string(), expected);
    }

    #[test]
    fn a_long_table_says_how_many_steps_of_its_middle_are_left_out() {
        let mut trace = trace(1000);
        trace.values = (0..1000).map(|value| value.to_string()).collect();
        let table = trace.table().to_string();
        assert_eq!(table.lines().count(), 1 + MAX_ROWS + 1);
        assert!(table.contains("\n  … 800 steps …\n"), "{table}");
        assert!(table.contains("\n  99 ") && !table.contains("\n  100 ") && table.contains("\n  900 "));
    }
}
