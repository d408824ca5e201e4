//! Reduction by simulation.
//!
//! State b simulates state a if for each edge of a and each letter, b has an edge with at least the same
//! marks to a state that simulates the target of a's edge. Somenzi and Bloem, CAV 2000 (direct and reverse
//! simulation); Babiak, Badie, Duret-Lutz, Křetínský, Strejček, Compositional Approach to Suspension, SPIN
//! 2013 (on transition-based generalised automata). States that simulate each other become one; an edge
//! loses the letters for which another edge of its state leads to a state that simulates its target.
//!
//! Promise: the language stays; a state-based automaton stays state-based.

use super::automaton::{Automaton, Edge, StateId};
use crate::bdd::{Bdd, Bdds};
use rustc_hash::FxHashMap;

/// Automata with more edges are only reduced by bisimulation: simulation compares every pair of edges, which
/// takes too long.
const MAX_EDGES: usize = 2_000;

/// Reduces until nothing changes: by bisimulation, then by forward and backward simulation in turn.
pub(super) fn reduce(bdds: &mut Bdds, automaton: Automaton) -> Automaton {
    let mut automaton = bisimulation(bdds, automaton);
    let mut size = (usize::MAX, usize::MAX);
    while automaton.edge_count() <= MAX_EDGES && (automaton.state_count(), automaton.edge_count()) < size {
        size = (automaton.state_count(), automaton.edge_count());
        automaton = forward(bdds, &automaton);
        automaton = backward(bdds, &automaton);
    }
    automaton
}

/// The quotient by bisimulation: states with equal edges into equal classes become one. It is cheap, and
/// often enough.
fn bisimulation(bdds: &mut Bdds, mut automaton: Automaton) -> Automaton {
    loop {
        automaton.merge_parallel(bdds);
        let mut numbers: FxHashMap<&[Edge], StateId> = FxHashMap::default();
        let class: Vec<StateId> = automaton
            .edges
            .iter()
            .enumerate()
            .map(|(state, edges)| *numbers.entry(edges).or_insert(state as StateId))
            .collect();
        if numbers.len() == automaton.state_count() {
            return automaton;
        }
        for edge in automaton.edges.iter_mut().flatten() {
            edge.target = class[edge.target as usize];
        }
        automaton.initial = class[automaton.initial as usize];
        automaton = automaton.reachable();
    }
}

/// `relation[a][b]`: b simulates a.
type Relation = Vec<Vec<bool>>;

/// The quotient by forward simulation, without dominated edges.
fn forward(bdds: &mut Bdds, automaton: &Automaton) -> Automaton {
    let relation = simulation(bdds, automaton, &automaton.edges, false);
    let class = classes(&relation);
    let mut quotient = automaton.clone();
    for (state, edges) in quotient.edges.iter_mut().enumerate() {
        // The first state of a class simulates the others: their edges are not needed.
        if class[state] as usize != state {
            edges.clear();
        }
        for edge in edges {
            edge.target = class[edge.target as usize];
        }
    }
    quotient.initial = class[quotient.initial as usize];
    quotient.merge_parallel(bdds);
    for edges in &mut quotient.edges {
        drop_dominated(bdds, edges, &relation);
    }
    quotient.reachable()
}

/// The quotient by backward simulation, without dominated edges.
fn backward(bdds: &mut Bdds, automaton: &Automaton) -> Automaton {
    let relation = simulation(bdds, automaton, &reversed(&automaton.edges), true);
    let class = classes(&relation);
    let mut quotient = Automaton { edges: vec![Vec::new(); automaton.state_count()], ..automaton.clone() };
    for (state, edges) in automaton.edges.iter().enumerate() {
        // States with the same past may have different futures: the class gets all edges.
        let moved = edges.iter().map(|edge| Edge { target: class[edge.target as usize], ..*edge });
        quotient.edges[class[state] as usize].extend(moved);
    }
    quotient.initial = class[quotient.initial as usize];
    quotient.merge_parallel(bdds);
    let mut incoming = reversed(&quotient.edges);
    for edges in &mut incoming {
        drop_dominated(bdds, edges, &relation);
    }
    quotient.edges = reversed(&incoming);
    quotient.reachable()
}

/// The reversed edges.
fn reversed(edges: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (state, leaving) in edges.iter().enumerate() {
        for edge in leaving {
            reversed[edge.target as usize].push(Edge { target: state as StateId, ..*edge });
        }
    }
    reversed
}

/// The greatest simulation along the given edges.
///
/// Backward, only the initial state simulates the initial state. In a state-based automaton only accepting
/// states simulate accepting states.
fn simulation(bdds: &mut Bdds, automaton: &Automaton, edges: &[Vec<Edge>], backward: bool) -> Relation {
    let count = automaton.state_count();
    let state_based = automaton.mark_count == 1 && automaton.is_state_based();
    let may = |a: usize, b: usize| {
        let initial = automaton.initial as usize;
        (!backward || a != initial || b == initial)
            && (!state_based || !automaton.is_accepting(a as StateId) || automaton.is_accepting(b as StateId))
    };
    let mut relation: Relation = (0..count).map(|a| (0..count).map(|b| may(a, b)).collect()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for a in 0..count {
            for b in 0..count {
                if a == b || !relation[a][b] {
                    continue;
                }
                if !edges[a].iter().all(|edge| is_answered(bdds, edge, &edges[b], &relation)) {
                    relation[a][b] = false;
                    changed = true;
                }
            }
        }
    }
    relation
}

/// For each letter of the edge, is there an answer with at least its marks that leads to a state that
/// simulates its target?
fn is_answered(bdds: &mut Bdds, edge: &Edge, answers: &[Edge], relation: &Relation) -> bool {
    let mut open = edge.guard;
    for answer in answers {
        if edge.marks & !answer.marks == 0 && relation[edge.target as usize][answer.target as usize] {
            open = bdds.and_not(open, answer.guard);
        }
        if open == Bdd::FALSE {
            return true;
        }
    }
    open == Bdd::FALSE
}

/// For each state the first state that simulates it and is simulated by it.
fn classes(relation: &Relation) -> Vec<StateId> {
    (0..relation.len())
        .map(|a| (0..a).find(|b| relation[a][*b] && relation[*b][a]).unwrap_or(a) as StateId)
        .collect()
}

/// Removes from each edge the letters that a dominating edge also reads: an edge with at least its marks to
/// a state that simulates its target.
fn drop_dominated(bdds: &mut Bdds, edges: &mut Vec<Edge>, relation: &Relation) {
    let dominates = |one: &Edge, other: &Edge| {
        one.marks & !other.marks == 0 && relation[one.target as usize][other.target as usize]
    };
    let before = edges.clone();
    for (index, edge) in edges.iter_mut().enumerate() {
        for (other_index, other) in before.iter().enumerate() {
            // Of two edges that dominate each other the first stays.
            let wins = dominates(&before[index], other)
                && (!dominates(other, &before[index]) || other_index < index);
            if other_index != index && wins {
                edge.guard = bdds.and_not(edge.guard, other.guard);
            }
        }
    }
    edges.retain(|edge| edge.guard != Bdd::FALSE);
}
