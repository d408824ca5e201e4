//! Deadlocks and error states, in one breadth-first pass.
//!
//! An end is not a deadlock: a deadlock is a state without steps in which a process has something left to
//! do. An error state is one that the system itself reports as wrong. Errors with the same message are
//! listed once.
//!
//! Promise: the path to each is a shortest one, and has been replayed; a pass that a limit stopped says so.

use super::{BreadthFirst, Budget, End, Limit, Stats, Visitor, breadth_first};
use crate::ltl::{Counterexample, Fairness};
use crate::store::StateId;
use crate::system::{Steps, System, Word};
use crate::workers::ParallelVisitor;

/// The largest number of deadlocks, and of errors, that are listed.
pub const MAX_LISTED: usize = 16;

/// The deadlocks and errors of a system.
#[derive(Clone, Debug)]
pub struct Failures<A> {
    /// Paths to the first [`MAX_LISTED`] deadlocks.
    pub deadlocks: Vec<Counterexample<A>>,
    /// The number of deadlocks.
    pub deadlock_count: usize,
    /// The first [`MAX_LISTED`] error messages, each with a path there.
    pub errors: Vec<(String, Counterexample<A>)>,
    /// The limit that was reached, if not all states were expanded.
    pub limit: Option<Limit>,
    /// The figures of the pass.
    pub stats: Stats,
}

/// The failures to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureGoal {
    /// All deadlocks and errors.
    All,
    /// The first deadlock.
    FirstDeadlock,
    /// The first error.
    FirstError,
}

/// Searches for deadlocks and errors.
pub fn find_failures<S: System>(system: &S, goal: FailureGoal, budget: Budget<'_>) -> Failures<S::Action> {
    let mut visitor = FailureVisitor::new(goal);
    let search = breadth_first(system, budget, &mut visitor);
    visitor.failures(system, &search)
}

/// Deadlocks, nearest first. Expands all states.
pub fn find_deadlocks<S: System>(system: &S, budget: Budget<'_>) -> Failures<S::Action> {
    Failures { errors: Vec::new(), ..find_failures(system, FailureGoal::All, budget) }
}

/// Errors, nearest first. Expands all states.
pub fn find_errors<S: System>(system: &S, budget: Budget<'_>) -> Failures<S::Action> {
    Failures { deadlocks: Vec::new(), deadlock_count: 0, ..find_failures(system, FailureGoal::All, budget) }
}

/// The visitor that collects deadlocks and errors.
pub(crate) struct FailureVisitor {
    goal: FailureGoal,
    deadlocks: Vec<StateId>,
    deadlock_count: usize,
    errors: Vec<(String, StateId)>,
}

impl FailureVisitor {
    pub(crate) fn new(goal: FailureGoal) -> FailureVisitor {
        FailureVisitor { goal, deadlocks: Vec::new(), deadlock_count: 0, errors: Vec::new() }
    }

    /// The collected failures, with paths of this search.
    pub(crate) fn failures<S: System>(self, system: &S, search: &BreadthFirst) -> Failures<S::Action> {
        let run = |state: StateId| {
            let run = Counterexample { prefix: search.path(system, state), cycle: Vec::new() };
            run.replay(system, Fairness::None);
            run
        };
        Failures {
            deadlocks: self.deadlocks.into_iter().map(run).collect(),
            deadlock_count: self.deadlock_count,
            errors: self.errors.into_iter().map(|(message, state)| (message, run(state))).collect(),
            limit: if let End::Limit(limit) = search.end() { Some(limit) } else { None },
            stats: search.stats(),
        }
    }
}

impl<S: System> Visitor<S> for FailureVisitor {
    fn expanded(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) -> bool {
        if !steps.is_empty() {
            return false;
        }
        if let Some(message) = system.error(state) {
            if self.goal != FailureGoal::FirstDeadlock
                && self.errors.len() < MAX_LISTED
                && self.errors.iter().all(|(known, _)| *known != message)
            {
                self.errors.push((message, id));
            }
            return self.goal == FailureGoal::FirstError;
        }
        if system.is_end(state) || self.goal == FailureGoal::FirstError {
            return false;
        }
        self.deadlock_count += 1;
        if self.deadlocks.len() < MAX_LISTED {
            self.deadlocks.push(id);
        }
        self.goal == FailureGoal::FirstDeadlock
    }
}

impl<S: System> ParallelVisitor<S> for FailureVisitor {
    fn needs_steps(&self, system: &S, state: &[Word], steps: &Steps<S::Action>) -> bool {
        steps.is_empty() && (!system.is_end(state) || system.error(state).is_some())
    }
}
