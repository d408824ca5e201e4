//! A formula in the form that searches use: the automaton of its negation, and its bad states if it is an
//! invariant.
//!
//! Promise: an invariant is violated exactly where a state satisfies one of its bad cubes.

use super::Negation;
use selvedge_ltl::buchi::{SearchAutomaton, TranslateError};
use selvedge_ltl::nnf::{FormulaArena, Nnf, Node};
use selvedge_ltl::{Cube, Formula, Prop};

/// A formula with `X` may be stutter-invariant all the same. The test takes more time than the automaton
/// did, so it is made for automata of at most this many states.
const MAX_STUTTER_TEST: usize = 16;

/// A compiled formula. Its propositions are numbered as the system's labels number them.
pub(crate) struct CompiledProperty {
    pub(crate) negation: SearchAutomaton,
    /// Is the formula known to be stutter-invariant?
    pub(crate) is_stutter_invariant: bool,
    /// For an invariant: the cubes that no state may satisfy.
    pub(crate) invariant: Option<Vec<Cube>>,
}

impl CompiledProperty {
    pub(crate) fn new(formula: &Formula<Prop>) -> Result<CompiledProperty, TranslateError> {
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
        let is_stutter_invariant = !translator.arena.has_next_or_previous(formula)
            || is_small && translator.is_stutter_invariant(formula).unwrap_or(false);
        Ok(CompiledProperty { negation, is_stutter_invariant, invariant })
    }
}

fn is_about_one_state(store: &FormulaArena, formula: Nnf) -> bool {
    let is_simple = |part: Nnf| {
        matches!(store.node(part), Node::Const(_) | Node::Literal(..) | Node::And(_) | Node::Or(_))
    };
    store.subformulas(formula).into_iter().all(is_simple)
}
