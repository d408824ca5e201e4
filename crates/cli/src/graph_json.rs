//! Graphs as JSON, for programs.
//!
//! `nodes` and `edges` are in the order of the graph, and a node's `id` is its index. `parts` are the frames
//! of the drawing with the nodes in them. `classes` say what a node or an edge means (`deadlock`, `cycle`);
//! `emphasis` and `shape` only say how it is drawn.

use selvedge_draw::{Emphasis, Graph, NodeId, Shape, Style};
use serde_json::{Value, json};

/// The graph as an object.
pub(crate) fn graph_json(graph: &Graph) -> Value {
    let ids = |nodes: &mut dyn Iterator<Item = NodeId>| nodes.map(|node| node.0).collect::<Vec<u32>>();
    let nodes = graph.nodes().map(|(id, node)| {
        json!({
            "id": id.0,
            "label": node.label,
            "tooltip": node.tooltip,
            "shape": shape_name(node.shape),
            "emphasis": emphasis_name(node.emphasis),
            "classes": node.classes,
        })
    });
    let edges = graph.edges().map(|(from, to, edge)| {
        json!({
            "from": from.0,
            "to": to.0,
            "label": edge.label,
            "tooltip": edge.tooltip,
            "style": style_name(edge.style),
            "emphasis": emphasis_name(edge.emphasis),
            "classes": edge.classes,
        })
    });
    let part = |part: &selvedge_draw::Part| json!({"title": part.title, "nodes": ids(&mut part.nodes())});
    json!({
        "title": graph.title(),
        "initial": ids(&mut graph.initials().iter().copied()),
        "parts": graph.parts().iter().map(part).collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Box => "box",
        Shape::Rounded => "rounded",
        Shape::Ellipse => "ellipse",
        Shape::Circle => "circle",
        Shape::DoubleCircle => "double-circle",
        Shape::Point => "point",
        Shape::Diamond => "diamond",
    }
}

fn emphasis_name(emphasis: Emphasis) -> &'static str {
    match emphasis {
        Emphasis::Normal => "normal",
        Emphasis::Strong => "strong",
        Emphasis::Muted => "muted",
        Emphasis::Good => "good",
        Emphasis::Bad => "bad",
    }
}

fn style_name(style: Style) -> &'static str {
    match style {
        Style::Solid => "solid",
        Style::Dashed => "dashed",
        Style::Bold => "bold",
    }
}
