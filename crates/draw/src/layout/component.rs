//! One connected component: its layout graph, its phases, its drawing.
//!
//! This is the parent of the phases: it translates between node numbers of the graph and of the component
//! and calls one phase after the other.
//!
//! Promise: all points of a drawing lie within its bounds.

use super::coordinates::{Coordinates, assign_coordinates};
use super::layered::{Extent, LABEL_GAP, Layered, LayoutGraph};
use super::loops::Loops;
use super::order::order;
use super::rank::ranking;
use super::route::{Lanes, chain_curve, clip_with_arrowhead};
use super::{EdgeLayout, Layout, NodeLayout, node_size};
use crate::geometry::{Point, Rect, Size};
use crate::graph::{Direction, Graph, NodeId, Shape, index_u32};
use crate::text::{LABEL_FONT, measure};

/// The nodes and edges of a connected component, by their numbers in the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Component {
    index: usize,
    nodes: Vec<usize>,
    edges: Vec<usize>,
    self_loops: Vec<usize>,
    /// Indices into the initial arrows of the graph.
    initials: Vec<usize>,
}

/// A component with coordinates from (0, 0) to its bounds.
pub(super) struct Drawing {
    pub(super) bounds: Size,
    pub(super) direct_edge_count: usize,
    nodes: Vec<(usize, NodeLayout)>,
    edges: Vec<(usize, EdgeLayout)>,
    initials: Vec<(usize, Vec<Point>, [Point; 3])>,
}

/// Length of an arrow into an initial node.
const INITIAL_LENGTH: f64 = 28.0;

/// The connected components, in the order of their first nodes.
pub(super) fn components(graph: &Graph) -> Vec<Component> {
    let ends: Vec<_> = graph.edges.iter().map(|(from, to, _)| (from.0 as usize, to.0 as usize)).collect();
    let mut neighbours = vec![Vec::new(); graph.nodes.len()];
    for &(from, to) in &ends {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let mut owner = vec![usize::MAX; graph.nodes.len()];
    let mut components: Vec<Component> = Vec::new();
    for start in 0..graph.nodes.len() {
        if owner[start] == usize::MAX {
            let index = components.len();
            components.push(Component { index, ..Component::default() });
            owner[start] = index;
            let mut todo = vec![start];
            while let Some(node) = todo.pop() {
                for &neighbour in &neighbours[node] {
                    if owner[neighbour] == usize::MAX {
                        owner[neighbour] = index;
                        todo.push(neighbour);
                    }
                }
            }
        }
        components[owner[start]].nodes.push(start);
    }
    for (edge, &(from, to)) in ends.iter().enumerate() {
        let component = &mut components[owner[from]];
        if from == to { &mut component.self_loops } else { &mut component.edges }.push(edge);
    }
    for (index, node) in graph.initials.iter().enumerate() {
        components[owner[node.0 as usize]].initials.push(index);
    }
    components
}

impl Component {
    /// The component's node with the smallest number.
    pub(super) fn first_node(&self) -> NodeId {
        NodeId(index_u32(self.nodes[0]))
    }

    /// Runs the phases of the layout.
    pub(super) fn draw(&self, graph: &Graph) -> Drawing {
        let mut geometry = ComponentGeometry::new(self, graph);
        let layout_graph = &geometry.layout_graph;
        let ranking = ranking(layout_graph.nodes.len(), &layout_graph.edges, &layout_graph.initials);
        let layered = Layered::new(layout_graph, &ranking);
        let layers = order(&layered);
        geometry.coordinates = assign_coordinates(&layered, &layers);
        let lanes = Lanes::new(&layered, &layers, &geometry.coordinates, layout_graph.side);
        let mut drawing = Drawing {
            bounds: Size::default(),
            direct_edge_count: layered.chains.iter().filter(|chain| chain.is_direct).count(),
            nodes: Vec::new(),
            edges: Vec::new(),
            initials: Vec::new(),
        };
        for (local, &node) in self.nodes.iter().enumerate() {
            let rank = ranking.rank[local];
            let outline = geometry.outline(&layered, local);
            drawing.nodes.push((node, NodeLayout { outline, rank, component: self.index }));
        }
        for (local, &edge) in self.edges.iter().enumerate() {
            let backward = ranking.backward[local];
            drawing.edges.push((edge, geometry.edge(&layered, &lanes, local, backward)));
        }
        for &edge in &self.self_loops {
            drawing.edges.push((edge, geometry.self_loop(&layered, graph, self, edge)));
        }
        for (local, &initial) in self.initials.iter().enumerate() {
            let (curve, arrow) = geometry.initial(&layered, local);
            drawing.initials.push((initial, curve, arrow));
        }
        drawing.move_to_origin(&geometry.extent_corners(&layered));
        drawing
    }

    fn local(&self, node: usize) -> usize {
        self.nodes.binary_search(&node).expect("a component lists its nodes in order")
    }

    fn self_loops_at(&self, graph: &Graph, node: usize) -> Vec<usize> {
        let at_node = |edge: &&usize| graph.edges[**edge].0.0 as usize == node;
        self.self_loops.iter().filter(at_node).copied().collect()
    }
}

/// Shapes, sizes and coordinates of a component, where ranks go down.
struct ComponentGeometry {
    layout_graph: LayoutGraph,
    shapes: Vec<Shape>,
    sizes: Vec<Size>,
    loops: Vec<Loops>,
    coordinates: Coordinates,
}

impl ComponentGeometry {
    fn new(component: &Component, graph: &Graph) -> Self {
        // Labels lie to the right of vertical edges and above horizontal ones.
        let side = if graph.direction == Direction::LeftRight { -1.0 } else { 1.0 };
        let label = |edge: usize| {
            let text = &graph.edges[edge].2.label;
            (!text.is_empty()).then(|| graph.oriented(measure(text, LABEL_FONT)))
        };
        let sizes: Vec<_> =
            component.nodes.iter().map(|&node| graph.oriented(node_size(&graph.nodes[node]))).collect();
        let mut loop_labels = vec![Vec::new(); sizes.len()];
        for &edge in &component.self_loops {
            loop_labels[component.local(graph.edges[edge].0.0 as usize)].push(label(edge));
        }
        let loops: Vec<_> =
            sizes.iter().zip(&loop_labels).map(|(size, labels)| Loops::new(*size, labels)).collect();
        let local_ends = |&edge: &usize| {
            let (from, to, _) = &graph.edges[edge];
            (component.local(from.0 as usize), component.local(to.0 as usize))
        };
        let initial = |&index: &usize| component.local(graph.initials[index].0 as usize);
        let layout_graph = LayoutGraph {
            nodes: sizes.iter().zip(&loops).map(|(size, loops)| loops.extent(*size, side)).collect(),
            edges: component.edges.iter().map(local_ends).collect(),
            labels: component.edges.iter().map(|&edge| label(edge)).collect(),
            initials: component.initials.iter().map(initial).collect(),
            side,
        };
        let shapes = component.nodes.iter().map(|&node| graph.nodes[node].shape).collect();
        let coordinates = Coordinates { x: Vec::new(), y: Vec::new(), half_height: Vec::new() };
        Self { layout_graph, shapes, sizes, loops, coordinates }
    }

    fn center(&self, layered: &Layered, vertex: usize) -> Point {
        Point::new(self.coordinates.x[vertex], self.coordinates.y[layered.vertices[vertex].rank])
    }

    fn outline(&self, layered: &Layered, node: usize) -> Rect {
        Rect { center: self.center(layered, node), size: self.sizes[node] }
    }

    fn border(&self, layered: &Layered, node: usize) -> (Shape, Rect) {
        (self.shapes[node], self.outline(layered, node))
    }

    fn edge(&self, layered: &Layered, lanes: &Lanes, edge: usize, backward: bool) -> EdgeLayout {
        let chain = &layered.chains[edge];
        let mut curve = chain_curve(layered, &self.coordinates, lanes, chain);
        if backward {
            curve.reverse();
        }
        let (from, to) = self.layout_graph.edges[edge];
        let (curve, arrow) =
            clip_with_arrowhead(&curve, Some(self.border(layered, from)), self.border(layered, to));
        let label = chain.label.zip(self.layout_graph.labels[edge]).map(|(vertex, size)| {
            let bend = self.center(layered, vertex);
            let x = bend.x + self.layout_graph.side * (LABEL_GAP + size.width / 2.0);
            Rect { center: Point::new(x, bend.y), size }
        });
        EdgeLayout { curve, arrow, label }
    }

    fn self_loop(&self, layered: &Layered, graph: &Graph, component: &Component, edge: usize) -> EdgeLayout {
        let node = graph.edges[edge].0.0 as usize;
        let index =
            component.self_loops_at(graph, node).binary_search(&edge).expect("the loop is at its node");
        let local = component.local(node);
        let (curve, label) =
            self.loops[local].draw(index, self.center(layered, local), self.layout_graph.side);
        let border = self.border(layered, local);
        let (curve, arrow) = clip_with_arrowhead(&curve, Some(border), border);
        EdgeLayout { curve, arrow, label }
    }

    fn initial(&self, layered: &Layered, index: usize) -> (Vec<Point>, [Point; 3]) {
        let node = self.layout_graph.initials[index];
        let origin = layered.origins[index];
        let end = self.center(layered, node);
        let rank = layered.vertices[origin].rank;
        let highest = self.coordinates.y[rank] - self.coordinates.half_height[rank];
        let wanted = end.y - self.sizes[node].height / 2.0 - INITIAL_LENGTH;
        let start = Point::new(self.coordinates.x[origin], wanted.max(highest));
        let line = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|t| start.lerp(end, t));
        clip_with_arrowhead(&line, None, self.border(layered, node))
    }

    /// The corners of all extents, so that the bounds include loops and labels.
    fn extent_corners(&self, layered: &Layered) -> Vec<Point> {
        let corners = |(index, vertex): (usize, &super::layered::Vertex)| {
            let center = self.center(layered, index);
            let Extent { left, right, half_height } = vertex.extent;
            [
                Point::new(center.x - left, center.y - half_height),
                Point::new(center.x + right, center.y + half_height),
            ]
        };
        layered.vertices.iter().enumerate().flat_map(corners).collect()
    }
}

impl Drawing {
    /// Shifts all points so that the least coordinates are 0, and sets the bounds.
    fn move_to_origin(&mut self, extent_corners: &[Point]) {
        let mut least = Point::new(f64::INFINITY, f64::INFINITY);
        let mut most = Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut include = |point: &Point| {
            least = Point::new(least.x.min(point.x), least.y.min(point.y));
            most = Point::new(most.x.max(point.x), most.y.max(point.y));
        };
        extent_corners.iter().for_each(&mut include);
        for (_, edge) in &self.edges {
            edge.curve.iter().chain(&edge.arrow).for_each(&mut include);
        }
        for (_, curve, arrow) in &self.initials {
            curve.iter().chain(arrow).for_each(&mut include);
        }
        self.bounds = Size { width: most.x - least.x, height: most.y - least.y };
        self.shift(Point::new(-least.x, -least.y));
    }

    fn shift(&mut self, by: Point) {
        let shift = |point: &mut Point| *point = Point::new(point.x + by.x, point.y + by.y);
        for (_, node) in &mut self.nodes {
            shift(&mut node.outline.center);
        }
        for (_, edge) in &mut self.edges {
            edge.curve.iter_mut().chain(&mut edge.arrow).for_each(shift);
            edge.label.iter_mut().for_each(|label| shift(&mut label.center));
        }
        for (_, curve, arrow) in &mut self.initials {
            curve.iter_mut().chain(arrow).for_each(shift);
        }
    }

    /// Moves the drawing into the layout of the whole graph.
    pub(super) fn copy_into(mut self, layout: &mut Layout, offset: Point) {
        self.shift(offset);
        for (node, node_layout) in self.nodes {
            layout.nodes[node] = node_layout;
        }
        for (edge, edge_layout) in self.edges {
            layout.edges[edge] = edge_layout;
        }
        for (initial, curve, arrow) in self.initials {
            layout.initials[initial].curve = curve;
            layout.initials[initial].arrow = arrow;
        }
    }
}
