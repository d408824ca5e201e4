//! Is what a run under a domain shows real?
//!
//! First the run is followed with concrete values ([`Followed`]). If no concrete run that follows it shows
//! the same, the search is repeated with concrete values, within limits. A proposition v of the domain holds
//! of a concrete value w if v is at most as precise as the abstraction of w (Huch, 2001, Definition 7). What
//! a concrete search finds is real. What was found under the domain is spurious if no concrete run follows
//! it, and none was found that shows the same.

use super::formula::Proposition;
use super::program::ErlangProgram;
use super::replay::Followed;
use super::system::{Action, Machine};
use crate::program::{Confirmation, Program, Suspicion, SystemOptions};
use crate::shown_run::ShownRun;
use selvedge_ltl::{Alphabet, Formula};
use selvedge_model::{
    Budget, Counterexample, FailureGoal, Fairness, Limit, Limits, Options, System, Verdict, check,
    find_failures,
};

/// So many states are searched.
const MAX_STATES: usize = 200_000;

/// A run under the domain, with the system that took its steps.
pub(super) struct AbstractRun<'a> {
    pub(super) system: &'a Machine,
    pub(super) run: &'a Counterexample<Action>,
}

/// What the search of the concrete runs that follow an abstract one found.
enum Replay {
    /// This run shows the same.
    Confirmed(ShownRun),
    /// None does.
    None,
    /// A limit was reached.
    Limited,
}

impl ErlangProgram {
    /// Searches the concrete states for what a run under the domain seems to show.
    pub(super) fn confirm_concretely(
        &self,
        run: &AbstractRun<'_>,
        suspicion: &Suspicion<'_, Proposition>,
        budget: Budget<'_>,
    ) -> Confirmation {
        let most = budget.limits.states.unwrap_or(usize::MAX).min(MAX_STATES);
        let budget = Budget { limits: Limits { states: Some(most), ..budget.limits }, ..budget };
        match suspicion {
            Suspicion::Violation { formula, fairness } => {
                self.confirm_violation(run, formula, *fairness, budget)
            }
            _ => self.confirm_failure(run, suspicion, budget),
        }
    }

    fn concrete_system(&self, atoms: &[Proposition], fairness: Fairness) -> Option<Machine> {
        let fair = fairness != Fairness::None;
        self.system(atoms, SystemOptions { concrete: true, fair, ..SystemOptions::default() }).ok()
    }

    fn confirm_violation(
        &self,
        run: &AbstractRun<'_>,
        formula: &Formula<Proposition>,
        fairness: Fairness,
        budget: Budget<'_>,
    ) -> Confirmation {
        let mut alphabet = Alphabet::default();
        let numbered = alphabet.number(formula).ok();
        let (Some(numbered), Some(system)) = (numbered, self.concrete_system(alphabet.names(), fairness))
        else {
            return Confirmation::Unknown("there is no concrete system for these propositions".to_owned());
        };
        let texts: Vec<String> = alphabet.names().iter().map(ToString::to_string).collect();
        let followed = Followed::new(&system, run.system, run.run);
        let options = Options { fairness, reduction: false, budget };
        let replay = match check(&followed, &numbered, options).map(|report| report.verdict) {
            Ok(Verdict::Violated(run)) => Replay::Confirmed(ShownRun::new(&followed, &run, &texts)),
            Ok(Verdict::Holds | Verdict::Limit(Limit::Language)) if !followed.is_limited() => Replay::None,
            _ => Replay::Limited,
        };
        if let Replay::Confirmed(run) = replay {
            return Confirmation::Real { run, follows: true };
        }
        let options = Options { fairness, reduction: true, budget };
        match check(&system, &numbered, options).map(|report| report.verdict) {
            Ok(Verdict::Violated(run)) => {
                Confirmation::Real { run: ShownRun::new(&system, &run, &texts), follows: false }
            }
            Ok(Verdict::Holds) => Confirmation::Spurious { is_refuted: true },
            Ok(Verdict::Limit(_) | Verdict::MayBeViolated(_)) | Err(_) => not_found(&replay),
        }
    }

    fn confirm_failure(
        &self,
        run: &AbstractRun<'_>,
        suspicion: &Suspicion<'_, Proposition>,
        budget: Budget<'_>,
    ) -> Confirmation {
        let replay = self.replay_failure(run, suspicion, budget);
        if let Replay::Confirmed(run) = replay {
            return Confirmation::Real { run, follows: true };
        }
        let found = self.concrete_failures.get_or_init(|| self.search_failures(budget));
        match found.find(suspicion) {
            Some(run) => Confirmation::Real { run: run.clone(), follows: false },
            None if found.is_complete => Confirmation::Spurious { is_refuted: true },
            None => not_found(&replay),
        }
    }

    fn replay_failure(
        &self,
        run: &AbstractRun<'_>,
        suspicion: &Suspicion<'_, Proposition>,
        budget: Budget<'_>,
    ) -> Replay {
        let Some(system) = self.concrete_system(&[], Fairness::None) else { return Replay::Limited };
        let followed = Followed::new(&system, run.system, run.run);
        let failures = ConcreteFailures::of(&followed, budget);
        match failures.find(suspicion) {
            Some(run) => Replay::Confirmed(run.clone()),
            None if failures.is_followed && !followed.is_limited() => Replay::None,
            None => Replay::Limited,
        }
    }

    fn search_failures(&self, budget: Budget<'_>) -> ConcreteFailures {
        let system = self.concrete_system(&[], Fairness::None);
        system.map_or_else(ConcreteFailures::default, |system| ConcreteFailures::of(&system, budget))
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
    /// Was the search complete but for steps that are cut off?
    is_followed: bool,
}

impl ConcreteFailures {
    fn of<S: System<Action = Action>>(system: &S, budget: Budget<'_>) -> ConcreteFailures {
        let failures = find_failures(system, FailureGoal::All, budget);
        let show = |run: &Counterexample<Action>| ShownRun::new(system, run, &[]);
        let crashes = failures.crashes.iter().map(|(text, run)| (text.clone(), show(run)));
        let waits = failures.waits_for_ever.iter().map(|((name, _), run)| (name.clone(), show(run)));
        ConcreteFailures {
            deadlock: failures.deadlocks.first().map(show),
            crashes: crashes.collect(),
            waits_for_ever: waits.collect(),
            is_complete: failures.limit.is_none(),
            is_followed: matches!(failures.limit, None | Some(Limit::Language)),
        }
    }

    fn find(&self, suspicion: &Suspicion<'_, Proposition>) -> Option<&ShownRun> {
        match suspicion {
            Suspicion::Deadlock => self.deadlock.as_ref(),
            Suspicion::Crash(text) => {
                let mut crashes = self.crashes.iter();
                crashes.find(|(other, _)| place(other) == place(text)).map(|(_, run)| run)
            }
            Suspicion::WaitsForEver(name) => {
                let mut waits = self.waits_for_ever.iter();
                waits.find(|(other, _)| other == name).map(|(_, run)| run)
            }
            Suspicion::Error(_) | Suspicion::Violation { .. } => None,
        }
    }
}

/// Where a crash was raised: the values of its reason are others under the domain.
fn place(crash: &str) -> &str {
    crash.rfind(", raised").map_or("", |at| &crash[at..])
}

/// The search of all concrete runs reached a limit.
fn not_found(replay: &Replay) -> Confirmation {
    match replay {
        Replay::None => Confirmation::Spurious { is_refuted: false },
        _ => Confirmation::Unknown("the search with concrete values reached a limit".to_owned()),
    }
}
