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

/// The coordinates of vertices and ranks.
pub(super) struct Coordinates {
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

/// Wanted height of a segment, as a share of its width.
const SLOPE: f64 = 0.15;

/// Distance between ranks beyond which it no longer grows.
const WIDE_RANK_GAP: f64 = 70.0;

/// The greatest sideways distance of an edge within half the height of its label; a steeper edge passes its
/// label upright.
const LABEL_SLANT: f64 = 12.0;

/// Graphs with at most so many vertices and segments get optimal x coordinates.
const STRAIGHTEN_LIMIT: usize = 2_500;

pub(super) fn assign_coordinates(layered: &Layered, layers: &Layers) -> Coordinates {
    let mut half_height = vec![0.0f64; layered.rank_count];
    for vertex in &layered.vertices {
        half_height[vertex.rank] = half_height[vertex.rank].max(vertex.extent.half_height);
    }
    let segment_count: usize = layered.vertices.iter().map(|vertex| vertex.below.len()).sum();
    let is_small = layered.vertices.len() + segment_count <= STRAIGHTEN_LIMIT;
    let horizontal = if is_small { straighten::horizontal } else { align::horizontal };
    let mut x = horizontal(layered, layers);
    let y = vertical(layered, &x, &half_height);
    set_bends_on_lines(layered, layers, &mut x, &y);
    Coordinates { x, y, half_height }
}

/// Stacks the ranks; ranks are further apart where segments run far sideways.
fn vertical(layered: &Layered, x: &[f64], half_height: &[f64]) -> Vec<f64> {
    let least_gap = if layered.is_doubled { RANK_GAP / 2.0 } else { RANK_GAP };
    let mut gap = vec![least_gap; layered.rank_count];
    for (upper, vertex) in layered.vertices.iter().enumerate() {
        for &lower in &vertex.below {
            let wanted = SLOPE * (x[upper] - x[lower]).abs();
            gap[vertex.rank] = gap[vertex.rank].max(wanted.min(WIDE_RANK_GAP));
        }
    }
    let mut top = 0.0;
    let stack = |(half, gap): (&f64, &f64)| {
        let y = top + half;
        top += 2.0 * half + gap;
        y
    };
    half_height.iter().zip(&gap).map(stack).collect()
}

/// The least distance between the centres of neighbours on a rank.
pub(super) fn separation(left: &Vertex, right: &Vertex) -> f64 {
    let gap = if left.is_bend && right.is_bend { BEND_GAP } else { NODE_GAP };
    left.extent.right + gap + right.extent.left
}

/// Moves the single bend of an edge between neighbouring node ranks towards the straight line between its
/// nodes, as far as the bend's neighbours allow.
fn set_bends_on_lines(layered: &Layered, layers: &Layers, x: &mut [f64], y: &[f64]) {
    let vertices = &layered.vertices;
    for layer in layers {
        for (index, &bend) in layer.iter().enumerate() {
            let (&[above], &[below]) = (&vertices[bend].above[..], &vertices[bend].below[..]) else {
                continue;
            };
            if !vertices[bend].is_bend || vertices[above].is_bend || vertices[below].is_bend {
                continue;
            }
            let rank = vertices[bend].rank;
            let share = (y[rank] - y[rank - 1]) / (y[rank + 1] - y[rank - 1]);
            let slope = (x[below] - x[above]).abs() / (y[rank + 1] - y[rank - 1]);
            if slope * vertices[bend].extent.half_height > LABEL_SLANT {
                continue;
            }
            let wanted = x[above] + (x[below] - x[above]) * share;
            let left = index.checked_sub(1).map(|left| layer[left]);
            let right = layer.get(index + 1);
            let least =
                left.map_or(f64::NEG_INFINITY, |left| x[left] + separation(&vertices[left], &vertices[bend]));
            let most = right
                .map_or(f64::INFINITY, |&right| x[right] - separation(&vertices[bend], &vertices[right]));
            x[bend] = wanted.max(least).min(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::order::order;
    use crate::layout::samples::{layered, random_edges};

    /// The weighted sum that `straighten` minimises, without its preferences.
    fn width(layered: &Layered, x: &[f64]) -> f64 {
        let segments = |(upper, vertex): (usize, &Vertex)| {
            vertex.below.iter().map(|&lower| (x[upper] - x[lower]).abs()).sum::<f64>()
        };
        layered.vertices.iter().enumerate().map(segments).sum()
    }

    #[test]
    fn both_methods_keep_neighbours_separated() {
        for seed in 0..100 {
            let layered = layered(30, &random_edges(seed, 30, 15));
            let layers = order(&layered);
            for horizontal in [straighten::horizontal, align::horizontal] {
                let x = horizontal(&layered, &layers);
                for pair in layers.iter().flat_map(|layer| layer.windows(2)) {
                    let least = separation(&layered.vertices[pair[0]], &layered.vertices[pair[1]]);
                    assert!(x[pair[1]] - x[pair[0]] >= least - 1e-6, "seed {seed}: {pair:?} are too near");
                }
            }
        }
    }

    #[test]
    fn straightening_gives_shorter_segments_than_aligning_in_sum() {
        let total = |horizontal: fn(&Layered, &Layers) -> Vec<f64>| {
            let sample = |seed: u64| layered(30, &random_edges(seed, 30, 15));
            let widths = (0..50).map(sample).map(|layered| {
                let layers = order(&layered);
                width(&layered, &horizontal(&layered, &layers))
            });
            widths.sum::<f64>()
        };
        assert!(total(straighten::horizontal) < total(align::horizontal));
    }

    #[test]
    fn ranks_do_not_overlap() {
        let layered = layered(30, &random_edges(3, 30, 15));
        let coordinates = assign_coordinates(&layered, &order(&layered));
        for rank in 1..layered.rank_count {
            let (upper, lower) = (rank - 1, rank);
            let bottom = coordinates.y[upper] + coordinates.half_height[upper];
            assert!(
                bottom < coordinates.y[lower] - coordinates.half_height[lower],
                "ranks {upper} and {lower}"
            );
        }
    }
}
