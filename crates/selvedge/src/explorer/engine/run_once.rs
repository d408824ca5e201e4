//! One run: it is made, its end is judged, and its threads are torn down. Every run of an exploration goes
//! through [`Runner::run_once`].
//!
//! Promise: when `run_once` returns, no thread of the run is alive. A stack that could not be unwound is
//! leaked, and the result says so.

use super::notes::Refusal;
use crate::control::exception::Unwound;
use crate::control::{Driver, Execution, Pending, Stop, Thread, diagnose, with_current};
use crate::explorer::api::{Outcome, Strategy, Value};
use crate::explorer::child_process::ChildProcess;
use selvedge_explore::{Action, Kind, RunEnd, Scheduler, Site, Stepper, run, run_light};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The explored program.
pub(crate) type Body<'b> = &'b (dyn Fn() -> Value + Send + Sync);

/// What the body returned or panicked with; nothing while it has not ended.
type BodyResult = Cell<Option<std::thread::Result<Value>>>;

/// Makes the runs of one body in one execution, one after the other.
pub(super) struct Runner<'r> {
    driver: Driver<'r, &'r dyn Fn(&Execution)>,
    result: &'r BodyResult,
    /// Makes each run in a child process first, if the user wants that.
    child: Option<ChildProcess>,
}

/// How one run is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunSettings {
    pub(super) max_steps: usize,
    /// How often a thread may time out or yield at one place.
    pub(super) unroll_bound: u32,
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
            execution.spawn(None, 0, || result.set(Some(body_result(body))));
        }
    };
    work(&mut Runner { driver: Driver::new(execution, &spawn_body), result: &result, child })
}

impl<'r> Runner<'r> {
    pub(super) fn execution(&self) -> &'r Execution {
        self.driver.execution
    }

    /// Whether a run has broken the thread of the operating system, so that no other run can be made on it.
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
        let end = self.make(strategy, settings);
        let outcome = outcome_of(execution, end, self.result.take());
        execution.heartbeat.rest();
        let judgement = outcome.map(|outcome| {
            let ended_as = if end == RunEnd::GivenUp { "given up" } else { outcome.kind() };
            execution.state.borrow_mut().end.outcome = ended_as;
            judge(strategy, EndedRun { outcome, end, execution })
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
        with_current(|execution| return_from_body(execution.expect("the body runs inside of its execution")));
        value
    }));
    with_current(|execution| {
        if let (Err(payload), Some(execution)) = (&result, execution) {
            execution.record_body_unwinding(&**payload);
        }
    });
    result
}

/// The body has returned, and ends its run.
fn return_from_body(execution: &Execution) {
    execution.drop_locals();
    if execution.has_others() {
        // The other threads may take some steps before the body's return ends them.
        let since = u64::from(execution.settings.waits_for_all);
        execution.visible(Pending { since, ..Pending::new(Action::new(Kind::Return), Site::Unknown) });
    }
}

/// The outcome of a run that has ended in this way.
fn outcome_of(
    execution: &Execution,
    end: RunEnd,
    result: Option<std::thread::Result<Value>>,
) -> Result<Outcome<Value>, Refusal> {
    let state = execution.state.borrow();
    if let Some(message) = diagnose::take_uncontrolled_use(state.run) {
        return Err(Refusal::Unsupported(message));
    }
    if let Some(stop) = &state.end.stop {
        return match stop {
            Stop::Race(what, _) => Ok(Outcome::DataRace(what.clone())),
            Stop::Stuck(note) => Ok(Outcome::Panicked(note.clone())),
            Stop::Refused(message) => Err(Refusal::Unsupported(message.clone())),
        };
    }
    let threads = state.threads.all();
    let news = |thread: &Thread| thread.unobserved.clone().filter(Unwound::is_failure);
    let unjoined_panic = || threads.iter().find_map(news).map(Outcome::from);
    Ok(match (result, end) {
        (Some(Err(payload)), _) => Unwound::by(&*payload).into(),
        (Some(Ok(value)), _) => unjoined_panic().unwrap_or(Outcome::Returned(value)),
        (None, RunEnd::Finished) => unjoined_panic().unwrap_or(Outcome::Deadlock),
        (None, RunEnd::StepLimit | RunEnd::GivenUp) => Outcome::StepLimit,
    })
}
