//! The transition relation of the product, independent of where nodes are stored.
//!
//! A node is a state of the system and a state of the automaton, which reads the label of the system state
//! next. Where the system has no steps, the run stutters: the automaton reads the last label for ever. Where
//! a bound of the language cut the steps off, the run has no edges: nothing is known about how it goes on.

use super::{Acceptance, Fairness};
use crate::ltl::movers::Movers;
use crate::store::StateId;
use crate::system::{Steps, System, Word};
use selvedge_ltl::Letter;
use selvedge_ltl::buchi::{Marks, SearchAutomaton, SearchEdge};

/// How an edge of the automaton reads a proposition that a label leaves unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownReading {
    /// The edge can be taken if its literals may hold: no violation is missed.
    May,
    /// The edge can be taken only if its literals are known to hold: every violation is certain.
    Must,
}

impl UnknownReading {
    /// The label as an edge reads it.
    pub(crate) fn read(self, letter: Letter) -> Letter {
        match self {
            UnknownReading::May => letter,
            UnknownReading::Must => Letter {
                may_true: letter.may_true & !letter.may_false,
                may_false: letter.may_false & !letter.may_true,
            },
        }
    }
}

/// An edge between two known nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProductEdge<A> {
    pub(crate) target: u32,
    pub(crate) acceptance: Acceptance,
    /// The action of the system; `None` where the run stutters.
    pub(crate) action: Option<A>,
}

/// A product as far as a search has explored it.
pub(crate) trait ExploredProduct {
    /// The action of a step of the system.
    type Action: Copy + Eq;

    /// The marks that an accepted run has infinitely often.
    fn all_marks(&self) -> Marks;

    /// All nodes have smaller numbers.
    fn node_bound(&self) -> usize;

    /// The system state of a node.
    fn state(&self, node: u32) -> Box<[Word]>;

    /// Lists the edges from a node to known nodes. Returns the mask of the enabled processes, if fairness
    /// matters.
    fn known_edges(&mut self, node: u32, out: &mut Vec<ProductEdge<Self::Action>>) -> u64;

    /// The known nodes of initial states.
    fn known_roots(&self) -> Vec<u32>;
}

/// The transition relation of a system and an automaton, under a fairness assumption.
pub(crate) struct TransitionRelation<'a, S> {
    pub(crate) system: &'a S,
    pub(crate) automaton: &'a SearchAutomaton,
    pub(crate) fairness: Fairness,
    unknown: UnknownReading,
    processes: u64,
}

impl<S> Clone for TransitionRelation<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for TransitionRelation<'_, S> {}

impl<'a, S: System> TransitionRelation<'a, S> {
    pub(crate) fn new(
        system: &'a S,
        automaton: &'a SearchAutomaton,
        fairness: Fairness,
        unknown: UnknownReading,
    ) -> TransitionRelation<'a, S> {
        let processes = selvedge_ltl::letter::mask(system.processes());
        TransitionRelation { system, automaton, fairness, unknown, processes }
    }

    pub(crate) fn all_marks(&self) -> Marks {
        selvedge_ltl::letter::mask(self.automaton.mark_count)
    }

    /// Makes the steps of a system state, and the list of the automaton's edges that match its label.
    /// Returns the mask of the enabled processes, if fairness matters.
    pub(crate) fn expand(
        &self,
        packed: &[Word],
        from: u32,
        steps: &mut Steps<S::Action>,
        matching: &mut Vec<u32>,
    ) -> u64 {
        steps.clear();
        self.matching(self.letter(packed), from, matching);
        if matching.is_empty() { 0 } else { self.make_steps(packed, steps) }
    }

    /// The label of a system state, as the automaton reads it.
    #[inline]
    pub(crate) fn letter(&self, packed: &[Word]) -> Letter {
        self.unknown.read(self.system.label(packed))
    }

    /// Lists the edges of an automaton state that match a label.
    #[inline]
    pub(crate) fn matching(&self, letter: Letter, from: u32, matching: &mut Vec<u32>) {
        matching.clear();
        let edges = self.automaton.edges(from);
        let same =
            |one: &SearchEdge, other: &SearchEdge| (one.target, one.marks) == (other.target, other.marks);
        for (index, edge) in edges.iter().enumerate() {
            // A guard of several cubes is several edges; a single one suffices.
            let repeats = matching.last().is_some_and(|last| same(&edges[*last as usize], edge));
            if edge.cube.meets(letter) && !repeats {
                matching.push(index as u32);
            }
        }
    }

    /// Makes the steps of a system state. Returns the mask of the enabled processes, if fairness matters.
    #[inline]
    pub(crate) fn make_steps(&self, packed: &[Word], steps: &mut Steps<S::Action>) -> u64 {
        steps.clear();
        self.system.successors(packed, steps);
        if self.fairness == Fairness::None { 0 } else { self.system.certainly_enabled(packed, steps) }
    }

    #[inline]
    pub(crate) fn edge_acceptance(&self, edge: &SearchEdge, enabled: u64, movers: Movers) -> Acceptance {
        let moving = movers.bits();
        Acceptance { marks: edge.marks, debt: self.fairness.debt(self.processes, enabled, moving) }
    }

    /// The processes that take a step, if fairness matters.
    #[inline]
    pub(crate) fn movers(&self, action: S::Action) -> Movers {
        match self.fairness {
            Fairness::None => Movers::NONE,
            _ => Movers::new(self.system.process(action), self.system.partner(action)),
        }
    }

    /// Has a run ended that has come to this state with these steps? It then stutters. A state whose steps a
    /// bound cut off is no end.
    #[inline]
    pub(crate) fn has_ended(&self, state: &[Word], steps: &Steps<S::Action>) -> bool {
        steps.is_empty() && !self.system.is_cut(state)
    }

    /// Lists the edges from a node, by these steps and matching edges of the automaton, to nodes that `find`
    /// knows.
    pub(crate) fn known_edges(
        &self,
        (state, from): (StateId, u32),
        (enabled, has_ended): (u64, bool),
        (steps, matching): (&Steps<S::Action>, &[u32]),
        find: impl Fn(&[Word]) -> Option<StateId>,
        find_node: impl Fn(StateId, u32) -> Option<u32>,
        out: &mut Vec<ProductEdge<S::Action>>,
    ) {
        out.clear();
        let stutter = has_ended.then_some((None, state));
        let steps = steps.iter().filter_map(|(action, target)| Some((Some(action), find(target)?)));
        for (action, state) in steps.chain(stutter) {
            for edge in matching {
                let edge = &self.automaton.edges(from)[*edge as usize];
                let movers = action.map_or(Movers::NONE, |action| self.movers(action));
                if let Some(target) = find_node(state, edge.target) {
                    out.push(ProductEdge {
                        target,
                        acceptance: self.edge_acceptance(edge, enabled, movers),
                        action,
                    });
                }
            }
        }
    }
}
