//! Some runs instead of all: a scheduler walks through the system, and the properties are judged along the way.
//!
//! What a finite run says of a formula is in `simulate/violation.rs`. Deadlocks and errors are where runs end.
//!
//! Promise: every violation is one that [`check`](crate::check()) would find, and is replayed before it is returned, as is every other
//! run. No violation means nothing but that: these runs had none. When the budget is used up the present run is given
//! up, and judged as far as it went.

mod violation;

use crate::budget::{Budget, Limit, Meter, Stats};
use crate::check::CheckError;
use crate::counterexample::{Counterexample, Step};
use crate::fairness::{Fairness, MAX_FAIR_PROCESSES};
use crate::store::StateTable;
use crate::system::{System, Word};
use crate::walk::Walk;
use selvedge_explore::{Event, EventId, Next, Scheduler, Stepper, Trace, run};
use selvedge_ltl::{Formula, Prop};
use violation::violation;

pub use violation::MAX_CYCLES;

/// How to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// No run takes more steps.
    pub max_steps: usize,
    /// Which cycles count.
    pub fairness: Fairness,
    /// What may be used; its states are those that were visited, counted after each run, and never compressed.
    pub budget: Budget<'a>,
}

/// What was met.
#[derive(Debug)]
pub struct Simulation<A> {
    /// How many runs there were.
    pub runs: u64,
    /// How many steps they took.
    pub steps: u64,
    /// How many of them ended, deadlocks and errors aside.
    pub ended: u64,
    /// How many of them got stuck.
    pub deadlocks: u64,
    /// How many of them met an error.
    pub errors: u64,
    /// The states that they went through.
    pub states: StateTable,
    /// For each formula, the first run that violates it.
    pub violations: Vec<Option<Found<A>>>,
    /// The first run that got stuck; what it was stuck on is in its last state.
    pub deadlock: Option<Found<A>>,
    /// The first run that met an error, and the error.
    pub error: Option<(String, Found<A>)>,
    /// The first run.
    pub first: Option<Counterexample<A>>,
    /// What ran out, if there were to be more runs, or longer ones.
    pub limit: Option<Limit>,
}

/// A run that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<A> {
    /// Its number, from 1.
    pub run: u64,
    /// What happened.
    pub path: Counterexample<A>,
}

/// Walks through the system until the scheduler has no more runs, or the budget is used up.
pub fn simulate<S: System>(
    system: &S,
    formulas: &[Formula<Prop>],
    scheduler: &mut dyn Scheduler,
    plan: Plan<'_>,
) -> Result<Simulation<S::Action>, CheckError> {
    if plan.fairness != Fairness::None && system.processes() > MAX_FAIR_PROCESSES {
        return Err(CheckError::TooManyProcesses(system.processes()));
    }
    let mut met = Simulation::new(system.words(), formulas.len());
    let mut scheduler = Metered::new::<S>(scheduler, plan.budget, system.words());
    let (mut walk, mut trace) = (Walk::new(system), Trace::default());
    loop {
        walk.restart();
        run(&mut walk, &mut scheduler, plan.max_steps, &mut trace);
        if let Some(path) = walk.run() {
            met.add(system, formulas, path, plan.fairness);
        }
        let is_last = scheduler.finish(&trace) == Next::Done;
        met.limit = if is_last { scheduler.limit } else { scheduler.read(&met.states) };
        if is_last || met.limit.is_some() {
            return Ok(met);
        }
    }
}

impl<A: Copy + Eq> Simulation<A> {
    fn new(words: usize, formulas: usize) -> Simulation<A> {
        Simulation {
            runs: 0,
            steps: 0,
            ended: 0,
            deadlocks: 0,
            errors: 0,
            states: StateTable::new(words),
            violations: (0..formulas).map(|_| None).collect(),
            deadlock: None,
            error: None,
            first: None,
            limit: None,
        }
    }

    /// A run was made.
    fn add<S: System<Action = A>>(
        &mut self,
        system: &S,
        formulas: &[Formula<Prop>],
        path: Counterexample<A>,
        fairness: Fairness,
    ) {
        self.runs += 1;
        self.steps += path.prefix.len() as u64 - 1;
        for step in &path.prefix {
            self.states.insert(&step.state);
        }
        for (found, formula) in self.violations.iter_mut().zip(formulas) {
            if found.is_none() {
                let path = violation(system, formula, &path, fairness);
                *found = path.map(|path| Found { run: self.runs, path });
            }
        }
        self.note_end(system, &path);
        if self.first.is_none() {
            path.replay(system, Fairness::None);
            self.first = Some(path);
        }
    }

    fn note_end<S: System<Action = A>>(&mut self, system: &S, path: &Counterexample<A>) {
        let Some(last) = path.prefix.last().filter(|_| path.ends()) else { return };
        let found = || {
            path.replay(system, Fairness::None);
            Found { run: self.runs, path: path.clone() }
        };
        if let Some(error) = system.error(&last.state) {
            self.errors += 1;
            self.error = self.error.take().or_else(|| Some((error, found())));
        } else if system.is_end(&last.state) {
            self.ended += 1;
        } else {
            self.deadlocks += 1;
            self.deadlock = self.deadlock.take().or_else(|| Some(found()));
        }
    }
}

/// A scheduler that gives its run up when the budget is used up.
struct Metered<'s, 'b> {
    scheduler: &'s mut dyn Scheduler,
    meter: Meter<'b>,
    figures: Stats,
    /// What one step of the present run takes.
    step_bytes: usize,
    limit: Option<Limit>,
}

impl<'s, 'b> Metered<'s, 'b> {
    fn new<S: System>(scheduler: &'s mut dyn Scheduler, budget: Budget<'b>, words: usize) -> Self {
        let step_bytes = size_of::<Step<S::Action>>() + size_of::<Word>() * words + size_of::<Event>();
        let (meter, figures) = (Meter::start(budget), Stats::default());
        Metered { scheduler, meter, figures, step_bytes, limit: None }
    }

    /// Between two runs: what ran out, if something did.
    fn read(&mut self, visited: &StateTable) -> Option<Limit> {
        self.figures.states = visited.len();
        self.figures.bytes = visited.memory();
        let too_many = (visited.len() > self.meter.most_states()).then_some(Limit::States);
        self.limit = self.limit.or(too_many).or_else(|| self.meter.read(self.figures));
        self.limit
    }
}

impl Scheduler for Metered<'_, '_> {
    fn begin(&mut self) {
        self.figures.depth = 0;
        self.scheduler.begin();
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        self.meter.tick();
        if self.meter.is_due() {
            self.limit = self.meter.read(self.figures);
        }
        if self.limit.is_some() { None } else { self.scheduler.choose(enabled) }
    }

    fn done(&mut self, event: &Event) {
        self.figures.depth += 1;
        self.figures.bytes += self.step_bytes;
        self.scheduler.done(event);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.scheduler.finish(run)
    }
}
