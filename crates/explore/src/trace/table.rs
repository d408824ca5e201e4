//! A trace as a table for people: step, thread, action, object, place.

use super::{Switch, Trace};
use crate::event::{Event, Kind};
use std::fmt;

/// A longer table is shown without its middle.
const MAX_ROWS: usize = 200;

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

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace = self.0;
        let count = trace.len();
        let is_shown =
            |index: usize| count <= MAX_ROWS || index < MAX_ROWS / 2 || index >= count - MAX_ROWS / 2;
        let mut rows = vec![["step", "thread", "action", "object", "at"].map(str::to_owned)];
        let mut gap = None;
        let mut is_named = false;
        for (index, step) in trace.steps().iter().enumerate() {
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
            let failed = if event.action.only_looked { " (in vain)" } else { "" };
            let action = format!("{}{failed}", event.action.kind.text());
            rows.push([index.to_string(), thread, action, trace.object_of(event), event.site.to_string()]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..5).map(width).collect();
        for (number, row) in rows.iter().enumerate() {
            if gap == Some(number) {
                writeln!(f, "  … {} steps …", count - MAX_ROWS)?;
            }
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            writeln!(f, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}
