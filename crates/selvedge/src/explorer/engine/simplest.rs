//! The simplest run for each outcome.
//!
//! The runs of the report are simplified by swapping independent steps ([`selvedge_explore::simplify()`]).
//! Each simplified run is made once more with the same body. It is shown if it has the same outcome and is
//! simpler; otherwise the known run is shown.
//!
//! A worker without others does this itself, on the same thread of the operating system and in the same
//! execution: waking another thread takes longer than many a whole exploration. Before that, light runs are
//! made once more in full, and runs that went on after their bodies had ended are made up to there.
//!
//! Promise: every shown run was made, and is never heavier than the run that was found. These runs are not
//! counted.

use super::context::RunContext;
use super::findings::{Findings, Rank, Witness};
use super::notes::Note;
use super::remake::{Visit, remake, remake_here};
use super::run_once::Body;
use crate::control::Execution;
use crate::explorer::api::{Options, Outcome, Value};
use selvedge_explore::{EventId, Trace, simplify};

/// The runs of at most this many outcomes are simplified, failures first: each takes another run.
const MAX_OUTCOMES: usize = 100;

/// Simplifies the runs of the report that were not simplified before.
pub(super) fn simplify_runs(
    options: &Options,
    context: &RunContext,
    body: Body<'_>,
    findings: &mut Findings,
) {
    let (outcomes, choices) = simplified_choices(findings);
    remake(options, context, body, &choices, &mut *replace_if_simpler(findings, outcomes));
}

/// The same in the execution of the exploration. If a run breaks its thread of the operating system,
/// [`simplify_runs`] does the rest.
pub(super) fn simplify_here(
    options: &Options,
    execution: &Execution,
    body: Body<'_>,
    findings: &mut Findings,
) {
    // The search for simpler runs may take long: the watchdog must not warn.
    execution.heartbeat.follow();
    let (outcomes, choices) = provisional_choices(findings);
    let choices = (&choices[..], &mut 0);
    remake_here(options, execution, None, body, choices, &mut *replace_provisional(findings, outcomes));
    if execution.state.borrow().is_broken {
        return;
    }
    let (outcomes, choices) = simplified_choices(findings);
    let choices = (&choices[..], &mut 0);
    remake_here(options, execution, None, body, choices, &mut *replace_if_simpler(findings, outcomes));
}

/// Replaces the witness of an outcome by a run that has this outcome and is simpler.
fn replace_if_simpler<'f>(findings: &'f mut Findings, outcomes: Vec<Outcome<Value>>) -> Box<Visit<'f>> {
    let weight = |trace: &Trace| (trace.weight(), trace.switches());
    Box::new(move |index, now, execution| {
        let outcome = &outcomes[index];
        let Some(witness) = findings.outcomes.get_mut(outcome) else { return };
        witness.is_simplified = true;
        let is_simpler = || weight(&execution.trace.borrow()) < weight(&witness.trace);
        if now.as_ref() == Some(outcome) && is_simpler() {
            witness.replace_run(execution);
            witness.origin.is_rearranged = true;
        }
    })
}

/// Outcomes, each with choices that may lead to it by a simpler run. The runs of other outcomes cannot be
/// simplified.
fn simplified_choices(findings: &mut Findings) -> (Vec<Outcome<Value>>, Vec<Vec<EventId>>) {
    let shown = findings.outcomes.iter_mut().filter(|(_, witness)| witness.is_shown);
    let (returned, failed): (Vec<_>, Vec<_>) = shown.partition(|(outcome, _)| outcome.is_returned());
    let all = failed.into_iter().chain(returned).take(MAX_OUTCOMES);
    let remaining = all.filter(|(_, witness)| !witness.is_simplified);
    remaining
        .filter_map(|(outcome, witness)| {
            // A run that deadlocks or is cut off is not ended by its last step.
            let ends_by_last = !matches!(outcome, Outcome::Deadlock | Outcome::StepLimit);
            let Some(order) = simplify(&witness.trace, ends_by_last) else {
                witness.is_simplified = true;
                return None;
            };
            let choice = |step: usize| witness.trace.steps()[step].event.id;
            Some((outcome.clone(), order.into_iter().map(choice).collect()))
        })
        .unzip()
}

/// Makes provisional runs once more: light ones in full, others up to the end of the body. If such a run has
/// another outcome now, its present trace is shown, and a note says so.
pub(super) fn remake_provisional_runs(
    options: &Options,
    context: &RunContext,
    body: Body<'_>,
    findings: &mut Findings,
) {
    let (outcomes, choices) = provisional_choices(findings);
    remake(options, context, body, &choices, &mut *replace_provisional(findings, outcomes));
}

/// Outcomes with provisional runs, and the choices of these runs.
fn provisional_choices(findings: &Findings) -> (Vec<Outcome<Value>>, Vec<Vec<EventId>>) {
    let is_provisional = |witness: &Witness| witness.is_shown && witness.is_provisional();
    let runs = findings.outcomes.iter().filter(|(_, witness)| is_provisional(witness));
    runs.map(|(outcome, witness)| (outcome.clone(), witness.trace.choices().collect())).unzip()
}

/// Replaces the provisional witness of an outcome by a run that has this outcome.
fn replace_provisional<'f>(findings: &'f mut Findings, outcomes: Vec<Outcome<Value>>) -> Box<Visit<'f>> {
    Box::new(move |index, now, execution| {
        let outcome = &outcomes[index];
        let Some(witness) = findings.outcomes.get_mut(outcome) else { return };
        if now.as_ref() == Some(outcome) {
            witness.replace_run(execution);
        } else {
            witness.trace.expand_light_steps();
            findings.note(Note::Nondeterministic);
        }
    })
}

/// Replaces runs by the normal forms of their traces, so that the report does not depend on the speed of the
/// workers. A normal form with another outcome is not used.
pub(super) fn normalise_runs(
    options: &Options,
    context: &RunContext,
    body: Body<'_>,
    findings: &mut Findings,
) {
    let is_other = |rank: &Rank, trace: &Trace| !rank.form.is_empty() && !trace.choices().eq(rank.choices());
    let outcomes = findings.outcomes.iter().filter(|(_, witness)| witness.is_shown);
    let (outcomes, choices): (Vec<Outcome<Value>>, Vec<Vec<EventId>>) = outcomes
        .filter(|(_, witness)| is_other(&witness.rank, &witness.trace))
        .map(|(outcome, witness)| (outcome.clone(), witness.rank.choices().collect()))
        .unzip();
    remake(options, context, body, &choices, &mut move |index, now, execution| {
        let outcome = &outcomes[index];
        let witness = findings.outcomes.get_mut(outcome).filter(|_| now.as_ref() == Some(outcome));
        if let Some(witness) = witness {
            witness.replace_run(execution);
            witness.origin.is_rearranged = true;
        }
    });
}
