//! The layered graph: nodes, bends and labels as vertices, each on one rank.
//!
//! Sugiyama, Tagawa, Toda 1981: a long edge becomes a chain of vertices, one on each rank it passes. As in
//! Graphviz, once any edge has a label (or two edges join the same nodes) all ranks are doubled: every edge
//! then passes a rank between its ends, where its label, or the space beside a parallel edge, is a vertex.
//!
//! Promise: consecutive vertices of a chain lie on consecutive ranks, except on
//! the longest edges of a graph that would need more than `BEND_LIMIT` bends.

use std::collections::HashSet;

use super::rank::Ranking;
use crate::geometry::Size;

/// A connected graph without self-loops, where ranks go down.
pub(super) struct LayoutGraph {
    pub(super) nodes: Vec<Extent>,
    pub(super) edges: Vec<(usize, usize)>,
    /// The size of the label of each edge.
    pub(super) labels: Vec<Option<Size>>,
    /// Nodes with an initial arrow.
    pub(super) initials: Vec<usize>,
    /// Labels lie on this side of their edge: 1 for greater x, -1 for smaller.
    pub(super) side: f64,
}

/// The space that a vertex takes on each side of its centre.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) half_height: f64,
}

/// A node, the origin of an initial arrow, or a bend: a point where an edge passes a rank.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    pub(super) rank: usize,
    pub(super) extent: Extent,
    /// Whether an edge passes here: its two segments should be straight.
    pub(super) is_bend: bool,
    pub(super) above: Vec<usize>,
    pub(super) below: Vec<usize>,
}

/// The vertices an edge passes, from the upper end to the lower.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) path: Vec<usize>,
    /// The vertex that reserves space for the label.
    pub(super) label: Option<usize>,
    /// Whether the edge is too long to get a bend on each rank.
    pub(super) is_direct: bool,
}

/// Vertices with their neighbours; the first ones are the nodes.
pub(super) struct Layered {
    pub(super) vertices: Vec<Vertex>,
    /// One chain for each edge of the layout graph.
    pub(super) chains: Vec<Chain>,
    /// The vertex where the arrow into each initial node starts.
    pub(super) origins: Vec<usize>,
    pub(super) rank_count: usize,
    /// Whether node ranks are two apart.
    pub(super) is_doubled: bool,
}

/// Above this number of bends the longest edges are drawn without bends.
const BEND_LIMIT: usize = 60_000;

/// Space on both sides of an edge where it passes a rank.
const BEND_EXTENT: f64 = 3.0;

/// Distance between an edge and its label.
pub(super) const LABEL_GAP: f64 = 5.0;

impl Layered {
    pub(super) fn new(layout_graph: &LayoutGraph, ranking: &Ranking) -> Self {
        let is_doubled =
            layout_graph.labels.iter().any(Option::is_some) || has_parallel_edges(&layout_graph.edges);
        let scale = if is_doubled { 2 } else { 1 };
        // An initial arrow starts on the rank above its node.
        let offset = usize::from(layout_graph.initials.iter().any(|&node| ranking.rank[node] == 0));
        let at_rank = |(node, &extent): (usize, &Extent)| Vertex {
            rank: ranking.rank[node] * scale + offset,
            extent,
            is_bend: false,
            above: Vec::new(),
            below: Vec::new(),
        };
        let vertices: Vec<_> = layout_graph.nodes.iter().enumerate().map(at_rank).collect();
        let rank_count = vertices.iter().map(|vertex| vertex.rank + 1).max().unwrap_or(0);
        let mut layered = Self { vertices, chains: Vec::new(), origins: Vec::new(), rank_count, is_doubled };
        for &node in &layout_graph.initials {
            let origin = layered.add(layered.vertices[node].rank - 1, Extent::default(), false);
            layered.connect(origin, node);
            layered.origins.push(origin);
        }
        let span_limit = layered.span_limit(layout_graph);
        for (edge, &(from, to)) in layout_graph.edges.iter().enumerate() {
            let (upper, lower) = if ranking.backward[edge] { (to, from) } else { (from, to) };
            let label = layout_graph.labels[edge].map(|size| label_extent(size, layout_graph.side));
            layered.add_chain(upper, lower, label, span_limit);
        }
        layered
    }

    fn add(&mut self, rank: usize, extent: Extent, is_bend: bool) -> usize {
        self.vertices.push(Vertex { rank, extent, is_bend, above: Vec::new(), below: Vec::new() });
        self.vertices.len() - 1
    }

    fn connect(&mut self, upper: usize, lower: usize) {
        self.vertices[upper].below.push(lower);
        self.vertices[lower].above.push(upper);
    }

    /// The greatest span such that all edges up to that span need at most `BEND_LIMIT` bends.
    fn span_limit(&self, layout_graph: &LayoutGraph) -> usize {
        let rank = |node: usize| self.vertices[node].rank;
        let mut spans: Vec<_> = layout_graph.edges.iter().map(|&(a, b)| rank(a).abs_diff(rank(b))).collect();
        spans.sort_unstable();
        let mut bend_count = 0;
        for &span in &spans {
            bend_count += span - 1;
            if bend_count > BEND_LIMIT {
                return span - 1;
            }
        }
        usize::MAX
    }

    fn add_chain(&mut self, upper: usize, lower: usize, label: Option<Extent>, span_limit: usize) {
        let (first, last) = (self.vertices[upper].rank, self.vertices[lower].rank);
        let is_short = last - first <= span_limit;
        // A label takes the middle one of the ranks between node ranks.
        let label_rank =
            if is_short { first + 1 + ((last - first) / 2).saturating_sub(1) / 2 * 2 } else { first + 1 };
        let mut path = vec![upper];
        let mut label_vertex = None;
        for rank in first + 1..last {
            if !is_short && rank != first + 1 && rank != last - 1 {
                continue;
            }
            let own_label = label.filter(|_| rank == label_rank);
            let plain = Extent { left: BEND_EXTENT, right: BEND_EXTENT, half_height: 0.0 };
            let bend = self.add(rank, own_label.unwrap_or(plain), true);
            if own_label.is_some() {
                label_vertex = Some(bend);
            }
            path.push(bend);
        }
        path.push(lower);
        for step in path.windows(2) {
            if self.vertices[step[1]].rank == self.vertices[step[0]].rank + 1 {
                self.connect(step[0], step[1]);
            }
        }
        self.chains.push(Chain { path, label: label_vertex, is_direct: !is_short });
    }
}

fn label_extent(size: Size, side: f64) -> Extent {
    let room = LABEL_GAP + size.width;
    let (left, right) = if side > 0.0 { (BEND_EXTENT, room) } else { (room, BEND_EXTENT) };
    Extent { left, right, half_height: size.height / 2.0 }
}

fn has_parallel_edges(edges: &[(usize, usize)]) -> bool {
    let mut seen = HashSet::new();
    edges.iter().any(|&(from, to)| !seen.insert((from.min(to), from.max(to))))
}
