//! Deadlocks, error states, crashes and processes that wait for ever, in one breadth-first pass.
//!
//! An end is not a deadlock: a deadlock is a state without steps in which a process has something left to
//! do. An error state is one that the system itself reports as wrong. A crash is a step: its process ends,
//! and the others go on. Errors with the same message are listed once, as are crashes with the same text and
//! processes that wait for ever for the same. So are deadlocks in which the same processes
//! [wait for the same](System::waiting); where a system does not tell that, every deadlock is listed.
//!
//! Promise: the path to each is a shortest one, and has been replayed; a pass that a limit stopped says so.

use super::waiting_sets::Deadlocks;
use super::{BreadthFirst, Budget, End, Finding, Limit, Listener, Stats, Visitor, breadth_first, tell};
use crate::checkpoint::{Malformed, Reader, Writer};
use crate::ltl::{Counterexample, Fairness, Step};
use crate::store::StateId;
use crate::system::{Steps, System, Word};
use crate::workers::ParallelVisitor;

/// The largest number of failures of each kind that are listed.
pub const MAX_LISTED: usize = 16;

/// The failures of a system. Where its [steps may not be real](System::has_real_steps), neither may they.
#[derive(Clone, Debug)]
pub struct Failures<A> {
    /// Paths to deadlocks, nearest first: to the nearest one of each of the first
    /// [`MAX_WAITING_SETS`](super::MAX_WAITING_SETS) sets of waiting places; or to the first [`MAX_LISTED`],
    /// if the system does not tell what waits.
    pub deadlocks: Vec<Counterexample<A>>,
    /// For each path, the number of deadlocks with the same set of waiting places.
    pub deadlocks_alike: Vec<usize>,
    /// The number of deadlocks.
    pub deadlock_count: usize,
    /// The number of sets of waiting places, as far as they are told apart; 0 if there are no deadlocks.
    pub waiting_sets: usize,
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
    let budget = Budget { checkpoint: None, ..budget };
    let mut visitor = FailureVisitor::new(goal, budget.found);
    let search = breadth_first(system, budget, &mut visitor);
    visitor.failures(system, &search)
}

/// Deadlocks, nearest first. Expands all states.
pub fn find_deadlocks<S: System>(system: &S, budget: Budget<'_>) -> Failures<S::Action> {
    Failures { errors: Vec::new(), ..find_failures(system, FailureGoal::All, budget) }
}

/// Errors, nearest first. Expands all states.
pub fn find_errors<S: System>(system: &S, budget: Budget<'_>) -> Failures<S::Action> {
    Failures {
        deadlocks: Vec::new(),
        deadlocks_alike: Vec::new(),
        deadlock_count: 0,
        waiting_sets: 0,
        ..find_failures(system, FailureGoal::All, budget)
    }
}

/// The visitor that collects failures.
pub(crate) struct FailureVisitor<'q> {
    found: Listener<'q>,
    goal: FailureGoal,
    deadlocks: Deadlocks,
    errors: Vec<(String, StateId)>,
    /// The state before the crash, and the state after it.
    crashes: Vec<(String, StateId, Box<[Word]>)>,
    waits_for_ever: Vec<((String, String), StateId)>,
}

impl<'q> FailureVisitor<'q> {
    pub(crate) fn new(goal: FailureGoal, found: Listener<'q>) -> FailureVisitor<'q> {
        FailureVisitor {
            found,
            goal,
            deadlocks: Deadlocks::default(),
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
            deadlocks: self.deadlocks.listed.iter().map(|(state, _)| run(*state)).collect(),
            deadlocks_alike: self.deadlocks.listed.iter().map(|(_, alike)| *alike).collect(),
            deadlock_count: self.deadlocks.count,
            waiting_sets: self.deadlocks.sets.len() + self.deadlocks.untold,
            errors: self.errors.into_iter().map(|(message, state)| (message, run(state))).collect(),
            crashes: self.crashes.into_iter().map(crash).collect(),
            waits_for_ever: self.waits_for_ever.into_iter().map(|(wait, state)| (wait, run(state))).collect(),
            limit: if let End::Limit(limit) = search.end() { Some(limit) } else { None },
            stats: search.stats(),
        }
    }

    /// Was nothing found?
    pub(crate) fn is_empty(&self) -> bool {
        let counts = [self.errors.len(), self.crashes.len(), self.waits_for_ever.len()];
        self.deadlocks.count == 0 && counts == [0; 3]
    }

    /// Notes the crashes among the steps, and the processes that wait for ever, if they are new.
    #[inline]
    fn note_living<S: System>(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) {
        for (action, target) in steps.iter() {
            if let Some(text) = system.crash(action)
                && self.is_new_crash(&text)
            {
                tell(self.found, Finding::Crash(&text));
                self.crashes.push((text, id, target.into()));
            }
        }
        for wait in system.waits_for_ever(state) {
            if self.is_new_wait(&wait) {
                tell(self.found, Finding::WaitsForEver(&wait.0, &wait.1));
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

impl<S: System> Visitor<S> for FailureVisitor<'_> {
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
                tell(self.found, Finding::Error(&message));
                self.errors.push((message, id));
            }
            return self.goal == FailureGoal::FirstError;
        }
        if system.is_end(state) || self.goal == FailureGoal::FirstError {
            return false;
        }
        if self.deadlocks.count == 0 {
            tell(self.found, Finding::Deadlock);
        }
        self.deadlocks.add(system, id, state);
        self.goal == FailureGoal::FirstDeadlock
    }

    fn save(&self, out: &mut Writer) {
        self.deadlocks.save(out);
        out.number(self.errors.len());
        for (message, state) in &self.errors {
            out.block(message.as_bytes());
            out.half(state.0);
        }
        out.number(self.crashes.len());
        for (text, from, target) in &self.crashes {
            out.block(text.as_bytes());
            out.half(from.0);
            out.number(target.len());
            out.words(target);
        }
        out.number(self.waits_for_ever.len());
        for ((process, condition), state) in &self.waits_for_ever {
            out.block(process.as_bytes());
            out.block(condition.as_bytes());
            out.half(state.0);
        }
    }

    fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        *self = FailureVisitor::new(self.goal, self.found);
        self.deadlocks = Deadlocks::load(reader)?;
        for _ in 0..reader.number(MAX_LISTED)? {
            self.errors.push((reader.text()?, StateId(reader.half()?)));
        }
        for _ in 0..reader.number(MAX_LISTED)? {
            let (text, from, mut target) = (reader.text()?, StateId(reader.half()?), Vec::new());
            let width = reader.number(usize::MAX)?;
            reader.words(width, &mut target)?;
            self.crashes.push((text, from, target.into()));
        }
        for _ in 0..reader.number(MAX_LISTED)? {
            self.waits_for_ever.push(((reader.text()?, reader.text()?), StateId(reader.half()?)));
        }
        Ok(())
    }
}

impl<S: System> ParallelVisitor<S> for FailureVisitor<'_> {
    fn needs_steps(&self, system: &S, state: &[Word], steps: &Steps<S::Action>) -> bool {
        let is_crash =
            |action: &S::Action| system.crash(*action).is_some_and(|text| self.is_new_crash(&text));
        steps.is_empty() && (!system.is_end(state) || system.error(state).is_some())
            || steps.actions(0).iter().any(is_crash)
            || system.waits_for_ever(state).iter().any(|wait| self.is_new_wait(wait))
    }
}
