//! Is there a run of the system that the automaton accepts?
//!
//! Components of the product, on the fly ([`find_accepting`]). The automaton is that of the negated formula,
//! so an accepted run is a counterexample. Weak fairness is one more condition on a component. Strong
//! fairness is a Streett condition: if a component has all marks, but a process that is enabled in it never
//! moves in it, a fair run avoids, from some point on, the states where that process is enabled. The
//! component without them is decomposed again (Emerson and Lei, Modalities for Model Checking, 1987; Latvala
//! and Heljanko, Coping with Strong Fairness, 2000).
//!
//! Promise: an answer without a limit is exact. Each further decomposition is for another process, so there
//! are at most as many as processes.

use super::component::{OnTheFlyGraph, OutEdge, SearchPosition, find_accepting};
use super::{ExploredProduct, Fairness, ProductEdge};
use crate::search::Limit;
use crate::store::UNKNOWN;
use selvedge_ltl::buchi::Marks;

/// A product that is searched for an accepting component.
pub(crate) trait SearchedProduct: ExploredProduct + OnTheFlyGraph<Stop = Limit> {
    /// The runs that count.
    fn fairness(&self) -> Fairness;

    /// Checks the limits now and then.
    fn tick(&mut self) -> Result<(), Limit>;
}

/// Strongly connected nodes of the product whose edges have all marks and are fair; `None` if there are
/// none.
pub(crate) fn accepting_nodes<P: SearchedProduct>(product: &mut P) -> Result<Option<Vec<u32>>, Limit> {
    let all = product.all_marks();
    let is_strong = product.fairness() == Fairness::Strong;
    find_accepting(product, all, &mut |product, nodes, acceptance| {
        if is_strong && acceptance.marks == all && acceptance.debt.unserved() != 0 {
            decompose(product, UnfairComponent { nodes: nodes(), unserved: acceptance.debt.unserved() }, all)
        } else {
            Ok(None)
        }
    })
}

/// A component in which some processes are enabled and never move.
struct UnfairComponent {
    nodes: Vec<u32>,
    unserved: u64,
}

/// Searches for a fair part of a component that is not fair as a whole.
fn decompose<P: SearchedProduct>(
    product: &mut P,
    component: UnfairComponent,
    all: Marks,
) -> Result<Option<Vec<u32>>, Limit> {
    let mut unfair_components = vec![component];
    while let Some(unfair) = unfair_components.pop() {
        let mut remainder = FairRemainder::new(product, unfair)?;
        let accepting = find_accepting(&mut remainder, all, &mut |remainder, indices, acceptance| {
            if acceptance.marks == all && acceptance.debt.unserved() != 0 {
                unfair_components.push(UnfairComponent {
                    nodes: remainder.product_nodes(&indices()),
                    unserved: acceptance.debt.unserved(),
                });
            }
            Ok(None)
        })?;
        if let Some(indices) = accepting {
            return Ok(Some(remainder.product_nodes(&indices)));
        }
    }
    Ok(None)
}

/// A sorted set of nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeSet(Vec<u32>);

impl NodeSet {
    pub(crate) fn new(mut nodes: Vec<u32>) -> NodeSet {
        nodes.sort_unstable();
        NodeSet(nodes)
    }

    /// The index of the node in the set.
    pub(crate) fn index(&self, node: u32) -> Option<usize> {
        self.0.binary_search(&node).ok()
    }

    pub(crate) fn nodes(&self) -> &[u32] {
        &self.0
    }
}

/// The rest of a component, without the states where its unserved processes are enabled. A node is its index
/// in the set.
struct FairRemainder<'p, P: SearchedProduct> {
    product: &'p mut P,
    set: NodeSet,
    positions: Vec<u32>,
    edges: Vec<ProductEdge<P::Action>>,
}

impl<'p, P: SearchedProduct> FairRemainder<'p, P> {
    fn new(product: &'p mut P, unfair: UnfairComponent) -> Result<Self, Limit> {
        let mut edges = Vec::new();
        let mut fair_nodes = Vec::new();
        for node in unfair.nodes {
            product.tick()?;
            if product.known_edges(node, &mut edges) & unfair.unserved == 0 {
                fair_nodes.push(node);
            }
        }
        let positions = vec![UNKNOWN; fair_nodes.len()];
        Ok(FairRemainder { product, set: NodeSet::new(fair_nodes), positions, edges })
    }

    /// The product's nodes with these indices.
    fn product_nodes(&self, indices: &[u32]) -> Vec<u32> {
        indices.iter().map(|index| self.set.nodes()[*index as usize]).collect()
    }
}

impl<P: SearchedProduct> OnTheFlyGraph for FairRemainder<'_, P> {
    type Stop = Limit;

    fn root(&mut self, index: usize) -> Result<Option<u32>, Limit> {
        Ok((index < self.set.nodes().len()).then_some(index as u32))
    }

    fn out_edges(&mut self, node: u32, _at: SearchPosition, out: &mut Vec<OutEdge>) -> Result<(), Limit> {
        self.product.tick()?;
        self.product.known_edges(self.set.nodes()[node as usize], &mut self.edges);
        let inside = |edge: &ProductEdge<P::Action>| {
            let target = self.set.index(edge.target)? as u32;
            Some(OutEdge { target, acceptance: edge.acceptance })
        };
        out.extend(self.edges.iter().filter_map(inside));
        Ok(())
    }

    fn position(&self, node: u32) -> u32 {
        self.positions[node as usize]
    }

    fn set_position(&mut self, node: u32, position: u32) {
        self.positions[node as usize] = position;
    }
}
