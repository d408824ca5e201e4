//! Formulas are judged on runs that have ended.
//!
//! At the return of the body and in a deadlock, the last state stays for ever, so every formula is true or
//! false. The tables of formulas are kept from run to run.

use crate::control::{Recorded, State};
use selvedge_monitor::{Fact, Monitor, OnViolation, Recording};

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
    /// violates none.
    pub(super) fn violated(&mut self, state: &State) -> Option<String> {
        let recorded = &state.propositions.recorded;
        if !recorded.iter().any(|step| matches!(step, Recorded::Check(..))) {
            return None;
        }
        self.monitor.restart();
        for step in recorded {
            self.repeat(step);
        }
        let verdicts = self.monitor.finish_forever();
        let violated: Vec<String> =
            verdicts.into_iter().filter(|(_, holds)| !holds).map(|(name, _)| name).collect();
        (!violated.is_empty()).then(|| violated.join(", "))
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
