//! Some runs instead of all: a scheduler walks through the system, and the properties are judged along the way.
//!
//! A run that its scheduler gives up is none: it has come to where all that could be done was done in other runs.
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
use selvedge_explore::{Event, EventId, Next, RunEnd, Scheduler, Stepper, Trace, run};
use selvedge_ltl::{Formula, Prop};
use violation::violation;

pub use violation::MAX_CYCLES;

/// How to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// No run takes more steps.
    pub max_steps: usize,
    /// No more runs are made.
    pub max_runs: u64,
    /// Is it only asked where runs can end? Then see [`Walk::to_ends`]: what changes nothing is no step, and who goes wrong
    /// stops alone.
    pub is_to_ends: bool,
    /// Which cycles count.
    pub fairness: Fairness,
    /// What may be used; its states are those that were visited, counted after each run, and never compressed.
    pub budget: Budget<'a>,
}

impl Default for Plan<'_> {
    /// Runs of at most a thousand steps, as many as the scheduler makes.
    fn default() -> Self {
        let (fairness, budget) = (Fairness::None, Budget::default());
        Plan { max_steps: 1000, max_runs: u64::MAX, is_to_ends: false, fairness, budget }
    }
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
    /// How many of them came to where steps lead nowhere else, and those are left out.
    pub idle: u64,
    /// How many of them took as many steps as they may.
    pub cut: u64,
    /// The states that they went through.
    pub states: StateTable,
    /// The states that they ended in, deadlocks too, but not errors.
    pub ends: StateTable,
    /// For each formula, the first run that violates it.
    pub violations: Vec<Option<Found<A>>>,
    /// The first run that got stuck; what it was stuck on is in its last state.
    pub deadlock: Option<Found<A>>,
    /// What went wrong, in its words, and the first run that it went wrong in.
    pub failures: Vec<(String, Found<A>)>,
    /// The first run.
    pub first: Option<Counterexample<A>>,
    /// What ran out, if there were to be more runs, or longer ones.
    pub limit: Option<Limit>,
    /// Were all runs made that the scheduler had?
    pub is_done: bool,
}

impl<A> Simulation<A> {
    /// Were all runs made, and all to their ends?
    pub fn is_complete(&self) -> bool {
        self.is_done && self.limit.is_none() && self.cut == 0
    }
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
    let mut walk = if plan.is_to_ends { Walk::to_ends(system) } else { Walk::new(system) };
    let mut trace = Trace::default();
    loop {
        walk.restart();
        let end = run(&mut walk, &mut scheduler, plan.max_steps, &mut trace);
        if end == RunEnd::StepLimit {
            scheduler.stopped(&walk.next_of_each());
        }
        let is_run = end != RunEnd::GivenUp || scheduler.limit.is_some();
        if let Some(path) = walk.run().filter(|_| is_run) {
            met.cut += u64::from(end == RunEnd::StepLimit);
            met.idle += u64::from(walk.is_idle());
            met.add(system, formulas, path, plan.fairness);
            met.note_failures(system, walk.failures());
        }
        met.is_done = scheduler.finish(&trace) == Next::Done;
        met.limit = if met.is_done { scheduler.limit } else { scheduler.read(&met.states) };
        if met.is_done || met.limit.is_some() || met.runs >= plan.max_runs {
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
            idle: 0,
            cut: 0,
            states: StateTable::new(words),
            ends: StateTable::new(words),
            violations: (0..formulas).map(|_| None).collect(),
            deadlock: None,
            failures: Vec::new(),
            first: None,
            limit: None,
            is_done: false,
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
        if let Some(error) = system.error(&last.state) {
            self.errors += 1;
            self.note_failure(system, error, path.clone());
            return;
        }
        self.ends.insert(&last.state);
        if system.is_end(&last.state) {
            self.ended += 1;
        } else {
            self.deadlocks += 1;
            self.deadlock.get_or_insert_with(|| {
                path.replay(system, Fairness::None);
                Found { run: self.runs, path: path.clone() }
            });
        }
    }

    /// Notes what went wrong without ending the run.
    fn note_failures<S: System<Action = A>>(
        &mut self,
        system: &S,
        failures: impl Iterator<Item = Counterexample<A>>,
    ) {
        let mut has_failed = false;
        for path in failures {
            has_failed = true;
            let error = path.prefix.last().and_then(|last| system.error(&last.state));
            self.note_failure(system, error.expect("what went wrong is in the last state"), path);
        }
        self.errors += u64::from(has_failed);
    }

    fn note_failure<S: System<Action = A>>(&mut self, system: &S, error: String, path: Counterexample<A>) {
        if self.failures.iter().all(|(known, _)| *known != error) {
            path.replay(system, Fairness::None);
            self.failures.push((error, Found { run: self.runs, path }));
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

    fn stopped(&mut self, left: &[Event]) {
        self.scheduler.stopped(left);
    }

    fn finish(&mut self, run: &Trace) -> Next {
        self.scheduler.finish(run)
    }
}
