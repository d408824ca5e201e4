//! The drawings of flow graphs, for the page.

use crate::view::{FlowView, ProgramView};
use selvedge_draw::{Edge, Graph, Node, NodeId, Shape};

/// Gives every flow graph its drawing, without a style: the page has rules for the classes.
pub(crate) fn draw_flows(program: &mut ProgramView) {
    for flow in &mut program.flows {
        flow.svg = Some(graph(flow).to_unstyled_svg());
    }
}

fn graph(flow: &FlowView) -> Graph {
    let mut graph = Graph::new(&flow.name);
    for (number, node) in flow.nodes.iter().enumerate() {
        let shape = match node.shape.as_str() {
            "diamond" => Shape::Diamond,
            "ellipse" => Shape::Ellipse,
            _ => Shape::Box,
        };
        graph.node(Node::new(&node.label).shape(shape).class(format!("node-{number}")));
    }
    let is_known = |node: u32| (node as usize) < flow.nodes.len();
    for edge in flow.edges.iter().filter(|edge| is_known(edge.from) && is_known(edge.to)) {
        graph.edge(NodeId(edge.from), NodeId(edge.to), Edge::new(&edge.label));
    }
    if is_known(flow.initial) {
        graph.initial(NodeId(flow.initial));
    }
    graph
}
