//! Formulas are judged on runs that have ended.
//!
//! At the return of the body and in a deadlock, the last state stays for ever, so every formula is true or
//! false. The tables of formulas are kept from run to run.
//!
//! Promise: the step at which a verdict fell is the first one after which no continuation of the run
//! satisfies the formula; a verdict without a step fell at the end.

use crate::control::{Recorded, State, ViolatedFormula};
use selvedge_monitor::{Fact, Monitor, OnViolation, Recording, Violation};

/// Judges the formulas of one run after the other.
pub(super) struct FormulaJudge {
    monitor: Monitor<Fact>,
}

impl FormulaJudge {
    pub(super) fn new() -> FormulaJudge {
        let mut monitor = Monitor::new();
        monitor.on_violation(OnViolation::Keep).record(Recording::All);
        FormulaJudge { monitor }
    }

    /// The names of the formulas that the run violates, in the order in which they were added; `None` if it
    /// violates none. The state gets the steps at which the verdicts fell.
    pub(super) fn violated(&mut self, state: &mut State) -> Option<String> {
        let propositions = &mut state.propositions;
        let recorded = &propositions.recorded;
        if !recorded.iter().any(|(_, step)| matches!(step, Recorded::Check(..))) {
            return None;
        }
        self.monitor.restart();
        for (_, step) in recorded {
            self.repeat(step);
        }
        let verdicts = self.monitor.finish_forever();
        let violated = || verdicts.iter().enumerate().filter(|(_, (_, holds))| !holds);
        violated().next()?;
        let names: Vec<&str> = violated().map(|(_, (name, _))| name.as_str()).collect();
        let formula = |(formula, (name, _)): (usize, &(String, bool))| {
            let known = self.monitor.violations().iter().filter(|violation| violation.name == *name);
            let first = known.min_by_key(|violation| violation.state);
            let step = first.and_then(|violation| deciding_step(recorded, formula, violation));
            let binding = first.and_then(|violation| violation.binding.clone());
            ViolatedFormula { formula, step, binding }
        };
        propositions.violated = violated().map(formula).collect();
        Some(names.join(", "))
    }

    fn repeat(&mut self, step: &Recorded) {
        let monitor = &mut self.monitor;
        match step {
            Recorded::Set(fact) => monitor.set(fact),
            Recorded::Release(fact) => monitor.release(fact),
            Recorded::Pulse(fact) => {
                monitor.pulse(fact);
            }
            Recorded::Check(name, property) => {
                let checked = monitor.check(name, (**property).clone());
                checked.expect("`selvedge::check` refuses what cannot be checked");
                return;
            }
        }
        monitor.step();
    }
}

/// The number of the step at which the formula with this number was violated.
fn deciding_step(recorded: &[(usize, Recorded)], formula: usize, violation: &Violation) -> Option<usize> {
    let is_check = |step: &Recorded| matches!(step, Recorded::Check(..));
    if violation.state == violation.began {
        // The state that it begins with violates it.
        return recorded.iter().filter(|(_, step)| is_check(step)).nth(formula).map(|(number, _)| *number);
    }
    let mut states = 0;
    let made = recorded.iter().find(|(_, step)| {
        states += match step {
            Recorded::Set(_) | Recorded::Release(_) => 1,
            Recorded::Pulse(_) => 2,
            Recorded::Check(..) => 0,
        };
        states >= violation.state
    });
    made.map(|(number, _)| *number)
}
