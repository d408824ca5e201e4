//! What leads from a node of the product to the next, wherever the nodes are stored.
//!
//! A node is a state of the system and a state of the automaton that is about to read the system state's label. Where the
//! system has no steps, the run stutters: the automaton reads the last label for ever.

use crate::component::Seen;
use crate::fairness::{self, Fairness};
use crate::store::StateId;
use crate::system::{ProcessId, Steps, System, Word};
use selvedge_ltl::Letter;
use selvedge_ltl::buchi::{Marks, SearchAutomaton, SearchEdge};

/// How unknown propositions are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// An edge can be taken where its literals may hold: no violation is missed.
    May,
    /// An edge can be taken where its literals are known to hold: every violation is certain.
    Known,
}

impl Unknown {
    /// The label as an edge sees it.
    pub(crate) fn read(self, letter: Letter) -> Letter {
        match self {
            Unknown::May => letter,
            Unknown::Known => Letter {
                may_true: letter.may_true & !letter.may_false,
                may_false: letter.may_false & !letter.may_true,
            },
        }
    }
}

/// A way between nodes that are both known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop<A> {
    pub(crate) target: u32,
    pub(crate) seen: Seen,
    /// What the system does; nothing where it stutters.
    pub(crate) action: Option<A>,
}

/// A product as far as it has been explored.
pub(crate) trait Explored {
    /// What a step of the system does.
    type Action: Copy + Eq;

    /// The marks that an accepted run meets again and again.
    fn all_marks(&self) -> Marks;

    /// Nodes have numbers below this one.
    fn node_bound(&self) -> usize;

    /// The system state of a node.
    fn state(&self, node: u32) -> Box<[Word]>;

    /// The ways from a node to nodes that are known already; with the mask of the processes that can move, if fairness
    /// asks.
    fn hops(&mut self, node: u32, out: &mut Vec<Hop<Self::Action>>) -> u64;

    /// The known nodes where runs begin.
    fn known_roots(&self) -> Vec<u32>;
}

/// A system, an automaton, and which runs count.
pub(crate) struct Rules<'a, S> {
    pub(crate) system: &'a S,
    pub(crate) automaton: &'a SearchAutomaton,
    pub(crate) fairness: Fairness,
    unknown: Unknown,
    processes: u64,
}

impl<S> Clone for Rules<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Rules<'_, S> {}

impl<'a, S: System> Rules<'a, S> {
    pub(crate) fn new(
        system: &'a S,
        automaton: &'a SearchAutomaton,
        fairness: Fairness,
        unknown: Unknown,
    ) -> Rules<'a, S> {
        let processes = selvedge_ltl::letter::mask(system.processes());
        Rules { system, automaton, fairness, unknown, processes }
    }

    pub(crate) fn all_marks(&self) -> Marks {
        selvedge_ltl::letter::mask(self.automaton.mark_count)
    }

    /// Makes the steps of a system state, and the list of the automaton's edges that can be taken with each of them.
    /// Returns the mask of the processes that can move, if fairness asks.
    pub(crate) fn expand(
        &self,
        packed: &[Word],
        from: u32,
        steps: &mut Steps<S::Action>,
        met: &mut Vec<u32>,
    ) -> u64 {
        let letter = self.unknown.read(self.system.label(packed));
        met.clear();
        steps.clear();
        let edges = self.automaton.edges(from);
        let same =
            |one: &SearchEdge, other: &SearchEdge| (one.target, one.marks) == (other.target, other.marks);
        for (index, edge) in edges.iter().enumerate() {
            // A guard of several cubes is several edges; one of them is enough.
            let repeats = met.last().is_some_and(|last| same(&edges[*last as usize], edge));
            if edge.cube.meets(letter) && !repeats {
                met.push(index as u32);
            }
        }
        if met.is_empty() {
            return 0;
        }
        self.system.successors(packed, steps);
        if self.fairness == Fairness::None { 0 } else { fairness::enabled(self.system, steps) }
    }

    #[inline]
    pub(crate) fn edge_seen(&self, edge: &SearchEdge, enabled: u64, process: Option<ProcessId>) -> Seen {
        let moving = process.map_or(0, fairness::bit);
        Seen { marks: edge.marks, duty: self.fairness.duty(self.processes, enabled, moving) }
    }

    /// The process that moves, if fairness asks.
    #[inline]
    pub(crate) fn mover(&self, action: S::Action) -> Option<ProcessId> {
        (self.fairness != Fairness::None).then(|| self.system.process(action))
    }

    /// The ways from a node, by these steps and edges, to nodes that `find` knows.
    pub(crate) fn hops(
        &self,
        (state, from): (StateId, u32),
        enabled: u64,
        (steps, met): (&Steps<S::Action>, &[u32]),
        find: impl Fn(&[Word]) -> Option<StateId>,
        find_node: impl Fn(StateId, u32) -> Option<u32>,
        out: &mut Vec<Hop<S::Action>>,
    ) {
        out.clear();
        let stutter = steps.is_empty().then_some((None, state));
        let steps = steps.iter().filter_map(|(action, target)| Some((Some(action), find(target)?)));
        for (action, state) in steps.chain(stutter) {
            for edge in met {
                let edge = &self.automaton.edges(from)[*edge as usize];
                let process = action.and_then(|action| self.mover(action));
                if let Some(target) = find_node(state, edge.target) {
                    out.push(Hop { target, seen: self.edge_seen(edge, enabled, process), action });
                }
            }
        }
    }
}
