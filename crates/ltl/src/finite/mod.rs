//! Formulas read on finite words, as automata.
//!
//! [`Tableau`] is the nondeterministic automaton of Gunter and Peled, built as far as it is walked; [`Dfa`] is the
//! smallest deterministic one, made from it, with its questions: is a word accepted, is none, which is the shortest,
//! do two automata differ and where, is the language a safety property, does it feel stuttering.
//!
//! ```
//! use selvedge_ltl::finite::{DEFAULT_LIMIT, Dfa};
//! use selvedge_ltl::nnf::FormulaArena;
//! use selvedge_ltl::{Formula, Prop};
//! let mut arena = FormulaArena::default();
//! let formula = arena.formula(&Formula::prop(Prop(0)).until(Formula::prop(Prop(1))));
//! let automaton = Dfa::from_formula(&arena, formula, DEFAULT_LIMIT).expect("a small automaton");
//! assert_eq!(automaton.states().len(), 3); // waiting, fulfilled, failed
//! assert!(automaton.is_guarantee() && !automaton.is_safety());
//! ```
//!
//! Promise: words are not empty; every construction ends with an automaton or with a [`FiniteError`].

mod compare;
mod determinise;
pub mod dfa;
mod expand;
mod guard;
mod minimise;
mod table;
pub mod tableau;

pub use dfa::{Dfa, Edge, StateId};
pub use tableau::{NodeId, Tableau};

use crate::nnf::Nnf;
use std::fmt;

/// The most nodes or states that an automaton may have, unless another number is asked for.
pub const DEFAULT_LIMIT: usize = 100_000;

/// The work that each node or state within the limit entitles to; a step takes some tenths of a microsecond.
///
/// Most of what is built on the way may turn out contradictory or equal to something else; it is bounded too.
pub const STEPS_PER_STATE: usize = 1_024;

/// The steps that whatever is kept counts for, each formula of a node and each node of a decision diagram.
const MEMORY_STEPS: usize = 16;

/// Why there is no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FiniteError {
    /// This past operator has a future operator in its operands; only the pure past is remembered.
    PastOverFuture(Nnf),
    /// The automaton, or what is built on the way to it, is larger than the limit allows.
    TooLarge {
        /// The limit that was given.
        limit: usize,
    },
}

impl fmt::Display for FiniteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FiniteError::PastOverFuture(_) => f.write_str("a past operator stands over a future operator"),
            FiniteError::TooLarge { limit } => {
                write!(f, "the automaton is too large: the limit is {limit} states")
            }
        }
    }
}

impl std::error::Error for FiniteError {}

/// What may still be done: steps, and states to be made.
#[derive(Clone, Debug)]
struct Budget {
    limit: usize,
    steps_left: usize,
}

impl Budget {
    fn new(limit: usize) -> Budget {
        Budget { limit, steps_left: limit.saturating_mul(STEPS_PER_STATE) }
    }

    fn spend(&mut self, steps: usize) -> Result<(), FiniteError> {
        self.steps_left =
            self.steps_left.checked_sub(steps).ok_or(FiniteError::TooLarge { limit: self.limit })?;
        Ok(())
    }

    /// Refuses another state when there are `count` already.
    fn another(&self, count: usize) -> Result<(), FiniteError> {
        if count < self.limit { Ok(()) } else { Err(FiniteError::TooLarge { limit: self.limit }) }
    }
}
