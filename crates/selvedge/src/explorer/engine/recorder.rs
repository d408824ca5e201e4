//! Judges the runs of a worker and records what the report needs of them.

use super::findings::{Findings, Witness, is_shown};
use super::formulas::verdicts_of_run;
use super::notes::Note;
use super::run_once::EndedRun;
use super::worker::{UnfinishedRun, WorkerContext};
use crate::control::Execution;
use crate::explorer::api::{Outcome, Strategy, Value};
use crate::explorer::report::RunOrigin;
use selvedge_explore::RunEnd;

/// Judges the runs of a worker and records what the report needs of them.
pub(super) struct Recorder<'r> {
    pub(super) context: &'r WorkerContext<'r>,
    pub(super) findings: &'r mut Findings,
    pub(super) is_only_worker: bool,
}

/// What the worker does after a run.
pub(super) struct Judgement {
    pub(super) is_failure: bool,
    /// The run has to be continued.
    pub(super) unfinished: Option<UnfinishedRun>,
}

impl Recorder<'_> {
    /// Counts the run and records its outcome, unless the run has to be continued to know its outcome.
    pub(super) fn judge(&mut self, strategy: &Strategy, run: EndedRun<'_>) -> Judgement {
        let unfinished = self.unfinished(strategy, &run);
        let is_undecided = unfinished.as_ref().is_some_and(UnfinishedRun::may_be_livelock);
        let was_given_up = strategy.was_given_up() || unfinished.is_some() && !is_undecided;
        let is_failure = !run.outcome.is_returned() && !was_given_up && !is_undecided;
        {
            let state = run.execution.state.borrow();
            let ran_too_long = run.end == RunEnd::StepLimit && state.end.body.is_some();
            self.findings.blocked_by_bound |= state.bound.has_blocked();
            self.findings.cut_off_daemon |= state.bound.has_cut_off_daemon() || ran_too_long;
        }
        self.findings.is_complete &= !self.findings.is_bounded();
        if was_given_up {
            self.findings.given_up += 1;
        } else {
            self.count(strategy, run.end, run.execution);
            if !is_undecided {
                self.record(strategy, run.outcome, run.execution);
            }
        }
        Judgement { is_failure, unfinished }
    }

    /// Counts a complete run.
    pub(super) fn count(&mut self, strategy: &Strategy, end: RunEnd, execution: &Execution) {
        self.findings.executions += 1;
        let acted_while_unwinding = execution.state.borrow().end.went_past;
        let is_whole = end == RunEnd::Finished || strategy.was_cut_by_bounds();
        self.findings.is_complete &= is_whole && !acted_while_unwinding;
        if acted_while_unwinding {
            self.findings.note(Note::ActedWhileUnwinding);
        }
        if let Some(race) = execution.state.borrow_mut().end.unjudged_race.take() {
            self.findings.note(Note::UnjudgedRace(race));
        }
        if let Some(divergence) = strategy.replay_divergence() {
            self.findings.note(Note::ReplayDiverged(divergence));
        }
    }

    /// Records the verdicts and the outcome of the last run, with the run if it is the best witness.
    pub(super) fn record(&mut self, strategy: &Strategy, outcome: Outcome<Value>, execution: &Execution) {
        self.findings.verdicts.add_run(&verdicts_of_run(execution));
        self.visit(&outcome, execution);
        let Some(is_shown) = is_shown((self.context.rules.keep)(&outcome)) else { return };
        let needs_run = is_shown || self.context.team.checkpoint().is_some();
        let is_only_worker = self.is_only_worker;
        let executions = self.findings.executions as u64;
        self.findings.record(outcome, |known| {
            if !needs_run {
                return known.is_none().then(Witness::without_run);
            }
            let rank = strategy.rank(execution, is_only_worker);
            let is_better = known.is_none_or(|known| rank < *known);
            is_better.then(|| {
                let origin = origin_of_run(strategy, is_only_worker.then_some(executions));
                Witness { origin, ..Witness::last_run(execution, rank, is_shown) }
            })
        });
    }

    /// Shows the last run to the visitor, if there is one.
    pub(super) fn visit(&self, outcome: &Outcome<Value>, execution: &Execution) {
        if let Some(visit) = self.context.rules.visit {
            let mut trace = execution.trace.borrow().clone();
            execution.describe_run(&mut trace);
            visit(outcome, &trace);
        }
    }
}

/// Where the last run comes from. It has a number, from 1, if the strategy numbers its runs, or if the runs
/// are counted in a fixed order. The run of a replay comes from where it was found.
fn origin_of_run(strategy: &Strategy, counted: Option<u64>) -> RunOrigin {
    let number = || strategy.run_number().map(|number| number + 1).or(counted);
    strategy.replayed_run().unwrap_or_else(|| RunOrigin { number: number(), is_rearranged: false })
}
