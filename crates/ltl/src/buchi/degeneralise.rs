//! One mark instead of many, on the states instead of the edges.
//!
//! The classical construction (Gastin and Oddoux, CAV 2001, on edges) has a copy of a state for each level:
//! the number of marks met in this round, in a fixed order. Here each accepting component is degeneralised
//! by itself, since levels matter nowhere else (Babiak, Badie, Duret-Lutz, Křetínský, Strejček, SPIN 2013):
//! with the order of marks that needs the fewest copies, and with one bottom component of the copies alone,
//! since a run may enter a component at any level.
//!
//! Promise: the same language; at most one mark; state-based.

use super::automaton::{Automaton, Edge, Marks, StateId};
use super::scc::Components;
use crate::bdd::Bdds;
use rustc_hash::FxHashMap;

/// Up to this number of marks all orders are tried; above it, the rotations of one order.
const MAX_PERMUTED: usize = 5;

/// The copies of one component's states.
struct Copies {
    /// The pairs of state and level that become states.
    nodes: Vec<(StateId, usize)>,
    /// The order in which the marks are awaited.
    order: Vec<Marks>,
}

/// Free choices of the construction: they do not change the language, but the result of the reduction by
/// simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Are transient states, which lie on no cycle, accepting?
    pub(super) transient_accepts: bool,
    /// Is a component entered at the level of a completed round, where that copy exists?
    pub(super) enter_accepting: bool,
}

impl Choice {
    /// Every combination.
    pub(super) const ALL: [Choice; 4] = [
        Choice { transient_accepts: false, enter_accepting: false },
        Choice { transient_accepts: false, enter_accepting: true },
        Choice { transient_accepts: true, enter_accepting: false },
        Choice { transient_accepts: true, enter_accepting: true },
    ];
}

/// The state-based Büchi automaton.
pub(super) fn degeneralise(bdds: &mut Bdds, automaton: &Automaton, choice: Choice) -> Automaton {
    let components = Components::of_automaton(automaton);
    let all = automaton.all_marks();
    let mut numbers: FxHashMap<(StateId, usize), StateId> = FxHashMap::default();
    let mut copies: Vec<Option<Copies>> = Vec::new();
    // For each state the copy at which its component is entered.
    let mut entry: FxHashMap<StateId, (StateId, usize)> = FxHashMap::default();
    for component in 0..components.count() as u32 {
        let chosen =
            components.is_accepting(component, all).then(|| fewest_copies(automaton, &components, component));
        let nodes = match &chosen {
            Some(copies) => copies.nodes.clone(),
            None => members(&components, component).into_iter().map(|state| (state, 0)).collect(),
        };
        let full = chosen.as_ref().map(|copies| copies.order.len());
        for node in nodes {
            let number = numbers.len() as StateId;
            numbers.insert(node, number);
            let preferred = choice.enter_accepting && Some(node.1) == full;
            if preferred || !entry.contains_key(&node.0) {
                entry.insert(node.0, node);
            }
        }
        copies.push(chosen);
    }
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); numbers.len()];
    for (&(state, level), &number) in &numbers {
        let Some(component) = components.of[state as usize] else { continue };
        let copies = copies[component as usize].as_ref();
        let on_a_cycle = components.marks[component as usize].is_some();
        let accepting = match copies {
            Some(copies) => level == copies.order.len(),
            None => choice.transient_accepts && !on_a_cycle,
        };
        for edge in &automaton.edges[state as usize] {
            let target = match copies {
                Some(copies) if components.is_inner_edge(state, edge.target) => {
                    (edge.target, advance(level, edge.marks, &copies.order))
                }
                _ => entry[&edge.target],
            };
            edges[number as usize].push(Edge {
                target: numbers[&target],
                marks: Marks::from(accepting),
                guard: edge.guard,
            });
        }
    }
    let mut result = Automaton { edges, initial: numbers[&entry[&automaton.initial]], mark_count: 1 };
    result.merge_parallel(bdds);
    result.reachable()
}

/// The level after an edge: a completed round starts again at 0, then marks count in order.
pub(super) fn advance(level: usize, marks: Marks, order: &[Marks]) -> usize {
    let start = if level == order.len() { 0 } else { level };
    start + order[start..].iter().take_while(|mark| marks & **mark != 0).count()
}

fn members(components: &Components, component: u32) -> Vec<StateId> {
    (0..components.of.len() as u32)
        .filter(|state| components.of[*state as usize] == Some(component))
        .collect()
}

/// The copies of an accepting component, for the order of marks with the fewest copies.
fn fewest_copies(automaton: &Automaton, components: &Components, component: u32) -> Copies {
    let states = members(components, component);
    orders(&marks_with_levels(automaton, components, component))
        .into_iter()
        .map(|order| bottom_copies(automaton, components, &states, order))
        .min_by_key(|copies| copies.nodes.len())
        .unwrap_or_else(|| bottom_copies(automaton, components, &states, Vec::new()))
}

/// The marks that are missing on some edge of an accepting component.
pub(super) fn marks_with_levels(
    automaton: &Automaton,
    components: &Components,
    component: u32,
) -> Vec<Marks> {
    let states = members(components, component);
    let inner = states.iter().flat_map(|state| {
        let edges = automaton.edges[*state as usize].iter();
        edges.filter(|edge| components.is_inner_edge(*state, edge.target)).map(|edge| edge.marks)
    });
    // A mark on every edge needs no level.
    let everywhere = inner.fold(automaton.all_marks(), |common, marks| common & marks);
    (0..automaton.mark_count).map(|index| 1 << index).filter(|mark| everywhere & mark == 0).collect()
}

/// The smallest bottom component of the copies: no run leaves it without leaving the original component.
fn bottom_copies(
    automaton: &Automaton,
    components: &Components,
    states: &[StateId],
    order: Vec<Marks>,
) -> Copies {
    let width = order.len() + 1;
    let successors = |node: u32| {
        let (state, level) = (node / width as u32, node as usize % width);
        let order = &order;
        let edges = automaton.edges[state as usize].iter();
        edges
            .filter(move |edge| components.is_inner_edge(state, edge.target))
            .map(move |edge| (edge.target * width as u32 + advance(level, edge.marks, order) as u32, 0))
    };
    let roots =
        states.iter().flat_map(|state| (0..width as u32).map(move |level| state * width as u32 + level));
    let parts = Components::new(automaton.state_count() * width, roots.clone(), successors);
    let leaves = |node: u32| successors(node).any(|(target, _)| !parts.is_inner_edge(node, target));
    let mut sizes = vec![0usize; parts.count()];
    let mut bottom = vec![true; parts.count()];
    for node in roots.clone() {
        let Some(part) = parts.of[node as usize] else { continue };
        sizes[part as usize] += 1;
        bottom[part as usize] &= !leaves(node);
    }
    let smallest = (0..parts.count() as u32)
        .filter(|part| bottom[*part as usize])
        .min_by_key(|part| sizes[*part as usize]);
    let nodes = roots
        .filter(|node| parts.of[*node as usize] == smallest)
        .map(|node| (node / width as u32, node as usize % width))
        .collect();
    Copies { nodes, order }
}

/// Orders of the marks to try.
fn orders(marks: &[Marks]) -> Vec<Vec<Marks>> {
    if marks.len() > MAX_PERMUTED {
        return (0..marks.len()).map(|by| [&marks[by..], &marks[..by]].concat()).collect();
    }
    let mut all = vec![Vec::new()];
    for mark in marks {
        all = all
            .into_iter()
            .flat_map(|order: Vec<Marks>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, *mark);
                    longer
                })
            })
            .collect();
    }
    all
}
