//! The product of what several workers know, searched by one of them for an accepting component: inside of
//! what was not eliminated.
//!
//! A node has a number by its partition, its state there and its state of the automaton. The numbers depend
//! on timing, so roots are in the order of their hashes.
//!
//! Promise: the answer depends on the nodes that are known and on those that remain, not on their numbers.

use super::super::partition::partition_of;
use super::node_search::{NodeSearch, Numbering};
use crate::ltl::{
    ExploredProduct, Fairness, OnTheFlyGraph, OutEdge, ProductEdge, SearchPosition, SearchedProduct,
};
use crate::ltl::{members, only};
use crate::search::{Limit, Stats};
use crate::store::{StateId, UNKNOWN, hash};
use crate::system::{Steps, System, Word};
use selvedge_ltl::buchi::Marks;

/// The known nodes; those that remain are searched.
pub(super) struct Remainder<'s, 'a, S: System> {
    nodes: KnownNodes<'s, 'a, S>,
    /// The nodes that remain.
    roots: Vec<u32>,
    positions: Vec<u32>,
    steps: Steps<S::Action>,
    matching: Vec<u32>,
    edges: Vec<ProductEdge<S::Action>>,
}

impl<'s, 'a, S: System> Remainder<'s, 'a, S> {
    pub(super) fn new(search: &'s mut NodeSearch<'a, S>) -> Self {
        let numbering = Numbering::new(search.partitions.len(), search.relation.automaton.state_count());
        let steps = Steps::new(search.relation.system.words());
        let nodes = KnownNodes { search, numbering };
        Remainder {
            roots: nodes.remaining(),
            positions: vec![UNKNOWN; nodes.bound()],
            nodes,
            steps,
            matching: Vec::new(),
            edges: Vec::new(),
        }
    }

    fn figures(&self) -> Stats {
        let own = (self.roots.capacity() + self.positions.capacity()) * size_of::<u32>();
        let stats = self.nodes.search.stats();
        Stats { bytes: stats.bytes + own, ..stats }
    }
}

/// The nodes of a search, with their numbers.
struct KnownNodes<'s, 'a, S: System> {
    search: &'s mut NodeSearch<'a, S>,
    numbering: Numbering,
}

impl<S: System> KnownNodes<'_, '_, S> {
    /// All nodes have smaller numbers.
    fn bound(&self) -> usize {
        let states = self.search.partitions.iter().map(|partition| partition.states.len()).max().unwrap_or(0);
        states * self.search.partitions.len() * self.search.relation.automaton.state_count()
    }

    /// The nodes that remain, in an order that does not depend on their numbers.
    fn remaining(&self) -> Vec<u32> {
        let mut roots: Vec<(u64, u32)> = Vec::new();
        for (partition, number) in self.search.partitions.iter().zip(0..) {
            for place in partition.remaining_places() {
                let hash = hash(partition.states.get(place.state));
                let state = self.numbering.state(number, place.state);
                roots.extend(members(place.automata).map(|node| (hash, self.numbering.node(state, node))));
            }
        }
        let key = |node: u32| {
            let (state, automaton) = self.numbering.pair(node);
            (self.words(state), automaton)
        };
        roots.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| key(one.1).cmp(&key(other.1))));
        roots.into_iter().map(|(_, node)| node).collect()
    }

    fn words(&self, state: StateId) -> &[Word] {
        let (partition, state) = self.numbering.locate(state);
        self.search.partitions[partition].states.get(state)
    }

    fn find(&self, state: &[Word]) -> Option<StateId> {
        let partition = partition_of(hash(state), self.search.partitions.len());
        let found = self.search.partitions[partition].states.find(state)?;
        Some(self.numbering.state(partition, found))
    }

    /// The number of a node, if it is known.
    fn known(&self, state: StateId, automaton: u32) -> Option<u32> {
        let (partition, local) = self.numbering.locate(state);
        let is_known = self.search.partitions[partition].known(local) & only(automaton) != 0;
        is_known.then(|| self.numbering.node(state, automaton))
    }

    fn remains(&self, node: u32) -> bool {
        let (state, automaton) = self.numbering.pair(node);
        let (partition, local) = self.numbering.locate(state);
        self.search.partitions[partition].remaining(local) & only(automaton) != 0
    }
}

impl<S: System> ExploredProduct for Remainder<'_, '_, S> {
    type Action = S::Action;

    fn all_marks(&self) -> Marks {
        self.nodes.search.relation.all_marks()
    }

    fn node_bound(&self) -> usize {
        self.nodes.bound()
    }

    fn state(&self, node: u32) -> Box<[Word]> {
        self.nodes.words(self.nodes.numbering.pair(node).0).into()
    }

    fn known_edges(&mut self, node: u32, out: &mut Vec<ProductEdge<S::Action>>) -> u64 {
        let nodes = &self.nodes;
        let relation = &nodes.search.relation;
        let from = nodes.numbering.pair(node);
        let packed = nodes.words(from.0);
        let enabled = relation.expand(packed, from.1, &mut self.steps, &mut self.matching);
        let has_ended = relation.has_ended(packed, &self.steps);
        relation.known_edges(
            from,
            (enabled, has_ended),
            (&self.steps, &self.matching),
            |state| nodes.find(state),
            |state, automaton| nodes.known(state, automaton),
            out,
        );
        enabled
    }

    fn known_roots(&self) -> Vec<u32> {
        let nodes = &self.nodes;
        let automaton = nodes.search.relation.automaton.initial;
        let known = |state: &[Word]| nodes.known(nodes.find(state)?, automaton);
        nodes.search.initial.iter().filter_map(known).collect()
    }
}

impl<S: System> OnTheFlyGraph for Remainder<'_, '_, S> {
    type Stop = Limit;

    fn root(&mut self, index: usize) -> Result<Option<u32>, Limit> {
        Ok(self.roots.get(index).copied())
    }

    fn out_edges(&mut self, node: u32, _at: SearchPosition, out: &mut Vec<OutEdge>) -> Result<(), Limit> {
        self.tick()?;
        let mut edges = std::mem::take(&mut self.edges);
        self.known_edges(node, &mut edges);
        let nodes = &self.nodes;
        let (_, from) = nodes.numbering.pair(node);
        let is_inside = |edge: &&ProductEdge<S::Action>| {
            let (_, to) = nodes.numbering.pair(edge.target);
            nodes.search.parts.is_inner(from, to) && nodes.remains(edge.target)
        };
        let inside = edges.iter().filter(is_inside);
        out.extend(inside.map(|edge| OutEdge { target: edge.target, acceptance: edge.acceptance }));
        self.edges = edges;
        Ok(())
    }

    fn position(&self, node: u32) -> u32 {
        self.positions[node as usize]
    }

    fn set_position(&mut self, node: u32, position: u32) {
        self.positions[node as usize] = position;
    }
}

impl<S: System> SearchedProduct for Remainder<'_, '_, S> {
    fn fairness(&self) -> Fairness {
        self.nodes.search.relation.fairness
    }

    fn tick(&mut self) -> Result<(), Limit> {
        self.nodes.search.meter.tick();
        if self.nodes.search.meter.is_due() {
            let figures = self.figures();
            return self.nodes.search.meter.read(figures).map_or(Ok(()), Err);
        }
        Ok(())
    }
}
