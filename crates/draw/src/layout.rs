//! The layered layout: from a graph to positions of nodes, edges and labels.
//!
//! Sugiyama, Tagawa, Toda 1981, in the phases of Gansner, Koutsofios, North, Vo 1993: cycle removal
//! (`acyclic`), ranks (`rank`, `simplex`), vertices for bends and labels (`layered`), order (`order`),
//! coordinates (`coordinates` with `straighten` and `align`), curves (`route`, `loops`). Each connected
//! component is laid out by itself; then `frames` arranges the components side by side and draws a frame
//! around the components of each part. All phases assume that ranks go down; a left-to-right drawing
//! exchanges x and y at the very end.
//!
//! Promise: deterministic; node boxes do not overlap each other or a label.

mod acyclic;
mod align;
mod component;
mod coordinates;
mod frames;
mod layered;
mod loops;
mod order;
mod pack;
mod rank;
mod route;
#[cfg(test)]
mod samples;
mod simplex;
mod straighten;

use crate::geometry::{Point, Rect, Size};
use crate::graph::{Direction, Graph, Node, NodeId, Shape};
use crate::text::{NODE_FONT, measure};
use frames::Arrangement;

pub(crate) use frames::FRAME_PADDING;

/// Positions of all elements: plain data for any renderer, in pixels, y downwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The whole drawing, with its margin.
    pub size: Size,
    /// One entry for each node, in the order of the graph.
    pub nodes: Vec<NodeLayout>,
    /// One entry for each edge, in the order of the graph.
    pub edges: Vec<EdgeLayout>,
    /// The arrows into initial nodes, in the order of the calls of [`Graph::initial`].
    pub initials: Vec<InitialLayout>,
    /// The frames of the parts, in the order of the graph.
    pub frames: Vec<Rect>,
    /// The number of edges that run straight across the nodes between their ends, because the graph would
    /// need too many bends; 0 for all but huge graphs.
    pub direct_edge_count: usize,
}

/// The position of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLayout {
    /// The box around the outline of the node.
    pub outline: Rect,
    /// The layer of the node within its connected component.
    pub rank: usize,
    /// The connected component of the node, counted from 0.
    pub component: usize,
}

/// The route of an edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeLayout {
    /// Cubic Bézier pieces: the start on the border of the source, then two
    /// control points and an end for each piece (1 + 3k points). The last point
    /// is the base of the arrowhead.
    pub curve: Vec<Point>,
    /// The arrowhead: its tip on the border of the target, and its two wings.
    pub arrow: [Point; 3],
    /// The box of the label, if there is one.
    pub label: Option<Rect>,
}

/// The route of an arrow into an initial node.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialLayout {
    /// The node at the arrow's tip.
    pub node: NodeId,
    /// As in [`EdgeLayout::curve`].
    pub curve: Vec<Point>,
    /// As in [`EdgeLayout::arrow`].
    pub arrow: [Point; 3],
}

/// Free border around the drawing.
const MARGIN: f64 = 12.0;

impl Graph {
    /// Computes the positions of nodes, edges and labels.
    pub fn layout(&self) -> Layout {
        let components = component::components(self);
        let drawings: Vec<_> = components.iter().map(|component| component.draw(self)).collect();
        let owners = components.iter().map(|component| self.part_of(component.first_node())).collect();
        let sizes: Vec<_> = drawings.iter().map(|drawing| drawing.bounds).collect();
        let Arrangement { offsets, frames, size } = frames::arrange(self, owners, &sizes);
        let no_initial =
            |&node: &NodeId| InitialLayout { node, curve: Vec::new(), arrow: Default::default() };
        let mut layout = Layout {
            size: Size { width: size.width + 2.0 * MARGIN, height: size.height + 2.0 * MARGIN },
            nodes: vec![NodeLayout::default(); self.nodes.len()],
            edges: vec![EdgeLayout::default(); self.edges.len()],
            initials: self.initials.iter().map(no_initial).collect(),
            frames: frames.iter().map(|frame| frame.moved(MARGIN, MARGIN)).collect(),
            direct_edge_count: drawings.iter().map(|drawing| drawing.direct_edge_count).sum(),
        };
        for (drawing, offset) in drawings.into_iter().zip(offsets) {
            drawing.copy_into(&mut layout, Point::new(offset.x + MARGIN, offset.y + MARGIN));
        }
        if self.direction == Direction::LeftRight {
            layout.transpose();
        }
        layout
    }

    /// A size with the axes of the layout, where ranks go down.
    fn oriented(&self, size: Size) -> Size {
        if self.direction == Direction::LeftRight { size.transposed() } else { size }
    }
}

impl Layout {
    fn transpose(&mut self) {
        self.size = self.size.transposed();
        for node in &mut self.nodes {
            node.outline = transposed(&node.outline);
        }
        for edge in &mut self.edges {
            edge.curve.iter_mut().for_each(|point| *point = point.transposed());
            edge.arrow = edge.arrow.map(Point::transposed);
            edge.label = edge.label.as_ref().map(transposed);
        }
        for frame in &mut self.frames {
            *frame = transposed(frame);
        }
        for initial in &mut self.initials {
            initial.curve.iter_mut().for_each(|point| *point = point.transposed());
            initial.arrow = initial.arrow.map(Point::transposed);
        }
    }
}

fn transposed(rect: &Rect) -> Rect {
    Rect { center: rect.center.transposed(), size: rect.size.transposed() }
}

/// The box around a node: its text with the padding of its shape.
fn node_size(node: &Node) -> Size {
    let text = measure(&node.label, NODE_FONT);
    let square = |side: f64| Size { width: side, height: side };
    match node.shape {
        Shape::Box | Shape::Rounded => {
            Size { width: (text.width + 20.0).max(34.0), height: (text.height + 11.0).max(28.0) }
        }
        // The smallest ellipse around a box is larger by the square root of two.
        Shape::Ellipse => Size {
            width: (text.width * std::f64::consts::SQRT_2 + 8.0).max(42.0),
            height: (text.height * std::f64::consts::SQRT_2 + 5.0).max(30.0),
        },
        Shape::Circle => square((text.width.hypot(text.height) + 6.0).max(32.0)),
        Shape::DoubleCircle => square((text.width.hypot(text.height) + 13.0).max(39.0)),
        Shape::Point => square(7.0),
        // A rhombus twice as wide as high holds a box if width + 2 height fits.
        Shape::Diamond => {
            let width = text.width + 2.0 * text.height + 14.0;
            Size { width, height: width / 2.0 }
        }
    }
}
