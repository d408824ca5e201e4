//! The states of a slice that changed the remainder, and violations that show them.

use super::Slices;
use crate::monitor::describe::Written;
use selvedge_ltl::Prop;
use selvedge_ltl::progression::Cursor;
use std::sync::Arc;

/// So many states of each slice are remembered, the last ones.
const MAX_STEPS: usize = 8;

/// A formula that no continuation of a slice can satisfy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceViolation {
    /// The key of the slice.
    pub key: Arc<[u8]>,
    /// The line at which it fell.
    pub line: u64,
    /// The last states that changed the remainder, in order.
    pub steps: Vec<SliceStep>,
    /// Were there more such states since the formula was as in the beginning?
    pub is_cut: bool,
    /// For each of the steps, the propositions that hold, and the remainder.
    pub names: Vec<(Vec<String>, String)>,
}

/// A state that changed the remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceStep {
    /// The number of the line; for a clock, of the line that showed that its time had passed.
    pub line: u64,
    /// The propositions that hold in it.
    pub letter: u64,
    /// The remainder after it.
    pub(super) after: Cursor,
    /// What made the state.
    pub cause: StepCause,
}

/// What made a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepCause {
    /// A line of the slice.
    Line,
    /// A clock that became true between two lines of the slice.
    Clock,
}

/// The last states of a slice that changed the remainder: a ring.
#[derive(Debug, Default)]
pub(super) struct SlicePath {
    steps: Vec<SliceStep>,
    /// The number of states; those that are no longer in `steps` included.
    count: usize,
}

impl SlicePath {
    #[inline]
    pub(super) fn add(&mut self, step: SliceStep) {
        if self.steps.len() < MAX_STEPS {
            self.steps.push(step);
        } else {
            self.steps[self.count % MAX_STEPS] = step;
        }
        self.count += 1;
    }

    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.count = 0;
    }

    pub(super) fn is_cut(&self) -> bool {
        self.count > self.steps.len()
    }

    pub(super) fn cursors(&mut self) -> impl Iterator<Item = &mut Cursor> {
        self.steps.iter_mut().map(|step| &mut step.after)
    }

    /// The states, in order.
    pub(super) fn steps(&self) -> Vec<SliceStep> {
        let oldest = if self.is_cut() { self.count % MAX_STEPS } else { 0 };
        [&self.steps[oldest..], &self.steps[..oldest]].concat()
    }
}

impl Slices {
    /// The violation with the texts of its steps.
    pub(super) fn describe(&mut self, mut violation: SliceViolation) -> SliceViolation {
        let steps = violation.steps.iter();
        let texts = steps.map(|step| (self.held(step.letter), self.remainder_text(step.after)));
        violation.names = texts.collect();
        violation
    }

    /// The propositions that hold.
    fn held(&self, letter: u64) -> Vec<String> {
        let holds = |index: &usize| letter & Prop(*index as u8).bit() != 0;
        (0..self.names.len()).filter(holds).map(|index| self.names[index].clone()).collect()
    }

    /// What is left of the formula, as text.
    pub(super) fn remainder_text(&mut self, cursor: Cursor) -> String {
        let (remainder, arena) = self.progression.remainder(cursor);
        let formula = arena.to_formula(remainder);
        formula.map(&mut |prop| Written(self.names[prop.0 as usize].clone())).to_string()
    }
}
