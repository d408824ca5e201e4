//! One run: it is made, its end is judged, and its threads are torn down. Every run of an exploration goes
//! through [`Runner::run_once`].
//!
//! Promise: when `run_once` returns, no thread of the run is alive. A stack that could not be unwound is
//! leaked, and the result says so.

use super::formulas::FormulaJudge;
use super::notes::Refusal;
use crate::control::exception::Unwound;
use crate::control::{Driver, Execution, Pending, Stop, diagnose, with_current};
use crate::explorer::api::{Outcome, Strategy, Value};
use crate::explorer::child_process::ChildProcess;
use selvedge_explore::{Action, Kind, RunEnd, Scheduler, Site, Stepper, ThreadId, run, run_light};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The explored program.
pub(crate) type Body<'b> = &'b (dyn Fn() -> Value + Send + Sync);

/// What the body returned or panicked with; nothing while it has not ended.
pub(super) type BodyResult = Cell<Option<std::thread::Result<Value>>>;

/// Makes the runs of one body in one execution, one after the other.
pub(super) struct Runner<'r> {
    pub(super) driver: Driver<'r, &'r dyn Fn(&Execution)>,
    pub(super) result: &'r BodyResult,
    /// Makes each run in a child process first, if the user wants that.
    child: Option<ChildProcess>,
    pub(super) formulas: FormulaJudge,
}

/// How one run is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunSettings {
    pub(super) max_steps: usize,
    /// How often a thread may time out or yield at one place.
    pub(super) unroll_bound: u32,
    /// How often a thread may execute actions at one place after the body has returned, if the strategy
    /// lets runs go on after that.
    pub(super) daemon_bound: u32,
    /// Whether spinning threads go on although the values that they read have not changed.
    pub(super) spins_freely: bool,
    /// Whether deadlines are fixed by steps of their own.
    pub(super) keeps_time: bool,
    /// Whether the trace may be light: then it names only the thread of each step.
    pub(super) may_be_light: bool,
}

/// A run that has ended. Its threads are not torn down yet.
pub(super) struct EndedRun<'r> {
    pub(super) outcome: Outcome<Value>,
    pub(super) end: RunEnd,
    /// Whether no thread could continue. Such a run may violate a formula, and then that is its outcome.
    pub(super) is_deadlock: bool,
    pub(super) execution: &'r Execution,
}

/// A run that has ended and is torn down.
pub(super) struct CompletedRun<R> {
    /// What the judge returned, or why the run cannot be explored.
    pub(super) judgement: Result<R, Refusal>,
    /// Why the first stack that could not be unwound could not.
    pub(super) leaked: Option<String>,
}

/// Calls the function with a runner for this body.
pub(super) fn with_runner<R>(
    execution: &Execution,
    body: Body<'_>,
    child: Option<ChildProcess>,
    work: impl FnOnce(&mut Runner<'_>) -> R,
) -> R {
    let result = Cell::new(None);
    let spawn_body = |execution: &Execution| {
        // SAFETY: the result and the body outlive the runner's runs: `run_once` tears each run down before
        // it returns. If it unwinds instead, by the panic of a scheduler, the threads are leaked and never
        // resumed (see the destructor of `Execution`).
        #[allow(unsafe_code)]
        unsafe {
            execution.spawn(None, 0, || {
                result.set(Some(body_result(body)));
                with_current(|execution| execution.expect(INSIDE).end_body());
            });
        }
    };
    work(&mut Runner {
        driver: Driver::new(execution, &spawn_body),
        result: &result,
        child,
        formulas: FormulaJudge::new(),
    })
}

impl<'r> Runner<'r> {
    pub(super) fn execution(&self) -> &'r Execution {
        self.driver.execution
    }

    /// Whether a run has broken the thread of the operating system, so that no other run can be made on
    /// it.
    pub(super) fn is_broken(&self) -> bool {
        self.execution().state.borrow().is_broken
    }

    /// Makes one run, and lets `judge` inspect its end before its threads are torn down. The judge is not
    /// called if the run is refused.
    pub(super) fn run_once<R>(
        &mut self,
        strategy: &mut Strategy,
        settings: RunSettings,
        judge: impl FnOnce(&mut Strategy, EndedRun<'r>) -> R,
    ) -> CompletedRun<R> {
        let execution = self.execution();
        self.result.set(None);
        execution.unroll_bound.set(settings.unroll_bound);
        execution.spins_freely.set(settings.spins_freely);
        execution.keeps_time.set(settings.keeps_time);
        let bound = strategy.goes_on_after_return().then_some(settings.daemon_bound);
        execution.daemon_bound.set(bound);
        let end = self.make(strategy, settings);
        let ended = outcome_of(execution, end, self.result.take());
        let is_deadlock = matches!(ended, Ok(Outcome::Deadlock));
        let outcome =
            ended.map(|outcome| self.formulas.judge(end, outcome, &mut execution.state.borrow_mut()));
        if let Some(body) = &execution.state.borrow().end.body {
            // The steps after the end of the body do not lead to the outcome.
            execution.trace.borrow_mut().truncate(body.steps);
        }
        execution.heartbeat.rest();
        let judgement = outcome.map(|outcome| {
            let ended_as = if end == RunEnd::GivenUp { "given up" } else { outcome.kind() };
            execution.state.borrow_mut().end.outcome = ended_as;
            judge(strategy, EndedRun { outcome, end, is_deadlock, execution })
        });
        self.tear_down();
        let leaked = execution.state.borrow_mut().end.lost.take();
        CompletedRun { judgement, leaked }
    }

    fn make(&mut self, strategy: &mut Strategy, settings: RunSettings) -> RunEnd {
        let RunSettings { max_steps, may_be_light, .. } = settings;
        if let Some(child) = &mut self.child {
            return child.run(&mut self.driver, strategy, max_steps);
        }
        self.driver.restart();
        let mut trace = &self.driver.execution.trace;
        match strategy.as_thread_scheduler().filter(|_| may_be_light) {
            Some(scheduler) => run_light(&mut self.driver, scheduler, max_steps, &mut trace),
            None => run(&mut self.driver, strategy, max_steps, &mut trace),
        }
    }

    fn tear_down(&mut self) {
        let execution = self.execution();
        match &mut self.child {
            Some(child) => child.tear_down(execution),
            None => execution.tear_down(),
        }
    }
}

/// Runs the body as the first thread of a run. Its return is a step if other threads are alive.
pub(crate) fn body_result<T>(body: &dyn Fn() -> T) -> std::thread::Result<T> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let value = body();
        with_current(|execution| return_from_body(execution.expect(INSIDE)));
        value
    }));
    with_current(|execution| {
        if let (Err(payload), Some(execution)) = (&result, execution) {
            execution.record_body_unwinding(&**payload);
        }
    });
    result
}

const INSIDE: &str = "the body runs inside of its execution";

/// The body has returned, and ends its run, or fixes the outcome of a run that goes on.
fn return_from_body(execution: &Execution) {
    execution.drop_locals();
    let (is_visible, goes_on) = {
        let state = execution.state.borrow();
        // The end of a part stops all threads of the part, and that of the run may let them go on.
        let goes_on = state.bound.daemon_bound.is_some() && state.running == ThreadId::MAIN;
        let is_decided_by_others =
            state.unobserved_failure().is_some() || state.propositions.decide_by_others();
        // The rest of the run observes what the threads of a part have done before its end, and which
        // of their stores are committed: those of threads that have ended, too.
        let is_end_of_part = state.running != ThreadId::MAIN;
        (state.has_others(state.running) || is_decided_by_others || is_end_of_part, goes_on)
    };
    if is_visible {
        // The other threads may take some steps before.
        let waits_for_all = execution.settings.waits_for_all;
        let action = Action { is_final: waits_for_all || !goes_on, ..Action::new(Kind::Return) };
        execution.visible(Pending { since: u64::from(waits_for_all), ..Pending::new(action, Site::Unknown) });
    }
}

/// The outcome of a run that has ended in this way.
pub(super) fn outcome_of(
    execution: &Execution,
    end: RunEnd,
    result: Option<std::thread::Result<Value>>,
) -> Result<Outcome<Value>, Refusal> {
    let state = execution.state.borrow();
    if let Some(message) = diagnose::take_uncontrolled_use(state.run) {
        return Err(Refusal::Unsupported(message));
    }
    let body = state.end.body.as_ref();
    match &state.end.stop {
        Some(Stop::Refused(message)) => return Err(Refusal::Unsupported(message.clone())),
        // The outcome was fixed before.
        _ if body.is_some() => {}
        Some(Stop::Race(what, _)) => return Ok(Outcome::DataRace(what.clone())),
        Some(Stop::Stuck(note)) => return Ok(Outcome::Panicked(note.clone())),
        None => {}
    }
    let unjoined_panic = || match body {
        Some(body) => body.failure.clone().map(Outcome::from),
        None => state.unobserved_failure().map(Outcome::from),
    };
    Ok(match (result, end) {
        (Some(Err(payload)), _) => Unwound::by(&*payload).into(),
        (Some(Ok(value)), _) => unjoined_panic().unwrap_or(Outcome::Returned(value)),
        (None, RunEnd::Finished) => unjoined_panic().unwrap_or(Outcome::Deadlock),
        (None, RunEnd::StepLimit | RunEnd::GivenUp) => Outcome::StepLimit,
    })
}
