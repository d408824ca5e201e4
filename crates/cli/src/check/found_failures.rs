//! The failures of a model, beside its properties: deadlocks, run-time errors, crashes of single processes,
//! processes that wait for ever.
//!
//! Promise: a failure on a run that may not be real is one unless the program refutes it.

use super::doubt::{Doubt, examine};
use super::limit_text::ReachedLimit;
use super::plan::CheckPlan;
use super::rendered_run::RenderedRun;
use super::trace_table;
use crate::failure::Failure;
use crate::model_file::ActionOf;
use selvedge_lang::{Program, Suspicion};
use selvedge_model::{Counterexample, Failures, System};

/// The failures that can be reached.
#[derive(Default)]
pub(super) struct FoundFailures {
    /// One for each set of places that wait, nearest first.
    pub(super) deadlocks: Vec<FoundFailure>,
    /// The number of deadlocked states.
    pub(super) deadlock_count: usize,
    /// The number of sets of places that wait, of which not all may be listed.
    pub(super) waiting_sets: usize,
    pub(super) errors: Vec<FoundFailure>,
    pub(super) crashes: Vec<FoundFailure>,
    pub(super) waits_for_ever: Vec<FoundFailure>,
    /// The limit that stopped the search.
    pub(super) limit: Option<ReachedLimit>,
    pub(super) states: usize,
}

/// A failure, and a run that shows it.
pub(super) struct FoundFailure {
    pub(super) message: String,
    /// In how many states the failure is the same, if they are counted.
    pub(super) states: usize,
    pub(super) run: RenderedRun,
    /// `None` if the run is real.
    pub(super) doubt: Option<Doubt>,
}

impl FoundFailure {
    fn is_refuted(&self) -> bool {
        self.doubt == Some(Doubt::Spurious { is_refuted: true })
    }
}

impl FoundFailures {
    /// The failures of a pass, each examined.
    pub(super) fn new<P: Program>(
        program: &P,
        system: &P::System,
        failures: &Failures<ActionOf<P>>,
        plan: &CheckPlan,
    ) -> Result<FoundFailures, Failure> {
        type Run<P> = Counterexample<ActionOf<P>>;
        let found = |message: String, run: &Run<P>, suspicion: Suspicion<'_, P::Atom>| {
            let (run, doubt) = examine(program, system, (run, &[]), suspicion, &plan.search)?;
            Ok(FoundFailure { message, states: 1, run, doubt })
        };
        let deadlock = |(run, alike): (&Run<P>, &usize)| {
            let told = found(trace_table::describe_deadlock(system, run), run, Suspicion::Deadlock)?;
            Ok(FoundFailure { states: *alike, ..told })
        };
        let deadlocks = failures.deadlocks.iter().zip(&failures.deadlocks_alike).take(plan.max_deadlocks);
        let error = |(text, run): &(String, Run<P>)| found(text.clone(), run, Suspicion::Error(text));
        let crash =
            |(text, run): &(String, Run<P>)| found(format!("crash: {text}"), run, Suspicion::Crash(text));
        let wait = |((process, condition), run): &((String, String), Run<P>)| {
            let message = format!("{process} waits for ever for {condition}");
            found(message, run, Suspicion::WaitsForEver(process))
        };
        let limit = failures.limit.map(|limit| ReachedLimit::new(limit, system.first_cut()));
        Ok(FoundFailures {
            deadlocks: deadlocks.map(deadlock).collect::<Result<_, Failure>>()?,
            deadlock_count: failures.deadlock_count,
            waiting_sets: failures.waiting_sets,
            errors: failures.errors.iter().map(error).collect::<Result<_, Failure>>()?,
            crashes: failures.crashes.iter().map(crash).collect::<Result<_, Failure>>()?,
            waits_for_ever: failures.waits_for_ever.iter().map(wait).collect::<Result<_, Failure>>()?,
            limit,
            states: failures.stats.states,
        })
    }

    /// Is a failure among them? A deadlock, or a process that waits for ever, is one only if that is asked.
    pub(super) fn is_failure(&self, fails_on_deadlock: bool) -> bool {
        let is_failure = |failures: &[FoundFailure]| !failures.iter().all(FoundFailure::is_refuted);
        let has_unlisted_deadlock = self.deadlock_count > self.deadlocks.len();
        let is_blocked =
            has_unlisted_deadlock || is_failure(&self.deadlocks) || is_failure(&self.waits_for_ever);
        is_failure(&self.errors) || is_failure(&self.crashes) || (fails_on_deadlock && is_blocked)
    }
}
