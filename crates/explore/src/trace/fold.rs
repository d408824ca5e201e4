//! The rows of a table, with those that repeat folded.
//!
//! A store that the next step commits is one row with its commit, which says nothing new. A block of rows
//! that is executed again and again, such as a round of a spin lock, is shown once, with the number of its
//! repetitions.
//!
//! Promise: every step is in exactly one fold, in order. Steps that differ in thread, action, object, value
//! or place are never folded together.

use super::recording::{RecordedStep, Recording};
use crate::event::Kind;
use crate::ids::{ObjectId, ThreadId};
use std::collections::HashMap;
use std::ops::Range;

/// The most rows in a block that repeats.
const MAX_BLOCK: usize = 6;

/// A block is folded if it is executed at least so many times.
const MIN_TIMES: usize = 3;

/// A part of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// A row: one step, or a store and its commit.
    Row(Range<usize>),
    /// The block of this many rows above is executed this many more times, in these steps.
    Repetition { rows: usize, times: usize, steps: Range<usize> },
}

impl Fold {
    /// The steps that it stands for.
    pub(super) fn steps(&self) -> Range<usize> {
        match self {
            Fold::Row(steps) | Fold::Repetition { steps, .. } => steps.clone(),
        }
    }
}

/// Folds all steps of a run.
pub(super) fn fold(run: &Recording) -> Vec<Fold> {
    let rows = rows(run);
    let mut folds = Vec::new();
    let mut next = 0;
    while next < rows.len() {
        let (block, times) = repetition(run, &rows[next..]);
        folds.extend(rows[next..next + block].iter().cloned().map(Fold::Row));
        let end = next + block * times;
        if times > 1 {
            let steps = rows[next + block].start..rows[end - 1].end;
            folds.push(Fold::Repetition { rows: block, times: times - 1, steps });
        }
        next = end;
    }
    folds
}

/// The rows: a store and the commit that follows it at once are one.
fn rows(run: &Recording) -> Vec<Range<usize>> {
    let mut rows: Vec<Range<usize>> = Vec::with_capacity(run.steps.len());
    // The thread and the object of the step before, if it is a store that the next commit can be of.
    let mut store = None;
    // How many stores of each thread to each object are in its buffer.
    let mut buffered: HashMap<(ThreadId, Option<ObjectId>), usize> = HashMap::new();
    for (at, step) in run.steps.iter().enumerate() {
        let key = (step.id.thread.owner(), step.action.object);
        let is_commit = step.action.kind == Kind::Commit;
        match rows.last_mut() {
            Some(last) if is_commit && store == Some(key) && !is_cut_before(run, at) => {
                last.end = at + 1;
            }
            _ => rows.push(at..at + 1),
        }
        store = None;
        if step.action.is_buffered && !is_commit {
            let count = buffered.entry(key).or_insert(0);
            // Stores of one thread to one object are committed in their order.
            store = (*count == 0).then_some(key);
            *count += 1;
        } else if is_commit && let Some(count) = buffered.get_mut(&key) {
            *count = count.saturating_sub(1);
        }
    }
    rows
}

/// The number of rows of the block at the start, and how often it is executed in a row; (1, 1) if that is
/// not often enough.
fn repetition(run: &Recording, rows: &[Range<usize>]) -> (usize, usize) {
    for block in 1..=MAX_BLOCK.min(rows.len() / MIN_TIMES) {
        let is_again = |index: &usize| is_same(run, &rows[index - block], &rows[*index]);
        let times = 1 + (block..rows.len()).take_while(is_again).count() / block;
        if times >= MIN_TIMES {
            return (block, times);
        }
    }
    (1, 1)
}

/// Does the second row show the same as the first?
fn is_same(run: &Recording, one: &Range<usize>, other: &Range<usize>) -> bool {
    let is_same_step = |(one, other): (usize, usize)| {
        fn shown(step: &RecordedStep) -> impl PartialEq {
            let action = &step.action;
            let what = (action.kind, action.object, action.second, action.target);
            (step.id, what, step.effect.read_only, &step.value, &step.site)
        }
        shown(&run.steps[one]) == shown(&run.steps[other]) && !is_cut_before(run, other)
    };
    one.len() == other.len() && one.clone().zip(other.clone()).all(is_same_step)
}

/// Is an access of a data race shown before this step? Or does this step, or the one before, violate a
/// formula?
fn is_cut_before(run: &Recording, step: usize) -> bool {
    let at = run.accesses.partition_point(|access| access.after < step);
    let has_access = run.accesses.get(at).is_some_and(|access| access.after == step);
    let is_violated = |step: usize| run.violated_at(step as u64).next().is_some();
    has_access || is_violated(step) || step > 0 && is_violated(step - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::event::{Action, Site};
    use crate::ids::EventId;
    use crate::trace::{RecordedFormula, Switch, Trace, VerdictPlace};

    fn trace(steps: &[(u32, Action)]) -> Recording {
        let mut trace = Trace::default();
        for (thread, action) in steps {
            let id = EventId { thread: ThreadId(*thread), alternative: 0 };
            trace.push(Event::pending(id, *action, Site::Unknown), Switch::Start);
        }
        trace.recording(&[])
    }

    fn load(object: usize) -> Action {
        Action::on(Kind::Load, ObjectId::at(object))
    }

    #[test]
    fn a_block_that_is_executed_three_times_is_folded() {
        let steps = [(0, load(5)), (0, load(0)), (1, load(1)), (0, load(0)), (1, load(1)), (0, load(0))];
        let twice = fold(&trace(&steps));
        assert!(twice.iter().all(|fold| matches!(fold, Fold::Row(_))), "{twice:?}");
        let thrice = fold(&trace(&[&steps[..], &[(1, load(1)), (1, load(2))]].concat()));
        let again = Fold::Repetition { rows: 2, times: 2, steps: 3..7 };
        let rows = [0..1, 1..2, 2..3].map(Fold::Row);
        assert_eq!(thrice, [&rows[..], &[again, Fold::Row(7..8)]].concat());
    }

    #[test]
    fn steps_with_other_values_are_not_folded() {
        let mut trace = trace(&[(0, load(0)); 4]);
        for (step, value) in trace.steps.iter_mut().zip(["1", "1", "1", "2"]) {
            value.clone_into(&mut step.value);
        }
        let again = Fold::Repetition { rows: 1, times: 2, steps: 1..3 };
        assert_eq!(fold(&trace), [Fold::Row(0..1), again, Fold::Row(3..4)]);
    }

    #[test]
    fn the_step_that_violates_a_formula_has_a_row_of_its_own() {
        let mut trace = trace(&[(0, load(0)); 7]);
        let violated = Some(VerdictPlace::At(3));
        trace.formulas.push(RecordedFormula { violated, ..RecordedFormula::default() });
        let again = |steps| Fold::Repetition { rows: 1, times: 2, steps };
        let expected = [Fold::Row(0..1), again(1..3), Fold::Row(3..4), Fold::Row(4..5), again(5..7)];
        assert_eq!(fold(&trace), expected);
    }

    #[test]
    fn a_store_and_its_commit_are_one_row() {
        let store = Action { is_buffered: true, ..Action::on(Kind::Store, ObjectId::at(0)) };
        let commit = |object| Action::on(Kind::Commit, ObjectId::at(object));
        let phantom = ThreadId::phantom(ThreadId(0), 0).0;
        let trace = trace(&[(0, store), (phantom, commit(0)), (0, store), (phantom, commit(1))]);
        assert_eq!(fold(&trace), [0..2, 2..3, 3..4].map(Fold::Row));
    }

    #[test]
    fn the_commit_of_an_earlier_store_to_the_object_has_a_row_of_its_own() {
        let store = Action { is_buffered: true, ..Action::on(Kind::Store, ObjectId::at(0)) };
        let commit = Action::on(Kind::Commit, ObjectId::at(0));
        let phantom = ThreadId::phantom(ThreadId(0), 0).0;
        let trace = trace(&[
            (0, store),
            (0, store),
            (phantom, commit),
            (phantom, commit),
            (0, store),
            (phantom, commit),
        ]);
        assert_eq!(fold(&trace), [0..1, 1..2, 2..3, 3..4, 4..6].map(Fold::Row));
    }
}
