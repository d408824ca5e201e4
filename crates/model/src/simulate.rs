//! Some runs instead of all: a scheduler walks through the system, and the properties are judged along the way.
//!
//! A formula is violated by a run as soon as its [`Progression`] is false: whatever comes, it does not hold. A run that
//! ends stutters, and so decides every formula; and where a run comes back to a state that it has been in, going round for
//! ever is a run of the system too, which is judged if it is fair.
//!
//! Promise: every violation is one that [`check`](crate::check()) would find, and is replayed before it is returned. No violation
//! means nothing but that: these runs had none. A run is judged no further where a label does not know a proposition of the formula.

use crate::counterexample::{Counterexample, Step};
use crate::fairness::Fairness;
use crate::store::StateTable;
use crate::system::System;
use crate::truth::satisfies;
use crate::walk::Walk;
use rustc_hash::FxHashMap;
use selvedge_explore::{Next, Scheduler, Trace, run};
use selvedge_ltl::progression::{Progression, Status};
use selvedge_ltl::{Formula, Letter, Prop};

/// In one run, so many cycles are judged for each formula; the time for one grows with the run.
pub const MAX_CYCLES: usize = 100;

/// How to simulate.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// No run takes more steps.
    pub max_steps: usize,
    /// Which cycles count.
    pub fairness: Fairness,
    /// Asked before each run but the first: is there no time left?
    pub is_late: &'a dyn Fn() -> bool,
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
    /// The first run that got stuck, and what it was stuck on is in its last state.
    pub deadlock: Option<Found<A>>,
    /// The first run that met an error, and the error.
    pub error: Option<(String, Found<A>)>,
    /// The first run.
    pub first: Option<Counterexample<A>>,
    /// Were there to be more runs, but no time?
    pub late: bool,
}

/// A run that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<A> {
    /// Its number, from 1.
    pub run: u64,
    /// What happened.
    pub path: Counterexample<A>,
}

/// Walks through the system until the scheduler has no more runs.
pub fn simulate<S: System>(
    system: &S,
    formulas: &[Formula<Prop>],
    scheduler: &mut dyn Scheduler,
    plan: Plan<'_>,
) -> Simulation<S::Action> {
    let mut met = Simulation::new(system.words(), formulas.len());
    let mut walk = Walk::new(system);
    let mut trace = Trace::default();
    loop {
        selvedge_explore::Stepper::restart(&mut walk);
        run(&mut walk, scheduler, plan.max_steps, &mut trace);
        if let Some(path) = walk.run() {
            met.add(system, formulas, path, plan.fairness);
        }
        if scheduler.finish(&trace) == Next::Done {
            return met;
        }
        if (plan.is_late)() {
            met.late = true;
            return met;
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
            late: false,
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
        for (number, formula) in formulas.iter().enumerate() {
            if self.violations[number].is_none() {
                let found = violation(system, formula, &path, fairness);
                self.violations[number] = found.map(|path| Found { run: self.runs, path });
            }
        }
        self.note_end(system, &path);
        if self.first.is_none() {
            self.first = Some(path);
        }
    }

    fn note_end<S: System<Action = A>>(&mut self, system: &S, path: &Counterexample<A>) {
        let Some(last) = path.prefix.last().filter(|_| path.ends()) else { return };
        let found = || Found { run: self.runs, path: path.clone() };
        if let Some(error) = system.error(&last.state) {
            self.errors += 1;
            if self.error.is_none() {
                self.error = Some((error, found()));
            }
        } else if system.is_end(&last.state) {
            self.ended += 1;
        } else {
            self.deadlocks += 1;
            if self.deadlock.is_none() {
                self.deadlock = Some(found());
            }
        }
    }
}

/// The part of the run that violates the formula, if one does.
pub fn violation<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    path: &Counterexample<S::Action>,
    fairness: Fairness,
) -> Option<Counterexample<S::Action>> {
    let mut props = 0;
    formula.propositions(&mut |prop| props |= prop.bit());
    let is_known = |letter: &Letter| letter.may_true & letter.may_false & props == 0;
    let letters = path.prefix.iter().map(|step| system.label(&step.state)).take_while(is_known);
    let letters: Vec<Letter> = letters.collect();
    let found = bad_prefix(formula, &letters)
        .map(|length| Counterexample { prefix: path.prefix[..length].to_vec(), cycle: Vec::new() })
        .or_else(|| bad_end(formula, path, &letters))
        .or_else(|| bad_cycle(system, formula, &path.prefix[..letters.len()], &letters, fairness))?;
    let certain = found.replay_violation(system, formula, fairness);
    assert!(certain, "replay: a violation whose labels were known is certain");
    Some(found)
}

/// How many letters it takes until nothing can make the formula true any more.
fn bad_prefix(formula: &Formula<Prop>, letters: &[Letter]) -> Option<usize> {
    let mut progression = Progression::new(formula);
    letters.iter().position(|letter| progression.step(*letter) == Status::False).map(|index| index + 1)
}

/// The run itself, if it has ended and stutters against the formula.
fn bad_end<A: Copy + Eq>(
    formula: &Formula<Prop>,
    path: &Counterexample<A>,
    letters: &[Letter],
) -> Option<Counterexample<A>> {
    let is_known = path.ends() && letters.len() == path.prefix.len();
    let last = letters.last().filter(|_| is_known)?;
    let word = selvedge_ltl::Word { prefix: letters.to_vec(), cycle: vec![*last] };
    (!satisfies(&word, formula)).then(|| path.clone())
}

/// The run up to a state where it has been before, round and round from there.
fn bad_cycle<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    path: &[Step<S::Action>],
    letters: &[Letter],
    fairness: Fairness,
) -> Option<Counterexample<S::Action>> {
    let mut last_seen = FxHashMap::default();
    let mut judged = 0;
    for (now, step) in path.iter().enumerate() {
        let Some(before) = last_seen.insert(&step.state, now) else { continue };
        judged += 1;
        if judged > MAX_CYCLES {
            return None;
        }
        // The cycle's first letter is that of the state after the one where it begins.
        let (prefix, cycle) = (letters[..=before].to_vec(), letters[before + 1..=now].to_vec());
        let moves = path[before + 1..=now].iter();
        let moves = moves.map(|step| (step.action.map(|action| system.process(action)), &*step.state));
        if !satisfies(&selvedge_ltl::Word { prefix, cycle }, formula) && fairness.admits(system, moves) {
            let (prefix, cycle) = (path[..=before].to_vec(), path[before + 1..=now].to_vec());
            return Some(Counterexample { prefix, cycle });
        }
    }
    None
}
