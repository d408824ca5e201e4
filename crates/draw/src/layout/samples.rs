//! Layered graphs from seeds, for the unit tests of the phases.
//!
//! Promise: the same seed gives the same graph on every machine.

use super::layered::{Extent, Layered, LayoutGraph};
use super::rank::ranking;

/// The layered graph of unlabelled nodes of various widths, the first one initial.
pub(super) fn layered(node_count: usize, edges: &[(usize, usize)]) -> Layered {
    let extent = |node: usize| Extent { left: 10.0 + node as f64, right: 15.0, half_height: 12.0 };
    let layout_graph = LayoutGraph {
        nodes: (0..node_count).map(extent).collect(),
        edges: edges.to_vec(),
        labels: vec![None; edges.len()],
        initials: vec![0],
        side: 1.0,
    };
    Layered::new(&layout_graph, &ranking(node_count, edges, &[0]))
}

/// A connected graph: each node joins an earlier one, and there are extra edges.
pub(super) fn random_edges(seed: u64, node_count: usize, extra: usize) -> Vec<(usize, usize)> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let mut edges: Vec<_> = (1..node_count).map(|node| (below(node), node)).collect();
    for _ in 0..extra {
        let (from, to) = (below(node_count), below(node_count));
        if from != to {
            edges.push((from, to));
        }
    }
    edges
}
