//! Deadlocks, error states, crashes and processes that wait for ever, in one breadth-first pass.
//!
//! An end is not a deadlock: a deadlock is a state without steps in which a process has something left to
//! do. An error state is one that the system itself reports as wrong. A crash is a step: its process ends,
//! and the others go on. Errors with the same message are listed once, as are crashes with the same text and
//! processes that wait for ever for the same.
//!
//! Promise: the path to each is a shortest one, and has been replayed; a pass that a limit stopped says so.

use super::{BreadthFirst, Budget, End, Limit, Stats, Visitor, breadth_first};
use crate::ltl::{Counterexample, Fairness, Step};
use crate::store::StateId;
use crate::system::{Steps, System, Word};
use crate::workers::ParallelVisitor;

/// The largest number of failures of each kind that are listed.
pub const MAX_LISTED: usize = 16;

/// The failures of a system. Where its [steps may not be real](System::has_real_steps), neither may they.
#[derive(Clone, Debug)]
pub struct Failures<A> {
    /// Paths to the first [`MAX_LISTED`] deadlocks.
    pub deadlocks: Vec<Counterexample<A>>,
    /// The number of deadlocks.
    pub deadlock_count: usize,
    /// The first [`MAX_LISTED`] error messages, each with a path there.
    pub errors: Vec<(String, Counterexample<A>)>,
    /// The first [`MAX_LISTED`] crashes, each with a path whose last step it is.
    pub crashes: Vec<(String, Counterexample<A>)>,
    /// The first [`MAX_LISTED`] processes that wait for ever: the name, what it waits for, and a path there.
    pub waits_for_ever: Vec<((String, String), Counterexample<A>)>,
    /// The limit that was reached, if not all states were expanded.
    pub limit: Option<Limit>,
    /// The figures of the pass.
    pub stats: Stats,
}

impl<A> Failures<A> {
    /// The paths to all listed failures.
    pub fn runs(&self) -> impl Iterator<Item = &Counterexample<A>> {
        let errors = self.errors.iter().map(|(_, run)| run);
        let crashes = self.crashes.iter().map(|(_, run)| run);
        let waits = self.waits_for_ever.iter().map(|(_, run)| run);
        self.deadlocks.iter().chain(errors).chain(crashes).chain(waits)
    }
}

/// The failures to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureGoal {
    /// All failures.
    All,
    /// The first deadlock.
    FirstDeadlock,
    /// The first error.
    FirstError,
}

/// Searches for deadlocks, errors, crashes and processes that wait for ever.
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

/// The visitor that collects failures.
pub(crate) struct FailureVisitor {
    goal: FailureGoal,
    deadlocks: Vec<StateId>,
    deadlock_count: usize,
    errors: Vec<(String, StateId)>,
    /// The state before the crash, and the state after it.
    crashes: Vec<(String, StateId, Box<[Word]>)>,
    waits_for_ever: Vec<((String, String), StateId)>,
}

impl FailureVisitor {
    pub(crate) fn new(goal: FailureGoal) -> FailureVisitor {
        FailureVisitor {
            goal,
            deadlocks: Vec::new(),
            deadlock_count: 0,
            errors: Vec::new(),
            crashes: Vec::new(),
            waits_for_ever: Vec::new(),
        }
    }

    /// The collected failures, with paths of this search.
    pub(crate) fn failures<S: System>(self, system: &S, search: &BreadthFirst) -> Failures<S::Action> {
        let run_of = |prefix| {
            let run = Counterexample { prefix, cycle: Vec::new() };
            run.replay(system, Fairness::None);
            run
        };
        let run = |state: StateId| run_of(search.path(system, state));
        let crash = |(text, from, target): (String, StateId, Box<[Word]>)| {
            let mut path = search.path(system, from);
            path.push(crash_step(system, &path, &text, target));
            (text, run_of(path))
        };
        Failures {
            deadlocks: self.deadlocks.into_iter().map(run).collect(),
            deadlock_count: self.deadlock_count,
            errors: self.errors.into_iter().map(|(message, state)| (message, run(state))).collect(),
            crashes: self.crashes.into_iter().map(crash).collect(),
            waits_for_ever: self.waits_for_ever.into_iter().map(|(wait, state)| (wait, run(state))).collect(),
            limit: if let End::Limit(limit) = search.end() { Some(limit) } else { None },
            stats: search.stats(),
        }
    }

    /// Notes the crashes among the steps, and the processes that wait for ever, if they are new.
    #[inline]
    fn note_living<S: System>(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) {
        for (action, target) in steps.iter() {
            if let Some(text) = system.crash(action)
                && self.is_new_crash(&text)
            {
                self.crashes.push((text, id, target.into()));
            }
        }
        for wait in system.waits_for_ever(state) {
            if self.is_new_wait(&wait) {
                self.waits_for_ever.push((wait, id));
            }
        }
    }

    fn is_new_crash(&self, text: &str) -> bool {
        self.crashes.len() < MAX_LISTED && self.crashes.iter().all(|(known, ..)| known != text)
    }

    fn is_new_wait(&self, wait: &(String, String)) -> bool {
        self.waits_for_ever.len() < MAX_LISTED && self.waits_for_ever.iter().all(|(known, _)| known != wait)
    }
}

/// The step at the end of the path that is the crash of this text, to this state.
fn crash_step<S: System>(
    system: &S,
    path: &[Step<S::Action>],
    text: &str,
    target: Box<[Word]>,
) -> Step<S::Action> {
    let mut steps = Steps::new(system.words());
    system.successors(&path.last().expect("a path has an initial state").state, &mut steps);
    let is_crash = |(action, to): &(S::Action, &[Word])| {
        **to == *target && system.crash(*action).as_deref() == Some(text)
    };
    let (action, _) = steps.iter().find(is_crash).expect("a state's successors are the same every time");
    Step { action: Some(action), state: target }
}

impl<S: System> Visitor<S> for FailureVisitor {
    #[inline]
    fn expanded(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) -> bool {
        if self.goal == FailureGoal::All {
            self.note_living(system, id, state, steps);
        }
        if !steps.is_empty() || system.is_cut(state) {
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
        let is_crash =
            |action: &S::Action| system.crash(*action).is_some_and(|text| self.is_new_crash(&text));
        steps.is_empty() && (!system.is_end(state) || system.error(state).is_some())
            || steps.actions(0).iter().any(is_crash)
            || system.waits_for_ever(state).iter().any(|wait| self.is_new_wait(wait))
    }
}
