//! Reachability: the one loop.
//!
//! The loop takes states from a frontier, whose order is a parameter, and stores the targets of their steps,
//! each once. A visitor sees every state when it is discovered and again with its steps, and may stop the
//! search. Paths come from parent pointers; actions are not stored, because a state's successors can be made
//! again.
//!
//! Promise: with [`Order::BreadthFirst`] the path to every state is a shortest one. A stopped search says
//! why it stopped.

use super::{Budget, Limit, Meter, Order, Stats};
use crate::ltl::Step;
use crate::store::{Probe, StateId, StateTable};
use crate::system::{States, Steps, System, Word};

/// Judges the states of a search.
pub trait Visitor<S: System> {
    /// A state was discovered. Returns true to stop there.
    fn discovered(&mut self, _system: &S, _id: StateId, _state: &[Word], _so_far: Progress<'_>) -> bool {
        false
    }

    /// A state's steps were made. Returns true to stop there.
    fn expanded(&mut self, _system: &S, _id: StateId, _state: &[Word], _steps: &Steps<S::Action>) -> bool {
        false
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    pub(crate) meter: &'a Meter<'a>,
}

impl Progress<'_> {
    /// The figures, but for depth and bytes. Reads the clock.
    pub fn stats(self) -> Stats {
        let Progress { states, transitions, meter } = self;
        Stats { states, transitions, product_states: states, time: meter.elapsed(), ..Stats::default() }
    }
}

/// The visitor of a search for its own sake: it never stops the search.
impl<S: System> Visitor<S> for () {}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every reachable state was expanded.
    Complete,
    /// The visitor stopped it at this state.
    Stopped(StateId),
    /// A limit was reached.
    Limit(Limit),
}

impl End {
    /// This end, unless the search is complete but for steps that a bound of the language cut off.
    pub(crate) fn unless_cut<S: System>(self, system: &S) -> End {
        match self {
            End::Complete if system.first_cut().is_some() => End::Limit(Limit::Language),
            end => end,
        }
    }
}

/// The result of a search.
#[derive(Debug)]
pub struct Exploration {
    /// The states, in the order of their discovery.
    pub states: StateTable,
    /// How the search ended.
    pub end: End,
    /// The figures of the search.
    pub stats: Stats,
    parents: Vec<StateId>,
}

/// Expands the system's states in some order, until all are expanded, the visitor stops it, or a limit is
/// reached.
pub fn explore<S: System>(
    system: &S,
    order: Order,
    budget: Budget<'_>,
    visitor: &mut impl Visitor<S>,
) -> Exploration {
    let mut meter = Meter::start(budget);
    let mut search = Search::new(system, order, budget);
    let end = search.run(visitor, &mut meter).unless_cut(system);
    let stats = Stats { time: meter.elapsed(), ..search.stats() };
    Exploration { states: search.states, parents: search.parents, end, stats }
}

impl Exploration {
    /// The state from which this one was discovered; an initial state is its own parent.
    pub(crate) fn parent(&self, id: StateId) -> StateId {
        self.parents[id.index()]
    }

    /// The path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        let mut ids = vec![end];
        let mut at = end;
        while self.parents[at.index()] != at {
            at = self.parents[at.index()];
            ids.push(at);
        }
        ids.reverse();
        with_actions(system, ids.into_iter().map(|id| self.states.state(id)))
    }
}

/// A path through these states: each is a successor of the one before.
pub(crate) fn with_actions<S: System>(
    system: &S,
    states: impl Iterator<Item = Box<[Word]>>,
) -> Vec<Step<S::Action>> {
    let mut steps = Steps::new(system.words());
    let mut path: Vec<Step<S::Action>> = Vec::new();
    for state in states {
        let action = path.last().map(|last| {
            steps.clear();
            system.successors(&last.state, &mut steps);
            let step = steps.iter().find(|(_, target)| **target == *state);
            step.expect("a state's successors are the same every time").0
        });
        path.push(Step { action, state });
    }
    path
}

struct Search<'s, S: System> {
    system: &'s S,
    states: StateTable,
    most_states: usize,
    /// For each state, the state from which it was discovered; an initial state is its own parent.
    parents: Vec<StateId>,
    frontier: Box<dyn crate::search::Frontier>,
    transitions: usize,
    depth: usize,
}

impl<'s, S: System> Search<'s, S> {
    fn new(system: &'s S, order: Order, budget: Budget<'_>) -> Search<'s, S> {
        Search {
            system,
            states: StateTable::new(system.words()),
            most_states: budget.limits.states.unwrap_or(usize::MAX),
            parents: Vec::new(),
            frontier: order.frontier(),
            transitions: 0,
            depth: 0,
        }
    }

    fn run(&mut self, visitor: &mut impl Visitor<S>, meter: &mut Meter<'_>) -> End {
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        for state in initial.iter() {
            self.states.reserve(1);
            let probe = self.states.probe(state);
            if let Some(end) = self.reach((state, probe), None, 0, (visitor, meter)) {
                return end;
            }
        }
        let mut steps = Steps::new(self.system.words());
        let mut probes = Vec::new();
        while let Some((id, depth)) = self.frontier.pop() {
            self.depth = self.depth.max(depth as usize);
            steps.clear();
            let state = self.states.get(id);
            self.system.successors(state, &mut steps);
            self.transitions += steps.len();
            if visitor.expanded(self.system, id, state, &steps) {
                return End::Stopped(id);
            }
            self.states.reserve(steps.len());
            probes.clear();
            probes.extend(steps.iter().map(|(_, target)| self.states.probe(target)));
            for ((_, target), probe) in steps.iter().zip(&probes) {
                if let Some(end) = self.reach((target, *probe), Some(id), depth + 1, (visitor, meter)) {
                    return end;
                }
            }
            meter.tick();
            if meter.is_due()
                && let Some(limit) = meter.read(self.stats())
            {
                return End::Limit(limit);
            }
        }
        End::Complete
    }

    /// A step leads to this state. Ends the search if the state is new and above the limit, or the visitor
    /// stops there.
    #[inline]
    fn reach(
        &mut self,
        (state, probe): (&[Word], Probe),
        parent: Option<StateId>,
        depth: u32,
        (visitor, meter): (&mut impl Visitor<S>, &Meter<'_>),
    ) -> Option<End> {
        if self.states.len() >= self.most_states && self.states.find(state).is_none() {
            return Some(End::Limit(Limit::States));
        }
        let (id, new) = self.states.insert_at(state, probe);
        if !new {
            return None;
        }
        self.parents.push(parent.unwrap_or(id));
        self.frontier.push(id, depth);
        let progress = Progress { states: self.states.len(), transitions: self.transitions, meter };
        visitor.discovered(self.system, id, state, progress).then_some(End::Stopped(id))
    }

    fn stats(&self) -> Stats {
        let parents = self.parents.capacity() * size_of::<StateId>();
        Stats {
            states: self.states.len(),
            transitions: self.transitions,
            product_states: self.states.len(),
            automaton_states: 0,
            depth: self.depth,
            bytes: self.states.memory() + self.frontier.memory() + parents + self.system.table_bytes(),
            ..Stats::default()
        }
    }
}
