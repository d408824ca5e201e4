//! SVG output: well-formed, escaped, with an attribute for each node and edge, and deterministic.

use crate::random_graph::random_graph;
use expect_test::expect;
use selvedge_draw::{Direction, Edge, Emphasis, Graph, Node, Shape, Style};

/// Checks tags, attributes, entities and characters of an XML text without
/// comments, CDATA and declarations, which `to_svg` never writes.
#[track_caller]
fn check_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut root_count = 0;
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start]);
        assert!(!open.is_empty() || rest[..start].trim().is_empty(), "text outside the root");
        let end = rest[start..].find('>').expect("an open tag") + start;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "tags do not nest");
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let name = body.split_whitespace().next().expect("a tag has a name");
        check_attributes(body[name.len()..].trim());
        root_count += usize::from(open.is_empty());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    assert_eq!(root_count, 1, "there is one root");
    assert!(rest.trim().is_empty(), "text after the root");
}

#[track_caller]
fn check_text(text: &str) {
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|entity| text[at..].starts_with(entity));
        assert!(known, "a bare ampersand in {text:?}");
    }
    let allowed = |character: char| character >= ' ' || character == '\n' || character == '\t';
    assert!(text.chars().all(allowed), "a forbidden character in {text:?}");
}

#[track_caller]
fn check_attributes(mut text: &str) {
    let mut names = Vec::new();
    while !text.is_empty() {
        let (name, value) = text.split_once("=\"").expect("an attribute has a quoted value");
        let (value, after) = value.split_once('"').expect("a value is closed");
        check_text(value);
        assert!(!names.contains(&name), "{name} is given twice");
        names.push(name);
        text = after.trim_start();
    }
}

#[test]
fn svg_of_random_graphs_is_well_formed() {
    for seed in 0..100 {
        check_well_formed(&random_graph(seed).to_svg());
    }
    check_well_formed(&Graph::new("").to_svg());
}

#[test]
fn labels_titles_and_tooltips_are_escaped() {
    let mut graph = Graph::new("<title> & \"quotes\" ]]>");
    let node = graph.node(Node::new("<b> && 'c' \u{0}\u{1b}").tooltip("a < b\n& c"));
    graph.edge(node, node, Edge::new("x >= 0 && y <= 1").tooltip("</g>"));
    let svg = graph.to_svg();
    check_well_formed(&svg);
    assert!(svg.contains("&lt;b&gt; &amp;&amp; 'c'"));
    assert!(svg.contains("x &gt;= 0 &amp;&amp; y &lt;= 1"));
    assert!(svg.contains("<title>a &lt; b\n&amp; c</title>"));
}

#[test]
fn the_same_graph_gives_the_same_text() {
    for seed in 0..50 {
        assert_eq!(random_graph(seed).to_svg(), random_graph(seed).to_svg(), "seed {seed}");
    }
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let svg = random_graph(5).to_svg();
    for forbidden in ["<script", "href", "url(", "@import", "<image"] {
        assert!(!svg.contains(forbidden), "{forbidden}");
    }
    assert!(svg.contains("prefers-color-scheme: dark"));
}

#[test]
fn without_its_style_a_drawing_has_no_style_and_is_otherwise_the_same() {
    for seed in 0..20 {
        let graph = random_graph(seed);
        let (unstyled, styled) = (graph.to_unstyled_svg(), graph.to_svg());
        check_well_formed(&unstyled);
        assert!(!unstyled.contains("style"), "seed {seed}");
        let (before, after) = styled.split_once("<style>").unwrap();
        let (_, after) = after.split_once("</style>\n").unwrap();
        assert_eq!(unstyled, format!("{before}{after}"), "seed {seed}");
    }
}

#[test]
fn every_node_and_edge_has_its_data_attribute() {
    let graph = random_graph(8);
    let svg = graph.to_svg();
    for index in 0..graph.node_count() {
        assert_eq!(svg.matches(&format!(" data-node=\"{index}\"")).count(), 1, "node {index}");
    }
    for index in 0..graph.edge_count() {
        assert_eq!(svg.matches(&format!(" data-edge=\"{index}\"")).count(), 1, "edge {index}");
    }
}

#[test]
fn a_small_automaton_is_drawn_as_expected() {
    let mut graph = Graph::new("F a").direction(Direction::LeftRight);
    let wait = graph.node(Node::new("0").shape(Shape::Circle));
    let done = graph.node(Node::new("1").shape(Shape::DoubleCircle).emphasis(Emphasis::Good));
    graph.initial(wait);
    graph.edge(wait, done, Edge::new("a").style(Style::Bold).emphasis(Emphasis::Good));
    let svg = graph.to_svg();
    let (before, after) = svg.split_once("<style>").unwrap();
    let (_, after) = after.split_once("</style>").unwrap();
    let expected = expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" class="selvedge-graph" role="img" width="165.22" height="63.5" viewBox="0 0 165.22 63.5">
        <title>F a</title>

        <rect class="background" width="165.22" height="63.5"/>
        <g class="edge good bold" data-edge="0">
        <path class="line" d="M65 32C73.2 32 81.41 32 89.61 32C94.82 32 100.02 32 105.22 32"/>
        <path class="head" d="M114.22 32L105.22 28.4L105.22 35.6Z"/>
        <text class="label" x="89.61" y="23.58">a</text>
        </g>
        <g class="initial">
        <path class="line" d="M12 32C16 32 20 32 24 32"/>
        <path class="head" d="M33 32L24 28.4L24 35.6Z"/>
        </g>
        <g class="node" data-node="0">
        <ellipse class="outline" cx="49" cy="32" rx="16" ry="16"/>
        <text x="49" y="36.42">0</text>
        </g>
        <g class="node good" data-node="1">
        <ellipse class="outline" cx="133.72" cy="32" rx="19.5" ry="19.5"/>
        <ellipse class="outline ring" cx="133.72" cy="32" rx="16" ry="16"/>
        <text x="133.72" y="36.42">1</text>
        </g>
        </svg>
    "#]];
    expected.assert_eq(&format!("{before}{after}"));
}
