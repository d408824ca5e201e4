//! The continuation of a run in which only spinning threads, and threads that the unroll bound blocks, are
//! left.
//!
//! A thread that the unroll bound blocks ([`unroll_bound`](crate::control::progress)) would time out or
//! yield once more. A thread that spins ([`spin`](crate::control)) waits at a yield until a value that it
//! read changes; it would read again, and may give up after some rounds. To see where that leads, the run is
//! made once more, and these threads go on freely from there. The strategy does not take part. So a loop
//! that waits for an event that never comes is found, as a livelock or as a run with too many steps, and a
//! loop that gives up ends as it does.

use super::super::findings::{Witness, is_shown};
use super::super::formulas::{RunVerdicts, verdicts_of_run};
use super::super::notes::{Note, Refusal};
use super::super::recorder::Recorder;
use super::super::run_once::{EndedRun, RunSettings, Runner};
use super::{PRESENT, Worker, WorkerState};
use crate::control::progress::{MAX_DAEMON_VISITS, UNBOUNDED};
use crate::control::{FIXES_DEADLINE, GIVES_UP, TIME_OUT};
use crate::explorer::api::{Limit, Outcome, SpinPolicy, Strategy, Value};
use selvedge_explore::schedulers::Follow;
use selvedge_explore::{EventId, RunEnd};

/// A loop that spins for this many steps, while no other thread can continue, counts as endless.
const LIVELOCK_STEPS: usize = 10_000;

/// A run that has to be continued to know its outcome.
pub(in super::super) struct UnfinishedRun {
    choices: Vec<EventId>,
    /// The livelock to record if no spinning thread gives up; `None` if the unroll bound blocks a thread.
    /// Boxed: every run returns an `Option` of this type, and few have a livelock.
    livelock: Option<Box<Livelock>>,
}

/// A run that is a livelock if no spinning thread gives up.
struct Livelock {
    outcome: Outcome<Value>,
    /// `None` if the user does not want to retain the outcome.
    witness: Option<Witness>,
    verdicts: RunVerdicts,
}

impl UnfinishedRun {
    /// Whether it is a livelock, unless a spinning thread gives up.
    pub(in super::super) fn may_be_livelock(&self) -> bool {
        self.livelock.is_some()
    }
}

/// Whether a run with these choices lets a spinning thread go on although the values that it read have not
/// changed.
pub(crate) fn has_give_up_choice(choices: impl IntoIterator<Item = EventId>) -> bool {
    choices.into_iter().any(|choice| choice.alternative == GIVES_UP)
}

/// Whether a run with these choices fixes a deadline by a step of its own.
pub(crate) fn has_deadline_choice(choices: impl IntoIterator<Item = EventId>) -> bool {
    choices.into_iter().any(|choice| (FIXES_DEADLINE..TIME_OUT).contains(&choice.alternative))
}

impl Recorder<'_> {
    /// The run that has just ended, if it has to be continued. For the report, one livelock is enough for an
    /// outcome, and for a verdict on a formula.
    pub(in super::super) fn unfinished(
        &self,
        strategy: &Strategy,
        run: &EndedRun<'_>,
    ) -> Option<UnfinishedRun> {
        let EndedRun { outcome, end, is_deadlock, execution } = run;
        if *end != RunEnd::Finished || strategy.was_given_up() {
            return None;
        }
        let (is_blocked_by_bound, spins) = {
            let state = execution.state.borrow();
            (!state.is_finished(), *is_deadlock && state.has_spinner())
        };
        let choices = || execution.trace.borrow().choices().collect();
        if is_blocked_by_bound {
            return Some(UnfinishedRun { choices: choices(), livelock: None });
        }
        if !spins || self.context.options.spinning == SpinPolicy::SpinsForEver {
            return None;
        }
        let verdicts = verdicts_of_run(execution);
        if self.findings.outcomes.contains_key(outcome) && self.findings.verdicts.has_all(&verdicts) {
            return None;
        }
        let witness = is_shown((self.context.rules.keep)(outcome)).map(|is_shown| {
            let rank = strategy.rank(execution, self.is_only_worker);
            Witness::last_run(execution, rank, is_shown)
        });
        let livelock = Box::new(Livelock { outcome: outcome.clone(), witness, verdicts });
        Some(UnfinishedRun { choices: choices(), livelock: Some(livelock) })
    }

    /// Records a livelock: no spinning thread gave up.
    fn record_livelock(&mut self, livelock: Box<Livelock>) {
        self.findings.verdicts.add_run(&livelock.verdicts);
        if let Some(witness) = livelock.witness {
            if let Some(visit) = self.context.rules.visit {
                visit(&livelock.outcome, &witness.trace);
            }
            self.findings.record(livelock.outcome, |_| Some(witness));
        }
    }

    /// Judges the continuation of a run that this strategy began. Returns whether it is a failure.
    fn judge_continuation(
        &mut self,
        strategy: &Strategy,
        run: EndedRun<'_>,
        livelock: Option<Box<Livelock>>,
    ) -> bool {
        match livelock {
            Some(livelock) if run.end == RunEnd::StepLimit => {
                self.record_livelock(livelock);
                return true;
            }
            Some(_) => {
                self.findings.is_complete = false;
                self.findings.note(Note::SpinningLoopGaveUp);
            }
            None => self.count(strategy, run.end, run.execution),
        }
        let is_failure = !run.outcome.is_returned();
        self.record(strategy, run.outcome, run.execution);
        is_failure
    }
}

impl Worker<'_> {
    /// Makes an unfinished run once more and lets its threads go on. Returns whether there is a failure.
    pub(super) fn continue_run(
        &mut self,
        unfinished: UnfinishedRun,
        runner: &mut Runner<'_>,
    ) -> Result<bool, Refusal> {
        let UnfinishedRun { choices, livelock } = unfinished;
        let WorkerState { strategy, findings, .. } = self.state.as_mut().expect(PRESENT);
        let mut recorder = Recorder { context: self.context, findings, is_only_worker: self.is_only_worker };
        if runner.is_broken() {
            // The continuation cannot be made here.
            let is_failure = livelock.is_some();
            livelock.into_iter().for_each(|livelock| recorder.record_livelock(livelock));
            return Ok(is_failure);
        }
        if livelock.is_none() && !self.context.team.may_begin_run() {
            self.context.team.stop(Some(Limit::Executions));
            return Ok(false);
        }
        let max_steps = self.context.options.max_steps;
        let settings = RunSettings {
            max_steps: if livelock.is_some() {
                max_steps.min(choices.len() + LIVELOCK_STEPS)
            } else {
                max_steps
            },
            unroll_bound: UNBOUNDED,
            daemon_bound: MAX_DAEMON_VISITS,
            spins_freely: true,
            keeps_time: strategy.keeps_time().unwrap_or(self.context.options.keeps_time),
            may_be_light: false,
        };
        let mut follow = Strategy::custom(Follow::prefix(choices));
        let run = runner
            .run_once(&mut follow, settings, |_, run| recorder.judge_continuation(strategy, run, livelock));
        recorder.findings.note_time_uses(runner.execution());
        if let Some(why) = run.leaked {
            recorder.findings.note(Note::StackLeaked(why));
        }
        run.judgement
    }
}
