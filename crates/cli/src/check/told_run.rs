//! Runs whose steps become texts one by one, for a run may have millions and a table shows a few of them.

use selvedge_lang::{ShownRun, ShownStep, printed_by};
use selvedge_ltl::Prop;
use selvedge_model::{Counterexample, System};

/// A run that can be told step by step.
pub(super) trait ToldRun {
    /// The number of steps before the cycle, with the initial state.
    fn cycle_start(&self) -> usize;

    /// The number of all steps, with the initial state.
    fn step_count(&self) -> usize;

    /// Does the run end? Then it stutters in its last state.
    fn ends(&self) -> bool;

    /// Does the step with this number print?
    fn prints(&self, number: usize) -> bool;

    /// The texts of the step with this number.
    fn step(&self, number: usize) -> ShownStep;
}

/// A run of a system, with the propositions to show and their texts.
pub(super) struct SystemRun<'r, S: System> {
    system: &'r S,
    run: &'r Counterexample<S::Action>,
    propositions: Vec<(Prop, &'r str)>,
}

impl<'r, S: System> SystemRun<'r, S> {
    pub(super) fn new(
        system: &'r S,
        run: &'r Counterexample<S::Action>,
        propositions: impl IntoIterator<Item = (Prop, &'r str)>,
    ) -> SystemRun<'r, S> {
        SystemRun { system, run, propositions: propositions.into_iter().collect() }
    }
}

impl<S: System> ToldRun for SystemRun<'_, S> {
    fn cycle_start(&self) -> usize {
        self.run.prefix.len()
    }

    fn step_count(&self) -> usize {
        self.run.prefix.len() + self.run.cycle.len()
    }

    fn ends(&self) -> bool {
        self.run.ends()
    }

    fn prints(&self, number: usize) -> bool {
        printed_by(self.system, self.run, number).is_some()
    }

    fn step(&self, number: usize) -> ShownStep {
        ShownStep::new(self.system, self.run, number, &self.propositions)
    }
}

/// A run that a program has confirmed.
impl ToldRun for ShownRun {
    fn cycle_start(&self) -> usize {
        self.prefix.len()
    }

    fn step_count(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    fn ends(&self) -> bool {
        ShownRun::ends(self)
    }

    fn prints(&self, number: usize) -> bool {
        step_of(self, number).printed.is_some()
    }

    fn step(&self, number: usize) -> ShownStep {
        step_of(self, number).clone()
    }
}

fn step_of(run: &ShownRun, number: usize) -> &ShownStep {
    match number.checked_sub(run.prefix.len()) {
        None => &run.prefix[number],
        Some(number) => &run.cycle[number],
    }
}
