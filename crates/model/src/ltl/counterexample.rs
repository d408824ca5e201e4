//! A counterexample: a prefix, and a cycle that repeats for ever.
//!
//! Promise: [`Counterexample::replay`] follows the run step by step and panics if it is not a run of the
//! system, not fair, or does not violate the formula. Every counterexample is replayed before it is
//! returned; a failed replay is a bug in this crate.

use super::{Fairness, satisfies};
use crate::system::{States, Steps, System, Word};
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Formula, Letter, Prop};

/// The length of runs that are also judged by the definition of the formula, which takes quadratic time.
const MAX_BY_DEFINITION: usize = 200;

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<A> {
    /// The action; `None` in an initial state, and in a run that has ended.
    pub action: Option<A>,
    /// The state that the action leads to.
    pub state: Box<[Word]>,
}

/// A run of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample<A> {
    /// An initial state without an action, and the steps from there.
    pub prefix: Vec<Step<A>>,
    /// The steps that repeat for ever, from the prefix's last state back to it. A single step without an
    /// action in a run that ends; empty if the prefix alone violates the formula.
    pub cycle: Vec<Step<A>>,
}

impl<A: Copy + Eq> Counterexample<A> {
    /// Has the run ended? Then it stutters in its last state.
    pub fn ends(&self) -> bool {
        matches!(self.cycle.as_slice(), [Step { action: None, .. }])
    }

    /// The same run in its shortest form: the cycle is not a repetition, and the prefix does not end with
    /// steps of it.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        let length = self.cycle.len();
        let periodic =
            |cycle: &[Step<A>], period: usize| (period..length).all(|i| cycle[i] == cycle[i - period]);
        if let Some(period) = (1..length).find(|p| length.is_multiple_of(*p) && periodic(&self.cycle, *p)) {
            self.cycle.truncate(period);
        }
        let back = self.common_end();
        self.prefix.truncate(self.prefix.len() - back);
        let length = self.cycle.len().max(1);
        self.cycle.rotate_right(back % length);
        self
    }

    /// The number of the prefix's last steps that are the cycle's, backwards round the cycle, each from the
    /// same state.
    fn common_end(&self) -> usize {
        let round = |back: usize| &self.cycle[self.cycle.len() - 1 - back % self.cycle.len()];
        let most = if self.cycle.is_empty() { 0 } else { self.prefix.len() - 1 };
        let is_common = |back: &usize| {
            let last = self.prefix.len() - 1 - back;
            self.prefix[last] == *round(*back) && self.prefix[last - 1].state == round(back + 1).state
        };
        (0..most).take_while(is_common).count()
    }

    /// Follows the run again. Panics, saying what is wrong, if the system has no such run or it is not fair.
    pub fn replay<S: System<Action = A>>(&self, system: &S, fairness: Fairness) {
        let first = self.prefix.first().expect("replay: a run has an initial state");
        let mut initial = States::new(system.words());
        system.initial(&mut initial);
        assert!(initial.iter().any(|state| *state == *first.state), "replay: the first state is not initial");
        assert!(first.action.is_none(), "replay: nothing is done in an initial state");
        let mut from = &first.state;
        for step in self.prefix.iter().skip(1).chain(&self.cycle) {
            replay_step(system, from, step);
            from = &step.state;
        }
        if !self.cycle.is_empty() {
            let last = self.prefix.last().expect("a prefix");
            assert!(from == &last.state, "replay: the cycle does not lead back to where it began");
            let run =
                self.cycle.iter().map(|step| (step.action.map_or(0, |a| system.movers(a)), &*step.state));
            assert!(fairness.admits(system, run), "replay: the cycle is not fair");
        }
    }

    /// The labels along the run.
    pub fn letters<S: System<Action = A>>(&self, system: &S) -> selvedge_ltl::Word {
        let letters = |steps: &[Step<A>]| steps.iter().map(|step| system.label(&step.state)).collect();
        selvedge_ltl::Word { prefix: letters(&self.prefix), cycle: letters(&self.cycle) }
    }

    /// Replays the run, and panics too if it satisfies the formula. Returns whether the violation is
    /// certain; it is not where a label leaves one of the formula's propositions unknown.
    pub fn replay_violation<S: System<Action = A>>(
        &self,
        system: &S,
        formula: &Formula<Prop>,
        fairness: Fairness,
    ) -> bool {
        self.replay(system, fairness);
        let word = self.letters(system);
        let mut props = 0;
        formula.propositions(&mut |prop| props |= prop.bit());
        let is_known = |letter: &Letter| letter.may_true & letter.may_false & props == 0;
        let certain = word.prefix.iter().chain(&word.cycle).all(is_known);
        if certain {
            let word = continued(word);
            assert!(!satisfies(&word, formula), "replay: the run satisfies the formula");
            let is_short = word.len() <= MAX_BY_DEFINITION;
            assert!(
                !is_short || !holds(&word, formula),
                "replay: the run satisfies the formula by its definition"
            );
        }
        certain
    }
}

/// A prefix without a cycle violates the formula whatever follows; here its last letter follows for ever.
fn continued(mut word: selvedge_ltl::Word) -> selvedge_ltl::Word {
    if word.cycle.is_empty() {
        word.cycle.extend(word.prefix.last().copied());
    }
    word
}

fn replay_step<S: System>(system: &S, from: &[Word], step: &Step<S::Action>) {
    let mut steps = Steps::new(system.words());
    system.successors(from, &mut steps);
    match step.action {
        None => {
            assert!(steps.is_empty(), "replay: the run stutters where it can go on");
            assert!(!system.is_cut(from), "replay: the run stutters where its steps were cut off");
            assert!(*step.state == *from, "replay: stuttering changes the state");
        }
        Some(action) => {
            let is_step = |(known, target)| known == action && target == &*step.state;
            assert!(steps.iter().any(is_step), "replay: the system has no such step");
        }
    }
}
