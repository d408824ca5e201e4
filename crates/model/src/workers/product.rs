//! The product of a system with an automaton, made by several workers.
//!
//! The tables of the sequential product (`ltl/product.rs`), in shards: a state of the system and its nodes
//! of the product are in the shard of that state. Unlike there, the target of an edge is stored when the
//! edge is made, under the same lock as its state.

use super::shards::{
    MAX_LOCAL, SHARDS, Shards, StateQuota, global, global_state, local, local_state, shard_of, shard_of_state,
};
use super::ufscc::{OutEdge, SharedGraph};
use crate::ltl::movers::Movers;
use crate::ltl::{ExploredProduct, ProductEdge, TransitionRelation};
use crate::search::{Budget, Limit, Stats};
use crate::store::{NodeTable, StateId, StateSet, hash};
use crate::system::{States, Steps, System, Word};
use selvedge_ltl::buchi::Marks;

/// The states and nodes of one shard. Nodes are stored by their states' numbers within the shard.
#[derive(Debug)]
pub(super) struct ProductShard {
    states: StateSet,
    nodes: NodeTable,
    /// The states whose steps have been counted.
    is_counted: Vec<bool>,
    transitions: usize,
}

impl ProductShard {
    fn memory(&self) -> usize {
        self.states.memory() + self.nodes.memory() + self.is_counted.capacity()
    }

    /// Counts the steps of a state, once.
    fn count(&mut self, state: StateId, steps: usize) {
        if self.is_counted.len() <= state.index() {
            self.is_counted.resize(self.states.len(), false);
        }
        if !std::mem::replace(&mut self.is_counted[state.index()], true) {
            self.transitions += steps;
        }
    }
}

/// The product, while it is made.
pub(super) struct SharedProduct<'a, S> {
    relation: TransitionRelation<'a, S>,
    shards: Shards<ProductShard>,
    quota: StateQuota,
}

impl<'a, S: System> SharedProduct<'a, S> {
    pub(super) fn new(relation: TransitionRelation<'a, S>, budget: Budget<'_>) -> Self {
        let shard = || ProductShard {
            states: StateSet::new(relation.system.words(), budget.compress),
            nodes: NodeTable::new(relation.automaton.state_count()),
            is_counted: Vec::new(),
            transitions: 0,
        };
        let quota = StateQuota::new(budget.limits.states);
        SharedProduct { relation, shards: Shards::new(shard), quota }
    }

    /// The nodes where runs begin.
    pub(super) fn roots(&self) -> Result<Vec<u32>, Limit> {
        let mut initial = States::new(self.relation.system.words());
        self.relation.system.initial(&mut initial);
        let mut roots = Vec::new();
        for state in initial.iter() {
            self.store(state, std::iter::once(self.relation.automaton.initial), |node| roots.push(node))?;
        }
        Ok(roots)
    }

    /// Stores a state, and its nodes with these states of the automaton; calls `each` with their numbers.
    #[inline]
    fn store(
        &self,
        state: &[Word],
        automaton: impl Iterator<Item = u32>,
        mut each: impl FnMut(u32),
    ) -> Result<(), Limit> {
        let hash = hash(state);
        let number = shard_of(hash);
        let mut shard = self.shards.lock(number);
        shard.states.reserve(1);
        let probe = shard.states.probe_hash(state, || hash);
        let (id, _) = shard.states.insert_if(state, probe, || self.quota.take()).ok_or(Limit::States)?;
        for to in automaton {
            if shard.nodes.len() >= MAX_LOCAL {
                return Err(Limit::States);
            }
            each(global(number, shard.nodes.insert(id, to)));
        }
        Ok(())
    }

    /// The figures so far, but for depth and stacks.
    pub(super) fn figures(&self) -> Stats {
        let mut stats = Stats {
            automaton_states: self.relation.automaton.state_count(),
            bytes: self.relation.system.table_bytes(),
            ..Stats::default()
        };
        for shard in self.shards.each() {
            stats.states += shard.states.len();
            stats.transitions += shard.transitions;
            stats.product_states += shard.nodes.len();
            stats.bytes += shard.memory();
        }
        stats
    }

    /// The product as far as it was made, when all workers have ended.
    pub(super) fn finished(self) -> FinishedProduct<'a, S> {
        let buffers = self.buffers();
        FinishedProduct { relation: self.relation, shards: self.shards.into_inner(), buffers }
    }
}

impl<S: System> SharedGraph for SharedProduct<'_, S> {
    type Buffers = ExpansionBuffers<S::Action>;

    fn buffers(&self) -> Self::Buffers {
        let words = self.relation.system.words();
        ExpansionBuffers { packed: Vec::new(), steps: Steps::new(words), matching: Vec::new() }
    }

    fn all_marks(&self) -> Marks {
        self.relation.all_marks()
    }

    fn out_edges(&self, node: u32, buffers: &mut Self::Buffers, out: &mut Vec<OutEdge>) -> Result<(), Limit> {
        let (shard, within) = local(node);
        let ExpansionBuffers { packed, steps, matching } = buffers;
        let (state, from) = {
            let shard = self.shards.lock(shard);
            let (state, from) = shard.nodes.pair(within);
            shard.states.read(state, packed);
            (state, from)
        };
        let enabled = self.relation.expand(packed, from, steps, matching);
        if matching.is_empty() {
            return Ok(());
        }
        self.shards.lock(shard).count(state, steps.len());
        let edges = self.relation.automaton.edges(from);
        let mut add = |state: &[Word], movers| {
            let matching = matching.iter().map(|edge| &edges[*edge as usize]);
            let mut acceptances =
                matching.clone().map(|edge| self.relation.edge_acceptance(edge, enabled, movers));
            self.store(state, matching.map(|edge| edge.target), |target| {
                let acceptance = acceptances.next().expect("as many nodes as edges");
                out.push(OutEdge { target, acceptance });
            })
        };
        if self.relation.has_ended(packed, steps) {
            return add(packed, Movers::NONE);
        }
        for (action, target) in steps.iter() {
            add(target, self.relation.movers(action))?;
        }
        Ok(())
    }
}

/// A worker's memory to make the steps of a node in.
pub(super) struct ExpansionBuffers<A> {
    packed: Vec<Word>,
    steps: Steps<A>,
    /// The automaton's edges that match the label.
    matching: Vec<u32>,
}

/// The product as far as it was made.
pub(super) struct FinishedProduct<'a, S: System> {
    relation: TransitionRelation<'a, S>,
    shards: Vec<ProductShard>,
    buffers: ExpansionBuffers<S::Action>,
}

impl<S: System> FinishedProduct<'_, S> {
    /// All nodes.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        let nodes = |(number, shard): (usize, &ProductShard)| {
            let count = shard.nodes.len() as u32;
            (0..count).map(move |node| global(number, node))
        };
        self.shards.iter().enumerate().flat_map(nodes)
    }

    fn find(shards: &[ProductShard], state: &[Word]) -> Option<StateId> {
        let shard = shard_of_state(state);
        shards[shard].states.find(state).map(|id| global_state(shard, id))
    }

    fn find_node(shards: &[ProductShard], state: StateId, automaton: u32) -> Option<u32> {
        let (shard, state) = local_state(state);
        shards[shard].nodes.find(state, automaton).map(|node| global(shard, node))
    }
}

impl<S: System> ExploredProduct for FinishedProduct<'_, S> {
    type Action = S::Action;

    fn all_marks(&self) -> Marks {
        self.relation.all_marks()
    }

    fn node_bound(&self) -> usize {
        self.shards.iter().map(|shard| shard.nodes.len()).max().unwrap_or(0) * SHARDS
    }

    fn state(&self, node: u32) -> Box<[Word]> {
        let (shard, node) = local(node);
        let shard = &self.shards[shard];
        shard.states.state(shard.nodes.pair(node).0)
    }

    fn known_edges(&mut self, node: u32, out: &mut Vec<ProductEdge<S::Action>>) -> u64 {
        let (number, within) = local(node);
        let shard = &self.shards[number];
        let (state, from) = shard.nodes.pair(within);
        let ExpansionBuffers { packed, steps, matching } = &mut self.buffers;
        let packed = shard.states.get(state, packed);
        let enabled = self.relation.expand(packed, from, steps, matching);
        let has_ended = self.relation.has_ended(packed, steps);
        let find = |state: &[Word]| Self::find(&self.shards, state);
        let find_node = |state, to| Self::find_node(&self.shards, state, to);
        self.relation.known_edges(
            (global_state(number, state), from),
            (enabled, has_ended),
            (steps, matching),
            find,
            find_node,
            out,
        );
        enabled
    }

    fn known_roots(&self) -> Vec<u32> {
        let mut initial = States::new(self.relation.system.words());
        self.relation.system.initial(&mut initial);
        let known = |state: &[Word]| {
            let state = Self::find(&self.shards, state)?;
            Self::find_node(&self.shards, state, self.relation.automaton.initial)
        };
        initial.iter().filter_map(known).collect()
    }
}
