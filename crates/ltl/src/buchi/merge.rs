//! State merging by an emptiness test with the negation.
//!
//! A merged state has the edges of both states. Every run of the automaton remains, so its language can only
//! grow; it has not grown if the product with the automaton of the negation is empty. Simulation is not
//! required, so this merges pairs that no simulation relates. The idea comes from learning by state merging
//! with a positive and a negative sample (Oncina and García, 1992); here an automaton replaces the negative
//! sample.
//!
//! Most pairs are rejected without a product: if a prefix leads to one state and, in the negation's
//! automaton, to q, and some suffix is accepted from the other state and from q, then the merged automaton
//! accepts a word of the negation.
//!
//! Promise: the language stays, a state-based automaton stays state-based, and no state is added. Automata
//! of more than [`MAX_STATES`] states stay as they are.

use super::automaton::{Automaton, Edge, StateId};
use super::emptiness::{is_empty, product};
use super::residual::common_words;
use super::scc::Components;
use super::{Limits, simulation};
use crate::bdd::Bdds;
use rustc_hash::FxHashSet;

/// Above this number of states no pairs are tried.
const MAX_STATES: usize = 30;

/// Merges pairs of states, in order, until no pair can be merged; reduces by simulation after each.
pub(super) fn merge(
    bdds: &mut Bdds,
    automaton: Automaton,
    negation: &Automaton,
    limits: Limits,
) -> Automaton {
    let mut best = automaton;
    if best.state_count() > MAX_STATES || negation.state_count() > MAX_STATES {
        return best;
    }
    while let Some(smaller) = merge_one(bdds, &best, negation, limits) {
        best = simulation::reduce(bdds, smaller);
    }
    best
}

/// The automaton with the first mergeable pair merged; `None` if no pair is mergeable.
fn merge_one(
    bdds: &mut Bdds,
    automaton: &Automaton,
    negation: &Automaton,
    limits: Limits,
) -> Option<Automaton> {
    let count = automaton.state_count();
    let conflicts = Conflicts::new(bdds, automaton, negation);
    let components = Components::of_automaton(automaton);
    let on_a_cycle =
        |state: usize| components.of[state].is_some_and(|c| components.marks[c as usize].is_some());
    let state_based = automaton.mark_count == 1 && automaton.is_state_based();
    for (one, other) in (0..count).flat_map(|other| (0..other).map(move |one| (one, other))) {
        if conflicts.between(one, other) {
            continue;
        }
        let mut merged = joined(automaton, one as StateId, other as StateId);
        if state_based {
            // A transient state may take any acceptance. On a cycle an accepting state must stay accepting,
            // or words would be lost.
            let accepts = [one, other].map(|state| automaton.is_accepting(state as StateId));
            let accepting = match [one, other].map(on_a_cycle) {
                [true, false] => accepts[0],
                [false, true] => accepts[1],
                _ => accepts[0] || accepts[1],
            };
            merged.edges[one].iter_mut().for_each(|edge| edge.marks = u64::from(accepting));
        }
        merged.merge_parallel(bdds);
        if product(bdds, &merged, negation, limits).is_ok_and(|both| is_empty(&both)) {
            return Some(merged.reachable());
        }
    }
    None
}

/// The automaton in which the first state also has the other state's outgoing and incoming edges.
fn joined(automaton: &Automaton, one: StateId, other: StateId) -> Automaton {
    let mut joined = automaton.clone();
    let moved: Vec<Edge> = std::mem::take(&mut joined.edges[other as usize]);
    joined.edges[one as usize].extend(moved);
    for edge in joined.edges.iter_mut().flatten().filter(|edge| edge.target == other) {
        edge.target = one;
    }
    if joined.initial == other {
        joined.initial = one;
    }
    joined
}

/// Pairs that cannot be merged, by common prefixes and suffixes with the negation.
struct Conflicts {
    /// For each state the negation's states that share a prefix with it.
    before: Vec<FxHashSet<StateId>>,
    /// For each state and each state of the negation, whether both accept a common suffix.
    after: Vec<Vec<bool>>,
}

impl Conflicts {
    fn new(bdds: &mut Bdds, automaton: &Automaton, negation: &Automaton) -> Conflicts {
        let mut before = vec![FxHashSet::default(); automaton.state_count()];
        before[automaton.initial as usize].insert(negation.initial);
        let mut todo = vec![(automaton.initial, negation.initial)];
        while let Some((state, negation_state)) = todo.pop() {
            for edge in &automaton.edges[state as usize] {
                for other in &negation.edges[negation_state as usize] {
                    if bdds.intersect(edge.guard, other.guard)
                        && before[edge.target as usize].insert(other.target)
                    {
                        todo.push((edge.target, other.target));
                    }
                }
            }
        }
        Conflicts { before, after: common_words(bdds, automaton, negation) }
    }

    /// Does the negation contain a prefix that leads to one state followed by a suffix from the other?
    fn between(&self, one: usize, other: usize) -> bool {
        let crosses = |a: usize, b: usize| self.before[a].iter().any(|q| self.after[b][*q as usize]);
        crosses(one, other) || crosses(other, one)
    }
}

#[cfg(test)]
mod tests {
    use crate::buchi::Translator;
    use crate::letter::Alphabet;

    /// The sizes before and after merging, of the automaton that comes from expansion alone.
    #[track_caller]
    fn check(formula: &str, before: usize, after: usize) {
        let mut translator = Translator::default();
        let numbered =
            Alphabet::default().number(&formula.parse().expect("a formula")).expect("few propositions");
        let formula = translator.arena.formula(&numbered);
        let negation = translator.arena.negate(formula);
        let [yes, no] = [formula, negation].map(|f| translator.nondeterministic(f).expect("small"));
        let limits = translator.limits;
        let merged = super::merge(&mut translator.bdds, yes.clone(), &no, limits);
        assert_eq!((yes.state_count(), merged.state_count()), (before, after));
        let both = super::product(&mut translator.bdds, &merged, &no, limits).expect("small");
        assert!(super::is_empty(&both));
    }

    #[test]
    fn states_without_simulation_relation_are_merged() {
        check("F G a | G F b", 3, 2);
        check("G !a | F (a & (!b W c))", 5, 4);
    }

    #[test]
    fn states_with_different_obligations_are_not_merged() {
        check("a U (b U c)", 3, 3);
        check("G (a -> F b)", 2, 2);
    }
}
