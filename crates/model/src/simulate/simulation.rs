//! Some runs instead of all: a scheduler walks through the system, and each run is judged by the properties.
//!
//! A run that its scheduler abandons does not count: every continuation of it was explored in other runs.
//!
//! `simulate/violation.rs` says what a finite run tells about a formula. Deadlocks and errors are ends of
//! runs.
//!
//! Promise: [`check`](crate::check()) would find every violation too; each is replayed before it is
//! returned, as is every other run. If there is no violation, these runs had none, and others may. When a
//! limit is reached, the current run is abandoned and judged as far as it went.

use super::Walk;
use super::violation::violation;
use crate::check::CheckError;
use crate::ltl::{Counterexample, Fairness, MAX_FAIR_PROCESSES, Step};
use crate::search::{Budget, Limit, Meter, Stats};
use crate::store::StateTable;
use crate::system::{System, Word};
use selvedge_explore::{Event, EventId, Next, RunEnd, Scheduler, Stepper, Trace, run};
use selvedge_ltl::{Formula, Prop};

/// The options of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct SimulationOptions<'a> {
    /// The largest number of steps of a run.
    pub max_steps: usize,
    /// The largest number of runs.
    pub max_runs: u64,
    /// Do only the ends of runs matter? Then see [`Walk::to_ends`]: a step that changes nothing is no step,
    /// and a process that fails stops alone.
    pub is_to_ends: bool,
    /// The cycles that count.
    pub fairness: Fairness,
    /// The limits. Its states are the visited ones, counted after each run.
    pub budget: Budget<'a>,
}

impl Default for SimulationOptions<'_> {
    /// Runs of at most a thousand steps, as many as the scheduler makes.
    fn default() -> Self {
        let (fairness, budget) = (Fairness::None, Budget::default());
        SimulationOptions { max_steps: 1000, max_runs: u64::MAX, is_to_ends: false, fairness, budget }
    }
}

/// The result of a simulation.
#[derive(Debug)]
pub struct Simulation<A> {
    /// The number of runs.
    pub runs: u64,
    /// The number of their steps.
    pub steps: u64,
    /// The number of runs that ended, without deadlocks and errors.
    pub ended: u64,
    /// The number of runs that ended in a deadlock.
    pub deadlocks: u64,
    /// The number of runs with an error.
    pub errors: u64,
    /// The number of runs in which a process crashed.
    pub crashed: u64,
    /// The number of runs that reached a state whose only steps change nothing, if those are left out.
    pub idle: u64,
    /// The number of runs that the limit on steps cut, or a bound of the language.
    pub cut: u64,
    /// The visited states.
    pub states: StateTable,
    /// The states in which runs ended, with deadlocks and without errors.
    pub ends: StateTable,
    /// For each formula, the first run that violates it.
    pub violations: Vec<Option<NumberedRun<A>>>,
    /// The first run that ended in a deadlock.
    pub deadlock: Option<NumberedRun<A>>,
    /// The error messages, each with the first run that has it.
    pub failures: Vec<(String, NumberedRun<A>)>,
    /// The crashes of single processes, each with the first run up to it.
    pub crashes: Vec<(String, NumberedRun<A>)>,
    /// The first run.
    pub first: Option<Counterexample<A>>,
    /// The limit that was reached, if there would have been more or longer runs.
    pub limit: Option<Limit>,
    /// Did the scheduler have no more runs?
    pub is_done: bool,
}

impl<A> Simulation<A> {
    /// Were all runs made, each to its end?
    pub fn is_complete(&self) -> bool {
        self.is_done && self.limit.is_none() && self.cut == 0
    }
}

/// A run and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedRun<A> {
    /// The number of the run, from 1.
    pub run: u64,
    /// The steps of the run.
    pub path: Counterexample<A>,
}

/// Walks through the system, whose steps are real, until the scheduler has no more runs, or a limit is
/// reached.
pub fn simulate<S: System>(
    system: &S,
    formulas: &[Formula<Prop>],
    scheduler: &mut dyn Scheduler,
    options: SimulationOptions<'_>,
) -> Result<Simulation<S::Action>, CheckError> {
    if options.fairness != Fairness::None && system.processes() > MAX_FAIR_PROCESSES {
        return Err(CheckError::TooManyProcesses(system.processes()));
    }
    if !system.has_real_steps() {
        return Err(CheckError::AbstractSteps);
    }
    let mut simulation = Simulation::new(system.words(), formulas.len());
    let mut scheduler = Metered::new::<S>(scheduler, options.budget, system.words());
    let mut walk = if options.is_to_ends { Walk::to_ends(system) } else { Walk::new(system) };
    let mut trace = Trace::default();
    loop {
        walk.restart();
        let end = run(&mut walk, &mut scheduler, options.max_steps, &mut trace);
        if end == RunEnd::StepLimit {
            scheduler.stopped(&walk.next_events());
        }
        let is_run = end != RunEnd::GivenUp || scheduler.limit.is_some();
        if let Some(path) = walk.run().filter(|_| is_run) {
            simulation.cut += u64::from(end == RunEnd::StepLimit || walk.is_cut());
            simulation.idle += u64::from(walk.is_idle());
            simulation.add(system, formulas, path, options.fairness);
            simulation.note_failures(system, walk.failures());
        }
        simulation.is_done = scheduler.finish(&trace) == Next::Done;
        simulation.limit = if simulation.is_done {
            scheduler.limit
        } else {
            scheduler.read(&simulation.states, system.table_bytes())
        };
        if simulation.is_done || simulation.limit.is_some() || simulation.runs >= options.max_runs {
            simulation.limit = simulation.limit.or_else(|| system.first_cut().map(|_| Limit::Language));
            return Ok(simulation);
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
            crashed: 0,
            idle: 0,
            cut: 0,
            states: StateTable::new(words),
            ends: StateTable::new(words),
            violations: (0..formulas).map(|_| None).collect(),
            deadlock: None,
            failures: Vec::new(),
            crashes: Vec::new(),
            first: None,
            limit: None,
            is_done: false,
        }
    }

    /// Judges a run.
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
        for (violating, formula) in self.violations.iter_mut().zip(formulas) {
            if violating.is_none() {
                let path = violation(system, formula, &path, fairness);
                *violating = path.map(|path| NumberedRun { run: self.runs, path });
            }
        }
        self.note_crashes(system, &path);
        self.note_end(system, &path);
        if self.first.is_none() {
            path.replay(system, Fairness::None);
            self.first = Some(path);
        }
    }

    /// Notes the crashes of single processes.
    fn note_crashes<S: System<Action = A>>(&mut self, system: &S, path: &Counterexample<A>) {
        let mut has_crashed = false;
        for (index, step) in path.prefix.iter().enumerate() {
            let Some(text) = step.action.and_then(|action| system.crash(action)) else { continue };
            has_crashed = true;
            if self.crashes.iter().all(|(known, _)| *known != text) {
                let path = Counterexample { prefix: path.prefix[..=index].to_vec(), cycle: Vec::new() };
                path.replay(system, Fairness::None);
                self.crashes.push((text, NumberedRun { run: self.runs, path }));
            }
        }
        self.crashed += u64::from(has_crashed);
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
                NumberedRun { run: self.runs, path: path.clone() }
            });
        }
    }

    /// Notes the errors of processes that stopped without ending the run.
    fn note_failures<S: System<Action = A>>(
        &mut self,
        system: &S,
        failures: impl Iterator<Item = Counterexample<A>>,
    ) {
        let mut has_failed = false;
        for path in failures {
            has_failed = true;
            let error = path.prefix.last().and_then(|last| system.error(&last.state));
            self.note_failure(system, error.expect("the error is in the last state"), path);
        }
        self.errors += u64::from(has_failed);
    }

    fn note_failure<S: System<Action = A>>(&mut self, system: &S, error: String, path: Counterexample<A>) {
        if self.failures.iter().all(|(known, _)| *known != error) {
            path.replay(system, Fairness::None);
            self.failures.push((error, NumberedRun { run: self.runs, path }));
        }
    }
}

/// A scheduler that abandons its run when a limit is reached.
struct Metered<'s, 'b> {
    scheduler: &'s mut dyn Scheduler,
    meter: Meter<'b>,
    figures: Stats,
    /// The bytes of a step of the current run.
    step_bytes: usize,
    limit: Option<Limit>,
}

impl<'s, 'b> Metered<'s, 'b> {
    fn new<S: System>(scheduler: &'s mut dyn Scheduler, budget: Budget<'b>, words: usize) -> Self {
        let step_bytes = size_of::<Step<S::Action>>() + size_of::<Word>() * words + size_of::<Event>();
        let (meter, figures) = (Meter::start(budget), Stats::default());
        Metered { scheduler, meter, figures, step_bytes, limit: None }
    }

    /// Checks the limits between two runs; the system's own tables have this many bytes.
    fn read(&mut self, visited: &StateTable, table_bytes: usize) -> Option<Limit> {
        self.figures.states = visited.len();
        self.figures.bytes = visited.memory() + table_bytes;
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
