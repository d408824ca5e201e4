//! Parts: several graphs in one drawing, each in its frame.

use crate::random_graph::random_graph;
use expect_test::expect;
use selvedge_draw::{Direction, Graph, Layout, NodeId, PartId, Rect};

/// Two titled graphs of two nodes each, and a node outside all parts.
fn two_processes(direction: Direction) -> Graph {
    let mut whole = Graph::new("both").direction(direction);
    for title in ["P0", "a process with a rather long name"] {
        let mut process = Graph::new(title);
        let first = process.node("m1");
        let second = process.node("m2");
        process.edge(first, second, "");
        process.initial(first);
        whole.part(&process);
    }
    whole.node("alone");
    whole
}

#[test]
fn a_part_is_a_copy_with_its_edges_and_initial_nodes() {
    let whole = two_processes(Direction::TopDown);
    assert_eq!((whole.node_count(), whole.edge_count()), (5, 2));
    assert_eq!(whole.initials(), [NodeId(0), NodeId(2)]);
    let parts: Vec<_> = (0..5).map(|node| whole.part_of(NodeId(node))).collect();
    assert_eq!(parts, [Some(PartId(0)), Some(PartId(0)), Some(PartId(1)), Some(PartId(1)), None]);
    assert_eq!(whole.parts()[1].nodes().collect::<Vec<_>>(), [NodeId(2), NodeId(3)]);
}

#[test]
#[should_panic(expected = "an edge between two parts")]
fn an_edge_between_two_parts_is_refused() {
    two_processes(Direction::TopDown).edge(NodeId(0), NodeId(2), "");
}

#[test]
fn a_part_becomes_a_cluster_in_dot() {
    expect![[r#"
        digraph "both" {
          node [fontname="monospace", fontsize=13];
          edge [fontname="monospace", fontsize=12];
          subgraph cluster_0 {
          label="P0"; labeljust=l; fontname="monospace";
          n0 [label="m1", shape=box, style=rounded];
          n1 [label="m2", shape=box, style=rounded];
          }
          subgraph cluster_1 {
          label="a process with a rather long name"; labeljust=l; fontname="monospace";
          n2 [label="m1", shape=box, style=rounded];
          n3 [label="m2", shape=box, style=rounded];
          }
          n4 [label="alone", shape=box, style=rounded];
          i0 [shape=point, style=invis];
          i0 -> n0;
          i1 [shape=point, style=invis];
          i1 -> n2;
          n0 -> n1;
          n2 -> n3;
        }
    "#]]
    .assert_eq(&two_processes(Direction::TopDown).to_dot());
}

fn contains(outer: &Rect, inner: &Rect) -> bool {
    outer.left() <= inner.left()
        && inner.right() <= outer.right()
        && outer.top() <= inner.top()
        && inner.bottom() <= outer.bottom()
}

/// Each frame contains the nodes and labels of its part and no other nodes.
#[track_caller]
fn check(graph: &Graph, layout: &Layout) {
    let whole = Rect {
        center: selvedge_draw::Point { x: layout.size.width / 2.0, y: layout.size.height / 2.0 },
        size: layout.size,
    };
    for (index, frame) in layout.frames.iter().enumerate() {
        assert!(contains(&whole, frame), "frame {index} is outside of the drawing");
        assert!(layout.frames[..index].iter().all(|other| !other.overlaps(frame)), "frame {index} overlaps");
        for (node, node_layout) in graph.nodes().map(|(id, _)| id).zip(&layout.nodes) {
            if graph.part_of(node) == Some(PartId(index as u32)) {
                assert!(contains(frame, &node_layout.outline), "{node:?} is not in its frame");
                assert!(node_layout.outline.top() > frame.top() + 25.0, "{node:?} is over the title");
            } else {
                assert!(!frame.overlaps(&node_layout.outline), "{node:?} is in a frame that is not its own");
            }
        }
        for ((from, _, _), route) in graph.edges().zip(&layout.edges) {
            if graph.part_of(from) == Some(PartId(index as u32)) {
                assert!(route.label.iter().all(|label| contains(frame, label)), "a label leaves its frame");
            }
        }
    }
}

#[test]
fn frames_hold_their_own_nodes_and_no_others() {
    for direction in [Direction::TopDown, Direction::LeftRight] {
        let small = two_processes(direction);
        check(&small, &small.layout());
        for seed in 0..60 {
            let mut whole = Graph::new("").direction(direction);
            for offset in 0..3 {
                whole.part(&random_graph(3 * seed + offset));
            }
            check(&whole, &whole.layout());
        }
    }
}

#[test]
fn a_frame_is_as_wide_as_its_title() {
    let graph = Graph::new("a title of forty letters, at the least..").framed();
    let frame = graph.layout().frames[0];
    assert!(frame.size.width > 40.0 * 7.8, "{frame:?}");
    assert!(graph.to_svg().contains(">a title of forty letters, at the least..</text>"));
}

#[test]
fn classes_appear_in_svg_and_dot() {
    let mut graph = Graph::new("");
    graph.node(selvedge_draw::Node::new("stuck").class("deadlock").class("a\"<b"));
    assert!(graph.to_svg().contains("<g class=\"node deadlock a&quot;&lt;b\""), "{}", graph.to_svg());
    assert!(graph.to_dot().contains("class=\"deadlock a\\\"<b\""), "{}", graph.to_dot());
}

#[test]
fn edges_of_equal_style_and_emphasis_are_bundled() {
    use selvedge_draw::{Edge, Style};
    let mut graph = Graph::new("loops");
    let node = graph.node("1");
    let other = graph.node("2");
    graph.edge(node, node, "a\n{0}");
    graph.edge(node, other, "b");
    graph.edge(node, node, "c");
    graph.edge(node, node, Edge::new("d").style(Style::Dashed));
    let labels: Vec<String> = graph.bundled().edges().map(|(_, _, edge)| edge.label.clone()).collect();
    assert_eq!(labels, ["a {0}\nc", "b", "d"]);
    assert_eq!(graph.bundled().node_count(), 2);
}
