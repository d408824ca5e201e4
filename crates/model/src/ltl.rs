//! Is there a run of the system that the automaton accepts?
//!
//! Components of the product, on the fly ([`find_accepting`]); the automaton is that of the negated formula, so
//! what it accepts is a counterexample. Weak fairness is one more condition on a component. Strong fairness is a
//! Streett condition: where a component has all marks but a process that is enabled in it never moves in it, a fair
//! run has to avoid, from some point on, the states where that process is enabled; without them the rest is
//! decomposed again (Emerson and Lei, Modalities for Model Checking, 1987; Latvala and Heljanko, Coping with Strong
//! Fairness, 2000).
//!
//! Promise: an answer without a limit is exact. Each round of decomposing again is for another process, so there
//! are at most as many rounds as processes.

use crate::budget::Limit;
use crate::component::{Graph, Place, Seen, find_accepting};
use crate::fairness::Fairness;
use crate::product::Product;
use crate::rules::{Explored, Hop};
use crate::system::System;
use selvedge_ltl::buchi::Marks;

/// The nodes of a strongly connected part of the product whose arcs have all marks and are fair; `None` if there is
/// none.
pub(crate) fn accepting_nodes<S: System>(product: &mut Product<'_, S>) -> Result<Option<Vec<u32>>, Limit> {
    let all = product.rules.all_marks();
    let strong = product.rules.fairness == Fairness::Strong;
    find_accepting(product, all, &mut |product, nodes, seen| {
        if strong && seen.marks == all && seen.duty.open() != 0 {
            decompose(product, Unfair { nodes: nodes.to_vec(), open: seen.duty.open() }, all)
        } else {
            Ok(None)
        }
    })
}

/// A set of nodes in which some processes are enabled and never move.
struct Unfair {
    nodes: Vec<u32>,
    open: u64,
}

/// Looks for a fair part of a component that is not fair as a whole.
fn decompose<S: System>(
    product: &mut Product<'_, S>,
    component: Unfair,
    all: Marks,
) -> Result<Option<Vec<u32>>, Limit> {
    let mut todo = vec![component];
    while let Some(unfair) = todo.pop() {
        let mut rest = Rest::new(product, unfair)?;
        let found = find_accepting(&mut rest, all, &mut |rest, numbers, seen| {
            if seen.marks == all && seen.duty.open() != 0 {
                todo.push(Unfair { nodes: rest.named(numbers), open: seen.duty.open() });
            }
            Ok(None)
        })?;
        if let Some(numbers) = found {
            return Ok(Some(rest.named(&numbers)));
        }
    }
    Ok(None)
}

/// Some nodes, for looking them up.
#[derive(Clone, Debug)]
pub(crate) struct NodeSet(Vec<u32>);

impl NodeSet {
    pub(crate) fn new(mut nodes: Vec<u32>) -> NodeSet {
        nodes.sort_unstable();
        NodeSet(nodes)
    }

    /// The node's place in the set.
    pub(crate) fn index(&self, node: u32) -> Option<usize> {
        self.0.binary_search(&node).ok()
    }

    pub(crate) fn nodes(&self) -> &[u32] {
        &self.0
    }
}

/// What is left of a component without the states where its unserved processes are enabled.
struct Rest<'p, 'a, S: System> {
    product: &'p mut Product<'a, S>,
    set: NodeSet,
    /// For each node of the set its number in the order of the search.
    number: Vec<Option<u32>>,
    /// The nodes in that order.
    order: Vec<u32>,
    hops: Vec<Hop<S::Action>>,
}

impl<'p, 'a, S: System> Rest<'p, 'a, S> {
    fn new(product: &'p mut Product<'a, S>, unfair: Unfair) -> Result<Self, Limit> {
        let mut hops = Vec::new();
        let mut kept = Vec::new();
        for node in unfair.nodes {
            product.tick()?;
            if product.hops(node, &mut hops) & unfair.open == 0 {
                kept.push(node);
            }
        }
        let number = vec![None; kept.len()];
        Ok(Rest { product, set: NodeSet::new(kept), number, order: Vec::new(), hops })
    }

    /// The number of the node with this place in the set.
    fn enter(&mut self, index: usize) -> u32 {
        let next = self.order.len() as u32;
        let number = *self.number[index].get_or_insert(next);
        if number == next {
            self.order.push(self.set.nodes()[index]);
        }
        number
    }

    /// The product's nodes with these numbers.
    fn named(&self, numbers: &[u32]) -> Vec<u32> {
        numbers.iter().map(|number| self.order[*number as usize]).collect()
    }
}

impl<S: System> Graph for Rest<'_, '_, S> {
    /// A place in the set, and what the way there counts for.
    type Arc = (usize, Seen);
    type Stop = Limit;

    fn root(&mut self, index: usize) -> Result<Option<u32>, Limit> {
        Ok((index < self.set.nodes().len()).then(|| self.enter(index)))
    }

    fn arcs(&mut self, node: u32, _place: Place, out: &mut Vec<Self::Arc>) -> Result<u64, Limit> {
        self.product.tick()?;
        self.product.hops(self.order[node as usize], &mut self.hops);
        let inside = |hop: &Hop<S::Action>| self.set.index(hop.target).map(|index| (index, hop.seen));
        out.extend(self.hops.iter().filter_map(inside));
        Ok(0)
    }

    fn follow(&mut self, _node: u32, _word: u64, (index, seen): Self::Arc) -> (u32, Seen) {
        (self.enter(index), seen)
    }
}
