//! From an accepting component of the product to a short lasso.
//!
//! Breadth-first searches inside the component make up the cycle: each goes to the nearest edge that adds a
//! missing mark or serves a demanded process, until nothing is missing, and the last one goes back to the
//! start. The cycle is tried from the node where the component is entered first and from the ends of those
//! searches; the shortest is taken. The prefix is a breadth-first search in the explored product.
//!
//! Promise: the lasso is accepted and fair. It is short, not always the shortest: that would be NP-hard for
//! several marks (Clarke, Grumberg, McMillan and Zhao, Efficient Generation of Counterexamples and
//! Witnesses, DAC 1995).

use super::{Acceptance, Counterexample, ExploredProduct, NodeSet, ProductEdge, Step};
use std::collections::VecDeque;

/// The number of other starts of the cycle that are tried; a component of more than [`LARGE`] nodes is tried
/// from one.
const MAX_TRIES: usize = 16;
const LARGE: usize = 100_000;

/// A run through the accepting component that these nodes are.
pub(crate) fn lasso<P: ExploredProduct>(product: &mut P, component: Vec<u32>) -> Counterexample<P::Action> {
    let component = NodeSet::new(component);
    let is_inside = |node: u32| component.index(node).is_some();
    let (_, stem) = prefix(product, &is_inside);
    let entry = stem.last().map_or_else(|| root_inside(product, &is_inside), |edge| edge.target);
    let (first, starts) = cycle(product, &component, entry);
    let mut best = (entry, first);
    let mut least_length = best.1.len();
    let tries = if component.nodes().len() > LARGE { 1 } else { MAX_TRIES };
    for (start, distance) in starts.into_iter().take(tries) {
        let (other, _) = cycle(product, &component, start);
        if distance + other.len() < least_length {
            least_length = distance + other.len();
            best = (start, other);
        }
    }
    let (start, cycle) = best;
    let (root, stem) = prefix(product, &|node| node == start);
    let step =
        |edge: &ProductEdge<P::Action>| Step { action: edge.action, state: product.state(edge.target) };
    let initial = Step { action: None, state: product.state(root) };
    let prefix = std::iter::once(initial).chain(stem.iter().map(step)).collect();
    Counterexample { prefix, cycle: cycle.iter().map(step).collect() }.shortened()
}

type Path<A> = Vec<ProductEdge<A>>;

/// The shortest path from a root to a goal node, with that root.
fn prefix<P: ExploredProduct>(product: &mut P, is_goal: &dyn Fn(u32) -> bool) -> (u32, Path<P::Action>) {
    let roots = product.known_roots();
    if let Some(root) = roots.iter().find(|root| is_goal(**root)) {
        return (*root, Vec::new());
    }
    let everything = Region::All(product.node_bound());
    shortest(product, &roots, &everything, &|edge| is_goal(edge.target))
        .expect("the component can be reached")
}

fn root_inside<P: ExploredProduct>(product: &P, is_inside: &dyn Fn(u32) -> bool) -> u32 {
    product.known_roots().into_iter().find(|root| is_inside(*root)).expect("the component holds a root")
}

/// An accepted and fair cycle through `start` inside the component; with the targets of the edges that added
/// something missing, and their distances from the start.
fn cycle<P: ExploredProduct>(
    product: &mut P,
    component: &NodeSet,
    start: u32,
) -> (Path<P::Action>, Vec<(u32, usize)>) {
    let all = product.all_marks();
    let region = Region::Component(component);
    let mut path: Path<P::Action> = Vec::new();
    let mut helpful_targets = Vec::new();
    let mut sum = Acceptance::default();
    loop {
        let at = path.last().map_or(start, |edge| edge.target);
        let (missing, unserved) = (all & !sum.marks, sum.debt.unserved());
        let helps = |edge: &ProductEdge<P::Action>| {
            edge.acceptance.marks & missing != 0 || edge.acceptance.debt.served & unserved != 0
        };
        let is_back = |edge: &ProductEdge<P::Action>| edge.target == start;
        let is_missing = missing != 0 || unserved != 0;
        if !is_missing && at == start && !path.is_empty() {
            return (path, helpful_targets);
        }
        let is_goal: &dyn Fn(&ProductEdge<P::Action>) -> bool = if is_missing { &helps } else { &is_back };
        let (_, segment) = shortest(product, &[at], &region, is_goal)
            .expect("an accepting component has an edge with the missing mark or process");
        sum = segment.iter().fold(sum, |sum, edge| sum.with(edge.acceptance));
        path.extend(segment);
        if is_missing {
            helpful_targets.push((path.last().expect("a path has an edge").target, path.len()));
        }
    }
}

/// The nodes that a search may visit.
enum Region<'a> {
    /// All nodes, as many as this.
    All(usize),
    Component(&'a NodeSet),
}

impl Region<'_> {
    fn index(&self, node: u32) -> Option<usize> {
        match self {
            Region::All(_) => Some(node as usize),
            Region::Component(set) => set.index(node),
        }
    }

    fn len(&self) -> usize {
        match self {
            Region::All(count) => *count,
            Region::Component(set) => set.nodes().len(),
        }
    }
}

/// The shortest path inside the region from one of the nodes to a goal edge, with the node where it begins.
fn shortest<P: ExploredProduct>(
    product: &mut P,
    from: &[u32],
    region: &Region<'_>,
    is_goal: &dyn Fn(&ProductEdge<P::Action>) -> bool,
) -> Option<(u32, Path<P::Action>)> {
    const UNVISITED: u32 = u32::MAX;
    let mut parent = vec![UNVISITED; region.len()];
    let mut queue: VecDeque<u32> = from.iter().copied().collect();
    for node in from {
        parent[region.index(*node)?] = *node;
    }
    let mut edges = Vec::new();
    while let Some(node) = queue.pop_front() {
        product.known_edges(node, &mut edges);
        for edge in &edges {
            let Some(index) = region.index(edge.target) else { continue };
            if is_goal(edge) {
                let mut nodes = vec![node];
                let mut at = node;
                while parent[region.index(at)?] != at {
                    at = parent[region.index(at)?];
                    nodes.push(at);
                }
                let last = *edge;
                nodes.reverse();
                let mut path = edges_between(product, &nodes);
                path.push(last);
                return Some((at, path));
            }
            if parent[index] == UNVISITED {
                parent[index] = node;
                queue.push_back(edge.target);
            }
        }
    }
    None
}

/// The edges between the neighbours on a path of nodes.
fn edges_between<P: ExploredProduct>(product: &mut P, nodes: &[u32]) -> Path<P::Action> {
    let mut edges = Vec::new();
    let edge_of = |pair: &[u32]| {
        product.known_edges(pair[0], &mut edges);
        *edges.iter().find(|edge| edge.target == pair[1]).expect("an edge between neighbours")
    };
    nodes.windows(2).map(edge_of).collect()
}
