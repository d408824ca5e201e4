//! The loop over runs.
//!
//! It has a thread of the operating system to itself, so that one whose panic count is broken by a stack that could
//! not be unwound can be left behind, and another goes on.

use super::autocheck::DIFFERS;
use super::{Explorer, Keep, Limit, Outcome, Report};
use crate::control::{Driver, Execution, Pending, Stop, current, panics};
use selvedge_explore::{Action, End, Kind, Next, Scheduler, Site, Stepper, Trace, run};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

type Body<'b, T> = &'b (dyn Fn() -> T + Send + Sync);

/// Says what is kept of a run.
type Keeps<'b, T> = &'b (dyn Fn(&Outcome<T>) -> Keep + Send + Sync);

/// Explores on threads of the operating system of its own, one after the other.
pub(super) fn explore<T>(mut explorer: Explorer, body: Body<'_, T>, keep: Keeps<'_, T>) -> Report<T>
where
    T: Ord + Clone + Debug + Send + 'static,
{
    panics::install_hook();
    let started = Instant::now();
    let mut report = Report {
        outcomes: BTreeMap::new(),
        executions: 0,
        is_complete: explorer.strategy.is_systematic,
        limit: None,
        strategy: explorer.strategy.to_string(),
        notes: Vec::new(),
    };
    loop {
        let next = std::thread::scope(|scope| {
            let work = || Worker { explorer: &mut explorer, report: &mut report, keep, started }.run(body);
            let handle = std::thread::Builder::new().name("selvedge".to_owned()).spawn_scoped(scope, work);
            handle.expect("the operating system has no thread for the exploration").join()
        });
        match next {
            Ok(Finished::All) => return report,
            Ok(Finished::Broken) => {}
            Ok(Finished::Refused(message)) => panic!("selvedge: {message}"),
            Err(payload) => std::panic::resume_unwind(payload),
        }
    }
}

/// Why a worker came to its end.
enum Finished {
    /// Nothing is left to be run.
    All,
    /// Its thread cannot be used any more; another one goes on.
    Broken,
    /// The program does something that cannot be explored.
    Refused(String),
}

struct Worker<'w, T> {
    explorer: &'w mut Explorer,
    report: &'w mut Report<T>,
    keep: Keeps<'w, T>,
    started: Instant,
}

impl<T: Ord + Clone + Debug + Send + 'static> Worker<'_, T> {
    fn run(mut self, body: Body<'_, T>) -> Finished {
        let execution = Execution::new(self.explorer.settings);
        let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
        let mut driver = Driver::new(&execution, |execution: &Execution| {
            execution.spawn(None, 0, || result.set(Some(body_result(body))));
        });
        let mut trace = Trace::default();
        loop {
            if let Some(limit) = self.limit() {
                self.report.limit = Some(limit);
                self.report.is_complete = false;
                return Finished::All;
            }
            result.set(None);
            driver.restart();
            let end = run(&mut driver, &mut self.explorer.strategy, self.explorer.max_steps, &mut trace);
            let outcome = match outcome(&execution, end, result.take()) {
                Ok(outcome) => outcome,
                Err(message) => {
                    execution.tear_down();
                    return Finished::Refused(message);
                }
            };
            let is_failure = !outcome.is_returned();
            self.count(end, &execution);
            self.record(outcome, &mut trace, &execution);
            execution.tear_down();
            let stops = is_failure && self.explorer.stops_at_failure;
            self.report.is_complete &= !stops;
            if self.explorer.strategy.finish(&trace) == Next::Done || stops {
                return Finished::All;
            }
            if execution.state.borrow().is_broken {
                self.report.notes.push("a stack could not be unwound and was leaked".to_owned());
                return Finished::Broken;
            }
        }
    }

    fn limit(&self) -> Option<Limit> {
        if self.explorer.max_executions.is_some_and(|most| self.report.executions as u64 >= most) {
            return Some(Limit::Executions);
        }
        self.explorer.max_time.is_some_and(|most| self.started.elapsed() >= most).then_some(Limit::Time)
    }

    fn count(&mut self, end: End, execution: &Execution) {
        self.report.executions += 1;
        self.report.is_complete &= end == End::Finished && !execution.state.borrow().went_past;
        if let Some(difference) = self.explorer.strategy.difference() {
            self.report.notes.push(format!("{DIFFERS}{difference}"));
        }
    }

    fn record(&mut self, outcome: Outcome<T>, trace: &mut Trace, execution: &Execution) {
        let keep = (self.keep)(&outcome);
        if keep == Keep::Nothing {
            return;
        }
        match self.report.outcomes.entry(outcome) {
            Entry::Vacant(entry) if keep == Keep::Outcome => {
                entry.insert(Trace::default());
            }
            Entry::Vacant(entry) => {
                execution.describe_run(trace);
                entry.insert(trace.clone());
            }
            Entry::Occupied(mut entry) => {
                if keep == Keep::All && trace.weight() < entry.get().weight() {
                    execution.describe_run(trace);
                    entry.insert(trace.clone());
                }
            }
        }
    }
}

/// What the first thread does: the body, and its return.
pub(super) fn body_result<T>(body: &dyn Fn() -> T) -> std::thread::Result<T> {
    catch_unwind(AssertUnwindSafe(|| {
        let value = body();
        let execution = current().expect("the body runs inside of its execution");
        execution.drop_locals();
        if execution.has_others() {
            // Those that still run may go on for a while before the body's return ends them.
            let since = u64::from(execution.settings.waits_for_all);
            execution.visible(Pending { since, ..Pending::new(Action::new(Kind::Return), Site::Unknown) });
        }
        value
    }))
}

/// How a run ended. An error is something that cannot be explored.
fn outcome<T>(
    execution: &Execution,
    end: End,
    result: Option<std::thread::Result<T>>,
) -> Result<Outcome<T>, String> {
    let state = execution.state.borrow();
    if let Some(stop) = &state.stop {
        return match stop {
            Stop::Race(what) => Ok(Outcome::DataRace(what.clone())),
            Stop::Stuck(note) => Ok(Outcome::Panicked(note.clone())),
            Stop::Refused(message) => Err(message.clone()),
        };
    }
    let threads = &state.threads[..state.thread_count];
    let unheard = || threads.iter().find_map(|thread| thread.panicked.clone());
    Ok(match (result, end) {
        (Some(Err(payload)), _) => Outcome::Panicked(panics::message(&*payload)),
        (Some(Ok(value)), _) => unheard().map_or(Outcome::Returned(value), Outcome::Panicked),
        (None, End::Finished) => unheard().map_or(Outcome::Deadlock, Outcome::Panicked),
        (None, End::Limit | End::GivenUp) => Outcome::StepLimit,
    })
}
