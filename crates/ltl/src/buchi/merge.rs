//! Reduction by test: two states become one where the negation permits it.
//!
//! A merged state has the edges of both. Every run of the automaton is still there, so its language can only grow, and
//! it has not grown if what the negation accepts is still refused: one emptiness test tells. No simulation is needed
//! between the two, so pairs are found that no simulation relates. The idea is that of learning from a positive and a
//! negative language by state merging (Oncina and García, 1992), with an automaton in the place of the negative sample.
//!
//! Most pairs are refused without a product: if a prefix can lead to one state and the negation's automaton to q, and
//! some rest is accepted both from the other state and from q, then the merged automaton accepts a wrong word.
//!
//! Promise: the language stays, and so does being state-based; no state is added. Automata of more than [`MAX_STATES`] states
//! are left as they are.

use super::automaton::{Automaton, Edge, StateId};
use super::emptiness::{is_empty, product};
use super::residual::common_words;
use super::scc::Components;
use super::{Limits, simulation};
use crate::bdd::Bdds;
use rustc_hash::FxHashSet;

/// Above so many states no pairs are tried.
const MAX_STATES: usize = 30;

/// Merges pairs of states, the first that can be, until none can, and then once more what simulation finds.
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

/// The automaton with the first two states made one that can be; `None` if no two can.
fn merge_one(
    bdds: &mut Bdds,
    automaton: &Automaton,
    negation: &Automaton,
    limits: Limits,
) -> Option<Automaton> {
    let count = automaton.state_count();
    let clashes = Clashes::new(bdds, automaton, negation);
    let components = Components::of_automaton(automaton);
    let on_a_cycle =
        |state: usize| components.of[state].is_some_and(|c| components.marks[c as usize].is_some());
    let state_based = automaton.mark_count == 1 && automaton.is_state_based();
    for (one, other) in (0..count).flat_map(|other| (0..other).map(move |one| (one, other))) {
        if clashes.between(one, other) {
            continue;
        }
        let mut merged = joined(automaton, one as StateId, other as StateId);
        if state_based {
            // A state that a run passes once at most may take any acceptance; else more acceptance is more words.
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

/// The automaton in which the first state has the other's edges too, and is entered in its stead.
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

/// What is known of wrong words without merging anything.
struct Clashes {
    /// For each state the negation's states that some prefix leads to together with it.
    before: Vec<FxHashSet<StateId>>,
    /// For each state and each of the negation, whether both accept some rest.
    after: Vec<Vec<bool>>,
}

impl Clashes {
    fn new(bdds: &mut Bdds, automaton: &Automaton, negation: &Automaton) -> Clashes {
        let mut before = vec![FxHashSet::default(); automaton.state_count()];
        before[automaton.initial as usize].insert(negation.initial);
        let mut todo = vec![(automaton.initial, negation.initial)];
        while let Some((state, wrong)) = todo.pop() {
            for edge in &automaton.edges[state as usize] {
                for other in &negation.edges[wrong as usize] {
                    if bdds.intersect(edge.guard, other.guard)
                        && before[edge.target as usize].insert(other.target)
                    {
                        todo.push((edge.target, other.target));
                    }
                }
            }
        }
        Clashes { before, after: common_words(bdds, automaton, negation) }
    }

    /// Is a wrong word a prefix that leads to one of the states and a rest from the other?
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
    fn states_merge_that_no_simulation_relates() {
        check("F G a | G F b", 3, 2);
        check("G !a | F (a & (!b W c))", 5, 4);
    }

    #[test]
    fn states_with_different_tasks_stay_apart() {
        check("a U (b U c)", 3, 3);
        check("G (a -> F b)", 2, 2);
    }
}
