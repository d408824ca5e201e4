//! One round of an exploration, from its beginning to its report: workers, checkpoint, findings.

use super::checkpoint::{Checkpoint, SavedExploration, SavedOutcome};
use super::context::RunContext;
use super::findings::{Findings, Witness, is_shown};
use super::notes::{Note, SOURCES_OF_NONDETERMINISM, one_line};
use super::remake::remake;
use super::run_once::Body;
use super::simplest;
use super::team::{Team, WorkerState};
use super::worker::{RunRules, WorkerContext};
use crate::control::exception;
use crate::explorer::api::{Limit, Options, Report, Strategy, Value};
use crate::explorer::report::{Progress, Tick, Watchdog};
use selvedge_explore::EventId;
use selvedge_explore::schedulers::Bounds;
use std::sync::Arc;
use std::time::Instant;

/// A round that has ended.
pub(super) struct FinishedRound {
    /// The bounds of the strategy.
    bounds: Bounds,
    pub(super) findings: Findings,
    pub(super) limit: Option<Limit>,
    /// The context of one worker.
    context: RunContext,
    workers: usize,
    team: Arc<Team>,
}

/// Explores one round. It continues with the findings of the rounds before.
pub(super) fn explore_round(
    options: &Options,
    strategy: Strategy,
    body: Body<'_>,
    rules: RunRules<'_>,
    before: Findings,
) -> FinishedRound {
    exception::install_hook();
    #[cfg(unix)]
    crate::control::fiber::install_handlers();
    crate::explorer::report::prepare_directory();
    let mut contexts = RunContext::for_workers(options, &strategy);
    let (is_systematic, bounds) = (strategy.is_systematic, strategy.bounds());
    let (team, before) = assemble_team(options, &contexts[0], strategy, (body, rules), before);
    let team = Arc::new(team);
    let mut findings = {
        let mut ticks = team.wants_ticks().then(|| team.clone() as Arc<dyn Tick>);
        let watch = |context: &RunContext| {
            let (name, heartbeat) = (context.name.text().clone(), context.heartbeat.clone());
            Watchdog::with_ticks(name, heartbeat, options.patience, ticks.take())
        };
        let _watchdogs: Vec<Watchdog> = contexts.iter().map(watch).collect();
        let context = WorkerContext { options, team: &team, body, rules, started: Instant::now() };
        collect(&team, context.explore(&contexts, before))
    };
    findings.is_complete &= is_systematic;
    let (limit, workers) = (team.take_remaining().0, contexts.len());
    FinishedRound { findings, bounds, limit, workers, context: contexts.swap_remove(0), team }
}

impl FinishedRound {
    /// The report. Its runs are simplified.
    pub(super) fn into_report(self, options: &Options, body: Body<'_>) -> Report<Value> {
        let FinishedRound { mut findings, bounds, limit, context, workers, team } = self;
        simplest::remake_provisional_runs(options, &context, body, &mut findings);
        if workers > 1 {
            simplest::normalise_runs(options, &context, body, &mut findings);
        }
        if context.simplifies {
            simplest::simplify_runs(options, &context, body, &mut findings);
        }
        let report = findings.into_report(&context, bounds, limit);
        if let Some(progress) = team.progress() {
            progress.end(&report.extent(), team.extent().1);
        }
        report
    }
}

/// The team with its first tasks, and the findings so far. If there is a checkpoint, both come from it.
fn assemble_team(
    options: &Options,
    context: &RunContext,
    strategy: Strategy,
    (body, rules): (Body<'_>, RunRules<'_>),
    mut findings: Findings,
) -> (Team, Findings) {
    let workers = if context.is_only_worker { 1 } else { options.workers };
    if workers < options.workers {
        findings.note(Note::OneWorker { strategy: context.strategy.to_string(), wanted: options.workers });
    }
    let checkpoint = Checkpoint::of(options, context.name.text(), &context.strategy);
    let checkpoint = checkpoint.filter(|_| !options.in_child_process && strategy.can_be_saved());
    assert!(
        checkpoint.is_some() || options.checkpoint.is_none(),
        "selvedge: an exploration by {} cannot be written down as a checkpoint; leave `checkpoint` out",
        context.strategy
    );
    let total = strategy.total();
    let saved = checkpoint.as_ref().and_then(|checkpoint| Some((checkpoint, checkpoint.read()?)));
    let mut tasks = match saved {
        Some((checkpoint, saved)) => {
            resume(checkpoint, &saved, &mut findings, (options, context, body, rules));
            let loaded = strategy.load(&saved.state);
            loaded.unwrap_or_else(|message| checkpoint.refuse(&message))
        }
        None => strategy.shares(workers),
    };
    tasks.reverse();
    let total = total.map(|total| options.max_executions.map_or(total, |max| total.min(max)));
    let progress = Progress::new(context.name.text().clone(), options.progress, total);
    let team = Team::new(workers, tasks, findings.runs(), options.max_executions);
    (team.with_checkpoint(checkpoint).with_progress(progress), findings)
}

/// Takes over the findings of a checkpoint. Its runs are made once more.
fn resume(
    checkpoint: &Checkpoint,
    saved: &SavedExploration,
    findings: &mut Findings,
    (options, context, body, rules): (&Options, &RunContext, Body<'_>, RunRules<'_>),
) {
    *options.threads.lock() = saved.threads.clone();
    (findings.executions, findings.given_up) = (saved.executions, saved.given_up);
    (findings.is_complete, findings.figures) = (saved.is_complete, saved.figures);
    saved.formulas.iter().for_each(|(name, runs)| findings.verdicts.add(name, *runs));
    saved.notes.iter().for_each(|note| findings.note(Note::Saved(note.clone())));
    let choices: Vec<Vec<EventId>> = saved.outcomes.iter().map(|saved| saved.choices.clone()).collect();
    let mut difference = None;
    remake(options, context, body, &choices, &mut |index, outcome, execution| {
        let SavedOutcome { rank, text, runs, .. } = &saved.outcomes[index];
        let now = outcome.as_ref().map(|outcome| one_line(&outcome.to_string()));
        let Some(outcome) = outcome.filter(|_| now.as_ref() == Some(text)) else {
            difference = Some((text, now.unwrap_or_else(|| "something else".to_owned())));
            return;
        };
        if let Some(is_shown) = is_shown((rules.keep)(&outcome)) {
            let witness = Witness::last_run(execution, rank.clone(), is_shown);
            findings.add(outcome, Witness { runs: *runs, ..witness });
        }
    });
    if let Some((was, now)) = difference {
        checkpoint.refuse(&format!(
            "a run that ended as `{was}` ends as `{now}` now: the program has changed, or {SOURCES_OF_NONDETERMINISM}"
        ));
    }
}

/// Joins the findings of all workers, and saves the remaining work in the checkpoint.
fn collect(team: &Team, states: Vec<WorkerState>) -> Findings {
    let mut findings = Findings::default();
    let (limit, mut remaining) = team.take_remaining();
    for state in states {
        findings.absorb(state.findings);
        if state.has_work {
            remaining.push(state.strategy);
        }
    }
    if let Some(checkpoint) = team.checkpoint() {
        if limit.is_some() && !remaining.is_empty() {
            checkpoint.write(&remaining.iter().collect::<Vec<_>>(), &[&findings]);
            findings.note(Note::Checkpoint(checkpoint.note()));
        } else {
            checkpoint.remove();
        }
    }
    remaining.iter().for_each(|strategy| findings.add_figures(strategy.figures()));
    findings
}
