//! x coordinates of small and middling graphs, optimal by network simplex.
//!
//! Gansner, Koutsofios, North, Vo 1993, section 4.2: each segment of an edge pulls
//! its two vertices together, and pulls harder where the edge passes ranks, so
//! that long edges are straight.
//!
//! Promise: vertices of a rank keep their order and separation, and the weighted
//! sum of horizontal distances is least.

use super::layered::{Layered, Vertex};
use super::order::Layers;
use super::place::separation;
use super::simplex::{Arc, NetworkSimplex};

/// The x of each vertex: the mean of the optimum and that of the mirror image.
///
/// There are many optima, and the simplex leans to one side; the mean of two
/// optima is an optimum too, since the cost is convex, and it is symmetric.
pub(super) fn horizontal(layered: &Layered, layers: &Layers) -> Vec<f64> {
    let straight = optimum(layered, layers, false);
    let mirrored = optimum(layered, layers, true);
    // Both are free to move as a whole: their middles are set on each other.
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
    for (upper, vertex) in vertices.iter().enumerate() {
        for &lower in &vertex.below {
            // A node left of both ends: its distances to them sum up to at least
            // the distance between them, and to just that at the optimum.
            let weight = pull(vertex, &vertices[lower]);
            arcs.push(Arc { from: node_count, to: upper, weight, length: 0 });
            arcs.push(Arc { from: node_count, to: lower, weight, length: 0 });
            node_count += 1;
        }
    }
    let values = NetworkSimplex::new(node_count, &arcs).centered();
    values[..vertices.len()].iter().map(|&value| value as f64).collect()
}

/// The weights of the paper: 1 between nodes, 2 at the ends of a chain, 8 within.
fn pull(upper: &Vertex, lower: &Vertex) -> isize {
    match (upper.is_bend, lower.is_bend) {
        (false, false) => 1,
        (true, true) => 8,
        _ => 2,
    }
}
