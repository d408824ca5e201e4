//! A formula as a search asks it: the automaton of its negation, and whether it is an invariant.
//!
//! Promise: an invariant is violated exactly where a state meets one of its bad cubes.

use crate::negation::Negation;
use selvedge_ltl::buchi::{SearchAutomaton, TranslateError};
use selvedge_ltl::nnf::{FormulaArena, Nnf, Node};
use selvedge_ltl::{Cube, Formula, Prop};

/// A formula with `X` whose negation has an automaton of at most so many states is asked whether it is
/// stutter-invariant all the same; that takes more than the automaton did.
const MAX_STUTTER_TEST: usize = 16;

/// A formula, made ready. Its propositions are numbered as the system's labels number them.
pub(crate) struct Question {
    pub(crate) negation: SearchAutomaton,
    /// Does it not see how often a state repeats, as far as is known?
    pub(crate) is_stutter_invariant: bool,
    /// For an invariant: the sets of literals that a state must not meet.
    pub(crate) invariant: Option<Vec<Cube>>,
}

impl Question {
    pub(crate) fn new(formula: &Formula<Prop>) -> Result<Question, TranslateError> {
        let mut negated = Negation::of(formula)?;
        let negation = negated.search_automaton();
        let Negation { mut translator, formula, .. } = negated;
        let invariant = match *translator.arena.node(formula) {
            Node::Release([Nnf::FALSE, state]) if is_about_one_state(&translator.arena, state) => {
                let bad = translator.arena.negate(state);
                let automaton = translator.nondeterministic(bad)?.search_automaton(&mut translator.bdds);
                Some(automaton.edges(automaton.initial).iter().map(|edge| edge.cube).collect())
            }
            _ => None,
        };
        let is_small = negation.state_count() <= MAX_STUTTER_TEST;
        let is_stutter_invariant = !translator.has_next_or_previous(formula)
            || is_small && translator.is_stutter_invariant(formula).unwrap_or(false);
        Ok(Question { negation, is_stutter_invariant, invariant })
    }
}

fn is_about_one_state(store: &FormulaArena, formula: Nnf) -> bool {
    let is_simple = |part: Nnf| {
        matches!(store.node(part), Node::Const(_) | Node::Literal(..) | Node::And(_) | Node::Or(_))
    };
    store.subformulas(formula).into_iter().all(is_simple)
}
