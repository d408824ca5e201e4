//! The nodes of a product whose states of the system are in one partition.
//!
//! States are stored as in a [search for states](super::super::partition); beside each are the sets of
//! automaton states with which it makes nodes that are known, and nodes that wait to be expanded. A node of
//! an accepting part has the number of edges of its part that lead to it.
//!
//! Promise: what is known after a level does not depend on the order in which steps came. Every node of a
//! part that can lie on an accepted cycle is expanded here, and each edge between two of them is counted
//! once.

use super::super::batch::Batch;
use super::super::level_worker::{Divided, Figures};
use super::super::quota::StateQuota;
use super::expander::NodeStep;
use super::in_degrees::InDegrees;
use crate::ltl::{AcceptingParts, AutomatonStates, KnownNodes, members, only, set_of};
use crate::store::{Probe, StateBits, StateId, StateTable};
use crate::system::Word;
use std::ops::Range;

/// The automaton states of a system state's nodes.
#[derive(Clone, Copy, Debug, Default)]
struct Nodes {
    known: AutomatonStates,
    /// Those that are to be expanded in the next level.
    waiting: AutomatonStates,
}

/// Nodes of one system state.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodePlace {
    pub(super) state: StateId,
    pub(super) automata: AutomatonStates,
}

/// The columns of the automaton states that are in an accepting part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    inner: AutomatonStates,
    count: u32,
}

impl Columns {
    pub(super) fn new(parts: &AcceptingParts, automaton_states: usize) -> Columns {
        let inner = (0..automaton_states as u32).filter(|state| parts.has(*state));
        let inner = set_of(inner);
        Columns { inner, count: inner.count_ones() }
    }

    /// The index of a node of a part.
    #[inline]
    fn index(self, state: StateId, automaton: u32) -> usize {
        let column = (self.inner & (only(automaton) - 1)).count_ones();
        (state.0 * self.count + column) as usize
    }
}

/// The nodes of one partition.
#[derive(Debug)]
pub(super) struct NodePartition {
    number: usize,
    columns: Columns,
    /// The largest number of states.
    most: usize,
    pub(super) states: StateTable,
    /// By state.
    nodes: Vec<Nodes>,
    /// By state, for the first ones: the automaton states of its nodes that lie on no accepted cycle, by the
    /// search that has given way.
    closed: Vec<AutomatonStates>,
    node_count: usize,
    /// The states whose steps have been counted.
    pub(super) counted: StateBits,
    degrees: InDegrees,
    /// The places of the level from `first` on; behind them, while nodes are eliminated, those that come
    /// next.
    places: Vec<NodePlace>,
    first: usize,
    /// The states with nodes that wait.
    next: Vec<StateId>,
    probes: Vec<Probe>,
}

impl NodePartition {
    /// With room for at most so many states of `width` words.
    pub(super) fn new(number: usize, columns: Columns, width: usize, most: usize) -> NodePartition {
        NodePartition {
            number,
            columns,
            most,
            states: StateTable::new(width),
            nodes: Vec::new(),
            closed: Vec::new(),
            node_count: 0,
            counted: StateBits::default(),
            degrees: InDegrees::default(),
            places: Vec::new(),
            first: 0,
            next: Vec::new(),
            probes: Vec::new(),
        }
    }

    /// The number of known nodes.
    pub(super) fn node_count(&self) -> usize {
        self.node_count
    }

    /// The number of known nodes with these automaton states.
    pub(super) fn nodes_of(&self, automata: AutomatonStates) -> usize {
        self.nodes.iter().map(|nodes| (nodes.known & automata).count_ones() as usize).sum()
    }

    /// The bytes in use.
    pub(super) fn memory(&self) -> usize {
        let places =
            self.places.capacity() * size_of::<NodePlace>() + self.next.capacity() * size_of::<StateId>();
        let nodes = self.nodes.capacity() * size_of::<Nodes>() + self.counted.memory();
        let nodes = nodes + self.closed.capacity() * size_of::<AutomatonStates>();
        self.states.memory() + nodes + self.degrees.memory() + places
    }

    /// The place with this number.
    #[inline]
    pub(super) fn place(&self, number: u32) -> NodePlace {
        self.places[number as usize]
    }

    /// The automaton states of the known nodes of a state.
    #[inline]
    pub(super) fn known(&self, state: StateId) -> AutomatonStates {
        self.nodes[state.index()].known
    }

    /// Stores the targets of steps. False if one is above the limit.
    pub(super) fn insert(&mut self, batch: &Batch<NodeStep>, quota: Option<&StateQuota>) -> bool {
        self.probe(batch);
        let room = self.most.saturating_sub(self.states.len());
        for ((state, step), index) in batch.steps().zip(0..) {
            let is_allowed = || index < room && quota.is_none_or(StateQuota::take);
            let Some((state, is_new)) = self.states.insert_if(state, self.probes[index], is_allowed) else {
                return false;
            };
            if is_new {
                self.add_state();
            }
            self.reach(state, step.targets);
            for automaton in members(step.inner & !self.closed(state)) {
                self.degrees.add(self.columns.index(state, automaton));
            }
        }
        true
    }

    /// A state is stored: so far without nodes.
    #[inline]
    fn add_state(&mut self) {
        self.nodes.push(Nodes::default());
        self.degrees.reserve(self.nodes.len() * self.columns.count as usize);
    }

    /// The automaton states of a state's nodes that are closed.
    #[inline]
    fn closed(&self, state: StateId) -> AutomatonStates {
        self.closed.get(state.index()).copied().unwrap_or(0)
    }

    /// Stores a state of the search that has given way, before all others. Its expanded nodes are expanded
    /// again if their edges are to be counted.
    pub(super) fn import(&mut self, state: &[Word], known: KnownNodes) {
        let (state, is_new) = self.states.insert(state);
        assert!(is_new, "a state is imported once");
        self.add_state();
        self.closed.push(known.closed);
        let is_done = known.closed | known.expanded & !self.columns.inner;
        self.nodes[state.index()].known = is_done;
        self.node_count += is_done.count_ones() as usize;
        self.reach(state, known.expanded);
        if known.is_counted {
            self.counted.insert(state);
        }
    }

    /// Notes a node to which an edge leads, or an initial one. False if its state is above the limit.
    pub(super) fn add_node(&mut self, state: &[Word], automaton: u32, quota: Option<&StateQuota>) -> bool {
        self.states.reserve(1);
        let (probe, has_room) = (self.states.probe(state), self.states.len() < self.most);
        let is_allowed = || has_room && quota.is_none_or(StateQuota::take);
        let Some((state, is_new)) = self.states.insert_if(state, probe, is_allowed) else { return false };
        if is_new {
            self.add_state();
        }
        self.reach(state, only(automaton));
        true
    }

    fn probe(&mut self, batch: &Batch<NodeStep>) {
        self.states.reserve(batch.len());
        self.probes.clear();
        self.probes.extend(batch.hashes().map(Probe::new));
        self.states.read_probes(&mut self.probes);
    }

    /// Notes the nodes of a state that are not known yet.
    #[inline]
    fn reach(&mut self, state: StateId, automata: AutomatonStates) {
        let nodes = &mut self.nodes[state.index()];
        let new = automata & !nodes.known;
        if new == 0 {
            return;
        }
        if nodes.waiting == 0 {
            self.next.push(state);
        }
        nodes.known |= new;
        nodes.waiting |= new;
        self.node_count += new.count_ones() as usize;
    }

    /// The nodes that wait are the level.
    pub(super) fn next_level(&mut self) {
        self.places.clear();
        self.first = 0;
        for state in self.next.drain(..) {
            let automata = std::mem::take(&mut self.nodes[state.index()].waiting);
            self.places.push(NodePlace { state, automata });
        }
    }
}

/// The elimination of nodes that lie on no cycle.
impl NodePartition {
    /// The numbers of edges to all nodes.
    pub(super) fn degrees(&self) -> InDegrees {
        self.degrees.clone()
    }

    /// Begins with the nodes of parts to which no edge leads. Exploration can go on later, if it gets its
    /// [degrees](NodePartition::degrees) back.
    pub(super) fn begin_elimination(&mut self) {
        self.next = self.places[self.first..].iter().map(|place| place.state).collect();
        for place in self.places.drain(..) {
            self.nodes[place.state.index()].waiting |= place.automata;
        }
        self.first = 0;
        for state in (0..self.nodes.len() as u32).map(StateId) {
            let candidates = self.candidates(state);
            let is_free = |automaton: &u32| self.degrees.is_zero(self.columns.index(state, *automaton));
            let free = set_of(members(candidates).filter(is_free));
            if free != 0 {
                self.places.push(NodePlace { state, automata: free });
            }
        }
    }

    /// Goes on with the exploration.
    pub(super) fn end_elimination(&mut self, degrees: InDegrees) {
        self.degrees = degrees;
        self.next_level();
    }

    /// Those of a place's nodes that have been expanded: the edges of the others were not counted.
    #[inline]
    pub(super) fn expanded(&self, place: NodePlace) -> AutomatonStates {
        place.automata & !self.nodes[place.state.index()].waiting
    }

    /// The place is done.
    #[inline]
    pub(super) fn pass(&mut self) {
        self.first += 1;
    }

    /// Forgets the places that are done.
    pub(super) fn forget_passed(&mut self) {
        self.places.drain(..self.first);
        self.first = 0;
    }

    /// Removes edges from nodes that were eliminated.
    pub(super) fn remove(&mut self, batch: &Batch<NodeStep>) {
        self.probe(batch);
        for ((state, step), index) in batch.steps().zip(0..) {
            let known = self.states.insert_if(state, self.probes[index], || false);
            let (state, _) = known.expect("a target of an expanded node is stored");
            let mut automata = 0;
            for automaton in members(step.inner & !self.closed(state)) {
                if self.degrees.remove(self.columns.index(state, automaton)) {
                    automata |= only(automaton);
                }
            }
            if automata != 0 {
                self.places.push(NodePlace { state, automata });
            }
        }
    }

    /// The nodes of a state that can lie on an accepted cycle.
    #[inline]
    fn candidates(&self, state: StateId) -> AutomatonStates {
        self.known(state) & self.columns.inner & !self.closed(state)
    }

    /// The nodes of a state that were not eliminated.
    #[inline]
    pub(super) fn remaining(&self, state: StateId) -> AutomatonStates {
        let is_left = |automaton: &u32| !self.degrees.is_zero(self.columns.index(state, *automaton));
        set_of(members(self.candidates(state)).filter(is_left))
    }

    /// The states with nodes that were not eliminated.
    pub(super) fn remaining_places(&self) -> impl Iterator<Item = NodePlace> {
        let place = |state| NodePlace { state, automata: self.remaining(state) };
        (0..self.nodes.len() as u32).map(StateId).map(place).filter(|place| place.automata != 0)
    }
}

impl Divided for NodePartition {
    fn level(&self) -> Range<u32> {
        self.first as u32..self.places.len() as u32
    }

    fn figures(&self) -> (usize, Figures) {
        let (states, nodes) = (self.states.len(), self.node_count);
        (self.number, Figures { states, nodes, bytes: self.memory() })
    }
}
