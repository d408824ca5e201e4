//! The product of a system with an automaton, made on the fly by the worker that searches it.
//!
//! System states are stored once, nodes as one word each; edges are made again when they are needed again.
//!
//! A search that several workers may take over [gives way](GiveWay) when it has found enough.

use super::component::{CLOSED, OnTheFlyGraph, OutEdge, SearchPosition, Stacks};
use super::emptiness::SearchedProduct;
use super::give_way::GiveWay;
use super::product_records::WrittenProduct;
use super::suspended::SuspendedSearch;
use super::{ExploredProduct, Fairness, ProductEdge, TransitionRelation};
use crate::ltl::movers::Movers;
use crate::search::{Limit, Meter, Stats};
use crate::store::{NodeTable, Probe, StateBits, StateId, StateTable, UNKNOWN};
use crate::system::{States, Steps, System, Word};
use selvedge_ltl::buchi::Marks;

/// The product, and the buffers to make it with.
pub(crate) struct Product<'a, S: System> {
    pub(crate) relation: TransitionRelation<'a, S>,
    pub(super) initial: States,
    /// The system's states.
    pub(crate) states: StateTable,
    /// When to give way to several workers, if ever.
    give_way: Option<GiveWay<'a>>,
    /// The product's nodes.
    pub(crate) nodes: NodeTable,
    /// The system's states whose steps have been counted.
    pub(super) counted: StateBits,
    pub(super) transitions: usize,
    /// The greatest length of the search's path, and the most bytes of its stacks.
    pub(super) depth: usize,
    stack_bytes: usize,
    pub(super) meter: Meter<'a>,
    /// What the checkpoint has, if there is one.
    pub(super) written: WrittenProduct,
    pub(super) steps: Steps<S::Action>,
    probes: Vec<Probe>,
    /// The steps of the node that is being expanded: stored targets, each with the movers.
    targets: Vec<(StateId, Movers)>,
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
            states: StateTable::new(system.words()),
            give_way: None,
            nodes: NodeTable::new(automaton.state_count()),
            counted: StateBits::default(),
            transitions: 0,
            depth: 0,
            stack_bytes: 0,
            meter,
            written: WrittenProduct::default(),
            steps: Steps::new(system.words()),
            probes: Vec::new(),
            targets: Vec::new(),
            matching: Vec::new(),
        }
    }

    /// Lets the search give way to several workers.
    pub(crate) fn give_way(&mut self, when: GiveWay<'a>) {
        self.give_way = Some(when);
    }

    /// Has the search given way? It has ended with [`Limit::States`] then.
    pub(crate) fn has_given_way(&self) -> bool {
        self.give_way.as_ref().is_some_and(|give_way| give_way.frontier.is_some())
    }

    /// What several workers go on with.
    pub(crate) fn suspended(self) -> SuspendedSearch<'a> {
        SuspendedSearch {
            meter: self.meter,
            initial: self.initial,
            states: self.states,
            nodes: self.nodes,
            counted: self.counted,
            frontier: self.give_way.and_then(|give_way| give_way.frontier).unwrap_or_default(),
            transitions: self.transitions,
            depth: self.depth,
        }
    }

    /// Gives way to several workers, if it is time, and if they pay.
    #[inline]
    fn check_turn(&mut self) -> Result<(), Limit> {
        match &self.give_way {
            Some(give_way) if give_way.is_due(self.states.len()) => self.take_turn(),
            _ => Ok(()),
        }
    }

    #[cold]
    fn take_turn(&mut self) -> Result<(), Limit> {
        let Some(give_way) = &mut self.give_way else { return Ok(()) };
        if !give_way.pays() {
            self.give_way = None;
            return Ok(());
        }
        give_way.frontier = Some(Vec::new());
        Err(Limit::States)
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats { time: self.meter.elapsed(), ..self.figures() }
    }

    fn figures(&self) -> Stats {
        let tables = self.states.memory() + self.nodes.memory() + self.counted.memory();
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

    /// See [`TransitionRelation::expand`].
    pub(super) fn expand(&mut self, node: u32) -> u64 {
        let (state, from) = self.nodes.pair(node);
        self.relation.expand(self.states.get(state), from, &mut self.steps, &mut self.matching)
    }

    /// Has a run ended that has come to this state, the one that was expanded?
    #[inline]
    fn has_ended(&self, state: StateId) -> bool {
        self.steps.is_empty() && self.relation.has_ended(self.states.get(state), &self.steps)
    }

    fn count(&mut self, state: StateId, steps: usize) {
        if self.counted.insert(state) {
            self.transitions += steps;
            if self.meter.checkpoint().is_some() {
                self.written.counted.push(state);
            }
        }
    }

    /// Makes the steps of a node with stored targets, and lists the automaton's edges that match its label.
    /// Returns the mask of the enabled processes, if fairness matters.
    fn make(&mut self, node: u32) -> Result<u64, Limit> {
        let enabled = self.expand(node);
        self.targets.clear();
        if self.matching.is_empty() {
            return Ok(enabled);
        }
        self.states.reserve(self.steps.len());
        self.states.probe_all(std::slice::from_ref(&self.steps), &mut self.probes);
        let most = self.meter.most_states();
        for ((action, target), probe) in self.steps.iter().zip(&self.probes) {
            let has_room = self.states.len() < most;
            let (id, _) = self.states.insert_if(target, *probe, || has_room).ok_or(Limit::States)?;
            self.targets.push((id, self.relation.movers(action)));
        }
        Ok(enabled)
    }
}

impl<S: System> SearchedProduct for Product<'_, S> {
    fn fairness(&self) -> Fairness {
        self.relation.fairness
    }

    fn tick(&mut self) -> Result<(), Limit> {
        self.meter.tick();
        if self.meter.is_due() {
            let figures = self.figures();
            if !self.nodes.has_room(figures.states + (1 << 24)) {
                return Err(Limit::States);
            }
            self.written.is_due = self.meter.due_checkpoint().is_some();
            return self.meter.read(figures).map_or(Ok(()), Err);
        }
        Ok(())
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
        let (probe, has_room) = (self.states.probe(state), self.states.len() < self.meter.most_states());
        let (state, _) = self.states.insert_if(state, probe, || has_room).ok_or(Limit::States)?;
        Ok(Some(self.nodes.number(state, self.relation.automaton.initial)))
    }

    fn out_edges(&mut self, node: u32, at: SearchPosition, out: &mut Vec<OutEdge>) -> Result<(), Limit> {
        self.depth = self.depth.max(at.depth);
        self.stack_bytes = self.stack_bytes.max(at.bytes);
        self.tick()?;
        self.check_turn()?;
        let (state, from) = self.nodes.pair(node);
        let enabled = self.make(node)?;
        if self.matching.is_empty() {
            return Ok(());
        }
        self.count(state, self.targets.len());
        let relation = &self.relation;
        let edges = relation.automaton.edges(from);
        let stutter = self.has_ended(state).then_some((state, Movers::NONE));
        for (target, movers) in self.targets.iter().copied().chain(stutter) {
            for edge in &self.matching {
                let edge = &edges[*edge as usize];
                let acceptance = relation.edge_acceptance(edge, enabled, movers);
                out.push(OutEdge { target: self.nodes.number(target, edge.target), acceptance });
            }
        }
        Ok(())
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
        match self.give_way.as_mut().and_then(|give_way| give_way.frontier.as_mut()) {
            Some(frontier) => {
                let waiting = stacks.waiting.targets.iter_from(0);
                frontier.extend(waiting.filter(|node| self.nodes.position(*node) == UNKNOWN));
            }
            None => self.write_record(stacks),
        }
    }

    fn read(&mut self) -> Result<Option<Stacks>, Limit> {
        self.read_records()
    }
}
