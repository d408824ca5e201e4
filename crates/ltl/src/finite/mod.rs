//! Automata of formulas on finite words.
//!
//! [`Tableau`] is the nondeterministic automaton of Gunter and Peled, expanded on demand; [`Dfa`] is the
//! minimal deterministic automaton built from it, with its decision procedures: acceptance, emptiness,
//! shortest accepted word, difference of two automata, safety, guarantee and stutter-invariance.
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
mod stutter;
mod table;
pub mod tableau;

pub use dfa::{Dfa, Edge, StateId};
pub use tableau::{NodeId, Tableau};

use crate::nnf::Nnf;
use std::fmt;

/// The default limit on the nodes or states of an automaton.
pub const DEFAULT_LIMIT: usize = 100_000;

/// The steps of work per node or state of the limit; a step takes some tenths of a microsecond.
///
/// Intermediate nodes may turn out contradictory or redundant; this bounds the work on them.
pub const STEPS_PER_STATE: usize = 1_024;

/// The steps that each stored item costs: a formula of a node, or a node of a decision diagram.
const MEMORY_STEPS: usize = 16;

/// The reason why there is no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FiniteError {
    /// This past operator has a future operator in its operands; past operators are supported over the pure
    /// past only.
    PastOverFuture(Nnf),
    /// The automaton, or an intermediate result, exceeds the limit.
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

/// The remaining work, in steps, and the limit on states.
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

    /// Refuses a further state if `count` has reached the limit.
    fn allow_state(&self, count: usize) -> Result<(), FiniteError> {
        if count < self.limit { Ok(()) } else { Err(FiniteError::TooLarge { limit: self.limit }) }
    }
}
