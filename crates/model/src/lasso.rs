//! From an accepting part of the product to a short lasso.
//!
//! The cycle is put together from breadth-first searches inside the part: to the nearest arc that adds a mark that
//! is missing or serves a process that must be, until nothing is missing, and then back to the start. It is tried
//! from the node where the part is entered first and from the ends of those searches; the shortest is taken. The
//! prefix is a breadth-first search in what has been explored.
//!
//! Promise: the lasso is accepted and fair. It is short, not always the shortest: that would be NP-hard for several
//! marks (Clarke, Grumberg, McMillan and Zhao, Efficient Generation of Counterexamples and Witnesses, DAC 1995).

use crate::component::Seen;
use crate::counterexample::{Counterexample, Step};
use crate::ltl::NodeSet;
use crate::rules::{Explored, Hop};
use std::collections::VecDeque;

/// At most so many other beginnings of the cycle are tried; only one in a part of more than [`LARGE`] nodes.
const MAX_TRIES: usize = 16;
const LARGE: usize = 100_000;

/// A run through the accepting part, made of these nodes.
pub(crate) fn lasso<P: Explored>(product: &mut P, part: Vec<u32>) -> Counterexample<P::Action> {
    let part = NodeSet::new(part);
    let is_inside = |node: u32| part.index(node).is_some();
    let (_, stem) = prefix(product, &is_inside);
    let entry = stem.last().map_or_else(|| root_inside(product, &is_inside), |hop| hop.target);
    let (first, starts) = cycle(product, &part, entry);
    let mut best = (entry, first);
    let mut shortest = best.1.len();
    let tries = if part.nodes().len() > LARGE { 1 } else { MAX_TRIES };
    for (start, distance) in starts.into_iter().take(tries) {
        let (other, _) = cycle(product, &part, start);
        if distance + other.len() < shortest {
            shortest = distance + other.len();
            best = (start, other);
        }
    }
    let (start, cycle) = best;
    let (root, stem) = prefix(product, &|node| node == start);
    let step = |hop: &Hop<P::Action>| Step { action: hop.action, state: product.state(hop.target) };
    let initial = Step { action: None, state: product.state(root) };
    let prefix = std::iter::once(initial).chain(stem.iter().map(step)).collect();
    Counterexample { prefix, cycle: cycle.iter().map(step).collect() }.shortened()
}

type Path<A> = Vec<Hop<A>>;

/// The shortest way from a root to a node that is a goal, with that root.
fn prefix<P: Explored>(product: &mut P, is_goal: &dyn Fn(u32) -> bool) -> (u32, Path<P::Action>) {
    let roots = product.known_roots();
    if let Some(root) = roots.iter().find(|root| is_goal(**root)) {
        return (*root, Vec::new());
    }
    let everything = Region::All(product.node_bound());
    shortest(product, &roots, &everything, &|hop| is_goal(hop.target)).expect("the part can be reached")
}

fn root_inside<P: Explored>(product: &P, is_inside: &dyn Fn(u32) -> bool) -> u32 {
    product.known_roots().into_iter().find(|root| is_inside(*root)).expect("the part holds a root")
}

/// A cycle through `start` inside the part that is accepted and fair. With the nodes where it found something that
/// was missing, and how far from the start they are.
fn cycle<P: Explored>(product: &mut P, part: &NodeSet, start: u32) -> (Path<P::Action>, Vec<(u32, usize)>) {
    let all = product.all_marks();
    let region = Region::Part(part);
    let mut path: Path<P::Action> = Vec::new();
    let mut found = Vec::new();
    let mut sum = Seen::default();
    loop {
        let at = path.last().map_or(start, |hop| hop.target);
        let (missing, open) = (all & !sum.marks, sum.duty.open());
        let helps = |hop: &Hop<P::Action>| hop.seen.marks & missing != 0 || hop.seen.duty.served & open != 0;
        let is_back = |hop: &Hop<P::Action>| hop.target == start;
        let is_searching = missing != 0 || open != 0;
        if !is_searching && at == start && !path.is_empty() {
            return (path, found);
        }
        let goal: &dyn Fn(&Hop<P::Action>) -> bool = if is_searching { &helps } else { &is_back };
        let (_, way) =
            shortest(product, &[at], &region, goal).expect("an accepting part has what is missing");
        sum = way.iter().fold(sum, |sum, hop| sum.with(hop.seen));
        path.extend(way);
        if is_searching {
            found.push((path.last().expect("a way has a hop").target, path.len()));
        }
    }
}

/// Where a search may go.
enum Region<'a> {
    /// So many nodes.
    All(usize),
    Part(&'a NodeSet),
}

impl Region<'_> {
    fn index(&self, node: u32) -> Option<usize> {
        match self {
            Region::All(_) => Some(node as usize),
            Region::Part(set) => set.index(node),
        }
    }

    fn len(&self) -> usize {
        match self {
            Region::All(count) => *count,
            Region::Part(set) => set.nodes().len(),
        }
    }
}

/// The shortest way inside the region from one of the nodes that ends with a hop that is a goal; with the node that
/// it begins in.
fn shortest<P: Explored>(
    product: &mut P,
    from: &[u32],
    region: &Region<'_>,
    is_goal: &dyn Fn(&Hop<P::Action>) -> bool,
) -> Option<(u32, Path<P::Action>)> {
    const UNSEEN: u32 = u32::MAX;
    let mut parent = vec![UNSEEN; region.len()];
    let mut queue: VecDeque<u32> = from.iter().copied().collect();
    for node in from {
        parent[region.index(*node)?] = *node;
    }
    let mut hops = Vec::new();
    while let Some(node) = queue.pop_front() {
        product.hops(node, &mut hops);
        for hop in &hops {
            let Some(index) = region.index(hop.target) else { continue };
            if is_goal(hop) {
                let mut nodes = vec![node];
                let mut at = node;
                while parent[region.index(at)?] != at {
                    at = parent[region.index(at)?];
                    nodes.push(at);
                }
                let last = *hop;
                nodes.reverse();
                let mut path = ways(product, &nodes);
                path.push(last);
                return Some((at, path));
            }
            if parent[index] == UNSEEN {
                parent[index] = node;
                queue.push_back(hop.target);
            }
        }
    }
    None
}

/// The hops between the nodes of a path.
fn ways<P: Explored>(product: &mut P, nodes: &[u32]) -> Path<P::Action> {
    let mut hops = Vec::new();
    let way = |pair: &[u32]| {
        product.hops(pair[0], &mut hops);
        *hops.iter().find(|hop| hop.target == pair[1]).expect("a hop between neighbours")
    };
    nodes.windows(2).map(way).collect()
}
