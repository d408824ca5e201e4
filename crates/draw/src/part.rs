//! Several graphs in one drawing, each in a frame with its title.
//!
//! A part is a graph that was added whole, so no edge leads from one part to another. In DOT a part is a
//! cluster.
//!
//! Promise: the nodes of a part have consecutive numbers, in their own order.

use crate::graph::{Graph, NodeId, index_u32};

/// The number of a part, in order of addition from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u32);

/// Nodes that are drawn in a frame of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The text in the corner of the frame.
    pub title: String,
    /// The number of the first node.
    pub(crate) start: u32,
    /// The number after the last one.
    pub(crate) end: u32,
}

impl Part {
    /// Its nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (self.start..self.end).map(NodeId)
    }
}

impl Graph {
    /// Adds all of another graph as a part, framed and under its own title. Frames within that graph are
    /// dropped.
    pub fn part(&mut self, graph: &Graph) -> PartId {
        let start = index_u32(self.nodes.len());
        let moved = |node: NodeId| NodeId(node.0 + start);
        self.nodes.extend(graph.nodes.iter().cloned());
        self.edges.extend(graph.edges().map(|(from, to, edge)| (moved(from), moved(to), edge.clone())));
        self.initials.extend(graph.initials.iter().copied().map(moved));
        self.parts.push(Part { title: graph.title.clone(), start, end: index_u32(self.nodes.len()) });
        PartId(index_u32(self.parts.len() - 1))
    }

    /// The parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The graph as the only part of a drawing, so that its title is visible.
    #[must_use]
    pub fn framed(&self) -> Graph {
        let mut whole = Graph::new(self.title.clone()).direction(self.direction);
        whole.part(self);
        whole
    }
}
