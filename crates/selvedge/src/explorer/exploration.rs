//! An exploration from its beginning to its report: who works, what was saved, what all found.

use super::abort::Abort;
use super::checkpoint::{Checkpoint, Saved, SavedOutcome, one_line};
use super::child_process::Notice;
use super::found::{Found, Kept, is_shown};
use super::progress::Progress;
use super::remake::remake;
use super::team::{Part, Team};
use super::watchdog::{Tick, Watchdog};
use super::worker::{LOOK_FOR, WorkerContext};
use super::{Keep, Limit, Options, Outcome, Report, Strategy, simplest};
use crate::control::diagnose::Heartbeat;
use crate::control::exception;
use crate::control::{Execution, Settings};
use selvedge_explore::EventId;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Instant;
pub(super) type Body<'b, T> = &'b (dyn Fn() -> T + Send + Sync);

/// Says what is kept of a run.
pub(super) type Keeps<'b, T> = &'b (dyn Fn(&Outcome<T>) -> Keep + Send + Sync);

/// Threads with stacks of so many bytes can ask a scheduler that needs little on these.
const ASKS_FROM: usize = 64 * 1024;

/// What came of an exploration.
pub(super) struct Made<T> {
    pub(super) found: Found<T>,
    pub(super) limit: Option<Limit>,
    /// What one worker had around it.
    context: RunContext,
    workers: usize,
    team: Arc<Team<T>>,
}

/// Explores on threads of the operating system of its own, after what was found before.
pub(super) fn attempt<T>(
    options: &Options,
    strategy: Strategy,
    body: Body<'_, T>,
    keep: Keeps<'_, T>,
    before: Found<T>,
) -> Made<T>
where
    T: Ord + Clone + Debug + Send + 'static,
{
    exception::install_hook();
    #[cfg(unix)]
    crate::control::fiber::install_handler();
    let mut contexts = contexts(options, &strategy);
    let is_systematic = strategy.is_systematic;
    let (team, before) = begin(options, &contexts[0], strategy, (body, keep), before);
    let team = Arc::new(team);
    let ticks = team.wants_ticks().then(|| team.clone() as Arc<dyn Tick>);
    let mut found = {
        let watch = |context: &RunContext, ticks: Option<Arc<dyn Tick>>| {
            Watchdog::with_ticks(context.name.clone(), context.heartbeat.clone(), options.patience, ticks)
        };
        let mut ticks = ticks;
        let _watchdogs: Vec<Watchdog> = contexts.iter().map(|context| watch(context, ticks.take())).collect();
        let context = WorkerContext { options, team: &team, body, keep, started: Instant::now() };
        end(&team, context.work(&contexts, before))
    };
    found.is_complete &= is_systematic;
    Made { found, limit: team.left().0, workers: contexts.len(), context: contexts.swap_remove(0), team }
}

impl<T: Ord + Clone + Debug + Send + 'static> Made<T> {
    /// What there is to report: the runs that are shown are the simplest.
    pub(super) fn report(self, options: &Options, body: Body<'_, T>) -> Report<T> {
        let Made { mut found, limit, context, workers, team } = self;
        simplest::spell_out_runs(options, &context, body, &mut found);
        if workers > 1 {
            simplest::normalise_runs(options, &context, body, &mut found);
        }
        if context.simplifies {
            simplest::simplify_runs(options, &context, body, &mut found);
        }
        let report = found.report(&context.strategy, limit);
        if let Some(progress) = team.progress() {
            progress.end(&report.extent(), team.extent().1);
        }
        report
    }
}

/// What each worker has around it.
fn contexts(options: &Options, strategy: &Strategy) -> Vec<RunContext> {
    let name: Arc<str> = match &options.name {
        Some(name) => name.as_str().into(),
        None => std::thread::current().name().unwrap_or("exploration").into(),
    };
    let workers = if strategy.can_be_shared() { options.workers } else { 1 };
    let context = |_| RunContext {
        name: name.clone(),
        heartbeat: Arc::default(),
        notice: options.in_child_process.then(|| Arc::new(Notice::new())),
        strategy: strategy.to_string().into(),
        needs_little: strategy.needs_little,
        is_known: strategy.is_known,
        is_alone: workers == 1,
        simplifies: options.simplifies && !strategy.is_replay(),
    };
    (0..workers).map(context).collect()
}

/// The team, and what was found before, where the exploration goes on from a checkpoint.
fn begin<T>(
    options: &Options,
    context: &RunContext,
    strategy: Strategy,
    (body, keep): (Body<'_, T>, Keeps<'_, T>),
    mut found: Found<T>,
) -> (Team<T>, Found<T>)
where
    T: Ord + Clone + Debug + Send + 'static,
{
    let workers = if context.is_alone { 1 } else { options.workers };
    if workers < options.workers {
        let why = "each of its runs may depend on those before";
        found.note(format!("{} runs with one worker, not {}: {why}", context.strategy, options.workers));
    }
    let checkpoint = Checkpoint::of(options, &context.name, &context.strategy);
    let checkpoint = checkpoint.filter(|_| !options.in_child_process && strategy.can_be_saved());
    assert!(
        checkpoint.is_some() || options.checkpoint.is_none(),
        "selvedge: an exploration by {} cannot be written down as a checkpoint; leave `checkpoint` out",
        context.strategy
    );
    let total = strategy.total();
    let mut tasks = match checkpoint.as_ref().and_then(Checkpoint::read) {
        Some(saved) => {
            let checkpoint = checkpoint.as_ref().expect("what was read is there");
            resume(checkpoint, &saved, &mut found, (options, context, body, keep));
            let loaded = strategy.load(&saved.state);
            loaded.unwrap_or_else(|message| checkpoint.refuse(&message))
        }
        None => strategy.shares(workers),
    };
    tasks.reverse();
    let total = total.map(|total| options.max_executions.map_or(total, |most| total.min(most)));
    let progress = Progress::new(context.name.clone(), options.progress, total);
    let team = Team::new(workers, tasks, found.runs(), options.max_executions);
    (team.with_checkpoint(checkpoint).with_progress(progress), found)
}

/// Makes the runs of a checkpoint once more.
fn resume<T>(
    checkpoint: &Checkpoint,
    saved: &Saved,
    found: &mut Found<T>,
    (options, context, body, keep): (&Options, &RunContext, Body<'_, T>, Keeps<'_, T>),
) where
    T: Ord + Clone + Debug + Send + 'static,
{
    (found.executions, found.given_up) = (saved.executions, saved.given_up);
    (found.is_complete, found.figures) = (saved.is_complete, saved.figures);
    saved.notes.iter().for_each(|note| found.note(note.clone()));
    let choices: Vec<Vec<EventId>> = saved.outcomes.iter().map(|saved| saved.choices.clone()).collect();
    let mut differs = None;
    remake(options, context, body, &choices, &mut |at, outcome, execution| {
        let SavedOutcome { rank, words, .. } = &saved.outcomes[at];
        let now = outcome.as_ref().map(|outcome| one_line(&outcome.to_string()));
        let Some(outcome) = outcome.filter(|_| now.as_ref() == Some(words)) else {
            differs = Some((words, now.unwrap_or_else(|| "something else".to_owned())));
            return;
        };
        if let Some(is_shown) = is_shown(keep(&outcome)) {
            let trace = &mut *execution.trace.borrow_mut();
            execution.describe_run(trace);
            let kept = Kept { rank: rank.clone(), trace: trace.clone(), is_shown, is_simplified: false };
            found.keep(outcome, |known| known.is_none_or(|known| kept.rank < *known).then_some(kept));
        }
    });
    if let Some((was, now)) = differs {
        checkpoint.refuse(&format!(
            "a run that ended as `{was}` ends as `{now}` now: the program has changed, or {LOOK_FOR}"
        ));
    }
}

/// Puts together what all workers have found, and writes down what is left.
fn end<T>(team: &Team<T>, parts: Vec<Part<T>>) -> Found<T>
where
    T: Ord + Clone + Debug + Send + 'static,
{
    let mut found = Found::default();
    let (limit, mut left) = team.left();
    for part in parts {
        found.absorb(part.found);
        if part.has_work {
            left.push(part.strategy);
        }
    }
    if let Some(checkpoint) = team.checkpoint() {
        if limit.is_some() && !left.is_empty() {
            checkpoint.write(&left.iter().collect::<Vec<_>>(), &[&found]);
            found.note(checkpoint.note());
        } else {
            checkpoint.remove();
        }
    }
    left.iter().for_each(|strategy| found.add_figures(strategy.figures()));
    found
}

/// What an execution has around it.
pub(super) struct RunContext {
    pub(super) name: Arc<str>,
    pub(super) heartbeat: Arc<Heartbeat>,
    pub(super) notice: Option<Arc<Notice>>,
    /// In words.
    strategy: Arc<str>,
    needs_little: bool,
    is_known: bool,
    /// Are there no other workers?
    pub(super) is_alone: bool,
    /// Are the runs that are shown simplified?
    pub(super) simplifies: bool,
}

/// The execution in which runs happen; made on the thread of the operating system that it is for.
pub(super) fn new_execution(options: &Options, context: &RunContext) -> Execution {
    let asks_in_place = context.needs_little && options.settings.stack_bytes >= ASKS_FROM;
    let settings = Settings {
        asks_in_place,
        trusts_scheduler: context.is_known,
        goes_one_by_one: options.in_child_process,
        has_company: !context.is_alone,
        ..options.settings
    };
    let (name, strategy) = (context.name.clone(), context.strategy.clone());
    let notice = context.notice.clone();
    let execution =
        Execution::new(settings, context.heartbeat.clone(), Box::new(Abort { name, strategy, notice }));
    execution.unroll_bound.set(options.round.unroll_bound());
    execution
}
