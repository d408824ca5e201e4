//! What a reader sees of a session: the stack, the current position, windows of a long run.
//!
//! A *position* is a place in the run of the stack: position 0 is the initial state, position `n` the state
//! after `n` moves. The *current* position may be anywhere in the run; new steps begin at its end.
//!
//! Promise: the size of a [`Snapshot`] does not depend on the length of the run. The events of a run, and
//! verdicts on it, are asked for by windows.

use crate::view::{MoveView, StateView};
use serde::{Deserialize, Serialize};

/// The session as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// How many commands have changed the session; a page drops older snapshots.
    pub revision: u64,
    /// The number of moves in the run.
    pub length: usize,
    /// The position that is looked at.
    pub position: usize,
    /// The state there, with the values that the move to it changed.
    pub state: StateView,
    /// The move to it; `None` at position 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrived_by: Option<MoveView>,
    /// The moves of this state that no process makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_moves: Vec<MoveView>,
    /// The temporal steps, oldest first.
    pub stack: Vec<Card>,
    /// The position that the end of the run leads back to, if the run goes on for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
    /// How many initial states there are, and which the run begins in.
    pub initial: InitialChoice,
    /// The values of the reader's own expressions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expressions: Vec<ExpressionValue>,
    /// The formulas that are judged along the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strips: Vec<StripHead>,
    /// What the last command found; `None` if it searched nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// A choice among initial states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialChoice {
    /// How many there are.
    pub count: usize,
    /// The chosen one.
    pub chosen: usize,
}

/// A temporal step of the stack. Its band in the timeline goes from `from` to `to`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// The formula; of a simple step, `X exec(P)` or what the target has for it.
    pub formula: String,
    /// How it was searched; `None` for a given run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<SearchOptions>,
    /// The position where the step begins.
    pub from: usize,
    /// The position where it ends.
    pub to: usize,
    /// This is the k-th alternative, from 1.
    pub alternative: usize,
    /// Is it known that there are no more alternatives?
    pub is_exhausted: bool,
    /// The position that its end leads back to, if it goes on for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
    /// States that its search has visited.
    pub visited: u64,
}

/// How a temporal step is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SearchOptions {
    /// The order.
    pub order: SearchOrder,
    /// Which of the satisfying sequences.
    pub mode: Mode,
    /// All paths, or the subset that visits no pair of state and remainder twice.
    pub paths: Paths,
    /// At most so many moves.
    pub limit: usize,
    /// May a step end in the same state as an alternative before it?
    pub same_end: bool,
    /// May a step have the same sequence of states as an alternative before it?
    pub same_sequence: bool,
    /// The search stops after so many visited states.
    pub states: u64,
}

/// The order of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchOrder {
    /// Shortest first.
    #[default]
    BreadthFirst,
    /// Depth first.
    DepthFirst,
    /// By growing depth, without a store of visited states.
    Memoryless,
}

/// Which of the satisfying sequences are temporal steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// No proper prefix satisfies the formula.
    #[default]
    Minimal,
    /// No proper extension within the limit satisfies the formula.
    Maximal,
    /// All of them: each state where some satisfying sequence ends.
    EveryEnd,
}

/// Which paths a search follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// The subset that visits no pair of state and remainder twice.
    #[default]
    Subset,
    /// All paths.
    All,
}

/// What a command found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Answer {
    /// A temporal step, now on top of the stack.
    #[serde(rename = "found")]
    FoundStep {
        /// The number of its moves.
        length: usize,
        /// It is the k-th alternative, from 1.
        alternative: usize,
        /// States visited so far by the search.
        visited: u64,
        /// Is a maximal step as long as the limit allows, so that longer ones may exist?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_at_limit: bool,
    },
    /// There is no such sequence, or no further one.
    None {
        /// How many alternatives were found before.
        found_before: usize,
        /// The formula has no finite word at all, whatever the program.
        is_unsatisfiable: bool,
        /// States visited.
        visited: u64,
    },
    /// None within the limits; longer ones, or ones beyond the visited states, may exist.
    Limit {
        /// The limit that was reached.
        limit: LimitKind,
        /// How many alternatives were found before.
        found_before: usize,
        /// States visited.
        visited: u64,
    },
    /// The search was cancelled; backtracking resumes it if the step is still there.
    Cancelled {
        /// States visited.
        visited: u64,
    },
    /// Looking back found this position.
    Position {
        /// The position.
        position: usize,
        /// What is there: `P1 changed turn from 0 to 1`.
        text: String,
    },
    /// A command did something else, or nothing: `the stack is empty`.
    Said {
        /// In words.
        text: String,
    },
}

/// The limit that stopped a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    /// The length of a step.
    #[default]
    Length,
    /// The number of visited states.
    States,
}

/// An expression of the reader's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpressionValue {
    /// The expression.
    pub text: String,
    /// Its value, or why it has none.
    pub value: String,
    /// Its value before the last move, if it was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// Has it no value?
    pub is_error: bool,
}

/// A formula that is judged along the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StripHead {
    /// The formula.
    pub formula: String,
    /// The first position where no continuation can satisfy it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_violation: Option<usize>,
    /// Does the run up to its end, as a finite sequence, satisfy it? Of a lasso: does the infinite run?
    pub holds: bool,
}

/// Verdicts on positions of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Strip {
    /// The formula.
    pub formula: String,
    /// For each position of the window, the verdict on the run up to it.
    pub verdicts: Vec<StripVerdict>,
    /// Where the remainder changes: the position, and the remainder from there on.
    pub remainders: Vec<(usize, String)>,
}

/// The verdict on a run up to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StripVerdict {
    /// Every continuation satisfies the formula.
    True,
    /// The run up to here satisfies it.
    Holds,
    /// The run up to here does not; a continuation may.
    Open,
    /// No continuation does.
    False,
}

/// A part of the run: what a timeline shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timeline {
    /// The first position of the window.
    pub from: usize,
    /// The last position of the window.
    pub to: usize,
    /// The moves that lead to the positions `from + 1 ..= to`.
    pub events: Vec<TimelineEvent>,
    /// What is passed between lanes: from a move, by the position that it leads to, to a later one. One of
    /// the two is in the window.
    pub arrows: Vec<Arrow>,
    /// The verdicts on the positions of the window.
    pub strips: Vec<Strip>,
}

/// A move of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineEvent {
    /// The position that it leads to.
    pub position: usize,
    /// The move.
    #[serde(flatten)]
    pub made: MoveView,
    /// The values that it changes: path, old, new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<(String, String, String)>,
}

/// An arrow between two moves, which are named by the positions that they lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrow {
    /// The move that gives.
    pub from: usize,
    /// The move that takes.
    pub to: usize,
    /// What: `mutex#1`.
    pub name: String,
}

/// Alternatives of the last step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Alternatives {
    /// The formula.
    pub formula: String,
    /// The position where they begin.
    pub from: usize,
    /// The alternatives from this one on, counted from 1.
    pub first: usize,
    /// Each as its moves; moves before the first difference to the chosen alternative are left out.
    pub items: Vec<AlternativeView>,
    /// The alternative that the stack has.
    pub chosen: usize,
    /// Are these all there are?
    pub is_exhausted: bool,
    /// A limit that stopped the search for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitKind>,
}

/// One alternative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AlternativeView {
    /// It is the k-th, from 1.
    pub alternative: usize,
    /// The number of its moves.
    pub length: usize,
    /// The number of moves that it has in common with the chosen alternative, from the start of the step.
    pub common: usize,
    /// The moves after these, at most [`ALTERNATIVE_MOVES`].
    pub moves: Vec<MoveView>,
    /// The state where it ends.
    pub end: Vec<(String, String)>,
    /// The number of moves before the state that its end leads back to, if it goes on for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
}

/// The moves of an alternative that are sent at most.
pub const ALTERNATIVE_MOVES: usize = 200;

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            order: SearchOrder::default(),
            mode: Mode::default(),
            paths: Paths::default(),
            limit: 10_000,
            same_end: true,
            same_sequence: false,
            states: 10_000_000,
        }
    }
}
