//! Minimisation: states from which the same words are accepted become one.
//!
//! Moore's partition refinement (Gedanken-Experiments on Sequential Machines, 1956) with the signatures of
//! symbolic automata: a state's signature maps each class to the letters that lead to it, as a diagram. A
//! signature is recomputed only if a successor of the state has changed its class.
//!
//! Promise: see [`Dfa`]; the argument may have unreachable states, and whether its initial state accepts
//! matters only if some word leads to it.

use super::dfa::{Dfa, Edge, State, StateId};
use super::guard;
use crate::bdd::{Bdd, Bdds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The minimal automaton of the same language.
pub(super) fn minimise(mut dfa: Dfa) -> Dfa {
    let entered = entered(&dfa);
    let classes = Classes::refine(&mut dfa, &entered);
    // The initial state joins a class with its own signature, a rejecting one if there are two.
    let start = classes.signature(&mut dfa, 0);
    let mut equivalents: Vec<usize> = entered;
    equivalents.retain(|state| classes.signature(&mut dfa, *state) == start);
    let equivalent = equivalents.into_iter().min_by_key(|state| dfa.states[*state].accepting);
    quotient(&mut dfa, &classes, equivalent)
}

/// The states that non-empty words lead to.
fn entered(dfa: &Dfa) -> Vec<usize> {
    let mut entered = Vec::new();
    let mut seen = vec![false; dfa.states.len()];
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        for edge in &dfa.states[state].edges {
            let target = edge.target.index();
            if !std::mem::replace(&mut seen[target], true) {
                entered.push(target);
                open.push(target);
            }
        }
    }
    entered
}

/// The letters that lead to each class.
type Signature = BTreeMap<usize, Bdd>;

/// A partition of the entered states.
struct Classes {
    /// The class of each state; it has no meaning for a state that no word leads to.
    class: Vec<usize>,
    count: usize,
}

impl Classes {
    /// The coarsest partition that separates accepting from rejecting states, and states with different
    /// signatures.
    fn refine(dfa: &mut Dfa, entered: &[usize]) -> Classes {
        let class = dfa.states.iter().map(|state| usize::from(state.accepting)).collect();
        let mut classes = Classes { class, count: 2 };
        let mut members: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); 2];
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); dfa.states.len()];
        for state in entered {
            members[classes.class[*state]].insert(*state);
            for edge in &dfa.states[*state].edges {
                predecessors[edge.target.index()].push(*state);
            }
        }
        let mut changed: Vec<usize> = entered.to_vec();
        while !changed.is_empty() {
            let moved = classes.split(dfa, &changed, &mut members);
            changed = moved.iter().flat_map(|state| &predecessors[*state]).copied().collect();
            changed.sort_unstable();
            changed.dedup();
        }
        classes
    }

    /// Splits the classes of the `changed` states by their signatures; returns the states that have a new
    /// class.
    fn split(&mut self, dfa: &mut Dfa, changed: &[usize], members: &mut Vec<FxHashSet<usize>>) -> Vec<usize> {
        let mut groups: BTreeMap<usize, FxHashMap<Signature, Vec<usize>>> = BTreeMap::new();
        for state in changed {
            let signature = self.signature(dfa, *state);
            groups.entry(self.class[*state]).or_default().entry(signature).or_default().push(*state);
        }
        // All signatures refer to the partition before the round: they are computed before any state moves.
        let retained: Vec<_> = groups
            .iter()
            .map(|(class, groups)| self.retained_signature(dfa, &members[*class], groups))
            .collect();
        let mut moved = Vec::new();
        for ((class, groups), retained) in groups.into_iter().zip(retained) {
            for (_, states) in groups.into_iter().filter(|(signature, _)| *signature != retained) {
                for state in &states {
                    members[class].remove(state);
                    self.class[*state] = self.count;
                }
                members.push(states.iter().copied().collect());
                self.count += 1;
                moved.extend(states);
            }
        }
        moved
    }

    /// The signature that keeps the class: the one of the unchanged members, or else the most frequent.
    fn retained_signature(
        &self,
        dfa: &mut Dfa,
        members: &FxHashSet<usize>,
        changed: &FxHashMap<Signature, Vec<usize>>,
    ) -> Signature {
        let changed_states: FxHashSet<usize> = changed.values().flatten().copied().collect();
        match members.iter().find(|state| !changed_states.contains(state)) {
            Some(unchanged) => self.signature(dfa, *unchanged),
            None => {
                let largest = changed.iter().max_by_key(|(_, states)| (states.len(), states.iter().min()));
                largest.map(|(signature, _)| signature.clone()).unwrap_or_default()
            }
        }
    }

    fn signature(&self, dfa: &mut Dfa, state: usize) -> Signature {
        let mut signature = Signature::new();
        for edge in &dfa.states[state].edges {
            let sum = signature.entry(self.class[edge.target.index()]).or_insert(Bdd::FALSE);
            *sum = dfa.bdds.or(*sum, edge.guard);
        }
        signature
    }
}

/// The automaton of the classes; `equivalent` is a state of the class that the initial state joins.
fn quotient(dfa: &mut Dfa, classes: &Classes, equivalent: Option<usize>) -> Dfa {
    let mut small = Dfa { bdds: Bdds::default(), states: Vec::new() };
    let mut ids: FxHashMap<usize, StateId> = FxHashMap::default();
    // By new state, an old state of its class.
    let mut sources = vec![equivalent.unwrap_or(0)];
    ids.extend(equivalent.map(|state| (classes.class[state], StateId(0))));
    let mut copies = FxHashMap::default();
    while let Some(source) = sources.get(small.states.len()).copied() {
        let mut targets: BTreeMap<usize, (Bdd, usize)> = BTreeMap::new();
        for edge in &dfa.states[source].edges {
            let target = edge.target.index();
            let (sum, _) = targets.entry(classes.class[target]).or_insert((Bdd::FALSE, target));
            *sum = dfa.bdds.or(*sum, edge.guard);
        }
        let mut targets: Vec<(usize, (Bdd, usize))> = targets.into_iter().collect();
        targets.sort_by_cached_key(|(_, (guard, _))| {
            guard::first_letter(&dfa.bdds, *guard).map(|letter| letter.may_true.reverse_bits())
        });
        let mut edges = Vec::new();
        for (class, (guard, target)) in targets {
            let guard = guard::copy(&dfa.bdds, guard, &mut small.bdds, &mut copies);
            let target = *ids.entry(class).or_insert_with(|| {
                sources.push(target);
                StateId((sources.len() - 1) as u32)
            });
            edges.push(Edge { guard, target });
        }
        let is_separate_initial = equivalent.is_none() && small.states.is_empty();
        small.states.push(State { accepting: dfa.states[source].accepting && !is_separate_initial, edges });
    }
    small
}
