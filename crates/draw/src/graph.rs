//! The graph to be drawn: a directed multigraph with labels and attributes.
//!
//! Nodes and edges are numbered in the order in which they are added, and every output keeps to that order.
//! Attributes are classes (`Emphasis::Bad`), never colours, so that each renderer can choose colours for its
//! background.
//!
//! Promise: an id handed out by a graph stays valid; an id of another graph
//! that is out of range panics at once.

use crate::part::{Part, PartId};
use std::collections::HashMap;

/// A directed multigraph with a title, ready to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(crate) title: String,
    pub(crate) direction: Direction,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<(NodeId, NodeId, Edge)>,
    pub(crate) initials: Vec<NodeId>,
    pub(crate) parts: Vec<Part>,
}

/// The number of a node, in order of addition from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The number of an edge, in order of addition from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

/// Where most edges point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Layers are rows; edges point down.
    #[default]
    TopDown,
    /// Layers are columns; edges point right.
    LeftRight,
}

/// The outline of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A rectangle.
    Box,
    /// A rectangle with rounded corners.
    #[default]
    Rounded,
    /// An ellipse around the text.
    Ellipse,
    /// A circle: a state of an automaton.
    Circle,
    /// Two concentric circles: an accepting state.
    DoubleCircle,
    /// A dot; its label is not drawn.
    Point,
    /// A rhombus: a branch of a flow graph.
    Diamond,
}

/// The meaning that the colour of a node or an edge conveys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Emphasis {
    /// Nothing special.
    #[default]
    Normal,
    /// In focus: a current state, a chosen path.
    Strong,
    /// In the background: explored, but not relevant.
    Muted,
    /// As it should be.
    Good,
    /// A violation.
    Bad,
}

/// How the line of an edge is stroked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// A thin line.
    #[default]
    Solid,
    /// An interrupted line.
    Dashed,
    /// A thick line.
    Bold,
}

/// A node's label and attributes. Text converts into a node, so `graph.node("q0")` works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The text inside; it may have several lines.
    pub label: String,
    /// The outline around the text.
    pub shape: Shape,
    /// The class that decides the colours.
    pub emphasis: Emphasis,
    /// Text shown when the pointer rests on the node.
    pub tooltip: Option<String>,
    /// Further classes, for programs and style sheets: `deadlock`, `accepting`.
    pub classes: Vec<String>,
}

/// An edge's label and attributes. Text converts into an edge with that label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// The text beside the line; it may have several lines, or be empty.
    pub label: String,
    /// How the line is stroked.
    pub style: Style,
    /// The class that decides the colours.
    pub emphasis: Emphasis,
    /// Text shown when the pointer rests on the edge.
    pub tooltip: Option<String>,
    /// Further classes, for programs and style sheets.
    pub classes: Vec<String>,
}

impl Graph {
    /// An empty graph, drawn from the top down.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The same graph drawn in another direction.
    #[must_use]
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Adds a node: a text, or a [`Node`] with a shape and an emphasis.
    pub fn node(&mut self, node: impl Into<Node>) -> NodeId {
        self.nodes.push(node.into());
        NodeId(index_u32(self.nodes.len() - 1))
    }

    /// Adds an edge; parallel edges and self-loops are allowed. Both ends are in the same part, or in no
    /// part.
    pub fn edge(&mut self, from: NodeId, to: NodeId, edge: impl Into<Edge>) -> EdgeId {
        assert!((from.0 as usize) < self.nodes.len(), "edge from {from:?}, which is not in the graph");
        assert!((to.0 as usize) < self.nodes.len(), "edge to {to:?}, which is not in the graph");
        assert_eq!(self.part_of(from), self.part_of(to), "an edge between two parts");
        self.edges.push((from, to, edge.into()));
        EdgeId(index_u32(self.edges.len() - 1))
    }

    /// Marks a node as initial: a short arrow without a source node points at it.
    pub fn initial(&mut self, node: NodeId) {
        assert!((node.0 as usize) < self.nodes.len(), "initial {node:?} is not in the graph");
        if !self.initials.contains(&node) {
            self.initials.push(node);
        }
    }

    /// The same graph with one line for all edges between two nodes that have equal style and emphasis,
    /// their labels below each other.
    ///
    /// For graphs with many wide labels on parallel edges and self-loops. Tooltip and classes come from the
    /// first edge.
    #[must_use]
    pub fn bundled(&self) -> Graph {
        let mut bundled = Graph { edges: Vec::new(), ..self.clone() };
        let mut first: HashMap<(NodeId, NodeId, Style, Emphasis), usize> = HashMap::new();
        for (from, to, edge) in &self.edges {
            let label = edge.label.replace('\n', " ");
            let new = bundled.edges.len();
            let index = *first.entry((*from, *to, edge.style, edge.emphasis)).or_insert(new);
            if index == new {
                bundled.edges.push((*from, *to, Edge { label, ..edge.clone() }));
            } else {
                let known = &mut bundled.edges[index].2.label;
                known.push('\n');
                known.push_str(&label);
            }
        }
        bundled
    }

    /// The part that a node is in.
    pub fn part_of(&self, node: NodeId) -> Option<PartId> {
        let index = self.parts.partition_point(|part| part.end <= node.0);
        self.parts.get(index).filter(|part| part.start <= node.0).map(|_| PartId(index_u32(index)))
    }

    /// The title given to [`Graph::new`].
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of edges, self-loops included.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The nodes, in order.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index_u32(index)), node))
    }

    /// The edges, in order: source, target and attributes.
    pub fn edges(&self) -> impl Iterator<Item = (NodeId, NodeId, &Edge)> {
        self.edges.iter().map(|(from, to, edge)| (*from, *to, edge))
    }

    /// The nodes that were marked as initial, in that order.
    pub fn initials(&self) -> &[NodeId] {
        &self.initials
    }

    /// The label and attributes of a node, for changes after it was added.
    pub fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.0 as usize]
    }

    /// The label and attributes of an edge, for changes after it was added.
    pub fn edge_mut(&mut self, edge: EdgeId) -> &mut Edge {
        &mut self.edges[edge.0 as usize].2
    }

    /// The label and attributes of a node.
    pub fn node_attributes(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// The label and attributes of an edge.
    pub fn edge_attributes(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.0 as usize].2
    }

    /// The nodes an edge leaves and enters.
    pub fn ends(&self, edge: EdgeId) -> (NodeId, NodeId) {
        let (from, to, _) = self.edges[edge.0 as usize];
        (from, to)
    }
}

pub(crate) fn index_u32(index: usize) -> u32 {
    u32::try_from(index).expect("a drawing has fewer than 2^32 nodes and edges")
}

impl Node {
    /// A rounded box around a text.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// The same node with another outline.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// The same node with another emphasis.
    #[must_use]
    pub fn emphasis(mut self, emphasis: Emphasis) -> Self {
        self.emphasis = emphasis;
        self
    }

    /// The same node with a text for the resting pointer.
    #[must_use]
    pub fn tooltip(mut self, tooltip: impl Into<String>) -> Self {
        self.tooltip = Some(tooltip.into());
        self
    }

    /// The same node with one more class.
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Self {
        self.classes.push(class.into());
        self
    }
}

impl Edge {
    /// A thin line with a text beside it, or with none if the text is empty.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// The same edge with another stroke.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// The same edge with another emphasis.
    #[must_use]
    pub fn emphasis(mut self, emphasis: Emphasis) -> Self {
        self.emphasis = emphasis;
        self
    }

    /// The same edge with a text for the resting pointer.
    #[must_use]
    pub fn tooltip(mut self, tooltip: impl Into<String>) -> Self {
        self.tooltip = Some(tooltip.into());
        self
    }

    /// The same edge with one more class.
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Self {
        self.classes.push(class.into());
        self
    }
}

impl From<&str> for Node {
    fn from(label: &str) -> Self {
        Self::new(label)
    }
}

impl From<String> for Node {
    fn from(label: String) -> Self {
        Self::new(label)
    }
}

impl From<&str> for Edge {
    fn from(label: &str) -> Self {
        Self::new(label)
    }
}

impl From<String> for Edge {
    fn from(label: String) -> Self {
        Self::new(label)
    }
}
