//! Layering: the rank of each node, so that every edge points down.
//!
//! Parent of [`super::acyclic`] and [`super::simplex`]: of the two orientations the depth-first one is used
//! unless it makes the drawing far taller; then the total length of the edges is minimised.
//!
//! Promise: after reversing the `backward` edges, every edge spans at least one rank; the smallest rank is
//! 0.

use super::acyclic::{Digraph, with_reversed};
use super::simplex::{Arc, NetworkSimplex, longest_path};

/// Ranks, and the edges drawn against their direction.
pub(super) struct Ranking {
    pub(super) backward: Vec<bool>,
    pub(super) rank: Vec<usize>,
}

/// The depth-first orientation is used up to this multiple of the breadth-first one's edge length.
const DEPTH_FIRST_PREFERENCE: usize = 3;

/// Ranks the nodes of a graph without self-loops.
pub(super) fn ranking(node_count: usize, edges: &[(usize, usize)], initials: &[usize]) -> Ranking {
    let digraph = Digraph::new(node_count, edges, initials);
    let mut backward = digraph.depth_first();
    if backward.contains(&true) {
        let breadth_first = digraph.breadth_first();
        let deep_span = total_span(node_count, &with_reversed(edges, &backward));
        let shallow_span = total_span(node_count, &with_reversed(edges, &breadth_first));
        if deep_span > DEPTH_FIRST_PREFERENCE * shallow_span {
            backward = breadth_first;
        }
    }
    let rank = NetworkSimplex::new(node_count, &unit_arcs(&with_reversed(edges, &backward))).balanced();
    Ranking { backward, rank }
}

fn total_span(node_count: usize, edges: &[(usize, usize)]) -> usize {
    let rank = longest_path(node_count, &unit_arcs(edges));
    edges.iter().map(|&(from, to)| rank[from].abs_diff(rank[to])).sum()
}

/// Every edge spans at least one rank, and each rank costs the same.
pub(super) fn unit_arcs(edges: &[(usize, usize)]) -> Vec<Arc> {
    edges.iter().map(|&(from, to)| Arc { from, to, weight: 1, length: 1 }).collect()
}
