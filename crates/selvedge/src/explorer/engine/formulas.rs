//! Formulas are judged on runs that have ended, and their verdicts are counted.
//!
//! At the return of the body and in a deadlock, the last state stays for ever, so every formula is true or
//! false. A run that ends in another way is cut: its formulas have no verdict. The tables of formulas are
//! kept from run to run.
//!
//! Partial-order reduction loses no verdict. The check of a formula, the changes that it mentions and the
//! return of the body depend on each other, so equivalent runs have the same formulas, with the same
//! verdicts. A search that makes one run of each Mazurkiewicz trace therefore finds a run that satisfies a
//! formula if there is one, as it finds a run that violates it.
//!
//! Promise: the step at which a verdict fell is the first one after which no continuation of the run
//! satisfies the formula; a verdict without a step fell at the end.

use crate::control::{Execution, Recorded, State, ViolatedFormula};
use crate::explorer::api::{FormulaRuns, Outcome, Value};
use selvedge_explore::RunEnd;
use selvedge_monitor::{Fact, Monitor, OnViolation, Recording, Violation};
use std::collections::BTreeMap;
use std::sync::Arc;

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

    /// The outcome of a run that has ended in this way, once its formulas are judged.
    pub(super) fn judge(
        &mut self,
        end: RunEnd,
        outcome: Outcome<Value>,
        state: &mut State,
    ) -> Outcome<Value> {
        let has_last_state = matches!(outcome, Outcome::Returned(_) | Outcome::Deadlock);
        if end != RunEnd::Finished || !has_last_state {
            return outcome;
        }
        state.propositions.is_judged = true;
        self.violated(state).map_or(outcome, Outcome::Violated)
    }

    /// The names of the formulas that the run violates, in the order in which they were added; `None` if it
    /// violates none. The state gets the steps at which the verdicts fell.
    fn violated(&mut self, state: &mut State) -> Option<String> {
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

/// The formulas of one run by their names. Does the run satisfy all formulas of the name? `None` if it was
/// cut.
pub(super) type RunVerdicts = BTreeMap<Arc<str>, Option<bool>>;

/// The verdicts of the last run of the execution.
pub(super) fn verdicts_of_run(execution: &Execution) -> RunVerdicts {
    let mut verdicts = RunVerdicts::new();
    for (name, verdict) in execution.state.borrow().propositions.verdicts() {
        let all = verdicts.entry(name.clone()).or_insert(verdict);
        *all = (*all).min(verdict);
    }
    verdicts
}

/// Formulas by their names, with the number of runs of each verdict.
#[derive(Clone, Debug, Default)]
pub(super) struct VerdictCounts(pub(super) BTreeMap<String, FormulaRuns>);

impl VerdictCounts {
    /// Adds a run.
    pub(super) fn add_run(&mut self, verdicts: &RunVerdicts) {
        for (name, verdict) in verdicts {
            self.add(name, FormulaRuns::one(*verdict));
        }
    }

    /// Adds runs of a formula.
    pub(super) fn add(&mut self, name: &str, runs: FormulaRuns) {
        match self.0.get_mut(name) {
            Some(known) => *known += runs,
            None => _ = self.0.insert(name.to_owned(), runs),
        }
    }

    /// Whether each of these verdicts was counted before.
    pub(super) fn has_all(&self, verdicts: &RunVerdicts) -> bool {
        let runs = |name: &str| self.0.get(name).copied().unwrap_or_default();
        verdicts.iter().all(|(name, verdict)| runs(name).with_verdict(*verdict) > 0)
    }
}
