//! Small deterministic automata, by residual languages.
//!
//! The residual of a prefix is the language of suffixes that complete it to a word of the property. A
//! property's residuals are the states of the smallest deterministic structure that can track it. For
//! obligations (Boolean combinations of safety properties) some marks on that structure always accept the
//! property (Staiger, Finite-State ω-Languages, 1983; it is the minimal weak automaton of Löding, Efficient
//! Minimization of Deterministic Weak ω-Automata, 2001); for other recurrence properties often. Here the
//! structure comes from the subset construction on a nondeterministic automaton and, in parallel, on the
//! automaton of the negation, which serves to compare two residuals.
//!
//! Marks: a bad set is a set of edges of the structure on which some violating run stays for ever; it is the
//! projection of an accepting component of the product with the negation. A run satisfies the property if it
//! leaves each bad set infinitely often, so for each bad set all other edges get a mark. The result is then
//! compared with the property, since for some properties no marks on the structure suffice.
//!
//! Promise: the returned automata accept the property and its negation; [`Residuals::automaton`] is
//! deterministic.

use super::automaton::{Automaton, Edge, MAX_MARKS, Marks, StateId};
use super::emptiness::{is_empty, product};
use super::scc::Components;
use super::{Limits, prune};
use crate::bdd::{Bdd, Bdds};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The construction gives up above this number of subsets.
const MAX_SUBSETS: usize = 256;
/// The construction gives up above this number of comparisons of guards.
const MAX_COMPARISONS: usize = 50_000;

/// A deterministic structure with marks that accepts the property, and its complement.
pub(super) struct Residuals {
    /// Accepts the property; deterministic.
    pub(super) automaton: Automaton,
    /// Accepts the negation of the property; it guesses from where on a run stays in a bad set.
    pub(super) complement: Automaton,
}

impl Residuals {
    /// The deterministic automaton of a property that is given by an automaton and one for its negation.
    pub(super) fn new(
        bdds: &mut Bdds,
        automaton: &Automaton,
        negation: &Automaton,
        limits: Limits,
    ) -> Option<Residuals> {
        let subsets = Subsets::new(bdds, automaton, negation)?;
        let merged = subsets.merged(bdds, automaton, negation);
        [merged, subsets.edges].into_iter().find_map(|structure| {
            let bad = bad_sets(bdds, &structure, negation)?;
            let marked = marked(&structure, &bad);
            let staying = staying(&structure, &bad);
            let mut disjoint = |a: &Automaton, b: &Automaton| {
                product(bdds, a, b, limits).is_ok_and(|product| is_empty(&product))
            };
            let right = disjoint(&marked, negation) && disjoint(&staying, automaton);
            right.then(|| {
                let complement = with_dead_end(bdds, staying, &structure);
                let [automaton, complement] =
                    [marked, complement].map(|a| prune::prune(bdds, &a, prune::TransientMarks::None));
                Residuals { automaton, complement }
            })
        })
    }
}

/// A deterministic structure: for each state the letters and the targets of its edges. State 0 is initial.
type Structure = Vec<Vec<(Bdd, StateId)>>;

/// Edges of a structure, as a state and an index into its edges.
type EdgeSet = BTreeSet<(StateId, usize)>;

/// The subset construction on both automata at once.
struct Subsets {
    edges: Structure,
    members: Vec<Pair>,
}

/// States of the automaton, and states of the negation.
type Pair = (Vec<StateId>, Vec<StateId>);

impl Subsets {
    fn new(bdds: &mut Bdds, automaton: &Automaton, negation: &Automaton) -> Option<Subsets> {
        let mut numbers: FxHashMap<Pair, StateId> = FxHashMap::default();
        let mut members = vec![(vec![automaton.initial], vec![negation.initial])];
        numbers.insert(members[0].clone(), 0);
        let mut edges: Structure = Vec::new();
        let mut comparisons_left = MAX_COMPARISONS;
        while edges.len() < members.len() {
            let (yes, no) = members[edges.len()].clone();
            let mut leaving = Vec::new();
            for (yes, letters) in split(bdds, automaton, &yes, Bdd::TRUE, &mut comparisons_left)? {
                // No suffix is accepted: the structure has no such edge.
                if yes.is_empty() {
                    continue;
                }
                for (no, letters) in split(bdds, negation, &no, letters, &mut comparisons_left)? {
                    let pair = (yes.clone(), no);
                    let number = *numbers.entry(pair.clone()).or_insert_with(|| {
                        members.push(pair);
                        (members.len() - 1) as StateId
                    });
                    leaving.push((letters, number));
                }
            }
            edges.push(leaving);
            if members.len() > MAX_SUBSETS {
                return None;
            }
        }
        Some(Subsets { edges, members })
    }

    /// The structure with states of equal residuals merged.
    fn merged(&self, bdds: &mut Bdds, automaton: &Automaton, negation: &Automaton) -> Structure {
        let common = common_words(bdds, automaton, negation);
        let meets = |yes: &[StateId], no: &[StateId]| {
            yes.iter().any(|a| no.iter().any(|b| common[*a as usize][*b as usize]))
        };
        let same = |one: usize, other: usize| {
            let ((yes, no), (other_yes, other_no)) = (&self.members[one], &self.members[other]);
            !meets(yes, other_no) && !meets(other_yes, no)
        };
        let mut firsts: Vec<usize> = Vec::new();
        let class: Vec<StateId> = (0..self.members.len())
            .map(|state| match firsts.iter().position(|first| same(*first, state)) {
                Some(known) => known as StateId,
                None => {
                    firsts.push(state);
                    (firsts.len() - 1) as StateId
                }
            })
            .collect();
        firsts
            .iter()
            .map(|first| {
                let mut joined: BTreeMap<StateId, Bdd> = BTreeMap::new();
                for (letters, target) in &self.edges[*first] {
                    let known = joined.entry(class[*target as usize]).or_insert(Bdd::FALSE);
                    *known = bdds.or(*known, *letters);
                }
                joined.into_iter().map(|(target, letters)| (letters, target)).collect()
            })
            .collect()
    }
}

/// The partition of the letters by the subset after them; `None` if it needs more comparisons than are left.
fn split(
    bdds: &mut Bdds,
    automaton: &Automaton,
    subset: &[StateId],
    letters: Bdd,
    comparisons_left: &mut usize,
) -> Option<Vec<(Vec<StateId>, Bdd)>> {
    let mut parts: BTreeMap<Vec<StateId>, Bdd> = BTreeMap::from([(Vec::new(), letters)]);
    for edge in subset.iter().flat_map(|state| &automaton.edges[*state as usize]) {
        *comparisons_left = comparisons_left.checked_sub(parts.len())?;
        let mut next: BTreeMap<Vec<StateId>, Bdd> = BTreeMap::new();
        for (targets, letters) in parts {
            let (with, without) = (bdds.and(letters, edge.guard), bdds.and_not(letters, edge.guard));
            let mut more = targets.clone();
            if let Err(at) = more.binary_search(&edge.target) {
                more.insert(at, edge.target);
            }
            for (targets, letters) in [(more, with), (targets, without)] {
                if letters != Bdd::FALSE {
                    let known = next.entry(targets).or_insert(Bdd::FALSE);
                    *known = bdds.or(*known, letters);
                }
            }
        }
        parts = next;
    }
    Some(parts.into_iter().collect())
}

/// For each state of the one automaton and each of the other: is there a word that both accept from there?
pub(super) fn common_words(bdds: &mut Bdds, automaton: &Automaton, negation: &Automaton) -> Vec<Vec<bool>> {
    let width = negation.state_count();
    let mut edges = Vec::new();
    for leaving in &automaton.edges {
        for other in &negation.edges {
            let mut both = Vec::new();
            for (one, two) in leaving.iter().flat_map(|one| other.iter().map(move |two| (one, two))) {
                let guard = bdds.and(one.guard, two.guard);
                if guard != Bdd::FALSE {
                    let target = one.target * width as StateId + two.target;
                    let shifted = two.marks.checked_shl(automaton.mark_count as u32).unwrap_or(0);
                    both.push(Edge { target, marks: one.marks | shifted, guard });
                }
            }
            edges.push(both);
        }
    }
    let all = Automaton { edges, initial: 0, mark_count: automaton.mark_count + negation.mark_count };
    let components = Components::new(all.state_count(), 0..all.state_count() as u32, |node| {
        all.edges[node as usize].iter().map(|edge| (edge.target, edge.marks))
    });
    let alive = components.alive(&all);
    let is_alive = |node: usize| components.of[node].is_some_and(|c| alive[c as usize]);
    (0..automaton.state_count()).map(|a| (0..width).map(|b| is_alive(a * width + b)).collect()).collect()
}

/// An edge of the product with the negation: its target, its marks, and its edge of the structure.
struct PairEdge {
    target: u32,
    marks: Marks,
    taken: (StateId, usize),
}

/// The reachable product of the structure and the negation; node 0 is initial.
fn pair_edges(bdds: &mut Bdds, structure: &Structure, negation: &Automaton) -> Vec<Vec<PairEdge>> {
    let mut numbers: FxHashMap<(StateId, StateId), u32> = FxHashMap::default();
    let mut pairs = vec![(0, negation.initial)];
    numbers.insert(pairs[0], 0);
    let mut edges: Vec<Vec<PairEdge>> = Vec::new();
    while edges.len() < pairs.len() {
        let (state, negation_state) = pairs[edges.len()];
        let mut leaving = Vec::new();
        for (edge_index, (letters, target)) in structure[state as usize].iter().enumerate() {
            for edge in &negation.edges[negation_state as usize] {
                if bdds.intersect(*letters, edge.guard) {
                    let pair = (*target, edge.target);
                    let target = *numbers.entry(pair).or_insert_with(|| {
                        pairs.push(pair);
                        (pairs.len() - 1) as u32
                    });
                    leaving.push(PairEdge { target, marks: edge.marks, taken: (state, edge_index) });
                }
            }
        }
        edges.push(leaving);
    }
    edges
}

/// The maximal bad sets: sets of edges on which some run of the negation stays for ever.
fn bad_sets(bdds: &mut Bdds, structure: &Structure, negation: &Automaton) -> Option<Vec<EdgeSet>> {
    let edges = pair_edges(bdds, structure, negation);
    let components = Components::new(edges.len(), [0], |node| {
        edges[node as usize].iter().map(|edge| (edge.target, edge.marks))
    });
    let mut sets: BTreeMap<u32, EdgeSet> = BTreeMap::new();
    for (node, leaving) in edges.iter().enumerate() {
        let Some(component) = components.of[node] else { continue };
        if components.is_accepting(component, negation.all_marks()) {
            let inside = leaving.iter().filter(|edge| components.is_inner_edge(node as u32, edge.target));
            sets.entry(component).or_default().extend(inside.map(|edge| edge.taken));
        }
    }
    let mut bad: Vec<EdgeSet> = Vec::new();
    for set in sets.into_values() {
        if !bad.iter().any(|other| set.is_subset(other)) {
            bad.retain(|other| !other.is_subset(&set));
            bad.push(set);
        }
    }
    (bad.len() <= MAX_MARKS / 2).then_some(bad)
}

/// The structure with one mark for each bad set, on all edges outside it.
fn marked(structure: &Structure, bad: &[EdgeSet]) -> Automaton {
    let marks = |edge: (StateId, usize)| {
        let outside = bad.iter().enumerate().filter(|(_, set)| !set.contains(&edge));
        outside.fold(0, |marks, (index, _)| marks | 1 << index)
    };
    let leaving = |state: usize| {
        let edges = structure[state].iter().enumerate();
        edges
            .map(|(edge_index, (guard, target))| Edge {
                target: *target,
                marks: marks((state as StateId, edge_index)),
                guard: *guard,
            })
            .collect()
    };
    Automaton { edges: (0..structure.len()).map(leaving).collect(), initial: 0, mark_count: bad.len() }
}

/// The automaton of the runs that stay in a bad set from some position on: a copy of each set, entered
/// nondeterministically.
fn staying(structure: &Structure, bad: &[EdgeSet]) -> Automaton {
    let count = structure.len();
    let copy = |set: usize, state: StateId| ((set + 1) * count) as StateId + state;
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); count * (bad.len() + 1)];
    for (state, leaving) in structure.iter().enumerate() {
        for (edge_index, (guard, target)) in leaving.iter().enumerate() {
            edges[state].push(Edge { target: *target, marks: 0, guard: *guard });
            let contains_edge = |set: &EdgeSet| set.contains(&(state as StateId, edge_index));
            for (set_index, _) in bad.iter().enumerate().filter(|(_, set)| contains_edge(set)) {
                let edge = Edge { target: copy(set_index, *target), marks: 1, guard: *guard };
                edges[state].push(edge);
                edges[copy(set_index, state as StateId) as usize].push(edge);
            }
        }
    }
    Automaton { edges, initial: 0, mark_count: 1 }
}

/// The same, extended by the words on which the structure has no run.
fn with_dead_end(bdds: &mut Bdds, mut staying: Automaton, structure: &Structure) -> Automaton {
    let end = staying.state_count() as StateId;
    for (state, leaving) in structure.iter().enumerate() {
        let known = leaving.iter().fold(Bdd::FALSE, |known, (letters, _)| bdds.or(known, *letters));
        let rest = bdds.not(known);
        if rest != Bdd::FALSE {
            staying.edges[state].push(Edge { target: end, marks: 0, guard: rest });
        }
    }
    staying.edges.push(vec![Edge { target: end, marks: 1, guard: Bdd::TRUE }]);
    staying
}
