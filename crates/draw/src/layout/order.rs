//! Crossing reduction: the order of the vertices on each rank.
//!
//! Gansner, Koutsofios, North, Vo 1993, section 3: sweeps down and up by
//! weighted medians, each followed by transpositions of neighbours, from two
//! initial orders. Crossings are counted with the accumulator tree of Barth,
//! Jünger, Mutzel, "Simple and Efficient Bilayer Cross Counting", GD 2002.
//!
//! Promise: the returned order has no more crossings than either initial order.

use super::layered::Layered;

/// The vertices of each rank from left to right.
pub(super) type Layers = Vec<Vec<usize>>;

/// Sweeps from one initial order.
const SWEEP_LIMIT: usize = 24;

/// Sweeps without progress after which the search stops.
const PATIENCE: usize = 6;

/// Bound on sweeps times vertices, so that large graphs get fewer sweeps.
const WORK_LIMIT: usize = 500_000;

/// Rounds of transpositions after a sweep.
const TRANSPOSE_LIMIT: usize = 4;

/// Orders the vertices of each rank with few crossings.
pub(super) fn order(layered: &Layered) -> Layers {
    let sweep_count = SWEEP_LIMIT.min(WORK_LIMIT / layered.vertices.len().max(1)).max(2);
    let from_above = reduce(layered, initial_order(layered, true), sweep_count);
    if from_above.1 == 0 {
        return from_above.0;
    }
    let from_below = reduce(layered, initial_order(layered, false), sweep_count);
    if from_below.1 < from_above.1 { from_below.0 } else { from_above.0 }
}

/// Depth-first search from the sources (or from the sinks): trees get no crossing.
pub(super) fn initial_order(layered: &Layered, downwards: bool) -> Layers {
    let mut layers = vec![Vec::new(); layered.rank_count];
    let mut seen = vec![false; layered.vertices.len()];
    let ahead = |vertex: usize| {
        let vertex = &layered.vertices[vertex];
        if downwards { &vertex.below } else { &vertex.above }
    };
    let behind = |vertex: usize| {
        let vertex = &layered.vertices[vertex];
        if downwards { &vertex.above } else { &vertex.below }
    };
    for start in (0..layered.vertices.len()).filter(|&vertex| behind(vertex).is_empty()) {
        let mut stack = vec![start];
        while let Some(vertex) = stack.pop() {
            if !std::mem::replace(&mut seen[vertex], true) {
                layers[layered.vertices[vertex].rank].push(vertex);
                stack.extend(ahead(vertex).iter().rev());
            }
        }
    }
    layers
}

/// The best order of a number of sweeps, and its crossings.
pub(super) fn reduce(layered: &Layered, initial: Layers, sweep_count: usize) -> (Layers, usize) {
    let mut sweeper = Sweeper::new(layered, initial);
    let mut best = sweeper.layers.clone();
    let mut best_crossings = crossing_count(layered, &best);
    let mut idle = 0;
    for sweep in 0..sweep_count {
        if best_crossings == 0 || idle == PATIENCE {
            break;
        }
        sweeper.sweep(sweep % 2 == 0, sweep % 4 >= 2);
        sweeper.transpose();
        let crossings = crossing_count(layered, &sweeper.layers);
        idle += 1;
        if crossings < best_crossings {
            best_crossings = crossings;
            best.clone_from(&sweeper.layers);
            idle = 0;
        }
    }
    (best, best_crossings)
}

struct Sweeper<'a> {
    layered: &'a Layered,
    layers: Layers,
    /// The position of each vertex within its layer.
    position: Vec<usize>,
}

impl<'a> Sweeper<'a> {
    fn new(layered: &'a Layered, layers: Layers) -> Self {
        let position = positions(layered, &layers);
        Self { layered, layers, position }
    }

    /// Orders each layer by the medians of the layer before it.
    fn sweep(&mut self, downwards: bool, ties_turn: bool) {
        let rank_count = self.layers.len();
        for step in 1..rank_count {
            let rank = if downwards { step } else { rank_count - 1 - step };
            self.sort_by_medians(rank, downwards, ties_turn);
        }
    }

    /// Vertices without neighbours keep their slots; the others are sorted into the remaining slots.
    fn sort_by_medians(&mut self, rank: usize, downwards: bool, ties_turn: bool) {
        let mut slots = Vec::new();
        let mut movable = Vec::new();
        for (slot, &vertex) in self.layers[rank].iter().enumerate() {
            if let Some(median) = self.median(vertex, downwards) {
                slots.push(slot);
                movable.push((median, vertex));
            }
        }
        if ties_turn {
            movable.reverse();
        }
        movable.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (&slot, &(_, vertex)) in slots.iter().zip(&movable) {
            self.layers[rank][slot] = vertex;
            self.position[vertex] = slot;
        }
    }

    /// The weighted median of the paper's figure 3-2: it lies nearer to the denser side.
    fn median(&self, vertex: usize, of_above: bool) -> Option<f64> {
        let around = self.neighbour_positions(vertex, of_above);
        let count = around.len();
        let middle = count / 2;
        Some(match count {
            0 => return None,
            2 => (around[0] + around[1]) as f64 / 2.0,
            odd if odd % 2 == 1 => around[middle] as f64,
            _ => {
                let left_spread = (around[middle - 1] - around[0]) as f64;
                let right_spread = (around[count - 1] - around[middle]) as f64;
                let (left, right) = (around[middle - 1] as f64, around[middle] as f64);
                if left_spread + right_spread == 0.0 {
                    f64::midpoint(left, right)
                } else {
                    (left * right_spread + right * left_spread) / (left_spread + right_spread)
                }
            }
        })
    }

    fn neighbour_positions(&self, vertex: usize, above: bool) -> Vec<usize> {
        let vertex = &self.layered.vertices[vertex];
        let neighbours = if above { &vertex.above } else { &vertex.below };
        let mut around: Vec<_> = neighbours.iter().map(|&neighbour| self.position[neighbour]).collect();
        around.sort_unstable();
        around
    }

    /// Exchanges neighbours while that removes crossings.
    fn transpose(&mut self) {
        for _ in 0..TRANSPOSE_LIMIT {
            let mut improved = false;
            for rank in 0..self.layers.len() {
                improved |= self.transpose_layer(rank);
            }
            if !improved {
                break;
            }
        }
    }

    fn transpose_layer(&mut self, rank: usize) -> bool {
        let mut improved = false;
        // The other layers do not move, so neighbour positions are sorted once.
        let around = |vertex: &usize| [true, false].map(|above| self.neighbour_positions(*vertex, above));
        let mut neighbours: Vec<_> = self.layers[rank].iter().map(around).collect();
        for index in 1..self.layers[rank].len() {
            let (left, right) = (&neighbours[index - 1], &neighbours[index]);
            let crossings = pair_crossings(&left[0], &right[0]) + pair_crossings(&left[1], &right[1]);
            let exchanged = pair_crossings(&right[0], &left[0]) + pair_crossings(&right[1], &left[1]);
            if exchanged < crossings {
                improved = true;
                neighbours.swap(index - 1, index);
                self.layers[rank].swap(index - 1, index);
                self.position[self.layers[rank][index - 1]] = index - 1;
                self.position[self.layers[rank][index]] = index;
            }
        }
        improved
    }
}

/// Crossings of the edges of two vertices, the left one given first.
fn pair_crossings(left: &[usize], right: &[usize]) -> usize {
    let mut smaller = 0;
    let mut crossings = 0;
    for &position in left {
        while smaller < right.len() && right[smaller] < position {
            smaller += 1;
        }
        crossings += smaller;
    }
    crossings
}

/// The position of each vertex within its layer.
pub(super) fn positions(layered: &Layered, layers: &Layers) -> Vec<usize> {
    let mut position = vec![0; layered.vertices.len()];
    for layer in layers {
        for (slot, &vertex) in layer.iter().enumerate() {
            position[vertex] = slot;
        }
    }
    position
}

/// The number of crossings between all pairs of consecutive layers.
pub(super) fn crossing_count(layered: &Layered, layers: &Layers) -> usize {
    let position = positions(layered, layers);
    layers.windows(2).map(|pair| bilayer_crossings(layered, &pair[0], pair[1].len(), &position)).sum()
}

fn bilayer_crossings(layered: &Layered, upper: &[usize], lower_count: usize, position: &[usize]) -> usize {
    let first_leaf = lower_count.next_power_of_two();
    let mut tree = vec![0usize; 2 * first_leaf];
    let mut crossings = 0;
    for &vertex in upper {
        let mut ends: Vec<_> = layered.vertices[vertex].below.iter().map(|&below| position[below]).collect();
        ends.sort_unstable();
        for end in ends {
            let mut at = first_leaf + end;
            tree[at] += 1;
            while at > 1 {
                // Edges drawn earlier that end further right cross this one.
                if at.is_multiple_of(2) {
                    crossings += tree[at + 1];
                }
                at /= 2;
                tree[at] += 1;
            }
        }
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::samples::{layered, random_edges};

    fn naive_crossings(layered: &Layered, layers: &Layers) -> usize {
        let position = positions(layered, layers);
        let mut segments = Vec::new();
        for (upper, vertex) in layered.vertices.iter().enumerate() {
            segments.extend(vertex.below.iter().map(|&low| (vertex.rank, position[upper], position[low])));
        }
        let crosses =
            |a: &(usize, usize, usize), b: &(usize, usize, usize)| a.0 == b.0 && a.1 < b.1 && a.2 > b.2;
        segments.iter().map(|a| segments.iter().filter(|b| crosses(a, b)).count()).sum()
    }

    #[test]
    fn the_accumulator_tree_agrees_with_the_naive_count() {
        for seed in 0..100 {
            let layered = layered(12, &random_edges(seed, 12, 14));
            let layers = initial_order(&layered, seed % 2 == 0);
            assert_eq!(crossing_count(&layered, &layers), naive_crossings(&layered, &layers), "seed {seed}");
        }
    }

    #[test]
    fn crossing_reduction_never_adds_a_crossing() {
        for seed in 0..300 {
            let node_count = 5 + (seed as usize) % 30;
            let layered = layered(node_count, &random_edges(seed, node_count, node_count));
            let crossings = crossing_count(&layered, &order(&layered));
            for downwards in [true, false] {
                let initial = crossing_count(&layered, &initial_order(&layered, downwards));
                assert!(crossings <= initial, "seed {seed}: {crossings} from {initial}");
            }
        }
    }

    #[test]
    fn a_tree_has_no_crossings() {
        let layered = layered(60, &random_edges(7, 60, 0));
        assert_eq!(crossing_count(&layered, &order(&layered)), 0);
    }
}
