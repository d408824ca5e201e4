//! A run as a table: step, thread, action, object, value read or written, place in the source.
//!
//! The accesses of a data race are rows without a step number, between the steps. Rows that repeat are
//! folded ([`fold`]). Below a step that violates a formula, a line says so. A path of states has a table of
//! its own: state, thread, changes, and what is left of the violated formula.
//!
//! Promise: the table of a trace is that of its recording, so a file has the table that was printed.

use super::fold::{Fold, fold};
use super::grid::{Grid, left_out_rows};
use super::recording::{RecordedAccess, RecordedState, RecordedStep, Recording, VerdictPlace};
use super::{Switch, Trace};
use crate::event::Kind;
use std::borrow::Cow;
use std::fmt;

const STEP_TITLES: [&str; 6] = ["step", "thread", "action", "object", "value", "at"];

/// The column of steps that is left out if it is empty.
const VALUE: usize = 4;

const STATE_TITLES: [&str; 4] = ["state", "thread", "changes", "left"];

/// The columns of states that are left out if they are empty.
const THREAD: usize = 1;
const LEFT: usize = 3;

/// Displays a run, or a path of states, as a table.
#[derive(Clone)]
pub struct Table<'a>(Cow<'a, Recording>);

impl Trace {
    /// The steps as a table.
    pub fn table(&self) -> Table<'static> {
        Table(Cow::Owned(self.recording(&[])))
    }
}

impl Recording {
    /// The steps, or the states of a path, as a table.
    pub fn table(&self) -> Table<'_> {
        Table(Cow::Borrowed(self))
    }

    /// The text of the object column: objects, target thread, alternative.
    fn object_text(&self, step: &RecordedStep) -> String {
        let action = &step.action;
        let object = action.object.map(|object| self.object_name(object));
        let target = action.target.map(|target| format!("`{}`", self.thread_name(target)));
        let second = action.second.map(|object| format!("and {}", self.object_name(object)));
        let alternative = (action.kind == Kind::Choose).then(|| step.id.alternative.to_string());
        [object, target, second, alternative].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Adds a line for each formula that is violated at a step or state.
    fn push_violated<const N: usize>(&self, number: u64, grid: &mut Grid<N>) -> bool {
        let violated: Vec<&str> = self.violated_at(number).map(|formula| formula.name.as_str()).collect();
        violated.iter().for_each(|name| grid.words(format!("^ violates `{name}`")));
        !violated.is_empty()
    }

    /// Adds a line for each formula that is violated because the last state stays for ever.
    fn push_violated_at_end<const N: usize>(&self, grid: &mut Grid<N>) {
        let is_at_end = |place| place == Some(VerdictPlace::End);
        for formula in self.formulas.iter().filter(|formula| is_at_end(formula.violated)) {
            grid.words(format!("the last state stays for ever, and violates `{}`", formula.name));
        }
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recording = &*self.0;
        // An empty run has a table without rows.
        if recording.states.is_empty() {
            write!(f, "{}", Steps { run: recording }.grid())
        } else {
            write!(f, "{}", state_grid(recording))
        }
    }
}

/// The steps of a run, as rows.
#[derive(Clone, Copy)]
struct Steps<'r> {
    run: &'r Recording,
}

impl Steps<'_> {
    fn grid(self) -> Grid<6> {
        let folds = fold(self.run);
        let left_out = left_out_rows(folds.len());
        let mut grid = Grid::new(STEP_TITLES, &[VALUE]);
        let mut has_name_above = false;
        for (index, fold) in folds.iter().enumerate() {
            for step in fold.steps() {
                has_name_above &= !self.push_accesses(step, &mut grid);
            }
            if index == left_out.start && !left_out.is_empty() {
                let steps = folds[left_out.end - 1].steps().end - fold.steps().start;
                grid.words(format!("… {steps} steps …"));
            }
            if left_out.contains(&index) {
                has_name_above = false;
                fold.steps().for_each(|step| _ = self.run.push_violated(step as u64, &mut grid));
                continue;
            }
            match fold {
                Fold::Row(steps) => {
                    grid.row(self.row(steps.clone(), has_name_above));
                    has_name_above = self.run.steps[steps.start].switch != Some(Switch::Commit);
                    let last = steps.end as u64 - 1;
                    has_name_above &= !self.run.push_violated(last, &mut grid);
                }
                Fold::Repetition { rows, times, steps } => {
                    let what = if *rows == 1 { "row".to_owned() } else { format!("{rows} rows") };
                    let numbers = format!("steps {} to {}", steps.start, steps.end - 1);
                    grid.words(format!("… the {what} above, {times} more times ({numbers}) …"));
                    has_name_above = false;
                }
            }
        }
        self.push_accesses(self.run.steps.len(), &mut grid);
        self.run.push_violated_at_end(&mut grid);
        grid
    }

    /// The row of a step, or of a store and its commit.
    fn row(self, steps: std::ops::Range<usize>, has_name_above: bool) -> [String; 6] {
        let (run, first) = (self.run, steps.start);
        let step = &run.steps[first];
        // The thread's name is shown after a context switch and after a commit, not at each step.
        let is_same = match step.switch {
            Some(switch) => switch == Switch::Same,
            // Older files do not have it.
            None => first > 0 && run.steps[first - 1].id.thread == step.id.thread,
        };
        let thread = if is_same && has_name_above { String::new() } else { run.thread_name(step.id.thread) };
        let (number, and) = match steps.len() {
            1 => (first.to_string(), ""),
            _ => (format!("{first}-{}", steps.end - 1), ", commit"),
        };
        let failed = if step.effect.read_only { " (in vain)" } else { "" };
        let action = format!("{}{failed}{and}", step.action.kind.text());
        [number, thread, action, run.object_text(step), step.value.clone(), step.site.clone()]
    }

    /// Adds the racing accesses after so many steps. Returns whether there are any.
    fn push_accesses(self, steps: usize, grid: &mut Grid<6>) -> bool {
        let accesses = &self.run.accesses;
        let first = accesses.partition_point(|access| access.after < steps);
        let here = accesses[first..].iter().take_while(|access| access.after == steps);
        let row = |access: &RecordedAccess| {
            let run = self.run;
            let (thread, object) = (run.thread_name(access.thread), run.object_name(access.object));
            let (action, site) = (access.action.clone(), access.site.clone());
            [String::new(), thread, action, object, String::new(), site]
        };
        let rows: Vec<[String; 6]> = here.map(row).collect();
        let has_accesses = !rows.is_empty();
        rows.into_iter().for_each(|row| grid.row(row));
        has_accesses
    }
}

/// The states of a path, as rows.
fn state_grid(path: &Recording) -> Grid<4> {
    let left_out = left_out_rows(path.states.len());
    let mut grid = Grid::new(STATE_TITLES, &[THREAD, LEFT]);
    for (index, state) in path.states.iter().enumerate() {
        if left_out.contains(&index) {
            if index == left_out.start {
                grid.words(format!("… {} states …", left_out.len()));
            }
        } else {
            grid.row(state_row(path, state));
        }
        path.push_violated(state.number, &mut grid);
    }
    path.push_violated_at_end(&mut grid);
    grid
}

fn state_row(path: &Recording, state: &RecordedState) -> [String; 4] {
    let thread = state.thread.map(|thread| path.thread_name(thread)).unwrap_or_default();
    let sign = |holds| if holds { '+' } else { '-' };
    let changes = state.changes.iter().map(|change| format!("{}{}", sign(change.holds), change.proposition));
    let changes = changes.collect::<Vec<_>>().join(" ");
    [state.number.to_string(), thread, changes, state.remainder.clone().unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::super::grid::MAX_ROWS;
    use super::*;
    use crate::event::{Action, Event, Site};
    use crate::ids::{EventId, ObjectId, ThreadId};
    use crate::trace::{PropositionChange, RacingAccess, RecordedFormula};

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

    #[test]
    fn the_step_that_violates_a_formula_is_marked() {
        let mut run = trace(2).recording(&[]);
        let formula = |name: &str, violated| RecordedFormula {
            name: name.to_owned(),
            violated: Some(violated),
            ..RecordedFormula::default()
        };
        run.formulas = vec![formula("answered", VerdictPlace::End), formula("one", VerdictPlace::At(0))];
        let expected = "  step  thread    action  object      at\n  \
                        0     thread 0  load    atomic `x`  -\n  \
                        ^ violates `one`\n  \
                        1     thread 1  load    atomic `x`  -\n  \
                        the last state stays for ever, and violates `answered`\n";
        assert_eq!(run.table().to_string(), expected);
    }

    #[test]
    fn a_path_is_a_table_of_states() {
        let change = |holds, text: &str| PropositionChange { holds, proposition: text.to_owned() };
        let state = |number, changes| RecordedState { number, changes, ..RecordedState::default() };
        let mut path = Recording { threads: vec!["main".to_owned()], ..Recording::default() };
        path.states =
            vec![state(7, vec![change(true, "a")]), state(9, vec![change(false, "a"), change(true, "b(1)")])];
        path.states[1].thread = Some(ThreadId(0));
        let violated = Some(VerdictPlace::At(9));
        path.formulas =
            vec![RecordedFormula { name: "f".to_owned(), violated, ..RecordedFormula::default() }];
        let expected = "  state  thread  changes\n  \
                        7              +a\n  \
                        9      main    -a +b(1)\n  \
                        ^ violates `f`\n";
        assert_eq!(path.table().to_string(), expected);
    }
}
