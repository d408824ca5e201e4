//! Seeded random graphs for the tests of this crate.
//!
//! Promise: the same seed gives the same graph on every machine.

use selvedge_draw::{Direction, Edge, Emphasis, Graph, Node, NodeId, Shape, Style};

/// Marsaglia's xorshift: small, and random enough to generate graphs.
pub(crate) struct Xorshift(u64);

impl Xorshift {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.below(2);
        random
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

const SHAPES: [Shape; 7] = [
    Shape::Box,
    Shape::Rounded,
    Shape::Ellipse,
    Shape::Circle,
    Shape::DoubleCircle,
    Shape::Point,
    Shape::Diamond,
];

const LABELS: [&str; 6] = ["", "a", "a & !b", "two\nlines", "□(p → ◇q)", "a rather long label of an edge"];

/// A graph with all shapes, labels, self-loops, parallel edges and initial nodes.
pub(crate) fn random_graph(seed: u64) -> Graph {
    let mut random = Xorshift::new(seed);
    let direction = random.pick(&[Direction::TopDown, Direction::LeftRight]);
    let mut graph = Graph::new(format!("seed {seed}")).direction(direction);
    let node_count = 1 + random.below(24);
    for index in 0..node_count {
        let label = format!("{}{index}", random.pick(&["", "q", "pc = ", "line\nof state "]));
        graph.node(Node::new(label).shape(random.pick(&SHAPES)));
    }
    // A third of the graphs has no labels, so that ranks are not doubled.
    let labels: &[&str] = if seed.is_multiple_of(3) { &[""] } else { &LABELS };
    for _ in 0..random.below(2 * node_count + 1) {
        let ends = [0; 2].map(|_| NodeId(u32::try_from(random.below(node_count)).unwrap()));
        let edge = Edge::new(random.pick(labels))
            .style(random.pick(&[Style::Solid, Style::Dashed, Style::Bold]))
            .emphasis(random.pick(&[Emphasis::Normal, Emphasis::Good, Emphasis::Bad]));
        graph.edge(ends[0], ends[1], edge);
    }
    for _ in 0..random.below(3) {
        graph.initial(NodeId(u32::try_from(random.below(node_count)).unwrap()));
    }
    graph
}
