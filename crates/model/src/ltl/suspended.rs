//! A search by one worker that has given way to several: what it knows of the product.
//!
//! Nodes are *closed* (their components are complete, and none is accepting), *expanded* (live, on the
//! stacks of the search), or on the *frontier*: an edge leads there that was not followed.
//!
//! Promise: edges from closed nodes lead to closed nodes. Edges from expanded nodes lead to nodes that are
//! closed, expanded or on the frontier.

use super::automaton_states::{AutomatonStates, only};
use super::component::CLOSED;
use crate::search::Meter;
use crate::store::{NodeTable, StateBits, StateId, StateTable};
use crate::system::States;

/// What there is of the search. Its stacks are gone.
pub(crate) struct SuspendedSearch<'a> {
    pub(crate) meter: Meter<'a>,
    pub(crate) initial: States,
    pub(crate) states: StateTable,
    pub(super) nodes: NodeTable,
    pub(super) counted: StateBits,
    pub(super) frontier: Vec<u32>,
    pub(crate) transitions: usize,
    pub(crate) depth: usize,
}

/// What the search knows of a system state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownNodes {
    /// The automaton states of its nodes that are closed.
    pub(crate) closed: AutomatonStates,
    /// Those of its nodes that are expanded.
    pub(crate) expanded: AutomatonStates,
    /// Have its steps been counted?
    pub(crate) is_counted: bool,
}

impl SuspendedSearch<'_> {
    /// The known nodes of a system state, for so many states of the automaton.
    pub(crate) fn known(&self, state: StateId, automaton_states: usize) -> KnownNodes {
        let is_counted = self.counted.contains(state);
        let mut known = KnownNodes { closed: 0, expanded: 0, is_counted };
        for automaton in 0..automaton_states as u32 {
            match self.nodes.find(state, automaton).map(|node| self.nodes.position(node)) {
                None => {}
                Some(CLOSED) => known.closed |= only(automaton),
                Some(_) => known.expanded |= only(automaton),
            }
        }
        known
    }

    /// The nodes of the frontier, some several times: a system state and an automaton state each.
    pub(crate) fn frontier(&self) -> impl Iterator<Item = (StateId, u32)> {
        self.frontier.iter().map(|node| self.nodes.pair(*node))
    }
}
