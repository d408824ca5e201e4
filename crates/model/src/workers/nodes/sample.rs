//! Do several workers pay? The first levels of the product tell.
//!
//! Several workers explore the product level by level, and eliminate the nodes of accepting parts; what
//! remains of strong parts, or under fairness, is searched by one of them. So they do not pay where levels
//! are narrow, nor where too many nodes are in accepting parts. The share of these nodes is about the same
//! in the first levels as in the whole product; among the nodes that depth-first search has found it is
//! larger, for it goes to accepting parts first.
//!
//! Promise: the answer depends on the product alone.

use super::super::level_worker::Sizes;
use super::decided_alone;
use super::node_search::NodeSearch;
use crate::ltl::{AcceptingParts, AutomatonStates, Product, TransitionRelation, set_of};
use crate::search::{Budget, Meter};
use crate::system::System;

/// Fewer nodes are no sample.
const LEAST_NODES: usize = 1000;

/// The least mean number of nodes in a level: the sample of a grid of two dimensions has more.
const LEAST_WIDTH: usize = 50;

/// Of a hundred nodes, at most so many may be in accepting parts, and so be explored and eliminated. With
/// half of them there, two workers take 0.5 to 0.8 times as long as one; with all of them, 1.0 to 1.4 times.
const MOST_IN_PARTS: usize = 55;

/// Of a hundred nodes, at most so many may be decided by one worker if they remain.
const MOST_DECIDED_ALONE: usize = 25;

/// Is a search that one worker has begun, with so many states, faster by several? Always if it is too small
/// to tell.
pub(super) fn pays<S: System>(relation: TransitionRelation<'_, S>, states: usize, sizes: Sizes) -> bool {
    let nodes = states / 8;
    if nodes < LEAST_NODES {
        return true;
    }
    let parts = AcceptingParts::new(relation.automaton);
    let product = Product::new(relation, Meter::start(Budget::default()));
    let mut search = NodeSearch::new(relation, &parts, product.suspended(), None, 1, sizes);
    let Ok(levels) = search.first_levels(nodes) else { return false };
    let nodes = search.node_count();
    let is_few = |automata: AutomatonStates, most: usize| {
        let count: usize = search.partitions.iter().map(|partition| partition.nodes_of(automata)).sum();
        count * 100 <= nodes * most
    };
    let all = 0..relation.automaton.state_count() as u32;
    nodes >= levels * LEAST_WIDTH
        && is_few(set_of(all.filter(|state| parts.has(*state))), MOST_IN_PARTS)
        && is_few(decided_alone(&relation, &parts), MOST_DECIDED_ALONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::Graph;
    use crate::ltl::{Fairness, Negation, UnknownReading};
    use selvedge_ltl::{Formula, Letter, Prop};

    /// A torus of so many columns and rows: a step goes right or down. Proposition 0 holds in the
    /// first `labelled` nodes, row by row.
    fn torus(columns: u32, rows: u32, labelled: u32) -> Graph {
        let labels = (0..columns * rows).map(|node| Letter::exactly(u64::from(node < labelled)));
        let steps = |node: u32| {
            let (row, column) = (node / columns, node % columns);
            let right = row * columns + (column + 1) % columns;
            [(node, 0, right), (node, 0, (row + 1) % rows * columns + column)]
        };
        Graph::new(labels.collect(), (0..columns * rows).flat_map(steps).collect(), 1)
    }

    #[track_caller]
    fn check(graph: &Graph, formula: &Formula<Prop>, fairness: Fairness, expected: bool) {
        let automaton = Negation::of(formula).expect("a small formula").search_automaton();
        let relation = TransitionRelation::new(graph, &automaton, fairness, UnknownReading::May);
        let usual = Budget::default().alone;
        assert_eq!(pays(relation, usual, Sizes::USUAL), expected, "{formula:?}");
        assert!(pays(relation, LEAST_NODES, Sizes::USUAL), "too few nodes to tell");
    }

    #[test]
    fn wide_levels_with_few_nodes_of_accepting_parts_pay() {
        let p = Formula::prop(Prop(0));
        // Only one node is without p, and it is far away.
        check(&torus(200, 200, 40_000 - 1), &p.eventually().always(), Fairness::None, true);
    }

    #[test]
    fn narrow_levels_do_not_pay() {
        let p = Formula::prop(Prop(0));
        check(&torus(4000, 10, 40_000 - 1), &p.eventually().always(), Fairness::None, false);
    }

    #[test]
    fn nodes_that_are_all_in_an_accepting_part_do_not_pay() {
        check(&torus(200, 200, 0), &Formula::prop(Prop(0)).eventually(), Fairness::None, false);
    }

    #[test]
    fn nodes_that_are_left_to_one_worker_do_not_pay() {
        // Half of the nodes are of the accepting part.
        let formula = Formula::prop(Prop(0)).eventually().always();
        check(&torus(200, 200, 100), &formula, Fairness::None, true);
        check(&torus(200, 200, 100), &formula, Fairness::Weak, false);
    }
}
