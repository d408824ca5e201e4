//! Flow graphs drawn as in Figure 4 of Gunter and Peled, Temporal Debugging for Concurrent Systems.
//!
//! A box is a statement, a diamond a test with its two outcomes. Nodes with the same steps are one node of
//! the drawing: in flow, where control also has the statement that was executed last, each statement is
//! drawn once.
//!
//! Promise: unreachable nodes are not drawn; the order of nodes is that of their numbers.

use super::{Edge, Effect, FlowGraph, Guard, Node, NodeId};
use rustc_hash::FxHashMap;
use selvedge_draw::{Edge as Line, Graph, Node as Drawn, NodeId as DrawnId, Shape, Style};
use selvedge_ltl::source::Span;

impl FlowGraph {
    /// The graph to be drawn, as DOT or SVG.
    pub fn to_graph(&self) -> Graph {
        self.drawing().0
    }

    /// The graph to be drawn, and for each node the one that it is drawn as, if it is reachable.
    pub fn drawing(&self) -> (Graph, Vec<Option<DrawnId>>) {
        let mut graph = Graph::new(&self.name);
        let mut drawn: FxHashMap<Vec<(Span, NodeId)>, DrawnId> = FxHashMap::default();
        let mut ids = vec![None; self.nodes.len()];
        let mut first = Vec::new();
        for number in self.reachable() {
            let node = &self.nodes[number];
            let steps = node.edges.iter().map(|edge| (edge.span, edge.target)).collect();
            let id = *drawn.entry(steps).or_insert_with(|| {
                first.push(node);
                graph.node(Drawn::new(node.label.as_str()).shape(shape(node)))
            });
            ids[number] = Some(id);
        }
        let id = |node: NodeId| ids[node.0 as usize].expect("a node that edges lead to is reachable");
        for (from, node) in first.into_iter().enumerate() {
            for edge in &node.edges {
                let from = DrawnId(from as u32);
                graph.edge(from, id(edge.target), line_text(node, edge));
                if let Effect::Atomic(start, _) = edge.effect {
                    graph.edge(from, id(start), Line::new("inside").style(Style::Dashed));
                }
            }
        }
        graph.initial(id(self.start));
        (graph, ids)
    }

    /// The nodes that edges lead to from the start, in the order of their numbers.
    fn reachable(&self) -> impl Iterator<Item = usize> + use<> {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = vec![self.start];
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            for edge in &self.nodes[node.0 as usize].edges {
                todo.push(edge.target);
                if let Effect::Atomic(start, _) = edge.effect {
                    todo.push(start);
                }
            }
        }
        seen.into_iter().enumerate().filter_map(|(number, seen)| seen.then_some(number))
    }
}

fn shape(node: &Node) -> Shape {
    match node.edges.as_slice() {
        [] => Shape::Ellipse,
        _ if is_test(node) => Shape::Diamond,
        _ => Shape::Box,
    }
}

/// Does one test decide between two edges?
fn is_test(node: &Node) -> bool {
    match node.edges.as_slice() {
        [Edge { guard: Guard::Holds(yes), .. }, Edge { guard: Guard::Fails(no), .. }] => yes == no,
        _ => false,
    }
}

fn line_text<'a>(node: &Node, edge: &'a Edge) -> &'a str {
    match edge.guard {
        Guard::Holds(_) if is_test(node) => "yes",
        Guard::Fails(_) if is_test(node) => "no",
        _ if node.edges.len() > 1 => &edge.text,
        _ => "",
    }
}
