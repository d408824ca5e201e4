//! Is what a run under a domain shows real?
//!
//! The search is repeated with concrete values, within limits. A proposition v of the domain holds of a
//! concrete value w if v is at most as precise as the abstraction of w (Huch, 2001, Definition 7). What
//! the concrete search finds is real. If it is complete and finds nothing, what was found under the
//! domain is spurious.

use super::formula::Proposition;
use super::program::ErlangProgram;
use super::system::{Action, Machine};
use crate::program::{Confirmation, Program, Suspicion, SystemOptions};
use crate::shown_run::ShownRun;
use selvedge_ltl::{Alphabet, Formula};
use selvedge_model::{
    Budget, Counterexample, FailureGoal, Fairness, Limits, Options, Verdict, check, find_failures,
};

/// So many states are searched.
const MAX_STATES: usize = 200_000;

impl ErlangProgram {
    /// Searches the concrete states for what a run under the domain seems to show.
    pub(super) fn confirm_concretely(
        &self,
        suspicion: &Suspicion<'_, Proposition>,
        budget: Budget<'_>,
    ) -> Confirmation {
        let most = budget.limits.states.unwrap_or(usize::MAX).min(MAX_STATES);
        let budget = Budget { limits: Limits { states: Some(most), ..budget.limits }, ..budget };
        match suspicion {
            Suspicion::Violation { formula, fairness } => self.confirm_violation(formula, *fairness, budget),
            _ => self.confirm_failure(suspicion, budget),
        }
    }

    fn concrete_system(&self, atoms: &[Proposition]) -> Option<Machine> {
        self.system(atoms, SystemOptions { concrete: true, ..SystemOptions::default() }).ok()
    }

    fn confirm_violation(
        &self,
        formula: &Formula<Proposition>,
        fairness: Fairness,
        budget: Budget<'_>,
    ) -> Confirmation {
        let mut alphabet = Alphabet::default();
        let numbered = alphabet.number(formula).ok();
        let (Some(numbered), Some(system)) = (numbered, self.concrete_system(alphabet.names())) else {
            return Confirmation::Unknown("there is no concrete system for these propositions".to_owned());
        };
        let options = Options { fairness, reduction: true, budget };
        match check(&system, &numbered, options).map(|report| report.verdict) {
            Ok(Verdict::Violated(run)) => {
                let texts: Vec<String> = alphabet.names().iter().map(ToString::to_string).collect();
                Confirmation::Real(ShownRun::new(&system, &run, &texts))
            }
            Ok(Verdict::Holds) => Confirmation::Spurious,
            Ok(Verdict::Limit(_) | Verdict::MayBeViolated(_)) | Err(_) => limited(),
        }
    }

    fn confirm_failure(&self, suspicion: &Suspicion<'_, Proposition>, budget: Budget<'_>) -> Confirmation {
        let found = self.concrete_failures.get_or_init(|| self.search_failures(budget));
        let run = match suspicion {
            Suspicion::Deadlock => found.deadlock.as_ref(),
            Suspicion::Crash(text) => {
                let mut crashes = found.crashes.iter();
                crashes.find(|(other, _)| place(other) == place(text)).map(|(_, run)| run)
            }
            Suspicion::WaitsForEver(name) => {
                let mut waits = found.waits_for_ever.iter();
                waits.find(|(other, _)| other == name).map(|(_, run)| run)
            }
            Suspicion::Error(_) | Suspicion::Violation { .. } => None,
        };
        match run {
            Some(run) => Confirmation::Real(run.clone()),
            None if found.is_complete => Confirmation::Spurious,
            None => limited(),
        }
    }

    fn search_failures(&self, budget: Budget<'_>) -> ConcreteFailures {
        let Some(system) = self.concrete_system(&[]) else { return ConcreteFailures::default() };
        let failures = find_failures(&system, FailureGoal::All, budget);
        let show = |run: &Counterexample<Action>| ShownRun::new(&system, run, &[]);
        let crashes = failures.crashes.iter().map(|(text, run)| (text.clone(), show(run)));
        let waits = failures.waits_for_ever.iter().map(|((name, _), run)| (name.clone(), show(run)));
        ConcreteFailures {
            deadlock: failures.deadlocks.first().map(show),
            crashes: crashes.collect(),
            waits_for_ever: waits.collect(),
            is_complete: failures.limit.is_none(),
        }
    }
}

/// The failures that a search with concrete values finds.
#[derive(Default)]
pub(super) struct ConcreteFailures {
    deadlock: Option<ShownRun>,
    crashes: Vec<(String, ShownRun)>,
    /// The names of processes.
    waits_for_ever: Vec<(String, ShownRun)>,
    is_complete: bool,
}

/// Where a crash was raised: the values of its reason are others under the domain.
fn place(crash: &str) -> &str {
    crash.rfind(", raised").map_or("", |at| &crash[at..])
}

fn limited() -> Confirmation {
    Confirmation::Unknown("the search with concrete values reached a limit".to_owned())
}
