//! Reachability: the one loop.
//!
//! States are taken from a frontier, whose order is a parameter; their steps lead to states that are stored, each
//! once. A visitor sees every state when it is found and again with its steps, and may stop the search. Paths come
//! from parent pointers; actions are not stored, for a state's successors can be made again.
//!
//! Promise: with [`Order::BreadthFirst`] the path to every state is as short as any. A search that was stopped says
//! by what.

use crate::budget::{Budget, Limit, Meter, Stats};
use crate::counterexample::Step;
use crate::frontier::Order;
use crate::store::{StateId, StateTable};
use crate::system::{States, Steps, System, Word};

/// What a search is for.
pub trait Visitor<S: System> {
    /// A state was found. Returns true to stop there.
    fn found(&mut self, _system: &S, _state: &[Word]) -> bool {
        false
    }

    /// A state's steps were made. Returns true to stop there.
    fn expanded(&mut self, _system: &S, _id: StateId, _state: &[Word], _steps: &Steps<S::Action>) -> bool {
        false
    }
}

/// A visitor that only wants every state to be reached.
impl<S: System> Visitor<S> for () {}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every reachable state was looked at.
    Complete,
    /// The visitor stopped it at this state.
    Stopped(StateId),
    /// Something ran out.
    Limit(Limit),
}

/// What a search found.
#[derive(Debug)]
pub struct Exploration {
    /// The states, in the order in which they were found.
    pub states: StateTable,
    /// Why it ended.
    pub end: End,
    /// What it took.
    pub stats: Stats,
    parents: Vec<StateId>,
}

/// Looks at the system's states in some order, until all are done, the visitor says stop, or the budget is used up.
pub fn explore<S: System>(
    system: &S,
    order: Order,
    budget: Budget<'_>,
    visitor: &mut impl Visitor<S>,
) -> Exploration {
    let mut search = Search::new(system, order);
    let mut meter = Meter::start(budget);
    let end = search.run(visitor, &mut meter);
    let stats = Stats { time: meter.elapsed(), ..search.stats() };
    Exploration { states: search.states, parents: search.parents, end, stats }
}

impl Exploration {
    /// The path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        let mut ids = vec![end];
        let mut at = end;
        while self.parents[at.index()] != at {
            at = self.parents[at.index()];
            ids.push(at);
        }
        ids.reverse();
        with_actions(system, ids.into_iter().map(|id| self.states.get(id)))
    }
}

/// A path through these states: each is a successor of the one before.
pub(crate) fn with_actions<'a, S: System>(
    system: &S,
    states: impl Iterator<Item = &'a [Word]>,
) -> Vec<Step<S::Action>> {
    let mut steps = Steps::new(system.words());
    let mut path: Vec<Step<S::Action>> = Vec::new();
    for state in states {
        let action = path.last().map(|last| {
            steps.clear();
            system.successors(&last.state, &mut steps);
            let found = steps.iter().find(|(_, target)| *target == state);
            found.expect("a state's successors are the same every time").0
        });
        path.push(Step { action, state: state.into() });
    }
    path
}

struct Search<'s, S: System> {
    system: &'s S,
    states: StateTable,
    /// The state from which each was found; an initial state is its own.
    parents: Vec<StateId>,
    frontier: Box<dyn crate::frontier::Frontier>,
    transitions: usize,
    depth: usize,
}

impl<'s, S: System> Search<'s, S> {
    fn new(system: &'s S, order: Order) -> Search<'s, S> {
        let states = StateTable::new(system.words());
        Search { system, states, parents: Vec::new(), frontier: order.frontier(), transitions: 0, depth: 0 }
    }

    fn run(&mut self, visitor: &mut impl Visitor<S>, meter: &mut Meter<'_>) -> End {
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        for state in initial.iter() {
            if let Some(stopped) = self.reach(state, None, 0, visitor) {
                return End::Stopped(stopped);
            }
        }
        let mut steps = Steps::new(self.system.words());
        while let Some((id, depth)) = self.frontier.pop() {
            self.depth = self.depth.max(depth as usize);
            steps.clear();
            self.system.successors(self.states.get(id), &mut steps);
            self.transitions += steps.len();
            if visitor.expanded(self.system, id, self.states.get(id), &steps) {
                return End::Stopped(id);
            }
            for (_, target) in steps.iter() {
                if let Some(stopped) = self.reach(target, Some(id), depth + 1, visitor) {
                    return End::Stopped(stopped);
                }
            }
            let due = |meter: &mut Meter<'_>| if meter.is_due() { meter.read(self.stats()) } else { None };
            if let Some(limit) = meter.tick(self.states.len()).or_else(|| due(meter)) {
                return End::Limit(limit);
            }
        }
        End::Complete
    }

    /// A step leads to this state. Returns it if it is new and the visitor stops there.
    #[inline]
    fn reach(
        &mut self,
        state: &[Word],
        parent: Option<StateId>,
        depth: u32,
        visitor: &mut impl Visitor<S>,
    ) -> Option<StateId> {
        let (id, new) = self.states.insert(state);
        if !new {
            return None;
        }
        self.parents.push(parent.unwrap_or(id));
        self.frontier.push(id, depth);
        visitor.found(self.system, state).then_some(id)
    }

    fn stats(&self) -> Stats {
        let parents = self.parents.capacity() * size_of::<StateId>();
        Stats {
            states: self.states.len(),
            transitions: self.transitions,
            product_states: self.states.len(),
            automaton_states: 0,
            depth: self.depth,
            bytes: self.states.memory() + self.frontier.memory() + parents,
            ..Stats::default()
        }
    }
}
