//! The simplest run for each outcome that an exploration found.
//!
//! The runs that are to be shown are simplified by swapping independent steps ([`selvedge_explore::simplify()`]). Each result is
//! made once more, with the same body, and is shown if it ends in the same way and is simpler; else the run stays as it was.
//!
//! Before that, runs that were written down in brief are made once more in full.
//!
//! Promise: what is shown was run, and is never heavier than what was found. These runs are not counted.

use super::exploration::{Around, Body};
use super::found::Found;
use super::remake::remake;
use super::worker::{LOOK_FOR, NOT_DETERMINISTIC};
use super::{Options, Outcome, Report};
use selvedge_explore::{EventId, Trace, simplify};
use std::fmt::Debug;

/// The runs of so many outcomes are simplified, those of failures first: each takes a run more.
const MAX_OUTCOMES: usize = 100;

/// Simplifies the runs of a report.
pub(super) fn simplify_runs<T>(options: &Options, around: &Around, body: Body<'_, T>, report: &mut Report<T>)
where
    T: Ord + Clone + Debug + Send + 'static,
{
    let (outcomes, choices): (Vec<Outcome<T>>, Vec<Vec<EventId>>) = suggestions(report).into_iter().unzip();
    let weight = |trace: &Trace| (trace.weight(), trace.switches());
    remake(options, around, body, &choices, &mut move |at, found, execution| {
        let outcome = &outcomes[at];
        let trace = &mut *execution.trace.borrow_mut();
        let known = report.outcomes.get_mut(outcome).filter(|_| found.as_ref() == Some(outcome));
        if let Some(known) = known.filter(|known| weight(trace) < weight(known)) {
            execution.describe_run(trace);
            known.clone_from(trace);
        }
    });
}

/// An outcome, and choices that may lead to it in a simpler way.
fn suggestions<T: Ord + Clone>(report: &Report<T>) -> Vec<(Outcome<T>, Vec<EventId>)> {
    let (returned, failed): (Vec<_>, Vec<_>) =
        report.outcomes.iter().partition(|(outcome, _)| outcome.is_returned());
    let all = failed.into_iter().chain(returned).take(MAX_OUTCOMES);
    all.filter_map(|(outcome, trace)| {
        // Who is stuck, or is cut off, did not end the run by its last step.
        let ends_by_last = !matches!(outcome, Outcome::Deadlock | Outcome::StepLimit);
        let order = simplify(trace, ends_by_last)?;
        Some((outcome.clone(), order.into_iter().map(|step| trace.steps()[step].event.id).collect()))
    })
    .collect()
}

/// Makes the runs once more that were written down in brief, to know all of them. Where such a run ends in another way than it did, what is
/// known of it has to do, and a note says so.
pub(super) fn spell_out_runs<T>(options: &Options, around: &Around, body: Body<'_, T>, found: &mut Found<T>)
where
    T: Ord + Clone + Debug + Send + 'static,
{
    let briefs = found.outcomes.iter().filter(|(_, kept)| kept.is_shown && kept.trace.is_brief());
    let (outcomes, choices): (Vec<Outcome<T>>, Vec<Vec<EventId>>) =
        briefs.map(|(outcome, kept)| (outcome.clone(), kept.trace.choices().collect())).unzip();
    remake(options, around, body, &choices, &mut move |at, ended, execution| {
        let outcome = &outcomes[at];
        let kept = found.outcomes.get_mut(outcome).expect("what was found is there");
        if ended.as_ref() == Some(outcome) {
            let trace = &mut *execution.trace.borrow_mut();
            execution.describe_run(trace);
            kept.trace.clone_from(trace);
        } else {
            kept.trace.spell_out();
            found.note(format!("{NOT_DETERMINISTIC}; {LOOK_FOR}"));
        }
    });
}

/// Replaces runs by the normal forms of their traces, so that it does not matter which worker was faster. Where such a run does not end in
/// the same way, the one that was found stays.
pub(super) fn normalise_runs<T>(options: &Options, around: &Around, body: Body<'_, T>, found: &mut Found<T>)
where
    T: Ord + Clone + Debug + Send + 'static,
{
    let is_other = |choices: &[EventId], trace: &Trace| {
        !choices.is_empty() && !trace.choices().eq(choices.iter().copied())
    };
    let outcomes = found.outcomes.iter().filter(|(_, kept)| kept.is_shown);
    let (outcomes, choices): (Vec<Outcome<T>>, Vec<Vec<EventId>>) = outcomes
        .filter(|(_, kept)| is_other(&kept.rank.choices, &kept.trace))
        .map(|(outcome, kept)| (outcome.clone(), kept.rank.choices.clone()))
        .unzip();
    remake(options, around, body, &choices, &mut move |at, ended, execution| {
        let outcome = &outcomes[at];
        if let Some(kept) = found.outcomes.get_mut(outcome).filter(|_| ended.as_ref() == Some(outcome)) {
            let trace = &mut *execution.trace.borrow_mut();
            execution.describe_run(trace);
            kept.trace.clone_from(trace);
        }
    });
}
