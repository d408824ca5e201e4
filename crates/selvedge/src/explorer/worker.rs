//! The loop over runs.
//!
//! It has a thread of the operating system to itself, so that one whose panic count is broken by a stack that could
//! not be unwound can be left behind, and another goes on. One that is as good as new waits for the next exploration.

use super::abort::Abort;
use super::autocheck::DIFFERS;
use super::pool::{self, After};
use super::scout::{Notice, Scout};
use super::watchdog::Watchdog;
use super::{Explorer, Keep, Limit, Outcome, Report, failure, simplest};
use crate::control::panics::{self, Unwound};
use crate::control::pulse::Pulse;
use crate::control::{Driver, Execution, Pending, Settings, Stop, Thread, current};
use selvedge_explore::{Action, End, Kind, Next, Scheduler, Site, Stepper, Trace, run};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

pub(super) type Body<'b, T> = &'b (dyn Fn() -> T + Send + Sync);

/// Says what is kept of a run.
type Keeps<'b, T> = &'b (dyn Fn(&Outcome<T>) -> Keep + Send + Sync);

/// No more notes than these are made of stacks that could not be unwound.
const MAX_NOTES: usize = 10;

/// Threads with stacks of so many bytes can ask a scheduler that needs little on these.
const ASKS_FROM: usize = 64 * 1024;

/// What is said where the same choices lead to something else than before.
pub(super) const NOT_DETERMINISTIC: &str =
    "the program is not deterministic: the same choices led to something else than before";

/// What to look for then.
pub(super) const LOOK_FOR: &str = "something beside the schedule decides how it goes: time, addresses, the order of a hash map, randomness, \
    or state that is kept from one run to the next";

/// Explores on threads of the operating system of its own, one after the other.
pub(super) fn explore<T>(mut explorer: Explorer, body: Body<'_, T>, keep: Keeps<'_, T>) -> Report<T>
where
    T: Ord + Clone + Debug + Send + 'static,
{
    panics::install_hook();
    #[cfg(unix)]
    crate::control::overflow::install_handler();
    let started = Instant::now();
    let name: Arc<str> = match explorer.name.take() {
        Some(name) => name.into(),
        None => std::thread::current().name().unwrap_or("exploration").into(),
    };
    let pulse = Arc::new(Pulse::default());
    let _watchdog = Watchdog::start(name.clone(), pulse.clone(), explorer.patience);
    let notice = explorer.sends_scouts.then(|| Arc::new(Notice::new()));
    let mut report = Report {
        outcomes: BTreeMap::new(),
        executions: 0,
        is_complete: explorer.strategy.is_systematic,
        limit: None,
        strategy: explorer.strategy.to_string(),
        notes: Vec::new(),
        figures: None,
        given_up: 0,
    };
    loop {
        let next = pool::run(|| {
            let execution = new_execution(&explorer, &pulse, &name, notice.clone());
            let scout = notice.clone().map(|notice| Scout::new(notice, &name, explorer.patience));
            let worker = Worker { explorer: &mut explorer, report: &mut report, keep, started, scout };
            let finished = worker.run(&execution, body);
            let is_broken = execution.state.borrow().is_broken;
            (finished, if is_broken { After::Leave } else { After::Stay })
        });
        match next {
            Ok(Finished::All) => {
                if explorer.simplifies && !explorer.strategy.is_replay() {
                    let around = (&name, &pulse, notice.as_ref());
                    simplest::simplify_runs(&mut explorer, body, &mut report, around);
                }
                return report;
            }
            Ok(Finished::Broken) => {}
            Ok(Finished::Refused(message)) => panic!("selvedge: {message}"),
            Err(payload) => std::panic::resume_unwind(payload),
        }
    }
}

/// The execution in which runs of this explorer happen; made on the thread of the operating system that it is for.
pub(super) fn new_execution(
    explorer: &Explorer,
    pulse: &Arc<Pulse>,
    name: &Arc<str>,
    notice: Option<Arc<Notice>>,
) -> Execution {
    let asks_in_place = explorer.strategy.needs_little && explorer.settings.stack_bytes >= ASKS_FROM;
    let settings = Settings { asks_in_place, goes_one_by_one: explorer.sends_scouts, ..explorer.settings };
    let (name, strategy) = (name.to_string(), explorer.strategy.to_string());
    Execution::new(settings, pulse.clone(), Box::new(Abort { name, strategy, notice }))
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
    /// Makes each run in a child process first, where that is wanted.
    scout: Option<Scout>,
}

impl<T: Ord + Clone + Debug + Send + 'static> Worker<'_, T> {
    fn run(mut self, execution: &Execution, body: Body<'_, T>) -> Finished {
        let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
        let mut driver = Driver::new(execution, |execution: &Execution| {
            execution.spawn(None, 0, || result.set(Some(body_result(body))));
        });
        loop {
            if let Some(limit) = self.limit() {
                self.report.limit = Some(limit);
                self.report.is_complete = false;
                return Finished::All;
            }
            result.set(None);
            let (strategy, max_steps) = (&mut self.explorer.strategy, self.explorer.max_steps);
            let end = if let Some(scout) = &mut self.scout {
                scout.run(&mut driver, strategy, max_steps)
            } else {
                driver.restart();
                run(&mut driver, strategy, max_steps, &mut &execution.trace)
            };
            let outcome = match outcome(execution, end, result.take()) {
                Ok(outcome) => outcome,
                Err(message) => {
                    execution.tear_down();
                    return Finished::Refused(message);
                }
            };
            execution.pulse.rest();
            let was_given_up = self.explorer.strategy.was_given_up();
            let is_failure = !outcome.is_returned() && !was_given_up;
            execution.state.borrow_mut().ended_as = failure::kind(&outcome);
            if was_given_up {
                self.report.given_up += 1;
            } else {
                self.count(end, execution);
                self.record(outcome, execution);
            }
            self.tear_down(execution);
            self.note_what_was_lost(execution);
            let stops = is_failure && self.explorer.stops_at_failure;
            self.report.is_complete &= !stops;
            let next = self.explorer.strategy.finish(&execution.trace.borrow());
            if let Some(divergence) = self.explorer.strategy.divergence() {
                return Finished::Refused(format!("{NOT_DETERMINISTIC}, at {divergence}; {LOOK_FOR}"));
            }
            if next == Next::Done || stops {
                self.report.figures = self.explorer.strategy.figures();
                self.report.is_complete &= !self.explorer.strategy.has_cut();
                return Finished::All;
            }
            if execution.state.borrow().is_broken {
                return Finished::Broken;
            }
        }
    }

    fn tear_down(&mut self, execution: &Execution) {
        match &mut self.scout {
            Some(scout) => scout.tear_down(execution),
            None => execution.tear_down(),
        }
    }

    fn limit(&self) -> Option<Limit> {
        if self.explorer.max_executions.is_some_and(|most| self.report.runs() >= most) {
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

    /// A stack that could not be unwound is worth a note; the same note is made once.
    fn note_what_was_lost(&mut self, execution: &Execution) {
        let Some(why) = execution.state.borrow_mut().lost.take() else { return };
        let note = format!("a stack could not be unwound and was leaked: {why}");
        let notes = &mut self.report.notes;
        if notes.len() < MAX_NOTES && !notes.contains(&note) {
            notes.push(note);
        }
    }

    fn record(&mut self, outcome: Outcome<T>, execution: &Execution) {
        let trace = &mut *execution.trace.borrow_mut();
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
pub(crate) fn body_result<T>(body: &dyn Fn() -> T) -> std::thread::Result<T> {
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
pub(super) fn outcome<T>(
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
    let news = |thread: &Thread| thread.unwound.clone().filter(Unwound::is_news);
    let unheard = || threads.iter().find_map(news).map(Outcome::from);
    Ok(match (result, end) {
        (Some(Err(payload)), _) => Unwound::by(&*payload).into(),
        (Some(Ok(value)), _) => unheard().unwrap_or(Outcome::Returned(value)),
        (None, End::Finished) => unheard().unwrap_or(Outcome::Deadlock),
        (None, End::Limit | End::GivenUp) => Outcome::StepLimit,
    })
}
