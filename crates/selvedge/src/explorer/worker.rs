//! The loop over runs.
//!
//! Each worker has a thread of the operating system to itself, so that one whose panic count is broken by a stack that could
//! not be unwound can be left behind, and another goes on. One that is as good as new waits for the next exploration.
//! What several workers have in common is in [`Team`].

mod livelock;

pub(super) use livelock::gives_up;

use super::autocheck::DIFFERS;
use super::child_process::ChildProcess;
use super::deepening::Round;
use super::ended::{body_result, outcome};
use super::exploration::{Body, Keeps, RunContext, new_execution};
use super::found::{Found, Kept, Rank, is_shown};
use super::pool::{self, After};
use super::team::{Part, Team};
use super::{Limit, Options, Outcome, failure, simplest};
use crate::control::{Driver, Execution, exception};
use livelock::Stuck;
use selvedge_explore::schedulers::Dpor;
use selvedge_explore::{Next, RunEnd, Scheduler, Stepper, run, run_light};
use std::any::Any;
use std::cell::Cell;
use std::fmt::Debug;
use std::time::Instant;

/// What is said where the same choices lead to something else than before.
pub(super) const NOT_DETERMINISTIC: &str =
    "the program is not deterministic: the same choices led to something else than before";

/// What to look for then.
pub(super) const LOOK_FOR: &str = "something beside the schedule decides how it goes: time, addresses, the order of a hash map, randomness, \
    or state that is kept from one run to the next";

/// Why an exploration is not complete in which a thread unwound past others.
const WENT_PAST: &str = "a thread that panicked gave back locks, or did something else that others can notice, while it unwound; nobody can go \
    between then, so that not every run was made";

thread_local! {
    /// The space of the last reduction that has finished on this thread of the operating system, for the next one.
    static DPOR_SPACE: Cell<Dpor> = Cell::new(Dpor::default());
}

/// What all workers have in common.
pub(super) struct WorkerContext<'c, T> {
    pub(super) options: &'c Options,
    pub(super) team: &'c Team<T>,
    pub(super) body: Body<'c, T>,
    pub(super) keep: Keeps<'c, T>,
    pub(super) started: Instant,
}

impl<T: Ord + Clone + Debug + Send + 'static> WorkerContext<'_, T> {
    /// Works until all is done. The first worker's work is waited for here; each other has a thread that waits for it.
    ///
    /// What was found before the exploration went on is the first worker's.
    pub(super) fn work(&self, contexts: &[RunContext], before: Found<T>) -> Vec<Part<T>> {
        let first = || self.work_alone(0, &contexts[0], Part { found: before, ..Part::default() });
        if contexts.len() == 1 {
            return vec![first().unwrap_or_else(|payload| exception::again(payload))];
        }
        let ends: Vec<Result<Part<T>, Box<dyn Any + Send>>> = std::thread::scope(|scope| {
            let others = contexts.iter().enumerate().skip(1).map(|(worker, context)| {
                let builder = std::thread::Builder::new().name("selvedge worker".to_owned());
                let spawned =
                    builder.spawn_scoped(scope, move || self.work_alone(worker, context, Part::default()));
                spawned.expect("the operating system has a thread for each worker")
            });
            let others: Vec<_> = others.collect();
            let first = first();
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(Err));
            [first].into_iter().chain(others).collect()
        });
        let parts: Result<Vec<Part<T>>, _> = ends.into_iter().collect();
        parts.unwrap_or_else(|payload| exception::again(payload))
    }

    /// What one worker does, on threads of the operating system, one after the other.
    fn work_alone(
        &self,
        index: usize,
        context: &RunContext,
        part: Part<T>,
    ) -> Result<Part<T>, Box<dyn Any + Send>> {
        let mut part = Some(part);
        loop {
            let next = pool::run(|| {
                let execution = new_execution(self.options, context);
                let child = context.notice.clone();
                let child =
                    child.map(|notice| ChildProcess::new(notice, &context.name, self.options.patience));
                let worker =
                    Worker { context: self, index, part: &mut part, is_alone: context.is_alone, child };
                let finished = worker.run(&execution);
                self.end_alone(context, &execution, &finished, &mut part);
                let is_broken = execution.state.borrow().is_broken;
                (finished, if is_broken { After::Leave } else { After::Stay })
            });
            let payload = match next {
                Ok(Finished::Broken) => continue,
                Ok(Finished::All) => return Ok(part.expect(THERE)),
                Ok(Finished::Refused(message)) => Box::new(format!("selvedge: {message}")),
                Err(payload) => payload,
            };
            self.team.stop(None);
            return Err(payload);
        }
    }

    /// What is shown is simplified at once by the only worker, where nothing of it is written down before.
    fn end_alone(
        &self,
        context: &RunContext,
        execution: &Execution,
        finished: &Finished,
        part: &mut Option<Part<T>>,
    ) {
        let can_go_on = matches!(finished, Finished::All) && !execution.state.borrow().is_broken;
        let is_wanted = context.is_alone && context.simplifies && context.notice.is_none();
        if can_go_on && is_wanted && self.team.checkpoint().is_none() {
            let found = &mut part.as_mut().expect(THERE).found;
            simplest::simplify_here(self.options, execution, self.body, found);
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

/// A worker has laid down its part only while it waits.
const THERE: &str = "a worker that runs has its part";

struct Worker<'w, T> {
    context: &'w WorkerContext<'w, T>,
    index: usize,
    part: &'w mut Option<Part<T>>,
    is_alone: bool,
    /// Makes each run in a child process first, where that is wanted.
    child: Option<ChildProcess>,
}

impl<T: Ord + Clone + Debug + Send + 'static> Worker<'_, T> {
    fn run(mut self, execution: &Execution) -> Finished {
        let body = self.context.body;
        let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
        let mut driver = Driver::new(execution, |execution: &Execution| {
            execution.spawn(None, 0, || result.set(Some(body_result(body))));
        });
        let is_first_round = self.context.options.round == Round::First;
        let mut has_work = self.part().has_work;
        loop {
            if !has_work && !self.goes_on(Next::Done, execution) {
                return Finished::All;
            }
            if !self.begins_run() {
                if self.context.team.is_over() {
                    return Finished::All;
                }
                has_work = false;
                continue;
            }
            has_work = true;
            result.set(None);
            let end = self.make_run(&mut driver);
            let outcome = match outcome(execution, end, result.take()) {
                Ok(outcome) => outcome,
                Err(message) => {
                    execution.tear_down();
                    return Finished::Refused(message);
                }
            };
            execution.heartbeat.rest();
            let stuck = self.stuck(&outcome, end, execution);
            let mut is_failure = self.take_down(outcome, end, stuck.as_ref(), execution);
            self.tear_down(execution);
            self.note_what_was_lost(execution);
            let mut next = self.part().strategy.finish(&execution.trace.borrow());
            while self.part().strategy.is_probing() && !execution.state.borrow().is_broken {
                match self.make_probe(&mut driver, &result) {
                    Ok(after) => next = after,
                    Err(message) => return Finished::Refused(message),
                }
            }
            if let Some(stuck) = stuck {
                match self.go_beyond(stuck, &mut driver, &result) {
                    Ok(fails) => is_failure |= fails,
                    Err(message) => return Finished::Refused(message),
                }
            }
            let stops = is_failure && self.context.options.stops_at_failure;
            let part = self.part();
            if let Some(divergence) = part.strategy.divergence() {
                return Finished::Refused(format!("{NOT_DETERMINISTIC}, at {divergence}; {LOOK_FOR}"));
            }
            part.found.is_complete &= !stops;
            part.found.is_in_doubt |= part.strategy.is_in_doubt();
            if stops || part.found.is_in_doubt || part.found.blocked_by_bound && is_first_round {
                self.context.team.stop(None);
            }
            if !self.goes_on(next, execution) {
                return Finished::All;
            }
            if execution.state.borrow().is_broken {
                return Finished::Broken;
            }
        }
    }

    fn part(&mut self) -> &mut Part<T> {
        self.part.as_mut().expect(THERE)
    }

    /// Between two runs: is there another one?
    fn goes_on(&mut self, next: Next, execution: &Execution) -> bool {
        let part = self.part.as_mut().expect(THERE);
        if next == Next::Done {
            if part.has_work {
                part.found.add_figures(part.strategy.figures());
                part.found.is_complete &= !part.strategy.has_cut();
                DPOR_SPACE.with(|space| part.strategy.leave_room(space));
                part.has_work = false;
            }
            execution.heartbeat.follow();
        }
        let goes_on = self.context.team.goes_on(self.index, self.part, next);
        if let (true, Next::Done, Some(part)) = (goes_on, next, &mut self.part) {
            DPOR_SPACE.with(|space| part.strategy.use_room(space));
        }
        execution.heartbeat.rest();
        goes_on
    }

    /// May another run begin? Where not, this worker's strategy waits for another exploration.
    fn begins_run(&mut self) -> bool {
        let WorkerContext { options, team, started, .. } = *self.context;
        if options.max_time.is_some_and(|most| started.elapsed() >= most) {
            team.stop(Some(Limit::Time));
            return false;
        }
        let part = self.part.as_mut().expect(THERE);
        let number = if self.is_alone { None } else { part.strategy.run_number() };
        if let (Some(number), Some(most)) = (number, options.max_executions) {
            // Which runs are made must not depend on who is faster.
            if number >= most {
                team.defer(part);
            }
            return number < most && team.begins_run();
        }
        let begins = team.begins_run();
        if !begins {
            team.stop(Some(Limit::Executions));
        }
        begins
    }

    /// Makes a beginning of a run that is no run, for the strategy to see what comes then.
    fn make_probe<B: Fn(&Execution)>(
        &mut self,
        driver: &mut Driver<'_, B>,
        result: &Cell<Option<std::thread::Result<T>>>,
    ) -> Result<Next, String> {
        let execution = driver.execution;
        result.set(None);
        let end = self.make_run(driver);
        let refused = outcome(execution, end, result.take()).err();
        execution.heartbeat.rest();
        self.tear_down(execution);
        self.note_what_was_lost(execution);
        let next = self.part().strategy.finish(&execution.trace.borrow());
        refused.map_or(Ok(next), Err)
    }

    fn make_run<B: Fn(&Execution)>(&mut self, driver: &mut Driver<'_, B>) -> RunEnd {
        let Options { max_steps, simplifies, .. } = *self.context.options;
        let Part { strategy, found, .. } = self.part.as_mut().expect(THERE);
        driver.execution.spins_freely.set(strategy.spins_freely());
        if let Some(child) = &mut self.child {
            return child.run(driver, strategy, max_steps);
        }
        driver.restart();
        let mut trace = &driver.execution.trace;
        // What is told in brief is made once more where it is shown, as what is simplified is. The only run of an exploration is made once.
        let may_be_light = simplifies && found.executions > 0;
        match strategy.as_thread_scheduler().filter(|_| may_be_light) {
            Some(picks) => run_light(driver, picks, max_steps, &mut trace),
            None => run(driver, strategy, max_steps, &mut trace),
        }
    }

    /// Counts the run, and keeps what is to be kept of it, unless that is still open. Says whether it failed.
    fn take_down(
        &mut self,
        outcome: Outcome<T>,
        end: RunEnd,
        stuck: Option<&Stuck<T>>,
        execution: &Execution,
    ) -> bool {
        let part = self.part();
        let is_open = stuck.is_some_and(Stuck::may_be_livelock);
        let was_given_up = part.strategy.was_given_up() || stuck.is_some() && !is_open;
        let is_failure = !outcome.is_returned() && !was_given_up && !is_open;
        let was_blocked_by_bound = {
            let mut state = execution.state.borrow_mut();
            state.ended_as = failure::kind(&outcome);
            state.was_blocked_by_bound.get()
        };
        part.found.blocked_by_bound |= was_blocked_by_bound;
        part.found.is_complete &= !was_blocked_by_bound;
        if was_given_up {
            part.found.given_up += 1;
        } else {
            self.count(end, execution);
            if !is_open {
                self.record(outcome, execution);
            }
        }
        is_failure
    }

    fn tear_down(&mut self, execution: &Execution) {
        match &mut self.child {
            Some(child) => child.tear_down(execution),
            None => execution.tear_down(),
        }
    }

    fn count(&mut self, end: RunEnd, execution: &Execution) {
        let Part { strategy, found, .. } = self.part();
        found.executions += 1;
        let went_past = execution.state.borrow().went_past;
        found.is_complete &= end == RunEnd::Finished && !went_past;
        if went_past {
            found.note(WENT_PAST.to_owned());
        }
        if let Some(difference) = strategy.difference() {
            found.notes.push(format!("{DIFFERS}{difference}"));
        }
    }

    /// A stack that could not be unwound is worth a note.
    fn note_what_was_lost(&mut self, execution: &Execution) {
        let Some(why) = execution.state.borrow_mut().lost.take() else { return };
        self.part().found.note(format!("a stack could not be unwound and was leaked: {why}"));
    }

    /// What is kept of the run that has just been made, at this rank.
    fn kept(rank: Rank, is_shown: bool, execution: &Execution) -> Kept {
        let mut trace = execution.trace.borrow().clone();
        execution.describe_run(&mut trace);
        Kept { rank, trace, is_shown, is_simplified: false }
    }

    fn record(&mut self, outcome: Outcome<T>, execution: &Execution) {
        let Some(is_shown) = is_shown((self.context.keep)(&outcome)) else { return };
        let (is_alone, is_saved) = (self.is_alone, self.context.team.checkpoint().is_some());
        let Part { strategy, found, .. } = self.part();
        found.keep(outcome, |known| {
            if !is_shown && !is_saved {
                let (rank, trace) = Default::default();
                let nothing = || Kept { rank, trace, is_shown, is_simplified: false };
                return known.is_none().then(nothing);
            }
            let rank = strategy.rank(&execution.trace.borrow(), is_alone);
            let is_better = known.is_none_or(|known| rank < *known);
            is_better.then(|| Self::kept(rank, is_shown, execution))
        });
    }
}
