//! The simplest run for each outcome that an exploration found.
//!
//! The runs that are to be shown are simplified by swapping independent steps ([`selvedge_explore::simplify()`]). Each result is
//! made once more, with the same body, and is shown if it ends in the same way and is simpler; else the run stays as it was.
//!
//! Promise: what is shown was run, and is never heavier than what was found. These runs are not counted.

use super::pool::{self, After};
use super::scout::{Notice, Scout};
use super::worker::{Body, body_result, new_execution, outcome};
use super::{Explorer, Outcome, Report, Strategy, failure};
use crate::control::pulse::Pulse;
use crate::control::{Driver, Execution};
use selvedge_explore::schedulers::Follow;
use selvedge_explore::{End, EventId, Stepper, Trace, run, simplify};
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;

/// The runs of so many outcomes are simplified, those of failures first: each takes a run more.
const MAX_OUTCOMES: usize = 100;

/// An outcome, and choices that may lead to it in a simpler way.
type Suggestion<T> = (Outcome<T>, Vec<EventId>);

/// Simplifies the runs of a report.
pub(super) fn simplify_runs<T>(
    explorer: &mut Explorer,
    body: Body<'_, T>,
    report: &mut Report<T>,
    (name, pulse, notice): (&Arc<str>, &Arc<Pulse>, Option<&Arc<Notice>>),
) where
    T: Ord + Clone + Debug + Send + 'static,
{
    let mut left = suggestions(report);
    while !left.is_empty() {
        // A thread of the operating system that is broken by a run is left behind, as in the exploration itself.
        let work = pool::run(|| {
            // For that thread alone: a scheduler may be sent, but not shared.
            let explorer = &mut *explorer;
            let execution = new_execution(explorer, pulse, name, notice.cloned());
            let scout = notice.cloned().map(|notice| Scout::new(notice, name, explorer.patience));
            Again { report, scout, max_steps: explorer.max_steps }.run(&execution, body, &mut left);
            let is_broken = execution.state.borrow().is_broken;
            ((), if is_broken { After::Leave } else { After::Stay })
        });
        if let Err(payload) = work {
            std::panic::resume_unwind(payload);
        }
    }
}

/// What may be simpler, the last one first.
fn suggestions<T: Ord + Clone>(report: &Report<T>) -> Vec<Suggestion<T>> {
    let (returned, failed): (Vec<_>, Vec<_>) =
        report.outcomes.iter().partition(|(outcome, _)| outcome.is_returned());
    let all = failed.into_iter().chain(returned).take(MAX_OUTCOMES);
    let mut suggestions: Vec<Suggestion<T>> = all
        .filter_map(|(outcome, trace)| {
            // Who is stuck, or is cut off, did not end the run by its last step.
            let ends_by_last = !matches!(outcome, Outcome::Deadlock | Outcome::StepLimit);
            let order = simplify(trace, ends_by_last)?;
            Some((outcome.clone(), order.into_iter().map(|step| trace.steps()[step].event.id).collect()))
        })
        .collect();
    suggestions.reverse();
    suggestions
}

/// Makes runs again.
struct Again<'a, T> {
    report: &'a mut Report<T>,
    scout: Option<Scout>,
    max_steps: usize,
}

impl<T: Ord + Clone + Debug + Send + 'static> Again<'_, T> {
    /// Makes all that are left, or as many as this thread of the operating system survives.
    fn run(mut self, execution: &Execution, body: Body<'_, T>, left: &mut Vec<Suggestion<T>>) {
        let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
        let mut driver = Driver::new(execution, |execution: &Execution| {
            execution.spawn(None, 0, || result.set(Some(body_result(body))));
        });
        while let Some((expected, choices)) = left.pop() {
            result.set(None);
            let mut strategy = Strategy::own(Follow::new(choices));
            let end = match &mut self.scout {
                Some(scout) => scout.run(&mut driver, &mut strategy, self.max_steps),
                None => {
                    driver.restart();
                    run(&mut driver, &mut strategy, self.max_steps, &mut &execution.trace)
                }
            };
            let found = outcome(execution, end, result.take());
            execution.pulse.rest();
            execution.state.borrow_mut().ended_as = failure::kind(&expected);
            if end != End::GivenUp && found.as_ref() == Ok(&expected) {
                self.keep_simpler(&expected, execution);
            }
            match &mut self.scout {
                Some(scout) => scout.tear_down(execution),
                None => execution.tear_down(),
            }
            if execution.state.borrow().is_broken {
                return;
            }
        }
    }

    fn keep_simpler(&mut self, outcome: &Outcome<T>, execution: &Execution) {
        let trace = &mut *execution.trace.borrow_mut();
        let weight = |trace: &Trace| (trace.weight(), trace.switches());
        let known = self.report.outcomes.get_mut(outcome);
        if let Some(known) = known.filter(|known| weight(trace) < weight(known)) {
            execution.describe_run(trace);
            known.clone_from(trace);
        }
    }
}
