//! States where a run is stuck or went wrong.
//!
//! One breadth-first pass. Ended is not deadlocked: a deadlock is a state without steps in which something is left
//! to do. An error state is one that the system itself calls wrong. What is wrong in the same words is listed once.
//!
//! Promise: the path to each is as short as any, and has been replayed; a pass that was cut short says so.

use crate::breadth_first::{BreadthFirst, breadth_first};
use crate::budget::{Budget, Limit, Stats};
use crate::counterexample::Counterexample;
use crate::fairness::Fairness;
use crate::parallel::Watch;
use crate::search::{End, Visitor};
use crate::store::StateId;
use crate::system::{Steps, System, Word};

/// At most so many deadlocks, and as many errors, are listed.
pub const MAX_LISTED: usize = 16;

/// What was found on the way through all states.
#[derive(Clone, Debug)]
pub struct Survey<A> {
    /// Paths to states in which nothing can move and something is left to do; the first [`MAX_LISTED`].
    pub deadlocks: Vec<Counterexample<A>>,
    /// How many such states there are.
    pub deadlock_count: usize,
    /// What can go wrong, each with a path there; the first [`MAX_LISTED`].
    pub errors: Vec<(String, Counterexample<A>)>,
    /// What ran out, if not all states were looked at.
    pub limit: Option<Limit>,
    /// The figures of the pass.
    pub stats: Stats,
}

/// What to look for, and whether the first is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Everything.
    All,
    /// The first deadlock.
    Deadlock,
    /// The first error.
    Error,
}

/// Looks at all states for deadlocks and errors.
pub fn survey<S: System>(system: &S, wanted: Wanted, budget: Budget<'_>) -> Survey<S::Action> {
    let mut surveyor = Surveyor::new(wanted);
    let search = breadth_first(system, budget, &mut surveyor);
    surveyor.survey(system, &search)
}

/// Deadlocks, nearest first. Looks at all states.
pub fn find_deadlocks<S: System>(system: &S, budget: Budget<'_>) -> Survey<S::Action> {
    Survey { errors: Vec::new(), ..survey(system, Wanted::All, budget) }
}

/// Errors, nearest first. Looks at all states.
pub fn find_errors<S: System>(system: &S, budget: Budget<'_>) -> Survey<S::Action> {
    Survey { deadlocks: Vec::new(), deadlock_count: 0, ..survey(system, Wanted::All, budget) }
}

/// The visitor that looks for them.
pub(crate) struct Surveyor {
    wanted: Wanted,
    deadlocks: Vec<StateId>,
    deadlock_count: usize,
    errors: Vec<(String, StateId)>,
}

impl Surveyor {
    pub(crate) fn new(wanted: Wanted) -> Surveyor {
        Surveyor { wanted, deadlocks: Vec::new(), deadlock_count: 0, errors: Vec::new() }
    }

    /// What was found in this search.
    pub(crate) fn survey<S: System>(self, system: &S, search: &BreadthFirst) -> Survey<S::Action> {
        let run = |state: StateId| {
            let run = Counterexample { prefix: search.path(system, state), cycle: Vec::new() };
            run.replay(system, Fairness::None);
            run
        };
        Survey {
            deadlocks: self.deadlocks.into_iter().map(run).collect(),
            deadlock_count: self.deadlock_count,
            errors: self.errors.into_iter().map(|(message, state)| (message, run(state))).collect(),
            limit: if let End::Limit(limit) = search.end() { Some(limit) } else { None },
            stats: search.stats(),
        }
    }
}

impl<S: System> Visitor<S> for Surveyor {
    fn expanded(&mut self, system: &S, id: StateId, state: &[Word], steps: &Steps<S::Action>) -> bool {
        if !steps.is_empty() {
            return false;
        }
        if let Some(message) = system.error(state) {
            if self.wanted != Wanted::Deadlock
                && self.errors.len() < MAX_LISTED
                && self.errors.iter().all(|(known, _)| *known != message)
            {
                self.errors.push((message, id));
            }
            return self.wanted == Wanted::Error;
        }
        if system.is_end(state) || self.wanted == Wanted::Error {
            return false;
        }
        self.deadlock_count += 1;
        if self.deadlocks.len() < MAX_LISTED {
            self.deadlocks.push(id);
        }
        self.wanted == Wanted::Deadlock
    }
}

impl<S: System> Watch<S> for Surveyor {
    fn minds_steps(&self, system: &S, state: &[Word], steps: &Steps<S::Action>) -> bool {
        steps.is_empty() && (!system.is_end(state) || system.error(state).is_some())
    }
}
