//! Coordinates: x by one of two methods, y by stacking the ranks.
//!
//! Small graphs get the optimum of `straighten`; for large ones, where the
//! network simplex would take too long, `align` is good and almost linear.
//!
//! Promise: vertices of a rank keep their order and their extents never overlap;
//! ranks never overlap.

use super::layered::{Layered, Vertex};
use super::order::Layers;
use super::{align, straighten};

/// Where the vertices and ranks are.
pub(super) struct Placement {
    /// The x of each vertex.
    pub(super) x: Vec<f64>,
    /// The y of each rank.
    pub(super) y: Vec<f64>,
    /// Half the height of the tallest vertex of each rank.
    pub(super) half_height: Vec<f64>,
}

/// Least distance between the extents of neighbours on a rank.
const NODE_GAP: f64 = 18.0;

/// Least distance between bends.
const BEND_GAP: f64 = 8.0;

/// Distance between node ranks.
const RANK_GAP: f64 = 42.0;

/// Graphs with so many vertices and segments get the optimal x coordinates.
const STRAIGHTEN_LIMIT: usize = 2_500;

pub(super) fn place(layered: &Layered, layers: &Layers) -> Placement {
    let mut half_height = vec![0.0f64; layered.rank_count];
    for vertex in &layered.vertices {
        half_height[vertex.rank] = half_height[vertex.rank].max(vertex.extent.half_height);
    }
    let gap = if layered.is_doubled { RANK_GAP / 2.0 } else { RANK_GAP };
    let mut y = Vec::new();
    let mut top = 0.0;
    for half in &half_height {
        y.push(top + half);
        top += 2.0 * half + gap;
    }
    let segment_count: usize = layered.vertices.iter().map(|vertex| vertex.below.len()).sum();
    let is_small = layered.vertices.len() + segment_count <= STRAIGHTEN_LIMIT;
    let horizontal = if is_small { straighten::horizontal } else { align::horizontal };
    Placement { x: horizontal(layered, layers), y, half_height }
}

/// The least distance between the centres of neighbours on a rank.
pub(super) fn separation(left: &Vertex, right: &Vertex) -> f64 {
    let gap = if left.is_bend && right.is_bend { BEND_GAP } else { NODE_GAP };
    left.extent.right + gap + right.extent.left
}
