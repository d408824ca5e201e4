//! x coordinates of small and middling graphs, optimal by network simplex.
//!
//! Gansner, Koutsofios, North, Vo 1993, section 4.2: each segment of an edge pulls
//! its two vertices together, and more strongly where the edge passes ranks, so
//! that long edges are straight.
//!
//! Promise: vertices of a rank keep their order and separation, and the weighted
//! sum of horizontal distances is least.

use super::coordinates::separation;
use super::layered::{Chain, Layered};
use super::order::Layers;
use super::simplex::{Arc, NetworkSimplex};

/// The x of each vertex: the mean of the optimum and that of the mirror image.
///
/// There are many optima, and the simplex prefers one side. The mean of two optima is an optimum too, since
/// the cost is convex, and it is symmetric.
pub(super) fn horizontal(layered: &Layered, layers: &Layers) -> Vec<f64> {
    let straight = optimum(layered, layers, false);
    let mirrored = optimum(layered, layers, true);
    // Each optimum can be shifted as a whole: the shift makes their middles coincide.
    let shift = middle(&straight) + middle(&mirrored);
    straight.iter().zip(&mirrored).map(|(x, mirrored)| f64::midpoint(*x, shift - mirrored)).collect()
}

fn middle(x: &[f64]) -> f64 {
    let least = x.iter().copied().fold(f64::INFINITY, f64::min);
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(least, most)
}

/// The optimum of the network simplex, in whole pixels.
fn optimum(layered: &Layered, layers: &Layers, is_mirrored: bool) -> Vec<f64> {
    let vertices = &layered.vertices;
    let mut arcs = Vec::new();
    for pair in layers.iter().flat_map(|layer| layer.windows(2)) {
        let length = separation(&vertices[pair[0]], &vertices[pair[1]]).ceil() as isize;
        let (from, to) = if is_mirrored { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
        arcs.push(Arc { from, to, weight: 0, length });
    }
    let mut node_count = vertices.len();
    for (upper, lower, weight) in weighted_segments(layered) {
        // A node left of both ends: its distances to them sum up to at least
        // the distance between them, and to just that at the optimum.
        arcs.push(Arc { from: node_count, to: upper, weight, length: 0 });
        arcs.push(Arc { from: node_count, to: lower, weight, length: 0 });
        node_count += 1;
    }
    let values = NetworkSimplex::new(node_count, &arcs).centered();
    values[..vertices.len()].iter().map(|&value| value as f64).collect()
}

/// The segments with the weights of the paper: 1 between nodes, 2 at the ends of a chain, 8 within. We add
/// two preferences: an edge that is the only one out of its source and into its target has twice the weight,
/// so that sequences are straight; and a bend is pulled towards the end with fewer edges, so that edges fan
/// out at a hub.
fn weighted_segments(layered: &Layered) -> Vec<(usize, usize, isize)> {
    let vertices = &layered.vertices;
    let degree = |node: usize| vertices[node].above.len() + vertices[node].below.len();
    let mut weighted_segments: Vec<_> =
        layered.origins.iter().map(|&origin| (origin, vertices[origin].below[0], 4)).collect();
    for Chain { path, .. } in &layered.chains {
        let (first, last) = (path[0], path[path.len() - 1]);
        let is_only = vertices[first].below.len() == 1 && vertices[last].above.len() == 1;
        for (at, step) in path.windows(2).enumerate() {
            let weight = match (at == 0, at + 2 == path.len()) {
                (true, true) => 2,
                (true, false) => 4 + isize::from(degree(first) < degree(last)),
                (false, true) => 4 + isize::from(degree(last) < degree(first)),
                (false, false) => 16,
            };
            weighted_segments.push((step[0], step[1], if is_only { 2 * weight } else { weight }));
        }
    }
    weighted_segments
}
