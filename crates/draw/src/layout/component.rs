//! One connected component: its skeleton, its phases, its drawing.
//!
//! This is the parent of the phases: it translates between the numbers of the
//! graph and those of the component and calls one phase after the other.
//!
//! Promise: the drawing's bounds hold everything it draws.

use super::layered::{Extent, LABEL_GAP, Layered, Skeleton};
use super::loops::Loops;
use super::order::order;
use super::place::{Placement, place};
use super::rank::ranking;
use super::route::{Lanes, chain_curve, finish};
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

/// Length of an arrow from nowhere.
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
    /// A node of it.
    pub(super) fn first(&self) -> NodeId {
        NodeId(index_u32(self.nodes[0]))
    }

    /// Runs the phases of the layout.
    pub(super) fn draw(&self, graph: &Graph) -> Drawing {
        let mut sketch = Sketch::new(self, graph);
        let skeleton = &sketch.skeleton;
        let ranking = ranking(skeleton.nodes.len(), &skeleton.edges, &skeleton.initials);
        let layered = Layered::new(skeleton, &ranking);
        let layers = order(&layered);
        sketch.placement = place(&layered, &layers);
        let lanes = Lanes::new(&layered, &layers, &sketch.placement, skeleton.side);
        let mut drawing = Drawing {
            bounds: Size::default(),
            direct_edge_count: layered.chains.iter().filter(|chain| chain.is_direct).count(),
            nodes: Vec::new(),
            edges: Vec::new(),
            initials: Vec::new(),
        };
        for (local, &node) in self.nodes.iter().enumerate() {
            let rank = ranking.rank[local];
            let outline = sketch.outline(&layered, local);
            drawing.nodes.push((node, NodeLayout { outline, rank, component: self.index }));
        }
        for (local, &edge) in self.edges.iter().enumerate() {
            let backward = ranking.backward[local];
            drawing.edges.push((edge, sketch.edge(&layered, &lanes, local, backward)));
        }
        for &edge in &self.self_loops {
            drawing.edges.push((edge, sketch.self_loop(&layered, graph, self, edge)));
        }
        for (local, &initial) in self.initials.iter().enumerate() {
            let (curve, arrow) = sketch.initial(&layered, local);
            drawing.initials.push((initial, curve, arrow));
        }
        drawing.move_to_origin(&sketch.reaches(&layered));
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

/// A component in the frame of the layout, where ranks go down.
struct Sketch {
    skeleton: Skeleton,
    shapes: Vec<Shape>,
    sizes: Vec<Size>,
    loops: Vec<Loops>,
    placement: Placement,
}

impl Sketch {
    fn new(component: &Component, graph: &Graph) -> Self {
        // Labels lie to the right of vertical edges and above horizontal ones.
        let side = if graph.direction == Direction::LeftRight { -1.0 } else { 1.0 };
        let label = |edge: usize| {
            let text = &graph.edges[edge].2.label;
            (!text.is_empty()).then(|| graph.turned(measure(text, LABEL_FONT)))
        };
        let sizes: Vec<_> =
            component.nodes.iter().map(|&node| graph.turned(node_size(&graph.nodes[node]))).collect();
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
        let skeleton = Skeleton {
            nodes: sizes.iter().zip(&loops).map(|(size, loops)| loops.extent(*size, side)).collect(),
            edges: component.edges.iter().map(local_ends).collect(),
            labels: component.edges.iter().map(|&edge| label(edge)).collect(),
            initials: component.initials.iter().map(initial).collect(),
            side,
        };
        let shapes = component.nodes.iter().map(|&node| graph.nodes[node].shape).collect();
        let placement = Placement { x: Vec::new(), y: Vec::new(), half_height: Vec::new() };
        Self { skeleton, shapes, sizes, loops, placement }
    }

    fn center(&self, layered: &Layered, vertex: usize) -> Point {
        Point::new(self.placement.x[vertex], self.placement.y[layered.vertices[vertex].rank])
    }

    fn outline(&self, layered: &Layered, node: usize) -> Rect {
        Rect { center: self.center(layered, node), size: self.sizes[node] }
    }

    fn border(&self, layered: &Layered, node: usize) -> (Shape, Rect) {
        (self.shapes[node], self.outline(layered, node))
    }

    fn edge(&self, layered: &Layered, lanes: &Lanes, edge: usize, backward: bool) -> EdgeLayout {
        let chain = &layered.chains[edge];
        let mut curve = chain_curve(layered, &self.placement, lanes, chain);
        if backward {
            curve.reverse();
        }
        let (from, to) = self.skeleton.edges[edge];
        let (curve, arrow) = finish(&curve, Some(self.border(layered, from)), self.border(layered, to));
        let label = chain.label.zip(self.skeleton.labels[edge]).map(|(vertex, size)| {
            let bend = self.center(layered, vertex);
            let x = bend.x + self.skeleton.side * (LABEL_GAP + size.width / 2.0);
            Rect { center: Point::new(x, bend.y), size }
        });
        EdgeLayout { curve, arrow, label }
    }

    fn self_loop(&self, layered: &Layered, graph: &Graph, component: &Component, edge: usize) -> EdgeLayout {
        let node = graph.edges[edge].0.0 as usize;
        let index =
            component.self_loops_at(graph, node).binary_search(&edge).expect("the loop is at its node");
        let local = component.local(node);
        let (curve, label) = self.loops[local].draw(index, self.center(layered, local), self.skeleton.side);
        let border = self.border(layered, local);
        let (curve, arrow) = finish(&curve, Some(border), border);
        EdgeLayout { curve, arrow, label }
    }

    fn initial(&self, layered: &Layered, index: usize) -> (Vec<Point>, [Point; 3]) {
        let node = self.skeleton.initials[index];
        let origin = layered.origins[index];
        let end = self.center(layered, node);
        let rank = layered.vertices[origin].rank;
        let highest = self.placement.y[rank] - self.placement.half_height[rank];
        let wanted = end.y - self.sizes[node].height / 2.0 - INITIAL_LENGTH;
        let start = Point::new(self.placement.x[origin], wanted.max(highest));
        let line = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|t| start.lerp(end, t));
        finish(&line, None, self.border(layered, node))
    }

    /// The corners of all extents, so that loops and labels are within bounds.
    fn reaches(&self, layered: &Layered) -> Vec<Point> {
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
    /// Moves everything so that the least coordinates are 0, and sets the bounds.
    fn move_to_origin(&mut self, reaches: &[Point]) {
        let mut least = Point::new(f64::INFINITY, f64::INFINITY);
        let mut most = Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut include = |point: &Point| {
            least = Point::new(least.x.min(point.x), least.y.min(point.y));
            most = Point::new(most.x.max(point.x), most.y.max(point.y));
        };
        reaches.iter().for_each(&mut include);
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

    /// Hands the drawing over to the layout of the whole graph.
    pub(super) fn copy_into(mut self, layout: &mut Layout, offset: Point) {
        self.shift(offset);
        for (node, place) in self.nodes {
            layout.nodes[node] = place;
        }
        for (edge, course) in self.edges {
            layout.edges[edge] = course;
        }
        for (initial, curve, arrow) in self.initials {
            layout.initials[initial].curve = curve;
            layout.initials[initial].arrow = arrow;
        }
    }
}
