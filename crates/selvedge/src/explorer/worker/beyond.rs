//! What comes after a run in which nobody could go on but those who are held back.
//!
//! Such a run is not at its end: who was late too often for the present round would be late once more. To see where that leads, the run is
//! made once more, and goes on freely from there: the strategy is not asked. So a loop that waits for what never comes is found, as a run that
//! takes too many steps, and one that gives up after a while ends as it does.

use super::{Driver, End, Execution, Outcome, Worker, failure, outcome};
use crate::control::late::ANY;
use crate::explorer::{Limit, Strategy};
use selvedge_explore::schedulers::Follow;
use selvedge_explore::{EventId, Stepper, run};
use std::cell::Cell;
use std::fmt::Debug;

impl<T: Ord + Clone + Debug + Send + 'static> Worker<'_, T> {
    /// The choices of the run that has just been made, if nobody could go on but those who are held back.
    pub(super) fn stuck(&self, end: End, execution: &Execution) -> Option<Vec<EventId>> {
        let is_stuck = end == End::Finished && !execution.state.borrow().came_to_its_end();
        is_stuck.then(|| execution.trace.borrow().choices().collect())
    }

    /// Makes a run that goes on after these choices. Says whether it failed.
    pub(super) fn go_beyond<B: Fn(&Execution)>(
        &mut self,
        choices: Vec<EventId>,
        driver: &mut Driver<'_, B>,
        result: &Cell<Option<std::thread::Result<T>>>,
    ) -> Result<bool, String> {
        if !self.crew.team.begins_run() {
            self.crew.team.stop(Some(Limit::Executions));
            return Ok(false);
        }
        let (execution, max_steps) = (driver.execution, self.crew.options.max_steps);
        let mut strategy = Strategy::own(Follow::and_on(choices));
        result.set(None);
        let most_late = execution.most_late.replace(ANY);
        let end = match &mut self.scout {
            Some(scout) => scout.run(driver, &mut strategy, max_steps),
            None => {
                driver.restart();
                run(driver, &mut strategy, max_steps, &mut &execution.trace)
            }
        };
        execution.most_late.set(most_late);
        let outcome: Result<Outcome<T>, String> = outcome(execution, end, result.take());
        execution.pulse.rest();
        let is_failure = outcome.map(|outcome| {
            execution.state.borrow_mut().ended_as = failure::kind(&outcome);
            let is_failure = !outcome.is_returned();
            self.count(end, execution);
            self.record(outcome, execution);
            is_failure
        });
        self.tear_down(execution);
        self.note_what_was_lost(execution);
        is_failure
    }
}
