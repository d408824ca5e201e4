//! Writes sample drawings to a folder: `cargo run -p selvedge-draw --example gallery -- out`.
//!
//! Each sample comes as `.svg` and as `.dot`, so that the layout can be compared
//! with that of Graphviz on the same graph.
//!
//! Promise: the same files on every run.

use std::path::PathBuf;

use selvedge_draw::{Direction, Edge, Emphasis, Graph, Node, NodeId, Shape, Style};

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    std::fs::create_dir_all(&folder)?;
    let samples = [
        ("automaton", automaton(Direction::LeftRight)),
        ("automaton-down", automaton(Direction::TopDown)),
        ("flow", flow_graph()),
        ("random", random_graph(60, 85)),
        ("components", components()),
        ("states", state_space(5, 5)),
        ("shapes", shapes()),
    ];
    for (name, graph) in samples {
        std::fs::write(folder.join(name).with_extension("svg"), graph.to_svg())?;
        std::fs::write(folder.join(name).with_extension("dot"), graph.to_dot())?;
    }
    Ok(())
}

/// A Büchi automaton with five states, self-loops and a 2-cycle.
fn automaton(direction: Direction) -> Graph {
    let mut graph = Graph::new("G (request -> F grant)").direction(direction);
    let state = |graph: &mut Graph, label: &str, shape| graph.node(Node::new(label).shape(shape));
    let idle = state(&mut graph, "0", Shape::DoubleCircle);
    let waiting = state(&mut graph, "1", Shape::Circle);
    let granted = state(&mut graph, "2", Shape::DoubleCircle);
    let retry = state(&mut graph, "3", Shape::Circle);
    let sink = graph.node(Node::new("4").shape(Shape::Circle).emphasis(Emphasis::Bad));
    graph.initial(idle);
    graph.edge(idle, idle, "!request");
    graph.edge(idle, waiting, "request & !grant");
    graph.edge(waiting, waiting, "!grant");
    graph.edge(waiting, granted, "grant");
    graph.edge(granted, waiting, "request & !grant");
    graph.edge(granted, idle, "!request");
    graph.edge(waiting, retry, "timeout");
    graph.edge(retry, waiting, "again");
    graph.edge(retry, sink, Edge::new("!again").emphasis(Emphasis::Bad));
    graph.edge(sink, sink, "true");
    graph
}

/// `while x > 0 { if x is even { halve } else { step; log } }`.
fn flow_graph() -> Graph {
    let mut graph = Graph::new("while and if");
    let start = graph.node(Node::new("start").shape(Shape::Ellipse));
    let init = graph.node(Node::new("x := input()").shape(Shape::Box));
    let head = graph.node(Node::new("x > 1").shape(Shape::Diamond));
    let even = graph.node(Node::new("x % 2 == 0").shape(Shape::Diamond));
    let halve = graph.node(Node::new("x := x / 2").shape(Shape::Box));
    let step = graph.node(Node::new("x := 3 * x + 1\nsteps := steps + 1").shape(Shape::Box));
    let log = graph.node(Node::new("log(x)").shape(Shape::Box).emphasis(Emphasis::Muted));
    let join = graph.node(Node::new("count := count + 1").shape(Shape::Box));
    let check = graph.node(Node::new("assert count < 1000").shape(Shape::Rounded).emphasis(Emphasis::Bad));
    let end = graph.node(Node::new("return steps").shape(Shape::Ellipse).emphasis(Emphasis::Good));
    graph.edge(start, init, "");
    graph.edge(init, head, "");
    graph.edge(head, even, "true");
    graph.edge(head, end, "false");
    graph.edge(even, halve, "true");
    graph.edge(even, step, "false");
    graph.edge(step, log, Edge::new("").style(Style::Dashed));
    graph.edge(halve, join, "");
    graph.edge(log, join, "");
    graph.edge(join, check, "");
    graph.edge(check, head, Edge::new("").style(Style::Bold));
    graph
}

/// Pseudo-random numbers, the same on every machine (Marsaglia's xorshift).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(bound)) as u32
    }
}

fn random_graph(node_count: u32, edge_count: u32) -> Graph {
    let mut random = Xorshift(2024);
    let mut graph = Graph::new("random");
    for index in 0..node_count {
        graph.node(format!("n{index}"));
    }
    for node in 1..node_count {
        graph.edge(NodeId(random.below(node)), NodeId(node), "");
    }
    for _ in node_count - 1..edge_count {
        graph.edge(NodeId(random.below(node_count)), NodeId(random.below(node_count)), "");
    }
    graph
}

/// Several small graphs in one.
fn components() -> Graph {
    let mut graph = Graph::new("components");
    for size in 1..5 {
        let nodes: Vec<_> = (0..size).map(|index| graph.node(format!("{size}.{index}"))).collect();
        for pair in nodes.windows(2) {
            graph.edge(pair[0], pair[1], "next");
        }
        graph.edge(nodes[nodes.len() - 1], nodes[0], "again");
    }
    let (left, right) = (graph.node("left"), graph.node("right"));
    for label in ["one", "two", "three"] {
        graph.edge(left, right, label);
    }
    graph.edge(right, left, "");
    graph.node("alone");
    graph
}

/// The interleavings of two counters, with one bad path.
fn state_space(rows: u32, columns: u32) -> Graph {
    let mut graph = Graph::new("state space");
    for row in 0..rows {
        for column in 0..columns {
            let on_path = column == 0 || row == rows - 1;
            let emphasis = if on_path { Emphasis::Bad } else { Emphasis::Normal };
            graph.node(Node::new(format!("pc0={row} pc1={column}")).emphasis(emphasis));
        }
    }
    graph.initial(NodeId(0));
    for row in 0..rows {
        for column in 0..columns {
            let here = NodeId(row * columns + column);
            if row + 1 < rows {
                let emphasis = if column == 0 { Emphasis::Bad } else { Emphasis::Normal };
                graph.edge(here, NodeId(here.0 + columns), Edge::new("a").emphasis(emphasis));
            }
            if column + 1 < columns {
                let emphasis = if row + 1 == rows { Emphasis::Bad } else { Emphasis::Normal };
                graph.edge(here, NodeId(here.0 + 1), Edge::new("b").emphasis(emphasis));
            }
        }
    }
    graph
}

/// Every shape, emphasis and style.
fn shapes() -> Graph {
    let mut graph = Graph::new("shapes").direction(Direction::LeftRight);
    let shapes = [
        Shape::Box,
        Shape::Rounded,
        Shape::Ellipse,
        Shape::Circle,
        Shape::DoubleCircle,
        Shape::Diamond,
        Shape::Point,
    ];
    let emphases = [Emphasis::Normal, Emphasis::Strong, Emphasis::Muted, Emphasis::Good, Emphasis::Bad];
    let styles = [Style::Solid, Style::Dashed, Style::Bold];
    let root = graph.node(Node::new("every\nshape").tooltip("the hub"));
    for (index, shape) in shapes.into_iter().enumerate() {
        let emphasis = emphases[index % emphases.len()];
        let style = styles[index % styles.len()];
        let near = graph.node(Node::new(format!("{shape:?}")).shape(shape).emphasis(emphasis));
        let far = graph.node(Node::new(format!("{emphasis:?}\n{style:?}")).shape(shape));
        graph.edge(root, near, Edge::new(format!("{style:?}")).style(style).emphasis(emphasis));
        graph.edge(near, far, Edge::new("").style(style).emphasis(emphasis));
        graph.edge(far, far, Edge::new("loop").style(style));
    }
    graph
}
