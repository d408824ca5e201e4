//! The loop over runs.
//!
//! Each worker has a thread of the operating system to itself. A stack that cannot be unwound may break the
//! panic count of that thread; then the worker leaves the thread behind and continues on another one. An
//! intact thread waits for the next exploration ([`pool`]). [`Team`] has what several workers share.

mod livelock;

pub(super) use livelock::UnfinishedRun;
pub(crate) use livelock::{has_deadline_choice, has_give_up_choice};

use super::context::RunContext;
use super::deepening::UnrollRound;
use super::findings::Findings;
use super::notes::{Nondeterminism, Note, Refusal};
use super::pool::{self, ThreadState};
use super::recorder::{Judgement, Recorder};
use super::run_once::{Body, EndedRun, RunSettings, Runner, with_runner};
use super::simplest;
use super::team::{Team, WorkerState};
use crate::control::diagnose::Heartbeat;
use crate::control::{Execution, exception};
use crate::explorer::api::{FailurePolicy, Keep, Limit, Options, Outcome, Strategy, Value};
use selvedge_explore::schedulers::Dpor;
use selvedge_explore::{Next, Scheduler, Trace};
use std::any::Any;
use std::cell::Cell;
use std::time::Instant;

/// What happens with each run.
#[derive(Clone, Copy)]
pub(crate) struct RunRules<'b> {
    /// Decides what the report retains of the run.
    pub(crate) keep: &'b (dyn Fn(&Outcome<Value>) -> Keep + Send + Sync),
    /// Sees the run, if the user wants that.
    pub(crate) visit: Option<&'b Visit<'b>>,
}

/// Sees a run.
pub(crate) type Visit<'b> = dyn Fn(&Outcome<Value>, &Trace) + Send + Sync + 'b;

/// What all workers of a round share.
pub(super) struct WorkerContext<'c> {
    pub(super) options: &'c Options,
    pub(super) team: &'c Team,
    pub(super) body: Body<'c>,
    pub(super) rules: RunRules<'c>,
    pub(super) started: Instant,
}

impl WorkerContext<'_> {
    /// Lets all workers explore until no work is left. The caller waits for the first worker; for each other
    /// worker there is a thread that waits. The first worker continues with the given findings.
    pub(super) fn explore(&self, contexts: &[RunContext], before: Findings) -> Vec<WorkerState> {
        let first =
            || self.run_worker(0, &contexts[0], WorkerState { findings: before, ..WorkerState::default() });
        if contexts.len() == 1 {
            return vec![first().unwrap_or_else(|payload| exception::rethrow(payload))];
        }
        let ends: Vec<Result<WorkerState, Box<dyn Any + Send>>> = std::thread::scope(|scope| {
            let others = contexts.iter().enumerate().skip(1).map(|(worker, context)| {
                let builder = std::thread::Builder::new().name("selvedge worker".to_owned());
                let spawned = builder
                    .spawn_scoped(scope, move || self.run_worker(worker, context, WorkerState::default()));
                spawned.expect("the operating system has a thread for each worker")
            });
            let others: Vec<_> = others.collect();
            let first = first();
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(Err));
            [first].into_iter().chain(others).collect()
        });
        let states: Result<Vec<WorkerState>, _> = ends.into_iter().collect();
        states.unwrap_or_else(|payload| exception::rethrow(payload))
    }

    /// One worker, on one thread of the operating system after another.
    fn run_worker(
        &self,
        index: usize,
        context: &RunContext,
        state: WorkerState,
    ) -> Result<WorkerState, Box<dyn Any + Send>> {
        let mut state = Some(state);
        loop {
            let exit = pool::run(|| {
                let execution = context.new_execution(self.options);
                let child = context.new_child_process(self.options);
                let is_only_worker = context.is_only_worker;
                let worker = Worker { context: self, index, state: &mut state, is_only_worker };
                let exit = with_runner(&execution, self.body, child, |runner| worker.run(runner));
                self.simplify_here(context, &execution, &exit, &mut state);
                let is_broken = execution.state.borrow().is_broken;
                (exit, if is_broken { ThreadState::Broken } else { ThreadState::Reusable })
            });
            let payload = match exit {
                Ok(WorkerExit::ThreadBroken) => continue,
                Ok(WorkerExit::Completed) => return Ok(state.expect(PRESENT)),
                Ok(WorkerExit::Refused(refusal)) => Box::new(format!("selvedge: {refusal}")),
                Err(payload) => payload,
            };
            self.team.stop(None);
            return Err(payload);
        }
    }

    /// Simplifies the runs of the report at once, in the same execution, if this is the only worker and no
    /// checkpoint is written first.
    fn simplify_here(
        &self,
        context: &RunContext,
        execution: &Execution,
        exit: &WorkerExit,
        state: &mut Option<WorkerState>,
    ) {
        let can_continue = matches!(exit, WorkerExit::Completed) && !execution.state.borrow().is_broken;
        let is_wanted = context.is_only_worker && context.simplifies && context.notice.is_none();
        if can_continue && is_wanted && self.team.checkpoint().is_none() {
            let findings = &mut state.as_mut().expect(PRESENT).findings;
            simplest::simplify_here(self.options, execution, self.body, findings);
        }
    }
}

/// Why a worker has ended.
enum WorkerExit {
    /// No run is left to be made.
    Completed,
    /// A run has broken the thread of the operating system. The worker continues on another thread.
    ThreadBroken,
    Refused(Refusal),
}

/// Only a worker that waits has handed its state to the team.
const PRESENT: &str = "a worker that runs has its state";

thread_local! {
    /// The last reduction that has finished on this thread of the operating system: the next one reuses its
    /// memory.
    static FINISHED_REDUCTION: Cell<Option<Dpor>> = const { Cell::new(None) };
}

struct Worker<'w> {
    context: &'w WorkerContext<'w>,
    index: usize,
    state: &'w mut Option<WorkerState>,
    is_only_worker: bool,
}

impl Worker<'_> {
    fn run(mut self, runner: &mut Runner<'_>) -> WorkerExit {
        let heartbeat = &*runner.execution().heartbeat;
        let mut needs_work = !self.state().has_work;
        loop {
            if needs_work && !self.continues(Next::Done, heartbeat) {
                return WorkerExit::Completed;
            }
            needs_work = !self.may_begin_run();
            if needs_work {
                if self.context.team.is_over() {
                    return WorkerExit::Completed;
                }
                continue;
            }
            let next = match self.make_run(runner) {
                Ok(next) => next,
                Err(refusal) => return WorkerExit::Refused(refusal),
            };
            if !self.continues(next, heartbeat) {
                return WorkerExit::Completed;
            }
            if runner.is_broken() {
                return WorkerExit::ThreadBroken;
            }
        }
    }

    fn state(&mut self) -> &mut WorkerState {
        self.state.as_mut().expect(PRESENT)
    }

    /// Between two runs: whether there is another one, for this strategy or for one that another worker
    /// gives away.
    fn continues(&mut self, next: Next, heartbeat: &Heartbeat) -> bool {
        let state = self.state.as_mut().expect(PRESENT);
        if next == Next::Done {
            if state.has_work {
                state.findings.add_figures(state.strategy.figures());
                state.findings.is_cut_by_bounds |= state.strategy.has_cut();
                if let Some(reduction) = state.strategy.take_reduction() {
                    FINISHED_REDUCTION.set(Some(reduction));
                }
                state.has_work = false;
            }
            heartbeat.follow();
        }
        let continues = self.context.team.continues(self.index, self.state, next);
        if let (true, Next::Done, Some(state)) = (continues, next, &mut self.state) {
            state.strategy.recycle(|| FINISHED_REDUCTION.take());
        }
        heartbeat.rest();
        continues
    }

    /// Whether the limits allow another run. If they do not, the strategy waits for a later exploration.
    fn may_begin_run(&mut self) -> bool {
        let WorkerContext { options, team, started, .. } = *self.context;
        if options.max_time.is_some_and(|max| started.elapsed() >= max) {
            team.stop(Some(Limit::Time));
            return false;
        }
        let state = self.state.as_mut().expect(PRESENT);
        let number = if self.is_only_worker { None } else { state.strategy.run_number() };
        if let (Some(number), Some(max)) = (number, options.max_executions) {
            // The numbers decide which runs are made: the speed of the workers must not.
            if number >= max {
                team.defer(state);
            }
            return number < max && team.may_begin_run();
        }
        let may_begin = team.may_begin_run();
        if !may_begin {
            team.stop(Some(Limit::Executions));
        }
        may_begin
    }

    /// Makes one run of the strategy, with the probes and the continuation that belong to it.
    fn make_run(&mut self, runner: &mut Runner<'_>) -> Result<Next, Refusal> {
        let Judgement { mut is_failure, unfinished } =
            self.run_once(runner, |recorder, strategy, run| recorder.judge(strategy, run))?;
        let mut next = self.finish(runner);
        while self.state().strategy.is_probing() && !runner.is_broken() {
            self.run_once(runner, |_, _, _| ())?;
            next = self.finish(runner);
        }
        if let Some(unfinished) = unfinished {
            is_failure |= self.continue_run(unfinished, runner)?;
        }
        self.stop_if_decided(is_failure, runner)?;
        Ok(next)
    }

    /// One run by the worker's strategy.
    fn run_once<R>(
        &mut self,
        runner: &mut Runner<'_>,
        judge: impl FnOnce(&mut Recorder<'_>, &Strategy, EndedRun<'_>) -> R,
    ) -> Result<R, Refusal> {
        let options = self.context.options;
        let WorkerState { strategy, findings, .. } = self.state.as_mut().expect(PRESENT);
        let settings = RunSettings {
            max_steps: options.max_steps,
            unroll_bound: options.round.unroll_bound(),
            daemon_bound: options.round.daemon_bound(),
            spins_freely: strategy.spins_freely(),
            keeps_time: strategy.keeps_time().unwrap_or(options.keeps_time),
            // A light run that is shown is made once more in full, as simplified runs are. The only run of
            // an exploration is made once.
            may_be_light: options.simplifies && findings.executions > 0 && self.context.rules.visit.is_none(),
        };
        let mut recorder = Recorder { context: self.context, findings, is_only_worker: self.is_only_worker };
        let run = runner.run_once(strategy, settings, |strategy, run| judge(&mut recorder, strategy, run));
        recorder.findings.note_time_uses(runner.execution());
        if let Some(why) = run.leaked {
            recorder.findings.note(Note::StackLeaked(why));
        }
        run.judgement
    }

    /// Tells the strategy that the last run has ended.
    fn finish(&mut self, runner: &Runner<'_>) -> Next {
        self.state().strategy.finish(&runner.execution().trace.borrow())
    }

    /// Stops all workers if the run that has just been made decides the round.
    fn stop_if_decided(&mut self, is_failure: bool, runner: &Runner<'_>) -> Result<(), Refusal> {
        let options = self.context.options;
        let stops_at_failure = is_failure && options.on_failure == FailurePolicy::Stop;
        let WorkerState { strategy, findings, .. } = self.state();
        if let Some(divergence) = strategy.divergence() {
            let threads = runner.execution().trace.borrow().run_threads();
            let divergence = Nondeterminism::Diverged(divergence.clone().with_threads(threads));
            return Err(Refusal::Nondeterministic(Box::new(divergence)));
        }
        findings.is_complete &= !stops_at_failure;
        findings.is_inconclusive |= strategy.is_inconclusive();
        let has_loop = findings.is_bounded() && options.round == UnrollRound::LoopDetection;
        let needs_deadlines = findings.time_uses.needs_deadlines() && !options.keeps_time;
        if stops_at_failure || findings.is_inconclusive || has_loop || needs_deadlines {
            self.context.team.stop(None);
        }
        Ok(())
    }
}
