//! The product of a system with an automaton, made on the fly.
//!
//! A node is a state of the system and a state of the automaton that is about to read the system state's label.
//! System states are stored once, nodes as one word each; arcs are made again when they are needed again. Where the
//! system has no steps, the run stutters: the automaton reads the last label for ever.

use crate::budget::{Limit, Meter, Stats};
use crate::component::{Graph, Place, Seen};
use crate::fairness::Fairness;
use crate::nodes::NodeTable;
use crate::rules::{Explored, Hop, Rules, Unknown};
use crate::store::StateId;
use crate::system::{ProcessId, States, Steps, System, Word};
use crate::tree::{Seek, StateSet};
use selvedge_ltl::buchi::{Marks, SearchAutomaton};

/// The product.
pub(crate) struct Product<'a, S: System> {
    pub(crate) rules: Rules<'a, S>,
    initial: States,
    /// The system's states.
    pub(crate) states: StateSet,
    /// The product's.
    pub(crate) nodes: NodeTable,
    /// The system's states whose steps have been counted.
    is_counted: Vec<bool>,
    transitions: usize,
    /// The most that the search's path and its stacks had.
    depth: usize,
    stack_bytes: usize,
    meter: Meter<'a>,
    steps: Steps<S::Action>,
    seeks: Vec<Seek>,
    packed: Vec<Word>,
    met: Vec<u32>,
}

/// A way from a node. Many of them wait on a search's stack, so they are small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    /// Where the system goes.
    state: StateId,
    /// By which of its state's edges the automaton goes, and above that the process that moves: its number plus 1,
    /// 0 if fairness does not ask or nobody does.
    edge_and_process: u32,
}

const EDGE_BITS: u32 = 24;

impl Arc {
    fn new(state: StateId, edge: u32, process: Option<ProcessId>) -> Arc {
        assert!(edge < 1 << EDGE_BITS, "a state of the automaton has too many edges");
        Arc { state, edge_and_process: edge | process.map_or(0, |process| process.0 + 1) << EDGE_BITS }
    }

    fn edge(self) -> usize {
        (self.edge_and_process & ((1 << EDGE_BITS) - 1)) as usize
    }

    fn process(self) -> Option<ProcessId> {
        (self.edge_and_process >> EDGE_BITS).checked_sub(1).map(ProcessId)
    }
}

impl<'a, S: System> Product<'a, S> {
    pub(crate) fn new(
        system: &'a S,
        automaton: &'a SearchAutomaton,
        fairness: Fairness,
        unknown: Unknown,
        meter: Meter<'a>,
    ) -> Product<'a, S> {
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        Product {
            initial,
            rules: Rules::new(system, automaton, fairness, unknown),
            states: StateSet::new(system.words(), meter.compresses()),
            nodes: NodeTable::new(automaton.state_count()),
            is_counted: Vec::new(),
            transitions: 0,
            depth: 0,
            stack_bytes: 0,
            meter,
            steps: Steps::new(system.words()),
            seeks: Vec::new(),
            packed: Vec::new(),
            met: Vec::new(),
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
            automaton_states: self.rules.automaton.state_count(),
            depth: self.depth,
            bytes: tables + self.stack_bytes,
            ..Stats::default()
        }
    }

    /// Looks at the limits.
    pub(crate) fn tick(&mut self) -> Result<(), Limit> {
        self.meter.tick();
        if self.meter.is_due() {
            let figures = self.figures();
            return self.meter.read(figures).map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// See [`Rules::expand`].
    fn expand(&mut self, node: u32) -> u64 {
        let (state, from) = self.nodes.pair(node);
        let packed = self.states.get(state, &mut self.packed);
        self.rules.expand(packed, from, &mut self.steps, &mut self.met)
    }

    fn count(&mut self, state: StateId) {
        if self.is_counted.len() <= state.index() {
            self.is_counted.resize(self.states.len(), false);
        }
        if !std::mem::replace(&mut self.is_counted[state.index()], true) {
            self.transitions += self.steps.len();
        }
    }
}

impl<S: System> Explored for Product<'_, S> {
    type Action = S::Action;

    fn all_marks(&self) -> Marks {
        self.rules.all_marks()
    }

    fn node_bound(&self) -> usize {
        self.nodes.len()
    }

    fn state(&self, node: u32) -> Box<[Word]> {
        self.states.state(self.nodes.pair(node).0)
    }

    fn hops(&mut self, node: u32, out: &mut Vec<Hop<S::Action>>) -> u64 {
        let enabled = self.expand(node);
        let from = self.nodes.pair(node);
        let find = |state: &[Word]| self.states.find(state);
        let find_node = |state, to| self.nodes.find(state, to);
        self.rules.hops(from, enabled, (&self.steps, &self.met), find, find_node, out);
        enabled
    }

    fn known_roots(&self) -> Vec<u32> {
        let known = |state: &[Word]| {
            let state = self.states.find(state)?;
            self.nodes.find(state, self.rules.automaton.initial)
        };
        self.initial.iter().filter_map(known).collect()
    }
}

/// The number of a state that was looked for, if it is known or one more may be.
#[inline]
fn store(states: &mut StateSet, state: &[Word], seek: Seek, most: usize) -> Result<StateId, Limit> {
    if states.len() >= most && states.find(state).is_none() {
        return Err(Limit::States);
    }
    Ok(states.insert_at(state, seek).0)
}

impl<S: System> Graph for Product<'_, S> {
    type Arc = Arc;
    type Stop = Limit;

    fn root(&mut self, index: usize) -> Result<Option<u32>, Limit> {
        let Some(state) = self.initial.iter().nth(index) else { return Ok(None) };
        self.states.reserve(1);
        let seek = self.states.look(state);
        let state = store(&mut self.states, state, seek, self.meter.most_states())?;
        Ok(Some(self.nodes.insert(state, self.rules.automaton.initial)))
    }

    fn arcs(&mut self, node: u32, place: Place, out: &mut Vec<Arc>) -> Result<u64, Limit> {
        self.depth = self.depth.max(place.depth);
        self.stack_bytes = self.stack_bytes.max(place.bytes);
        self.tick()?;
        let enabled = self.expand(node);
        if self.met.is_empty() {
            return Ok(0);
        }
        let (state, _) = self.nodes.pair(node);
        self.count(state);
        let mut add = |state: StateId, process: Option<ProcessId>, met: &[u32]| {
            out.extend(met.iter().map(|edge| Arc::new(state, *edge, process)));
        };
        if self.steps.is_empty() {
            add(state, None, &self.met);
        }
        self.states.reserve(self.steps.len());
        self.seeks.clear();
        self.seeks.extend(self.steps.iter().map(|(_, target)| self.states.look(target)));
        for index in 0..self.steps.len() {
            let (action, target) = self.steps.get(index);
            let target = store(&mut self.states, target, self.seeks[index], self.meter.most_states())?;
            add(target, self.rules.mover(action), &self.met);
        }
        Ok(enabled)
    }

    #[inline]
    fn follow(&mut self, node: u32, enabled: u64, arc: Arc) -> (u32, Seen) {
        let (_, from) = self.nodes.pair(node);
        let edge = &self.rules.automaton.edges(from)[arc.edge()];
        (self.nodes.insert(arc.state, edge.target), self.rules.edge_seen(edge, enabled, arc.process()))
    }
}
