//! What is debugged: states, the moves between them, labels, and how all of it looks.
//!
//! The one trait between the engine and models, Rust tests and recordings (Gunter and Peled, §7: a type of
//! states, the initial one, when two are the same, and which follow). States are numbers that the target
//! gives out: two states are the same if their numbers are equal. How a state is reached again is the
//! target's business: a model stores it, a Rust test runs once more along the choices that led to it.
//!
//! Promise of an implementation: the moves of a state are always the same, in the same order; the labels
//! and the view of a state depend on the state alone.

use crate::engine::Listener;
use crate::view::{Completion, MoveView, ProgramView, StateView, ValueView};
use selvedge_ltl::diagnostic::Diagnostic;
use selvedge_ltl::{Formula, Letter, Prop};
use std::fmt;

/// A state of a target, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// A formula that a target has read, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionId(pub u32);

/// What can be done in a state. Its place in the list of the state's moves is its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The process that moves, by its place in [`ProgramView::processes`]; `None` if no process does.
    pub process: Option<u32>,
    /// The state after the move.
    pub to: StateId,
}

/// A formula as the target has read it.
#[derive(Clone, Debug)]
pub struct Question {
    /// For [`Target::label`].
    pub id: QuestionId,
    /// The formula over the propositions below.
    pub formula: Formula<Prop>,
    /// The propositions as text, by number.
    pub propositions: Vec<String>,
}

/// A run that a target brings along: a recording, or the counterexample of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenRun {
    /// The initial state, by its place among [`Target::initial`].
    pub initial: usize,
    /// The numbers of the moves, each among the moves of its state.
    pub moves: Vec<u32>,
    /// The position that the last state leads back to, if the run goes on for ever.
    pub cycle: Option<usize>,
    /// What the run is, for its card: `counterexample of served`.
    pub title: String,
}

/// Why a target cannot answer: a Rust test did not follow its own run, a limit of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError(pub String);

/// What is debugged.
pub trait Target {
    /// What does not change during a session: texts, processes, flow graphs.
    fn program(&mut self) -> ProgramView;

    /// The initial states, at least one, no two of them equal.
    ///
    /// # Errors
    /// If they cannot be reached.
    fn initial(&mut self) -> Result<Vec<StateId>, TargetError>;

    /// Puts the moves of a state into `out`, which is empty.
    ///
    /// # Errors
    /// If the state cannot be reached again.
    fn moves(&mut self, state: StateId, out: &mut Vec<Move>) -> Result<(), TargetError>;

    /// The state as the filters of a search see it. States that differ only in what no reader would call
    /// the state (the process that moved last) have the same class.
    fn class(&mut self, state: StateId) -> StateId {
        state
    }

    /// Reads a formula; spans are places in `text`.
    ///
    /// # Errors
    /// What is wrong with it.
    fn question(&mut self, text: &str) -> Result<Question, Vec<Diagnostic>>;

    /// The values of a question's propositions in a state.
    ///
    /// # Errors
    /// If the state cannot be reached again.
    fn label(&mut self, question: QuestionId, state: StateId) -> Result<Letter, TargetError>;

    /// The state for readers, without old values: the engine compares.
    fn view(&mut self, state: StateId) -> StateView;

    /// The values of the state's [view](Target::view) alone, which may be faster.
    fn values(&mut self, state: StateId) -> Vec<ValueView> {
        self.view(state).values
    }

    /// A move for readers.
    fn describe(&mut self, state: StateId, number: u32) -> MoveView;

    /// The value of an expression of one's own; the error is for readers.
    ///
    /// # Errors
    /// If the expression is not one, or has no value in this state.
    fn evaluate(&mut self, expression: &str, state: StateId) -> Result<String, String>;

    /// What formulas about this target are made of, operators apart: propositions, names, values.
    fn completions(&mut self) -> Vec<Completion>;

    /// The run to begin with, if there is one.
    fn given_run(&mut self) -> Option<GivenRun> {
        None
    }

    /// Does every run from this state satisfy the formula, which has the propositions of the question? A run
    /// that ends stays in its last state for ever.
    ///
    /// # Errors
    /// If not all runs can be checked, or the listener has cancelled the check.
    fn every_run(
        &mut self,
        _question: QuestionId,
        _formula: &Formula<Prop>,
        _state: StateId,
        _listener: &mut dyn Listener,
    ) -> Result<bool, TargetError> {
        Err(TargetError("not all runs of this target can be checked".to_owned()))
    }

    /// The run in a form that the engine does not know: its name for a file, and the text.
    ///
    /// # Errors
    /// If there is no such form.
    fn export(&mut self, format: &str, _moves: &[u32]) -> Result<(String, String), String> {
        Err(format!("a run cannot be exported as `{format}`; there are json, dot and svg"))
    }

    /// The number that the next new state gets, if the target can [`forget`](Target::forget) states.
    fn next_state(&mut self) -> Option<StateId> {
        None
    }

    /// Forgets the states with numbers from this one on, and gives their numbers out anew: a memoryless
    /// search goes back.
    fn forget(&mut self, _from: StateId) {}
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TargetError {}
