//! Invariants of every layout, checked on hundreds of random graphs.
//!
//! Each invariant is one function over a graph and its layout; the tests at the
//! end run all of them, and lay out graphs of unusual sizes.

use crate::random_graph::{Xorshift, random_graph};
use selvedge_draw::{Direction, EdgeId, Graph, Layout, Node, NodeId, Point, Rect, Shape};

/// Tolerance for rounding.
const EPSILON: f64 = 1e-3;

fn shrunk(rect: &Rect) -> Rect {
    let mut rect = *rect;
    rect.size.width -= 2.0 * EPSILON;
    rect.size.height -= 2.0 * EPSILON;
    rect
}

fn edge_ids(graph: &Graph) -> impl Iterator<Item = EdgeId> {
    (0..u32::try_from(graph.edge_count()).unwrap()).map(EdgeId)
}

fn node_boxes_do_not_overlap(layout: &Layout) {
    for (index, node) in layout.nodes.iter().enumerate() {
        for (other_index, other) in layout.nodes.iter().enumerate().skip(index + 1) {
            let overlap = shrunk(&node.outline).overlaps(&other.outline);
            assert!(!overlap, "nodes {index} and {other_index} overlap");
        }
    }
}

fn labels_overlap_neither_nodes_nor_each_other(layout: &Layout) {
    let labels: Vec<(usize, Rect)> = layout
        .edges
        .iter()
        .enumerate()
        .filter_map(|(index, edge)| Some((index, shrunk(&edge.label?))))
        .collect();
    for (position, (index, label)) in labels.iter().enumerate() {
        for (node, node_layout) in layout.nodes.iter().enumerate() {
            assert!(!label.overlaps(&node_layout.outline), "label of edge {index} overlaps node {node}");
        }
        for (other, other_label) in &labels[position + 1..] {
            assert!(!label.overlaps(other_label), "labels of edges {index} and {other} overlap");
        }
    }
}

fn everything_is_within_the_size(layout: &Layout) {
    let within = |point: &Point| {
        let fits = |value: f64, size: f64| (-EPSILON..=size + EPSILON).contains(&value);
        fits(point.x, layout.size.width) && fits(point.y, layout.size.height)
    };
    let corners =
        |rect: &Rect| [Point { x: rect.left(), y: rect.top() }, Point { x: rect.right(), y: rect.bottom() }];
    for (index, node) in layout.nodes.iter().enumerate() {
        assert!(corners(&node.outline).iter().all(within), "node {index} is outside");
    }
    for (index, edge) in layout.edges.iter().enumerate() {
        assert!(edge.curve.iter().chain(&edge.arrow).all(within), "edge {index} is outside");
        assert!(
            edge.label.iter().flat_map(corners).all(|corner| within(&corner)),
            "label {index} is outside"
        );
    }
    for initial in &layout.initials {
        assert!(initial.curve.iter().chain(&initial.arrow).all(within), "an initial arrow is outside");
    }
}

/// Zero on the border of the outline, negative inside: the shapes, as their definitions have it.
fn border_distance(shape: Shape, outline: &Rect, point: Point) -> f64 {
    let (half_width, half_height) = (outline.size.width / 2.0, outline.size.height / 2.0);
    let (dx, dy) = ((point.x - outline.center.x).abs(), (point.y - outline.center.y).abs());
    match shape {
        Shape::Box => (dx - half_width).max(dy - half_height),
        Shape::Rounded => {
            // The corners are arcs of radius 6.
            let (corner_x, corner_y) = (dx - half_width + 6.0, dy - half_height + 6.0);
            if corner_x > 0.0 && corner_y > 0.0 {
                corner_x.hypot(corner_y) - 6.0
            } else {
                (dx - half_width).max(dy - half_height)
            }
        }
        Shape::Diamond => (dx / half_width + dy / half_height - 1.0) * half_height,
        _ => ((dx / half_width).hypot(dy / half_height) - 1.0) * half_height,
    }
}

fn edges_end_on_the_borders_of_their_nodes(graph: &Graph, layout: &Layout) {
    let on_border = |node: NodeId, point: Point| {
        let outline = &layout.nodes[node.0 as usize].outline;
        border_distance(graph.node_attributes(node).shape, outline, point).abs() < 0.05
    };
    for edge in edge_ids(graph) {
        let (from, to) = graph.ends(edge);
        let route = &layout.edges[edge.0 as usize];
        assert!(on_border(from, route.curve[0]), "{edge:?} does not start on {from:?}");
        assert!(on_border(to, route.arrow[0]), "the arrow of {edge:?} does not touch {to:?}");
        assert_eq!(route.curve.len() % 3, 1, "{edge:?} is not a list of cubics");
    }
    for initial in &layout.initials {
        assert!(on_border(initial.node, initial.arrow[0]), "an initial arrow misses {:?}", initial.node);
    }
}

/// A cubic is monotone if its control points are.
fn edges_cross_each_rank_once(graph: &Graph, layout: &Layout, direction: Direction) {
    for edge in edge_ids(graph) {
        let (from, to) = graph.ends(edge);
        if from == to {
            continue;
        }
        let (from_rank, to_rank) = (layout.nodes[from.0 as usize].rank, layout.nodes[to.0 as usize].rank);
        assert_ne!(from_rank, to_rank, "{edge:?} is flat");
        let sign = if from_rank < to_rank { 1.0 } else { -1.0 };
        let along = |point: &Point| sign * if direction == Direction::TopDown { point.y } else { point.x };
        let route = &layout.edges[edge.0 as usize];
        for pair in route.curve.windows(2) {
            assert!(along(&pair[0]) <= along(&pair[1]) + EPSILON, "{edge:?} turns back: {:?}", route.curve);
        }
    }
}

fn check_all(graph: &Graph, direction: Direction) {
    let layout = graph.layout();
    assert_eq!(layout.direct_edge_count, 0);
    node_boxes_do_not_overlap(&layout);
    labels_overlap_neither_nodes_nor_each_other(&layout);
    everything_is_within_the_size(&layout);
    edges_end_on_the_borders_of_their_nodes(graph, &layout);
    edges_cross_each_rank_once(graph, &layout, direction);
}

#[test]
fn six_hundred_random_graphs_satisfy_all_invariants() {
    for seed in 0..300 {
        for direction in [Direction::TopDown, Direction::LeftRight] {
            let graph = random_graph(seed).direction(direction);
            println!("seed {seed} {direction:?}");
            check_all(&graph, direction);
        }
    }
}

#[test]
fn the_same_graph_has_the_same_layout() {
    for seed in 0..50 {
        assert_eq!(random_graph(seed).layout(), random_graph(seed).layout(), "seed {seed}");
    }
}

#[test]
fn an_empty_graph_has_an_empty_layout() {
    let layout = Graph::new("nothing").layout();
    assert!(layout.nodes.is_empty());
    assert!(layout.size.width > 0.0);
    assert!(layout.size.height > 0.0);
}

#[test]
fn a_single_node_with_loops_and_an_arrow_is_drawn() {
    let mut graph = Graph::new("one");
    let node = graph.node(Node::new("only").shape(Shape::Circle));
    graph.initial(node);
    for label in ["a", "", "b\nc", "a long label on a loop"] {
        graph.edge(node, node, label);
    }
    check_all(&graph, Direction::TopDown);
}

#[test]
fn a_very_long_label_widens_its_node() {
    let mut graph = Graph::new("long");
    let wide = graph.node("x".repeat(10_000));
    let tall = graph.node("y\n".repeat(1_000));
    graph.edge(wide, tall, "z".repeat(5_000));
    let layout = graph.layout();
    assert!(layout.nodes[0].outline.size.width > 60_000.0);
    assert!(layout.nodes[1].outline.size.height > 15_000.0);
    check_all(&graph, Direction::TopDown);
}

#[test]
fn parallel_edges_and_two_cycles_stay_apart() {
    let mut graph = Graph::new("parallel");
    let (upper, lower) = (graph.node("upper"), graph.node("lower"));
    for (from, to) in [(upper, lower), (upper, lower), (lower, upper)] {
        graph.edge(from, to, "");
    }
    let layout = graph.layout();
    let middle_y = f64::midpoint(layout.nodes[0].outline.center.y, layout.nodes[1].outline.center.y);
    let crossing = |edge: usize| x_at(&layout.edges[edge].curve, middle_y);
    let mut crossings = [0, 1, 2].map(crossing);
    crossings.sort_by(f64::total_cmp);
    assert!(crossings[1] - crossings[0] > 4.0, "{crossings:?}");
    assert!(crossings[2] - crossings[1] > 4.0, "{crossings:?}");
}

/// The x where a curve that goes up or down meets a height, by sampling.
fn x_at(curve: &[Point], y: f64) -> f64 {
    let at = |piece: &[Point], t: f64, axis: fn(&Point) -> f64| {
        let s = 1.0 - t;
        let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
        piece.iter().zip(weights).map(|(point, weight)| axis(point) * weight).sum::<f64>()
    };
    let pieces = (0..curve.len() / 3).map(|piece| &curve[3 * piece..3 * piece + 4]);
    let samples = pieces.flat_map(|piece| (0..=100).map(move |step| (piece, f64::from(step) / 100.0)));
    let nearest = samples.min_by(|a, b| {
        let distance = |(piece, t): &(&[Point], f64)| (at(piece, *t, |point| point.y) - y).abs();
        distance(a).total_cmp(&distance(b))
    });
    let (piece, t) = nearest.unwrap();
    at(piece, t, |point| point.x)
}

fn nodes(graph: &mut Graph, count: u32) {
    for index in 0..count {
        graph.node(format!("s{index}"));
    }
}

#[test]
fn a_random_graph_with_five_thousand_nodes_is_laid_out() {
    let mut random = Xorshift::new(1);
    let mut graph = Graph::new("large");
    nodes(&mut graph, 5_000);
    for _ in 0..15_000 {
        let ends = [0; 2].map(|_| NodeId(u32::try_from(random.below(5_000)).unwrap()));
        graph.edge(ends[0], ends[1], "step");
    }
    assert_eq!(graph.layout().nodes.len(), 5_000);
}

#[test]
fn a_chain_of_five_thousand_nodes_with_back_edges_is_laid_out() {
    let mut graph = Graph::new("deep");
    nodes(&mut graph, 5_000);
    for index in 1..5_000 {
        graph.edge(NodeId(index - 1), NodeId(index), "");
        graph.edge(NodeId(index), NodeId(0), "reset");
        graph.edge(NodeId(index), NodeId(index / 2), "half");
    }
    let layout = graph.layout();
    assert!(layout.direct_edge_count > 0, "the longest edges are reported as direct");
    edges_end_on_the_borders_of_their_nodes(&graph, &layout);
}

#[test]
fn a_torus_of_states_stays_shallow() {
    let side = 40;
    let mut graph = Graph::new("torus");
    nodes(&mut graph, side * side);
    for row in 0..side {
        for column in 0..side {
            let here = NodeId(row * side + column);
            graph.edge(here, NodeId((row + 1) % side * side + column), "");
            graph.edge(here, NodeId(row * side + (column + 1) % side), "");
        }
    }
    let layout = graph.layout();
    let depth = layout.nodes.iter().map(|node| node.rank).max().unwrap();
    assert!(depth <= 2 * side as usize, "depth {depth}");
    node_boxes_do_not_overlap(&layout);
}

#[test]
fn components_do_not_overlap() {
    let mut graph = Graph::new("many");
    nodes(&mut graph, 200);
    for index in (0..200).step_by(2) {
        graph.edge(NodeId(index), NodeId(index + 1), "pair");
    }
    check_all(&graph, Direction::TopDown);
    assert_eq!(graph.layout().nodes.iter().map(|node| node.component).max(), Some(99));
}
