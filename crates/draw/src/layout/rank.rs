//! Layering: the rank of each node, so that every edge points down.
//!
//! Parent of [`super::acyclic`] and [`super::simplex`]: of the two orientations
//! we keep the depth-first one unless it makes the drawing far taller, and then
//! minimise the total length of the edges.
//!
//! Promise: after turning the `backward` edges, every edge spans at least one
//! rank; the smallest rank is 0.

use super::acyclic::{Digraph, turned};
use super::simplex::NetworkSimplex;

/// Ranks, and the edges drawn against their direction.
pub(super) struct Ranking {
    pub(super) backward: Vec<bool>,
    pub(super) rank: Vec<usize>,
}

/// How much longer the edges may get for the sake of a depth-first orientation.
const DEPTH_FIRST_FAVOUR: usize = 3;

/// Ranks the nodes of a graph without self-loops.
pub(super) fn ranking(node_count: usize, edges: &[(usize, usize)], initials: &[usize]) -> Ranking {
    let digraph = Digraph::new(node_count, edges, initials);
    let mut backward = digraph.depth_first();
    if backward.contains(&true) {
        let breadth_first = digraph.breadth_first();
        let deep_span = total_span(node_count, &turned(edges, &backward));
        let shallow_span = total_span(node_count, &turned(edges, &breadth_first));
        if deep_span > DEPTH_FIRST_FAVOUR * shallow_span {
            backward = breadth_first;
        }
    }
    let downward = turned(edges, &backward);
    let start = longest_path(node_count, &downward);
    let rank = NetworkSimplex::new(start, &downward).solve();
    Ranking { backward, rank }
}

fn total_span(node_count: usize, edges: &[(usize, usize)]) -> usize {
    let rank = longest_path(node_count, edges);
    edges.iter().map(|&(from, to)| rank[to] - rank[from]).sum()
}

/// The length of the longest path that ends in each node. Panics on a cycle.
pub(super) fn longest_path(node_count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut leaving = vec![Vec::new(); node_count];
    let mut waiting = vec![0usize; node_count];
    for &(from, to) in edges {
        leaving[from].push(to);
        waiting[to] += 1;
    }
    let mut rank = vec![0; node_count];
    let mut ready: Vec<usize> = (0..node_count).filter(|&node| waiting[node] == 0).collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        for &to in &leaving[node] {
            rank[to] = rank[to].max(rank[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    assert_eq!(done, node_count, "the graph to be ranked has a cycle");
    rank
}
