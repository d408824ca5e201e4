//! The edges from nodes that share a state of the system, all at once.
//!
//! A node is a state of the system with a state of the automaton. Nodes that share the former share its
//! steps: a step leads from a set of automaton states to a set of automaton states.
//!
//! Promise: of the same nodes the edges are the same every time.

use super::super::batch::Batch;
use super::super::partition::partition_of;
use crate::ltl::{AcceptingParts, AutomatonStates, TransitionRelation, members, only};
use crate::store::hash;
use crate::system::{Steps, System, Word};

/// What there is of a step to a state of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeStep {
    /// The automaton states of the nodes that it leads to.
    pub(super) targets: AutomatonStates,
    /// Those of them to which an edge inside a part leads; if several do, there are several steps.
    pub(super) inner: AutomatonStates,
}

/// What edges are made of: a relation, and buffers.
pub(super) struct Expander<'a, S: System> {
    relation: TransitionRelation<'a, S>,
    parts: &'a AcceptingParts,
    steps: Steps<S::Action>,
    matching: Vec<u32>,
    edges: Vec<NodeStep>,
}

impl<'a, S: System> Expander<'a, S> {
    pub(super) fn new(relation: TransitionRelation<'a, S>, parts: &'a AcceptingParts) -> Self {
        let steps = Steps::new(relation.system.words());
        Expander { relation, parts, steps, matching: Vec::new(), edges: Vec::new() }
    }

    /// Adds the steps from nodes of a state to the batches of their partitions. Returns the number of steps
    /// of the system, unless none of the nodes has an edge.
    #[inline]
    pub(super) fn expand(
        &mut self,
        packed: &[Word],
        from: AutomatonStates,
        found: &mut [Batch<NodeStep>],
    ) -> Option<usize> {
        self.read(packed, from);
        self.edges.first()?;
        Some(self.push_steps(packed, found))
    }

    /// The same for edges inside a part alone.
    #[inline]
    pub(super) fn expand_inner(
        &mut self,
        packed: &[Word],
        from: AutomatonStates,
        found: &mut [Batch<NodeStep>],
    ) -> usize {
        self.read(packed, from);
        match self.edges.first() {
            Some(first) if first.inner != 0 => self.push_steps(packed, found),
            _ => 0,
        }
    }

    /// Lists the edges of the automaton that match the label of a state.
    fn read(&mut self, packed: &[Word], from: AutomatonStates) {
        let letter = self.relation.letter(packed);
        self.edges.clear();
        for from in members(from) {
            self.relation.matching(letter, from, &mut self.matching);
            let edges = self.relation.automaton.edges(from);
            for edge in &self.matching {
                let target = edges[*edge as usize].target;
                let inner = if self.parts.is_inner(from, target) { only(target) } else { 0 };
                add_edge(&mut self.edges, NodeStep { targets: only(target), inner });
            }
        }
    }

    #[inline]
    fn push_steps(&mut self, packed: &[Word], found: &mut [Batch<NodeStep>]) -> usize {
        self.steps.clear();
        self.relation.system.successors(packed, &mut self.steps);
        let stutter = self.relation.has_ended(packed, &self.steps).then_some(packed);
        for target in self.steps.iter().map(|(_, target)| target).chain(stutter) {
            let hash = hash(target);
            let batch = &mut found[partition_of(hash, found.len())];
            self.edges.iter().for_each(|edge| batch.push(target, hash, *edge));
        }
        self.steps.len()
    }
}

/// Adds an edge to an automaton state: an inner one to the first step that has none to that state.
#[inline]
fn add_edge(steps: &mut Vec<NodeStep>, edge: NodeStep) {
    if steps.is_empty() {
        steps.push(NodeStep { targets: 0, inner: 0 });
    }
    steps[0].targets |= edge.targets;
    match steps.iter_mut().find(|step| step.inner & edge.inner == 0) {
        Some(step) => step.inner |= edge.inner,
        None => steps.push(NodeStep { targets: 0, inner: edge.inner }),
    }
}
