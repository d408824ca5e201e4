//! What comes after a run in which nobody could go on but those who are held back, or who spin.
//!
//! Who was late too often for the present round ([`late`](crate::control::unroll_bound)) would be late once more; who waits at a yield until
//! something changes ([`spin`](crate::control)) would look again, and may give up after some rounds. To see where that leads, the run is made once
//! more, and goes on freely from there: the strategy is not asked. So a loop that waits for what never comes is found, as a livelock or as a run that
//! takes too many steps; and one that gives up ends as it does.

use super::{Driver, Execution, Outcome, Part, RunEnd, Worker, failure, outcome};
use crate::control::GIVES_UP;
use crate::control::progress::ANY;
use crate::explorer::found::{Kept, is_shown};
use crate::explorer::remake::make_run;
use crate::explorer::{Limit, Strategy};
use selvedge_explore::EventId;
use selvedge_explore::schedulers::Follow;
use std::cell::Cell;
use std::fmt::Debug;

/// A loop that goes on for so many steps when nobody else can go on is taken to go on for ever.
const FOR_EVER: usize = 10_000;

/// Why an exploration is not complete in which a loop gave up.
const GAVE_UP: &str = "a loop that waits by yields gave up, when nobody else could go on; what happens where it gives up before that was not looked \
    at, as it was run again only when something had changed";

/// A run that is not at its end.
pub(super) struct Stuck<T> {
    choices: Vec<EventId>,
    /// What it is if those who spin do so for ever. What is kept of it, if anything is.
    livelock: Option<(Outcome<T>, Option<Kept>)>,
}

impl<T> Stuck<T> {
    /// Is it a livelock, unless somebody gives up?
    pub(super) fn may_be_livelock(&self) -> bool {
        self.livelock.is_some()
    }
}

/// Do these choices lead past yields that would have waited?
pub(in crate::explorer) fn gives_up(choices: impl IntoIterator<Item = EventId>) -> bool {
    choices.into_iter().any(|choice| choice.alternative == GIVES_UP)
}

impl<T: Ord + Clone + Debug + Send + 'static> Worker<'_, T> {
    /// The run that has just been made, if it is not at its end. One livelock is enough.
    pub(super) fn stuck(
        &mut self,
        outcome: &Outcome<T>,
        end: RunEnd,
        execution: &Execution,
    ) -> Option<Stuck<T>> {
        if end != RunEnd::Finished || self.part().strategy.was_given_up() {
            return None;
        }
        let (is_blocked_by_bound, spins) = {
            let state = execution.state.borrow();
            (!state.came_to_its_end(), matches!(outcome, Outcome::Deadlock) && state.somebody_spins())
        };
        let choices = || execution.trace.borrow().choices().collect();
        if is_blocked_by_bound {
            return Some(Stuck { choices: choices(), livelock: None });
        }
        let is_alone = self.is_alone;
        let is_known = self.part().found.outcomes.contains_key(outcome);
        (spins && !is_known && !self.context.options.spins_for_ever).then(|| {
            let is_shown = is_shown((self.context.keep)(outcome));
            let rank = self.part().strategy.rank(&execution.trace.borrow(), is_alone);
            let kept = is_shown.map(|is_shown| Self::kept(rank, is_shown, execution));
            Stuck { choices: choices(), livelock: Some((outcome.clone(), kept)) }
        })
    }

    /// Makes a run that goes on where another one was stuck. Says whether there is a failure.
    pub(super) fn go_beyond<B: Fn(&Execution)>(
        &mut self,
        stuck: Stuck<T>,
        driver: &mut Driver<'_, B>,
        result: &Cell<Option<std::thread::Result<T>>>,
    ) -> Result<bool, String> {
        let (execution, Stuck { choices, livelock }) = (driver.execution, stuck);
        if execution.state.borrow().is_broken {
            return Ok(self.is_livelock(livelock));
        }
        if livelock.is_none() && !self.context.team.begins_run() {
            self.context.team.stop(Some(Limit::Executions));
            return Ok(false);
        }
        let most = self.context.options.max_steps;
        let max_steps = if livelock.is_some() { most.min(choices.len() + FOR_EVER) } else { most };
        let mut strategy = Strategy::custom(Follow::prefix(choices));
        result.set(None);
        let unroll_bound = execution.unroll_bound.replace(ANY);
        execution.spins_freely.set(true);
        let end = make_run(&mut self.child, driver, &mut strategy, max_steps);
        execution.unroll_bound.set(unroll_bound);
        execution.spins_freely.set(false);
        let outcome = outcome(execution, end, result.take());
        execution.heartbeat.rest();
        let is_failure = outcome.map(|outcome| self.judge(outcome, end, livelock, execution));
        self.tear_down(execution);
        self.note_what_was_lost(execution);
        is_failure
    }

    /// Nobody gave up, as far as one can tell. Says whether anybody spun.
    fn is_livelock(&mut self, livelock: Option<(Outcome<T>, Option<Kept>)>) -> bool {
        let Some((outcome, kept)) = livelock else { return false };
        if let Some(kept) = kept {
            self.part().found.keep(outcome, |_| Some(kept));
        }
        true
    }

    /// A run has gone on where another one was stuck.
    fn judge(
        &mut self,
        outcome: Outcome<T>,
        end: RunEnd,
        livelock: Option<(Outcome<T>, Option<Kept>)>,
        execution: &Execution,
    ) -> bool {
        let was_livelock = livelock.is_some();
        if was_livelock && end == RunEnd::StepLimit {
            return self.is_livelock(livelock);
        }
        let is_failure = !outcome.is_returned();
        execution.state.borrow_mut().ended_as = failure::kind(&outcome);
        if was_livelock {
            let Part { found, .. } = self.part();
            found.is_complete = false;
            found.note(GAVE_UP.to_owned());
        } else {
            self.count(end, execution);
        }
        self.record(outcome, execution);
        is_failure
    }
}
