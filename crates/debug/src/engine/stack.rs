//! The temporal stack: the found steps, each with its search, and the run that they make.
//!
//! Gunter and Peled, §4. The end of a step is the start of the next. A step keeps its search, so that it can
//! be backtracked after later steps were taken and removed.
//!
//! Promise: the run is the initial state and the moves of all steps, and each move is one of its state.

use crate::search::{Path, Search, replay};
use crate::snapshot::{Card, SearchOptions};
use crate::target::{StateId, Target, TargetError};

pub(super) struct Stack {
    /// The states of the run.
    pub(super) states: Vec<StateId>,
    /// The numbers of its moves.
    pub(super) moves: Vec<u32>,
    pub(super) steps: Vec<Step>,
}

/// A temporal step.
pub(super) struct Step {
    pub(super) formula: String,
    /// `None` for a run that the target brought along, and for simple steps.
    pub(super) options: Option<SearchOptions>,
    /// The position where it begins.
    pub(super) from: usize,
    pub(super) search: Search,
    /// What was found so far.
    pub(super) alternatives: Vec<Path>,
    /// The alternative that is part of the run.
    pub(super) chosen: usize,
    pub(super) is_exhausted: bool,
}

impl Stack {
    pub(super) fn new(initial: StateId) -> Stack {
        Stack { states: vec![initial], moves: Vec::new(), steps: Vec::new() }
    }

    /// The state at the end of the run.
    pub(super) fn end(&self) -> StateId {
        self.states[self.states.len() - 1]
    }

    /// The number of moves.
    pub(super) fn length(&self) -> usize {
        self.moves.len()
    }

    /// Puts a step on top, with its first alternative.
    pub(super) fn push(&mut self, target: &mut dyn Target, mut step: Step) -> Result<(), TargetError> {
        step.from = self.length();
        self.steps.push(step);
        self.choose(target, 0).inspect_err(|_| drop(self.steps.pop()))
    }

    /// Makes an alternative of the last step part of the run.
    pub(super) fn choose(&mut self, target: &mut dyn Target, alternative: usize) -> Result<(), TargetError> {
        let Some(step) = self.steps.last_mut() else { return Ok(()) };
        let path = &step.alternatives[alternative];
        let states = replay(target, self.states[step.from], &path.moves)?;
        step.chosen = alternative;
        self.states.truncate(step.from + 1);
        self.states.extend_from_slice(&states[1..]);
        self.moves.truncate(step.from);
        self.moves.extend_from_slice(&path.moves);
        Ok(())
    }

    /// Takes the last step away.
    pub(super) fn pop(&mut self) -> Option<Step> {
        let step = self.steps.pop()?;
        self.states.truncate(step.from + 1);
        self.moves.truncate(step.from);
        Some(step)
    }

    /// The position that the end of the run leads back to.
    pub(super) fn cycle(&self) -> Option<usize> {
        self.steps.last().and_then(Step::cycle)
    }

    pub(super) fn cards(&self) -> Vec<Card> {
        self.steps.iter().map(Step::card).collect()
    }
}

impl Step {
    /// A step that was found.
    pub(super) fn new(formula: String, options: Option<SearchOptions>, search: Search, path: Path) -> Step {
        Step { formula, options, from: 0, search, alternatives: vec![path], chosen: 0, is_exhausted: false }
    }

    /// The alternative that is part of the run.
    pub(super) fn path(&self) -> &Path {
        &self.alternatives[self.chosen]
    }

    fn cycle(&self) -> Option<usize> {
        self.path().cycle.map(|moves| self.from + moves)
    }

    fn card(&self) -> Card {
        Card {
            formula: self.formula.clone(),
            options: self.options,
            from: self.from,
            to: self.from + self.path().moves.len(),
            alternative: self.chosen + 1,
            is_exhausted: self.is_exhausted && self.chosen + 1 == self.alternatives.len(),
            cycle: self.cycle(),
            visited: self.search.visited,
        }
    }
}
