//! A trace as a table for people: step, thread, action, object, what was read or written, place.
//!
//! What was done between steps and matters stands between them, without a number.

use super::{Aside, Switch, Trace};
use crate::event::{Event, Kind};
use std::fmt;

/// A longer table is shown without its middle.
const MAX_ROWS: usize = 200;

const TITLES: [&str; COLUMNS] = ["step", "thread", "action", "object", "value", "at"];
const COLUMNS: usize = 6;

/// The column that is left out where it is empty.
const VALUE: usize = 4;

type Row = [String; COLUMNS];

/// A trace, to be printed as a table.
#[derive(Clone, Copy)]
pub struct Table<'a>(&'a Trace);

impl Trace {
    /// The steps as a table.
    pub fn table(&self) -> Table<'_> {
        Table(self)
    }

    /// The object of an event, or the thread that it is done to, in words.
    fn object_of(&self, event: &Event) -> String {
        let action = &event.action;
        let object = action.object.map(|object| self.object_name(object));
        let target = action.target.map(|target| format!("`{}`", self.thread_name(target)));
        let second = action.second.map(|object| format!("and {}", self.object_name(object)));
        let which = (action.kind == Kind::Choose).then(|| event.id.alternative.to_string());
        [object, target, second, which].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

impl Table<'_> {
    /// The rows, and before which of them the middle is left out.
    fn rows(self) -> (Vec<Row>, Option<usize>) {
        let trace = self.0;
        let count = trace.len();
        let is_shown =
            |index: usize| count <= MAX_ROWS || index < MAX_ROWS / 2 || index >= count - MAX_ROWS / 2;
        let mut rows = Vec::new();
        let mut gap = None;
        let mut is_named = false;
        for (index, step) in trace.steps().iter().enumerate() {
            is_named &= !self.push_asides(index, &mut rows);
            if !is_shown(index) {
                gap.get_or_insert(rows.len());
                continue;
            }
            let event = &step.event;
            // A name stands where a thread begins to run, or goes on after a commit; below it, its steps.
            let thread = match step.switch {
                Switch::Same if is_named => String::new(),
                _ => trace.thread_name(event.thread()),
            };
            is_named = step.switch != Switch::Commit;
            let failed = if event.effect.read_only { " (in vain)" } else { "" };
            let action = format!("{}{failed}", event.action.kind.text());
            let value = trace.values.get(index).cloned().unwrap_or_default();
            let object = trace.object_of(event);
            rows.push([index.to_string(), thread, action, object, value, event.site.to_string()]);
        }
        self.push_asides(count, &mut rows);
        (rows, gap)
    }

    /// What was done after so many steps had begun. Says whether there is anything.
    fn push_asides(self, steps: usize, rows: &mut Vec<Row>) -> bool {
        let trace = self.0;
        let before = rows.len();
        let row = |aside: &Aside| {
            let (thread, object) = (trace.thread_name(aside.thread), trace.object_name(aside.object));
            [String::new(), thread, aside.action.to_owned(), object, String::new(), aside.site.to_string()]
        };
        rows.extend(trace.asides.iter().filter(|aside| aside.after == steps).map(row));
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
    fn the_column_of_values_is_there_where_there_is_one() {
        let mut trace = trace(2);
        assert!(!trace.table().to_string().contains("value"));
        trace.values = vec![String::new(), "0 -> 1".to_owned()];
        let expected = "  step  thread    action  object      value   at\n  \
                        0     thread 0  load    atomic `x`          -\n  \
                        1     thread 1  load    atomic `x`  0 -> 1  -\n";
        assert_eq!(trace.table().to_string(), expected);
    }

    #[test]
    fn what_is_done_between_steps_stands_between_them() {
        let mut trace = trace(2);
        let aside = |after, action| Aside {
            after,
            thread: ThreadId(1),
            action,
            object: ObjectId::at(0),
            site: Site::Unknown,
        };
        trace.asides = vec![aside(0, "first"), aside(1, "middle"), aside(2, "last")];
        let table = trace.table().to_string();
        let actions: Vec<&str> = table
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().find(|word| word.len() > 3 && *word != "thread"))
            .collect();
        assert_eq!(actions, ["first", "load", "middle", "load", "last"], "{table}");
    }

    #[test]
    fn a_long_table_lacks_its_middle_and_says_so() {
        let table = trace(1000).table().to_string();
        assert_eq!(table.lines().count(), 1 + MAX_ROWS + 1);
        assert!(table.contains("\n  … 800 steps …\n"), "{table}");
        assert!(table.contains("\n  99 ") && !table.contains("\n  100 ") && table.contains("\n  900 "));
    }
}
