//! The product of a system with an automaton, made by several workers.
//!
//! The tables of the sequential [product](crate::product), in shards: what belongs to a state of the system, the
//! product's nodes among it, is in the shard of that state. Unlike there, the node that an arc leads to is stored
//! when the arc is made, under the same lock as its state.

use super::Signal;
use super::shards::{
    MAX_LOCAL, Room, SHARDS, Shards, global, global_state, local, local_state, shard_of, shard_of_state,
};
use crate::budget::{Budget, Limit, Stats};
use crate::component::Seen;
use crate::nodes::NodeTable;
use crate::rules::{Explored, Hop, Rules};
use crate::store::{StateId, hash};
use crate::system::{States, Steps, System, Word};
use crate::tree::StateSet;
use selvedge_ltl::buchi::Marks;

/// The states and nodes of one shard. Nodes are stored by their states' numbers within the shard.
#[derive(Debug)]
pub(super) struct Part {
    states: StateSet,
    nodes: NodeTable,
    /// The states whose steps have been counted.
    is_counted: Vec<bool>,
    transitions: usize,
}

impl Part {
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
pub(super) struct Shared<'a, S> {
    pub(super) rules: Rules<'a, S>,
    pub(super) signal: Signal,
    parts: Shards<Part>,
    room: Room,
}

/// A way to a node that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) target: u32,
    pub(super) seen: Seen,
}

impl<'a, S: System> Shared<'a, S> {
    pub(super) fn new(rules: Rules<'a, S>, budget: Budget<'_>) -> Self {
        let part = || Part {
            states: StateSet::new(rules.system.words(), budget.compress),
            nodes: NodeTable::new(rules.automaton.state_count()),
            is_counted: Vec::new(),
            transitions: 0,
        };
        let room = Room::new(budget.limits.states);
        Shared { rules, signal: Signal::default(), parts: Shards::new(part), room }
    }

    /// The nodes where runs begin.
    pub(super) fn roots(&self) -> Result<Vec<u32>, Limit> {
        let mut initial = States::new(self.rules.system.words());
        self.rules.system.initial(&mut initial);
        let mut roots = Vec::new();
        for state in initial.iter() {
            self.store(state, std::iter::once(self.rules.automaton.initial), |node| roots.push(node))?;
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
        let shard = shard_of(hash);
        let mut part = self.parts.lock(shard);
        part.states.reserve(1);
        let seek = part.states.look_by(state, || hash);
        let (id, _) = part.states.insert_if(state, seek, || self.room.take()).ok_or(Limit::States)?;
        for to in automaton {
            if part.nodes.len() >= MAX_LOCAL {
                return Err(Limit::States);
            }
            each(global(shard, part.nodes.insert(id, to)));
        }
        Ok(())
    }

    /// Adds the arcs that leave a node.
    pub(super) fn arcs(
        &self,
        node: u32,
        space: &mut Space<S::Action>,
        out: &mut Vec<Arc>,
    ) -> Result<(), Limit> {
        let (shard, within) = local(node);
        let Space { packed, steps, met } = space;
        let (state, from) = {
            let part = self.parts.lock(shard);
            let (state, from) = part.nodes.pair(within);
            part.states.read(state, packed);
            (state, from)
        };
        let enabled = self.rules.expand(packed, from, steps, met);
        if met.is_empty() {
            return Ok(());
        }
        self.parts.lock(shard).count(state, steps.len());
        let edges = self.rules.automaton.edges(from);
        let mut add = |state: &[Word], process| {
            let met = met.iter().map(|edge| &edges[*edge as usize]);
            let mut seen = met.clone().map(|edge| self.rules.edge_seen(edge, enabled, process));
            self.store(state, met.map(|edge| edge.target), |target| {
                let seen = seen.next().expect("as many nodes as edges");
                out.push(Arc { target, seen });
            })
        };
        if steps.is_empty() {
            return add(packed, None);
        }
        for (action, target) in steps.iter() {
            add(target, self.rules.mover(action))?;
        }
        Ok(())
    }

    /// The figures so far, but for depth and stacks.
    pub(super) fn figures(&self) -> Stats {
        let mut stats = Stats { automaton_states: self.rules.automaton.state_count(), ..Stats::default() };
        for part in self.parts.each() {
            stats.states += part.states.len();
            stats.transitions += part.transitions;
            stats.product_states += part.nodes.len();
            stats.bytes += part.memory();
        }
        stats
    }

    /// What was made, when nobody works on it any more.
    pub(super) fn finished(self) -> Finished<'a, S> {
        let space = Space::new(self.rules.system.words());
        Finished { rules: self.rules, parts: self.parts.into_inner(), space }
    }
}

/// Buffers of one worker.
pub(super) struct Space<A> {
    packed: Vec<Word>,
    steps: Steps<A>,
    met: Vec<u32>,
}

impl<A: Copy> Space<A> {
    pub(super) fn new(words: usize) -> Space<A> {
        Space { packed: Vec::new(), steps: Steps::new(words), met: Vec::new() }
    }
}

/// The product as far as it was made.
pub(super) struct Finished<'a, S: System> {
    rules: Rules<'a, S>,
    parts: Vec<Part>,
    space: Space<S::Action>,
}

impl<S: System> Finished<'_, S> {
    /// All nodes.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        let nodes = |(shard, part): (usize, &Part)| {
            let count = part.nodes.len() as u32;
            (0..count).map(move |node| global(shard, node))
        };
        self.parts.iter().enumerate().flat_map(nodes)
    }

    fn find(parts: &[Part], state: &[Word]) -> Option<StateId> {
        let shard = shard_of_state(state);
        parts[shard].states.find(state).map(|id| global_state(shard, id))
    }

    fn find_node(parts: &[Part], state: StateId, automaton: u32) -> Option<u32> {
        let (shard, state) = local_state(state);
        parts[shard].nodes.find(state, automaton).map(|node| global(shard, node))
    }
}

impl<S: System> Explored for Finished<'_, S> {
    type Action = S::Action;

    fn all_marks(&self) -> Marks {
        self.rules.all_marks()
    }

    fn node_bound(&self) -> usize {
        self.parts.iter().map(|part| part.nodes.len()).max().unwrap_or(0) * SHARDS
    }

    fn state(&self, node: u32) -> Box<[Word]> {
        let (shard, node) = local(node);
        let part = &self.parts[shard];
        part.states.state(part.nodes.pair(node).0)
    }

    fn hops(&mut self, node: u32, out: &mut Vec<Hop<S::Action>>) -> u64 {
        let (shard, within) = local(node);
        let part = &self.parts[shard];
        let (state, from) = part.nodes.pair(within);
        let Space { packed, steps, met } = &mut self.space;
        let enabled = self.rules.expand(part.states.get(state, packed), from, steps, met);
        let find = |state: &[Word]| Self::find(&self.parts, state);
        let find_node = |state, to| Self::find_node(&self.parts, state, to);
        self.rules.hops((global_state(shard, state), from), enabled, (steps, met), find, find_node, out);
        enabled
    }

    fn known_roots(&self) -> Vec<u32> {
        let mut initial = States::new(self.rules.system.words());
        self.rules.system.initial(&mut initial);
        let known = |state: &[Word]| {
            let state = Self::find(&self.parts, state)?;
            Self::find_node(&self.parts, state, self.rules.automaton.initial)
        };
        initial.iter().filter_map(known).collect()
    }
}
