//! x coordinates of large graphs, by aligning vertices with their medians.
//!
//! Brandes, Köpf, "Fast and Simple Horizontal Coordinate Assignment", GD 2001.
//! Blocks of aligned vertices are formed four times (from above or below, from
//! the left or right) and averaged. We differ in the compaction, the part that
//! the erratum of 2020 corrects (Brandes, Walter, Zink): blocks take the longest
//! path from the left, and then move right as far as their neighbours allow.
//!
//! Promise: vertices of a rank keep their order and separation; almost linear time.

use std::collections::HashSet;

use super::coordinates::separation;
use super::layered::Layered;
use super::order::{Layers, positions};

/// The average of the two middle ones of four assignments.
pub(super) fn horizontal(layered: &Layered, layers: &Layers) -> Vec<f64> {
    let conflicts = type_1_conflicts(layered, layers);
    let mut assignments = Vec::new();
    for (from_above, from_left) in [(true, true), (true, false), (false, true), (false, false)] {
        let view = View::new(layered, layers, from_above, from_left);
        assignments.push(view.assign(&conflicts));
    }
    align_to_narrowest(layered, &mut assignments);
    let middle = |vertex: usize| {
        let mut candidates = [0, 1, 2, 3].map(|index: usize| assignments[index][vertex]);
        candidates.sort_by(f64::total_cmp);
        f64::midpoint(candidates[1], candidates[2])
    };
    (0..layered.vertices.len()).map(middle).collect()
}

/// Segments that cross an inner segment (bend to bend), as upper and lower vertex.
///
/// Inner segments have priority: long edges are straight at the cost of short ones.
fn type_1_conflicts(layered: &Layered, layers: &Layers) -> HashSet<(usize, usize)> {
    let position = positions(layered, layers);
    let mut conflicts = HashSet::new();
    let inner_above = |vertex: usize| {
        let vertex = &layered.vertices[vertex];
        vertex.above.iter().copied().find(|&above| vertex.is_bend && layered.vertices[above].is_bend)
    };
    for pair in layers.windows(2) {
        let mut left_bound = 0;
        let mut scanned = 0;
        for (index, &lower) in pair[1].iter().enumerate() {
            let inner = inner_above(lower);
            if inner.is_none() && index + 1 < pair[1].len() {
                continue;
            }
            let right_bound = inner.map_or(pair[0].len(), |above| position[above]);
            for &vertex in &pair[1][scanned..=index] {
                for &above in &layered.vertices[vertex].above {
                    let outside = position[above] < left_bound || position[above] > right_bound;
                    if outside && inner_above(vertex) != Some(above) {
                        conflicts.insert((above, vertex));
                    }
                }
            }
            scanned = index + 1;
            left_bound = right_bound;
        }
    }
    conflicts
}

/// The layered graph for one of the four assignments, mirrored so that it always aligns with the layer
/// before and packs towards smaller x.
struct View<'a> {
    layered: &'a Layered,
    layers: Layers,
    position: Vec<usize>,
    from_above: bool,
    from_left: bool,
}

impl<'a> View<'a> {
    fn new(layered: &'a Layered, layers: &Layers, from_above: bool, from_left: bool) -> Self {
        let mut layers = layers.clone();
        if !from_above {
            layers.reverse();
        }
        if !from_left {
            layers.iter_mut().for_each(|layer| layer.reverse());
        }
        let position = positions(layered, &layers);
        Self { layered, layers, position, from_above, from_left }
    }

    fn assign(&self, conflicts: &HashSet<(usize, usize)>) -> Vec<f64> {
        let root = self.align(conflicts);
        let x = self.compact(&root);
        if self.from_left { x } else { x.iter().map(|x| -x).collect() }
    }

    /// Joins each vertex with a median neighbour before it; returns the first
    /// vertex of each block. (Algorithm 2 of the paper.)
    fn align(&self, conflicts: &HashSet<(usize, usize)>) -> Vec<usize> {
        let mut root: Vec<usize> = (0..self.layered.vertices.len()).collect();
        for layer in &self.layers {
            let mut taken: Option<usize> = None;
            for &vertex in layer {
                for neighbour in self.medians(vertex) {
                    let segment = if self.from_above { (neighbour, vertex) } else { (vertex, neighbour) };
                    let index = self.position[neighbour];
                    if taken.is_none_or(|taken| taken < index) && !conflicts.contains(&segment) {
                        root[vertex] = root[neighbour];
                        taken = Some(index);
                        break;
                    }
                }
            }
        }
        root
    }

    /// The one or two middle neighbours on the layer before.
    fn medians(&self, vertex: usize) -> Vec<usize> {
        let vertex = &self.layered.vertices[vertex];
        let mut before = if self.from_above { vertex.above.clone() } else { vertex.below.clone() };
        before.sort_by_key(|&neighbour| self.position[neighbour]);
        match before.len() {
            0 => before,
            count => before[(count - 1) / 2..=count / 2].to_vec(),
        }
    }

    /// Places the blocks: first as far left as they go, then towards their right neighbours.
    fn compact(&self, root: &[usize]) -> Vec<f64> {
        let vertex_count = root.len();
        let mut next = vec![Vec::new(); vertex_count];
        let mut waiting = vec![0usize; vertex_count];
        for pair in self.layers.iter().flat_map(|layer| layer.windows(2)) {
            next[root[pair[0]]].push((root[pair[1]], self.separation(pair[0], pair[1])));
            waiting[root[pair[1]]] += 1;
        }
        let is_ready = |&vertex: &usize| root[vertex] == vertex && waiting[vertex] == 0;
        let mut sorted: Vec<usize> = (0..vertex_count).filter(is_ready).collect();
        let mut x = vec![0.0f64; vertex_count];
        let mut done = 0;
        while let Some(&block) = sorted.get(done) {
            done += 1;
            for &(right, separation) in &next[block] {
                x[right] = x[right].max(x[block] + separation);
                waiting[right] -= 1;
                if waiting[right] == 0 {
                    sorted.push(right);
                }
            }
        }
        for &block in sorted.iter().rev() {
            let room = next[block].iter().map(|&(right, separation)| x[right] - separation);
            if let Some(limit) = room.min_by(f64::total_cmp) {
                x[block] = x[block].max(limit);
            }
        }
        root.iter().map(|&block| x[block]).collect()
    }

    fn separation(&self, left: usize, right: usize) -> f64 {
        let vertices = &self.layered.vertices;
        if self.from_left {
            separation(&vertices[left], &vertices[right])
        } else {
            separation(&vertices[right], &vertices[left])
        }
    }
}

/// Shifts the assignments to a common side of the narrowest one.
fn align_to_narrowest(layered: &Layered, assignments: &mut [Vec<f64>]) {
    let bounds = |x: &Vec<f64>| {
        let reach = layered.vertices.iter().zip(x);
        reach.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), (vertex, x)| {
            (least.min(x - vertex.extent.left), most.max(x + vertex.extent.right))
        })
    };
    let all: Vec<_> = assignments.iter().map(bounds).collect();
    let narrowest = all.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let Some((least, most)) = narrowest else { return };
    for (index, x) in assignments.iter_mut().enumerate() {
        // Even ones were packed to the left, odd ones to the right.
        let shift = if index % 2 == 0 { least - all[index].0 } else { most - all[index].1 };
        x.iter_mut().for_each(|x| *x += shift);
    }
}
