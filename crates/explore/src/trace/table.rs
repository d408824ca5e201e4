//! A trace as a table: step, thread, action, object, value read or written, place in the source.
//!
//! The accesses of a data race are rows without a step number, between the steps.

use super::{RacingAccess, Switch, Trace};
use crate::event::{Event, Kind};
use std::fmt;

/// The greatest number of steps in a table. A longer table leaves out its middle.
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

impl Table<'_> {
    /// The rows, and the index of the row before which the middle is left out.
    fn rows(self) -> (Vec<Row>, Option<usize>) {
        let trace = self.0;
        let count = trace.len();
        let is_shown =
            |index: usize| count <= MAX_ROWS || index < MAX_ROWS / 2 || index >= count - MAX_ROWS / 2;
        let mut rows = Vec::new();
        let mut gap = None;
        let mut has_name_above = false;
        for (index, step) in trace.steps().iter().enumerate() {
            has_name_above &= !self.push_racing_accesses(index, &mut rows);
            if !is_shown(index) {
                gap.get_or_insert(rows.len());
                continue;
            }
            let event = &step.event;
            // The thread's name is shown after a context switch and after a commit, not at each step.
            let thread = match step.switch {
                Switch::Same if has_name_above => String::new(),
                _ => trace.thread_name(event.thread()),
            };
            has_name_above = step.switch != Switch::Commit;
            let failed = if event.effect.read_only { " (in vain)" } else { "" };
            let action = format!("{}{failed}", event.action.kind.text());
            let value = trace.values.get(index).cloned().unwrap_or_default();
            let object = trace.object_text(event);
            rows.push([index.to_string(), thread, action, object, value, event.site.to_string()]);
        }
        self.push_racing_accesses(count, &mut rows);
        (rows, gap)
    }

    /// Adds the racing accesses after so many steps. Returns whether there are any.
    fn push_racing_accesses(self, steps: usize, rows: &mut Vec<Row>) -> bool {
        let trace = self.0;
        let before = rows.len();
        let row = |access: &RacingAccess| {
            let (thread, object) = (trace.thread_name(access.thread), trace.object_name(access.object));
            [String::new(), thread, access.action.to_owned(), object, String::new(), access.site.to_string()]
        };
        rows.extend(trace.racing_accesses.iter().filter(|access| access.after == steps).map(row));
        rows.len() > before
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, gap) = self.rows();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<(usize, usize)> = (0..COLUMNS)
            .map(|column| (column, width(column)))
            .filter(|(column, width)| *column != VALUE || *width > 0)
            .map(|(column, width)| (column, width.max(TITLES[column].len())))
            .collect();
        let mut line = |row: &[String; COLUMNS]| {
            let cells = widths.iter().map(|&(column, width)| format!("{:width$}", row[column]));
            writeln!(f, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        line(&TITLES.map(str::to_owned))?;
        for (number, row) in rows.iter().enumerate() {
            if gap == Some(number) {
                let mut words = [const { String::new() }; COLUMNS];
                words[0] = format!("… {} steps …", self.0.len() - MAX_ROWS);
                line(&words)?;
            }
            line(row)?;
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
    fn a_long_table_says_how_many_steps_of_its_middle_are_left_out() {
        let table = trace(1000).table().to_string();
        assert_eq!(table.lines().count(), 1 + MAX_ROWS + 1);
        assert!(table.contains("\n  … 800 steps …\n"), "{table}");
        assert!(table.contains("\n  99 ") && !table.contains("\n  100 ") && table.contains("\n  900 "));
    }
}
