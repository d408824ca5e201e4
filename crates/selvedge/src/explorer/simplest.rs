//! The simplest run for each outcome that an exploration found.
//!
//! The runs that are to be shown are simplified by swapping independent steps ([`selvedge_explore::simplify()`]). Each result is
//! made once more, with the same body, and is shown if it ends in the same way and is simpler; else the run stays as it was.
//!
//! Where one worker explores, it does this too when it is done, on the same thread of the operating system and in the same execution:
//! waking a thread takes longer than many a whole exploration. Before that, runs that were written down in brief are made once more in
//! full.
//!
//! Promise: what is shown was run, and is never heavier than what was found. These runs are not counted.

use super::exploration::{Body, RunContext};
use super::found::Found;
use super::remake::{Again, Visit, remake};
use super::worker::{LOOK_FOR, NOT_DETERMINISTIC};
use super::{Options, Outcome};
use crate::control::Execution;
use selvedge_explore::{EventId, Trace, simplify};
use std::fmt::Debug;

/// The runs of so many outcomes are simplified, those of failures first: each takes a run more.
const MAX_OUTCOMES: usize = 100;

/// Simplifies the runs that are to be shown, as far as that was not done before.
pub(super) fn simplify_runs<T>(
    options: &Options,
    context: &RunContext,
    body: Body<'_, T>,
    found: &mut Found<T>,
) where
    T: Ord + Clone + Debug + Send + 'static,
{
    let (outcomes, choices) = suggestions(found);
    remake(options, context, body, &choices, &mut *replacing(found, outcomes));
}

/// The same, where the exploration was made. If that cannot be used any more on the way, some are left to [`simplify_runs`].
pub(super) fn simplify_here<T>(
    options: &Options,
    execution: &Execution,
    body: Body<'_, T>,
    found: &mut Found<T>,
) where
    T: Ord + Clone + Debug + Send + 'static,
{
    // The search takes its time, and nothing moves meanwhile.
    execution.heartbeat.follow();
    let again = || Again { child: None, max_steps: options.max_steps };
    let (outcomes, choices) = light_events(found);
    again().run(execution, body, &choices, &mut 0, &mut *spelling_out(found, outcomes));
    if execution.state.borrow().is_broken {
        return;
    }
    let (outcomes, choices) = suggestions(found);
    again().run(execution, body, &choices, &mut 0, &mut *replacing(found, outcomes));
}

/// Takes a run for what is shown of its outcome, if it ends so and is simpler.
fn replacing<'f, T>(found: &'f mut Found<T>, outcomes: Vec<Outcome<T>>) -> Box<Visit<'f, T>>
where
    T: Ord + Send + 'f,
{
    let weight = |trace: &Trace| (trace.weight(), trace.switches());
    Box::new(move |at, ended, execution| {
        let outcome = &outcomes[at];
        let Some(known) = found.outcomes.get_mut(outcome) else { return };
        known.is_simplified = true;
        let trace = &*execution.trace.borrow();
        if ended.as_ref() == Some(outcome) && weight(trace) < weight(&known.trace) {
            known.trace.clone_from(trace);
            execution.describe_run(&mut known.trace);
        }
    })
}

/// Outcomes, and for each of them choices that may lead to it in a simpler way. The others are as simple as they can be.
fn suggestions<T: Ord + Clone>(found: &mut Found<T>) -> (Vec<Outcome<T>>, Vec<Vec<EventId>>) {
    let shown = found.outcomes.iter_mut().filter(|(_, kept)| kept.is_shown);
    let (returned, failed): (Vec<_>, Vec<_>) = shown.partition(|(outcome, _)| outcome.is_returned());
    let all = failed.into_iter().chain(returned).take(MAX_OUTCOMES);
    let left = all.filter(|(_, kept)| !kept.is_simplified);
    left.filter_map(|(outcome, kept)| {
        // Who is stuck, or is cut off, did not end the run by its last step.
        let ends_by_last = !matches!(outcome, Outcome::Deadlock | Outcome::StepLimit);
        let Some(order) = simplify(&kept.trace, ends_by_last) else {
            kept.is_simplified = true;
            return None;
        };
        let choice = |step: usize| kept.trace.steps()[step].event.id;
        Some((outcome.clone(), order.into_iter().map(choice).collect()))
    })
    .unzip()
}

/// Makes the runs once more that were written down in brief, to know all of them. Where such a run ends in another way than it did, what is
/// known of it has to do, and a note says so.
pub(super) fn spell_out_runs<T>(
    options: &Options,
    context: &RunContext,
    body: Body<'_, T>,
    found: &mut Found<T>,
) where
    T: Ord + Clone + Debug + Send + 'static,
{
    let (outcomes, choices) = light_events(found);
    remake(options, context, body, &choices, &mut *spelling_out(found, outcomes));
}

/// Outcomes whose runs were written down in brief, and their choices.
fn light_events<T: Ord + Clone>(found: &Found<T>) -> (Vec<Outcome<T>>, Vec<Vec<EventId>>) {
    let light_events = found.outcomes.iter().filter(|(_, kept)| kept.is_shown && kept.trace.is_light());
    light_events.map(|(outcome, kept)| (outcome.clone(), kept.trace.choices().collect())).unzip()
}

/// Takes a run for what is shown of its outcome, if it ends so.
fn spelling_out<'f, T>(found: &'f mut Found<T>, outcomes: Vec<Outcome<T>>) -> Box<Visit<'f, T>>
where
    T: Ord + Send + 'f,
{
    Box::new(move |at, ended, execution| {
        let outcome = &outcomes[at];
        let Some(kept) = found.outcomes.get_mut(outcome) else { return };
        if ended.as_ref() == Some(outcome) {
            kept.trace.clone_from(&execution.trace.borrow());
            execution.describe_run(&mut kept.trace);
        } else {
            kept.trace.expand_light_steps();
            found.note(format!("{NOT_DETERMINISTIC}; {LOOK_FOR}"));
        }
    })
}

/// Replaces runs by the normal forms of their traces, so that it does not matter which worker was faster. Where such a run does not end in
/// the same way, the one that was found stays.
pub(super) fn normalise_runs<T>(
    options: &Options,
    context: &RunContext,
    body: Body<'_, T>,
    found: &mut Found<T>,
) where
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
    remake(options, context, body, &choices, &mut move |at, ended, execution| {
        let outcome = &outcomes[at];
        if let Some(kept) = found.outcomes.get_mut(outcome).filter(|_| ended.as_ref() == Some(outcome)) {
            let trace = &mut *execution.trace.borrow_mut();
            execution.describe_run(trace);
            kept.trace.clone_from(trace);
        }
    });
}
