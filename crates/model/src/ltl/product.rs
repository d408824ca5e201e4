//! The product of a system with an automaton, made on the fly by one worker.
//!
//! System states are stored once, nodes as one word each; edges are made again when they are needed again.

use super::component::{OnTheFlyGraph, SearchPosition, Stacks};
use super::product_records::WrittenProduct;
use super::{Acceptance, ExploredProduct, Fairness, ProductEdge, TransitionRelation, UnknownReading};
use crate::ltl::movers::Movers;
use crate::search::{Limit, Meter, Stats};
use crate::store::{NodeTable, StateId, StateProbe, StateSet};
use crate::system::{States, Steps, System, Word};
use selvedge_ltl::buchi::{Marks, SearchAutomaton};

/// The product, and the buffers to make it with.
pub(crate) struct Product<'a, S: System> {
    pub(crate) relation: TransitionRelation<'a, S>,
    pub(super) initial: States,
    /// The system's states.
    pub(crate) states: StateSet,
    /// The product's nodes.
    pub(crate) nodes: NodeTable,
    /// The system's states whose steps have been counted.
    pub(super) is_counted: Vec<bool>,
    pub(super) transitions: usize,
    /// The greatest length of the search's path, and the most bytes of its stacks.
    pub(super) depth: usize,
    stack_bytes: usize,
    pub(super) meter: Meter<'a>,
    /// What the checkpoint has, if there is one.
    pub(super) written: WrittenProduct,
    pub(super) steps: Steps<S::Action>,
    probes: Vec<StateProbe>,
    packed: Vec<Word>,
    pub(super) matching: Vec<u32>,
}

/// An edge on a search's stack. There may be many, so they are small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedEdge {
    /// The system's next state.
    pub(super) state: StateId,
    /// The index of the automaton's edge; in the bits above, the moving processes.
    pub(super) edge_and_movers: u32,
}

const EDGE_BITS: u32 = 32 - Movers::BITS;

impl PackedEdge {
    fn new(state: StateId, edge: u32, movers: Movers) -> PackedEdge {
        assert!(edge < 1 << EDGE_BITS, "a state of the automaton has too many edges");
        PackedEdge { state, edge_and_movers: edge | movers.packed() << EDGE_BITS }
    }

    fn index(self) -> usize {
        (self.edge_and_movers & ((1 << EDGE_BITS) - 1)) as usize
    }

    fn movers(self) -> Movers {
        Movers::from_packed(self.edge_and_movers >> EDGE_BITS)
    }
}

impl<'a, S: System> Product<'a, S> {
    pub(crate) fn new(
        system: &'a S,
        automaton: &'a SearchAutomaton,
        fairness: Fairness,
        unknown: UnknownReading,
        meter: Meter<'a>,
    ) -> Product<'a, S> {
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        Product {
            initial,
            relation: TransitionRelation::new(system, automaton, fairness, unknown),
            states: StateSet::new(system.words(), meter.compresses()),
            nodes: NodeTable::new(automaton.state_count()),
            is_counted: Vec::new(),
            transitions: 0,
            depth: 0,
            stack_bytes: 0,
            meter,
            written: WrittenProduct::default(),
            steps: Steps::new(system.words()),
            probes: Vec::new(),
            packed: Vec::new(),
            matching: Vec::new(),
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats { time: self.meter.elapsed(), ..self.figures() }
    }

    fn figures(&self) -> Stats {
        let tables = self.states.memory() + self.nodes.memory() + self.is_counted.capacity();
        Stats {
            states: self.states.len(),
            transitions: self.transitions,
            product_states: self.nodes.len(),
            automaton_states: self.relation.automaton.state_count(),
            depth: self.depth,
            bytes: tables + self.stack_bytes + self.relation.system.table_bytes(),
            ..Stats::default()
        }
    }

    /// Checks the limits now and then.
    pub(crate) fn tick(&mut self) -> Result<(), Limit> {
        self.meter.tick();
        if self.meter.is_due() {
            let figures = self.figures();
            self.written.is_due = self.meter.due_checkpoint().is_some();
            return self.meter.read(figures).map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// See [`TransitionRelation::expand`].
    pub(super) fn expand(&mut self, node: u32) -> u64 {
        let (state, from) = self.nodes.pair(node);
        let packed = self.states.get(state, &mut self.packed);
        self.relation.expand(packed, from, &mut self.steps, &mut self.matching)
    }

    /// Has a run ended that has come to this state, the one that was expanded?
    #[inline]
    fn has_ended(&mut self, state: StateId) -> bool {
        self.steps.is_empty() && {
            let packed = self.states.get(state, &mut self.packed);
            self.relation.has_ended(packed, &self.steps)
        }
    }

    fn count(&mut self, state: StateId) {
        let is_written = self.meter.checkpoint().is_some();
        if self.is_counted.len() <= state.index() {
            self.is_counted.resize(self.states.len(), false);
        }
        if !std::mem::replace(&mut self.is_counted[state.index()], true) {
            self.transitions += self.steps.len();
            if is_written {
                self.written.counted.push(state);
            }
        }
    }
}

impl<S: System> ExploredProduct for Product<'_, S> {
    type Action = S::Action;

    fn all_marks(&self) -> Marks {
        self.relation.all_marks()
    }

    fn node_bound(&self) -> usize {
        self.nodes.len()
    }

    fn state(&self, node: u32) -> Box<[Word]> {
        self.states.state(self.nodes.pair(node).0)
    }

    fn known_edges(&mut self, node: u32, out: &mut Vec<ProductEdge<S::Action>>) -> u64 {
        let enabled = self.expand(node);
        let from = self.nodes.pair(node);
        let has_ended = self.has_ended(from.0);
        let find = |state: &[Word]| self.states.find(state);
        let find_node = |state, to| self.nodes.find(state, to);
        self.relation.known_edges(
            from,
            (enabled, has_ended),
            (&self.steps, &self.matching),
            find,
            find_node,
            out,
        );
        enabled
    }

    fn known_roots(&self) -> Vec<u32> {
        let known = |state: &[Word]| {
            let state = self.states.find(state)?;
            self.nodes.find(state, self.relation.automaton.initial)
        };
        self.initial.iter().filter_map(known).collect()
    }
}

/// The number of a probed state, unless it is new and the limit is reached.
#[inline]
fn store(states: &mut StateSet, state: &[Word], probe: StateProbe, most: usize) -> Result<StateId, Limit> {
    if states.len() >= most && states.find(state).is_none() {
        return Err(Limit::States);
    }
    Ok(states.insert_at(state, probe).0)
}

impl<S: System> OnTheFlyGraph for Product<'_, S> {
    type Edge = PackedEdge;
    type Stop = Limit;

    fn root(&mut self, index: usize) -> Result<Option<u32>, Limit> {
        let Some(state) = self.initial.iter().nth(index) else { return Ok(None) };
        self.states.reserve(1);
        let probe = self.states.probe(state);
        let state = store(&mut self.states, state, probe, self.meter.most_states())?;
        Ok(Some(self.nodes.insert(state, self.relation.automaton.initial)))
    }

    fn out_edges(
        &mut self,
        node: u32,
        position: SearchPosition,
        out: &mut Vec<PackedEdge>,
    ) -> Result<u64, Limit> {
        self.depth = self.depth.max(position.depth);
        self.stack_bytes = self.stack_bytes.max(position.bytes);
        self.tick()?;
        let enabled = self.expand(node);
        if self.matching.is_empty() {
            return Ok(0);
        }
        let (state, _) = self.nodes.pair(node);
        self.count(state);
        let mut add = |state: StateId, movers: Movers, matching: &[u32]| {
            out.extend(matching.iter().map(|edge| PackedEdge::new(state, *edge, movers)));
        };
        if self.has_ended(state) {
            add(state, Movers::NONE, &self.matching);
        }
        self.states.reserve(self.steps.len());
        self.probes.clear();
        self.probes.extend(self.steps.iter().map(|(_, target)| self.states.probe(target)));
        for index in 0..self.steps.len() {
            let (action, target) = self.steps.get(index);
            let target = store(&mut self.states, target, self.probes[index], self.meter.most_states())?;
            add(target, self.relation.movers(action), &self.matching);
        }
        Ok(enabled)
    }

    #[inline]
    fn follow(&mut self, node: u32, enabled: u64, packed: PackedEdge) -> (u32, Acceptance) {
        let (_, from) = self.nodes.pair(node);
        let edge = &self.relation.automaton.edges(from)[packed.index()];
        (
            self.nodes.insert(packed.state, edge.target),
            self.relation.edge_acceptance(edge, enabled, packed.movers()),
        )
    }

    #[inline]
    fn is_write_due(&self) -> bool {
        self.written.is_due
    }

    fn write(&mut self, stacks: &mut Stacks<PackedEdge>) {
        self.write_record(stacks);
    }

    fn read(&mut self) -> Result<Option<Stacks<PackedEdge>>, Limit> {
        self.read_records()
    }
}
