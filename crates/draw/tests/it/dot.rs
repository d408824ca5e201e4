//! DOT output: one snapshot, escaping row by row, and a check that Graphviz accepts it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::random_graph::random_graph;
use expect_test::{Expect, expect};
use selvedge_draw::{Direction, Edge, Emphasis, Graph, Node, Shape, Style};

#[test]
fn a_graph_becomes_a_digraph_in_the_order_of_addition() {
    let mut graph = Graph::new("G F \"a\"").direction(Direction::LeftRight);
    let wait = graph.node(Node::new("0").shape(Shape::Circle));
    let seen = graph.node(Node::new("1").shape(Shape::DoubleCircle).emphasis(Emphasis::Strong));
    let sink = graph.node(Node::new("sink").emphasis(Emphasis::Bad).tooltip("no way out"));
    graph.initial(wait);
    graph.edge(wait, seen, "a && b");
    graph.edge(seen, seen, Edge::new("").style(Style::Bold));
    graph.edge(seen, sink, Edge::new("!a\n!b").style(Style::Dashed).emphasis(Emphasis::Muted));
    let expected = expect![[r##"
        digraph "G F \"a\"" {
          rankdir=LR;
          node [fontname="monospace", fontsize=13];
          edge [fontname="monospace", fontsize=12];
          n0 [label="0", shape=circle];
          n1 [label="1", shape=doublecircle, color="#1f5fbf", fontcolor="#1f5fbf", penwidth=2];
          n2 [label="sink", shape=box, style=rounded, color="#c62828", fontcolor="#c62828", tooltip="no way out"];
          i0 [shape=point, style=invis];
          i0 -> n0;
          n0 -> n1 [label="a && b"];
          n1 -> n1 [style=bold];
          n1 -> n2 [label="!a\n!b", style=dashed, color="#8a8f98", fontcolor="#8a8f98"];
        }
    "##]];
    expected.assert_eq(&graph.to_dot());
}

#[track_caller]
fn check_label(label: &str, expected: &Expect) {
    let mut graph = Graph::new("");
    graph.node(Node::new(label).shape(Shape::Box));
    let dot = graph.to_dot();
    let line = dot.lines().find(|line| line.contains("n0")).unwrap();
    expected.assert_eq(line.trim());
}

#[test]
fn quotes_and_backslashes_are_escaped() {
    check_label(r#"say "hi""#, &expect![[r#"n0 [label="say \"hi\"", shape=box];"#]]);
    check_label(r"a /\ b", &expect![[r#"n0 [label="a /\\ b", shape=box];"#]]);
    check_label(r"\N \n", &expect![[r#"n0 [label="\\N \\n", shape=box];"#]]);
    check_label("ends in \\", &expect![[r#"n0 [label="ends in \\", shape=box];"#]]);
}

#[test]
fn line_breaks_become_escapes_and_a_final_one_is_dropped() {
    check_label("one\ntwo\r\nthree\n", &expect![[r#"n0 [label="one\ntwo\nthree", shape=box];"#]]);
}

#[test]
fn unicode_is_kept_and_control_characters_are_dropped() {
    check_label("□(p → ◇q) 状態\u{7}\u{0}", &expect![[r#"n0 [label="□(p → ◇q) 状態", shape=box];"#]]);
}

#[test]
fn an_entity_is_not_expanded() {
    check_label("&lt; &#65; a & b", &expect![[r#"n0 [label="&amp;lt; &amp;#65; a & b", shape=box];"#]]);
}

/// The SVG that Graphviz renders from a text; the test fails if `dot` is not installed.
fn graphviz(dot: &str) -> String {
    let mut child = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test needs `dot`: install graphviz");
    child.stdin.take().unwrap().write_all(dot.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "dot refused:\n{dot}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn graphviz_accepts_random_graphs() {
    for seed in 0..10 {
        let svg = graphviz(&random_graph(seed).to_dot());
        assert!(svg.contains("</svg>"));
    }
}

#[test]
fn graphviz_renders_labels_unchanged() {
    let mut graph = Graph::new(r#"title "quoted" \"#);
    let node = graph.node(Node::new(r#"\N "x" /\ y"#));
    graph.edge(node, node, "a&lt;b");
    let svg = graphviz(&graph.to_dot());
    assert!(svg.contains(r"\N &quot;x&quot; /\ y"), "{svg}");
    assert!(svg.contains("a&amp;lt;b"), "{svg}");
}
