//! The product of a system with an automaton, made on the fly by the worker that searches it.
//!
//! System states are stored once, nodes as one word each; edges are made again when they are needed again.
//! Helpers may have made the steps of a state already ([`Leader`]).

use super::component::{CLOSED, OnTheFlyGraph, OutEdge, SearchPosition, Stacks};
use super::product_records::WrittenProduct;
use super::product_states::ProductStates;
use super::{ExploredProduct, ProductEdge, TransitionRelation};
use crate::ltl::movers::Movers;
use crate::search::{Limit, Meter, Stats};
use crate::store::{NodeTable, Probe, Stack, StateId, StateTable};
use crate::system::{States, Steps, System, Word};
use crate::workers::{Leader, StateSteps};
use selvedge_ltl::buchi::Marks;

/// The product, and the buffers to make it with.
pub(crate) struct Product<'a, S: System> {
    pub(crate) relation: TransitionRelation<'a, S>,
    pub(super) initial: States,
    /// The system's states.
    pub(crate) states: ProductStates<'a>,
    /// The helpers, if there are any.
    leader: Option<Leader<'a>>,
    /// The product's nodes.
    pub(crate) nodes: NodeTable,
    /// The system's states whose steps have been counted, a bit each.
    is_counted: Vec<u64>,
    pub(super) transitions: usize,
    /// The greatest length of the search's path, and the most bytes of its stacks.
    pub(super) depth: usize,
    stack_bytes: usize,
    pub(super) meter: Meter<'a>,
    /// What the checkpoint has, if there is one.
    pub(super) written: WrittenProduct,
    pub(super) steps: Steps<S::Action>,
    probes: Vec<Probe>,
    /// The steps of the node that is being expanded, with stored targets.
    made: StateSteps,
    packed: Vec<Word>,
    pub(super) matching: Vec<u32>,
}

impl<'a, S: System> Product<'a, S> {
    pub(crate) fn new(relation: TransitionRelation<'a, S>, meter: Meter<'a>) -> Product<'a, S> {
        let (system, automaton) = (relation.system, relation.automaton);
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        Product {
            initial,
            relation,
            states: ProductStates::Own(StateTable::new(system.words())),
            leader: None,
            nodes: NodeTable::new(automaton.state_count()),
            is_counted: Vec::new(),
            transitions: 0,
            depth: 0,
            stack_bytes: 0,
            meter,
            written: WrittenProduct::default(),
            steps: Steps::new(system.words()),
            probes: Vec::new(),
            made: StateSteps::default(),
            packed: Vec::new(),
            matching: Vec::new(),
        }
    }

    /// Lets helpers expand states ahead of the search.
    pub(crate) fn look_ahead(&mut self, leader: Leader<'a>) {
        self.leader = Some(leader);
    }

    /// Stops the helpers, if there are any, and waits until they have ended.
    pub(crate) fn stop_helpers(&mut self) {
        if let (Some(leader), ProductStates::Shared(session)) = (&self.leader, &mut self.states) {
            leader.stop_helpers(session);
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats { time: self.meter.elapsed(), ..self.figures() }
    }

    fn figures(&self) -> Stats {
        let tables = self.states.memory() + self.nodes.memory() + self.is_counted.capacity() * 8;
        let records = self.leader.as_ref().map_or(0, Leader::memory);
        Stats {
            states: self.states.len(),
            transitions: self.transitions,
            product_states: self.nodes.len(),
            automaton_states: self.relation.automaton.state_count(),
            depth: self.depth,
            bytes: tables + records + self.stack_bytes + self.relation.system.table_bytes(),
            ..Stats::default()
        }
    }

    /// Checks the limits now and then.
    pub(crate) fn tick(&mut self) -> Result<(), Limit> {
        self.meter.tick();
        if self.meter.is_due() {
            if self.leader.as_ref().is_some_and(Leader::has_failed) {
                // The panic is passed on when the search has ended.
                return Err(Limit::States);
            }
            let figures = self.figures();
            if !self.nodes.has_room(figures.states + (1 << 24)) {
                return Err(Limit::States);
            }
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

    fn count(&mut self, state: StateId, steps: usize) {
        if self.set_counted(state) {
            self.transitions += steps;
            if self.meter.checkpoint().is_some() {
                self.written.counted.push(state);
            }
        }
    }

    /// Notes that the steps of a state have been counted. Returns whether they had not.
    #[inline]
    pub(super) fn set_counted(&mut self, state: StateId) -> bool {
        let (word, bit) = (state.index() / 64, 1 << (state.index() % 64));
        if self.is_counted.len() <= word {
            self.is_counted.resize(word + 1, 0);
        }
        let is_new = self.is_counted[word] & bit == 0;
        self.is_counted[word] |= bit;
        is_new
    }

    /// Lets the helpers join, if it is time.
    #[inline]
    fn share(&mut self) {
        if let (Some(leader), ProductStates::Own(states)) = (&mut self.leader, &self.states)
            && leader.is_due(states.len())
        {
            self.states = ProductStates::Shared(leader.share(states));
        }
    }

    /// Makes the steps of a node with stored targets, and lists the automaton's edges that match its label.
    fn make(&mut self, state: StateId, from: u32) -> Result<(), Limit> {
        if let (Some(leader), ProductStates::Shared(session)) = (&mut self.leader, &mut self.states) {
            // A helper may wait to make more slots.
            session.reserve(0);
            if leader.take(state, from, self.relation.fairness, &mut self.made) {
                self.relation.matching(self.made.letter, from, &mut self.matching);
                return Ok(());
            }
        }
        let packed = self.states.get(state, &mut self.packed);
        self.made.enabled = self.relation.expand(packed, from, &mut self.steps, &mut self.matching);
        self.made.targets.clear();
        if self.matching.is_empty() {
            return Ok(());
        }
        self.made.has_ended = self.has_ended(state);
        self.states.reserve(self.steps.len());
        self.states.probe_all(self.steps.iter().map(|(_, target)| target), &mut self.probes);
        let most = self.meter.most_states();
        for index in 0..self.steps.len() {
            let (action, target) = self.steps.get(index);
            let id = match self.states.insert_at(target, self.probes[index], most) {
                Some(id) => id,
                None => self.insert_again(index)?,
            };
            self.made.targets.push((id, self.relation.movers(action)));
        }
        Ok(())
    }

    /// The target of this step was refused. A helper may have stored it, or counted it twice; so no helper
    /// stores anything from now on.
    #[cold]
    fn insert_again(&mut self, index: usize) -> Result<StateId, Limit> {
        self.stop_helpers();
        let (_, target) = self.steps.get(index);
        let ProductStates::Shared(session) = &mut self.states else { return Err(Limit::States) };
        let probe = session.probe(target);
        let (id, _) = session.insert_at(target, probe).ok_or(Limit::States)?;
        // There may be more slots than before.
        self.states.probe_all(self.steps.iter().map(|(_, target)| target), &mut self.probes);
        Ok(id)
    }
}

impl<S: System> ExploredProduct for Product<'_, S> {
    type Action = S::Action;

    fn all_marks(&self) -> Marks {
        self.relation.all_marks()
    }

    fn node_bound(&self) -> usize {
        self.nodes.bound()
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

impl<S: System> OnTheFlyGraph for Product<'_, S> {
    type Stop = Limit;

    fn root(&mut self, index: usize) -> Result<Option<u32>, Limit> {
        let Some(state) = self.initial.iter().nth(index) else { return Ok(None) };
        self.states.reserve(1);
        let probe = self.states.probe(state);
        let state = self.states.insert_at(state, probe, self.meter.most_states()).ok_or(Limit::States)?;
        Ok(Some(self.nodes.number(state, self.relation.automaton.initial)))
    }

    fn out_edges(&mut self, node: u32, at: SearchPosition, out: &mut Vec<OutEdge>) -> Result<(), Limit> {
        self.depth = self.depth.max(at.depth);
        self.stack_bytes = self.stack_bytes.max(at.bytes);
        self.tick()?;
        self.share();
        let (state, from) = self.nodes.pair(node);
        self.make(state, from)?;
        if self.matching.is_empty() {
            return Ok(());
        }
        self.count(state, self.made.targets.len());
        let (relation, made) = (&self.relation, &self.made);
        let edges = relation.automaton.edges(from);
        let stutter = made.has_ended.then_some((state, Movers::NONE));
        for (target, movers) in made.targets.iter().copied().chain(stutter) {
            for edge in &self.matching {
                let edge = &edges[*edge as usize];
                let acceptance = relation.edge_acceptance(edge, made.enabled, movers);
                out.push(OutEdge { target: self.nodes.number(target, edge.target), acceptance });
            }
        }
        Ok(())
    }

    #[inline]
    fn offer(&mut self, waiting: &Stack<u32>) {
        if let (Some(leader), ProductStates::Shared(_)) = (&mut self.leader, &self.states)
            && leader.has_idle_helper()
        {
            leader.offer(waiting, &self.nodes);
        }
    }

    #[inline]
    fn touch(&self, node: u32) {
        if let (Some(leader), ProductStates::Shared(_)) = (&self.leader, &self.states) {
            leader.touch(self.nodes.pair(node).0);
        }
    }

    #[inline]
    fn position(&self, node: u32) -> u32 {
        self.nodes.position(node)
    }

    #[inline]
    fn set_position(&mut self, node: u32, position: u32) {
        self.nodes.set_position(node, position);
        if position == CLOSED && self.meter.checkpoint().is_some() {
            self.written.closed.push(node);
        }
    }

    #[inline]
    fn is_write_due(&self) -> bool {
        self.written.is_due
    }

    fn write(&mut self, stacks: &mut Stacks) {
        self.write_record(stacks);
    }

    fn read(&mut self) -> Result<Option<Stacks>, Limit> {
        self.read_records()
    }
}
