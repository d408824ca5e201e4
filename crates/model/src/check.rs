//! Does every run of a system satisfy a formula?
//!
//! An invariant, `G p` with p about single states, is decided by breadth-first reachability, so that the
//! path to its violation is a shortest one. Every other formula is decided on the product with the automaton
//! of its negation.
//!
//! Where the steps of a system may not be real (abstract interpretation), a run that violates the formula is
//! no violation by itself: the verdict is [`Verdict::MayBeViolated`].
//!
//! Where labels leave propositions unknown (abstract interpretation), the check first searches for a
//! possible violation and then, if there is one, for a certain violation.
//!
//! If the formula is stutter-invariant, and all runs count, some orders of independent steps stand for all
//! ([`Reduced`]). Fair runs are not reduced: strong fairness distinguishes orders that the reduction
//! identifies, and weak fairness is kept simple. A shortest path is then a shortest one of the reduced
//! system.
//!
//! Promise: a search that a limit stopped, or a bound of the language cut, never says [`Verdict::Holds`];
//! every counterexample has been replayed.

use crate::checkpoint::{begin, finish};
use crate::ltl::{
    CompiledProperty, Counterexample, Fairness, MAX_FAIR_PROCESSES, Product, TransitionRelation,
    UnknownReading, accepting_nodes, lasso,
};
use crate::reduce::{Preserve, Reduced};
use crate::search::{Budget, Limit, Meter, Stats, check_invariants};
use crate::system::System;
use crate::workers::find_run;
use selvedge_ltl::buchi::{SearchAutomaton, TranslateError};
use selvedge_ltl::{Formula, Prop};
use std::fmt;

/// The options of a check.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The runs that count.
    pub fairness: Fairness,
    /// May partial-order reduction be used where it is sound? On by default.
    pub reduction: bool,
    /// Limits, clock, progress and workers.
    pub budget: Budget<'a>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { fairness: Fairness::None, reduction: true, budget: Budget::default() }
    }
}

/// The answer of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<A> {
    /// Every run (every fair run) satisfies the formula.
    Holds,
    /// This run violates the formula.
    Violated(Counterexample<A>),
    /// This run violates the formula if its steps are real and for some values of the propositions that are
    /// unknown on it; no certain violation was found.
    MayBeViolated(Counterexample<A>),
    /// A limit stopped the search, with no violation so far.
    Limit(Limit),
}

/// A verdict, and the figures of its search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<A> {
    /// The verdict.
    pub verdict: Verdict<A>,
    /// The figures of the search.
    pub stats: Stats,
}

/// The reason why a check cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The formula has no automaton.
    Translate(TranslateError),
    /// Fairness for this many processes, more than [`MAX_FAIR_PROCESSES`].
    TooManyProcesses(usize),
    /// A simulation of a system whose steps may not be real: its runs prove nothing.
    AbstractSteps,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Translate(error) => error.fmt(f),
            CheckError::TooManyProcesses(count) => {
                write!(
                    f,
                    "fairness is kept for at most {MAX_FAIR_PROCESSES} processes, and there are {count}"
                )
            }
            CheckError::AbstractSteps => f.write_str("a simulation needs the real steps of a program"),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<TranslateError> for CheckError {
    fn from(error: TranslateError) -> Self {
        CheckError::Translate(error)
    }
}

/// Checks a formula, whose propositions are numbered as the system's labels number them.
pub fn check<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    options: Options<'_>,
) -> Result<Report<S::Action>, CheckError> {
    if options.fairness != Fairness::None && system.processes() > MAX_FAIR_PROCESSES {
        return Err(CheckError::TooManyProcesses(system.processes()));
    }
    let property = CompiledProperty::new(formula)?;
    if property.invariant.is_some() {
        return decide_invariant(system, formula, options);
    }
    let is_reduced = options.reduction && options.fairness == Fairness::None && property.is_stutter_invariant;
    if is_reduced {
        let reduced = Reduced::new(system, Preserve::Runs);
        let first = search(&reduced, &property.negation, UnknownReading::May, options);
        // Where a bound cut the reduced search, the whole one may still find a violation.
        let is_stopped = matches!(first.0, Err(limit) if limit != Limit::Language);
        if !reduced.has_unknown() || is_stopped {
            return Ok(report(system, formula, &property, options, first));
        }
    }
    let first = search(system, &property.negation, UnknownReading::May, options);
    Ok(report(system, formula, &property, options, first))
}

/// The verdict on an invariant. Every finite run has a fair continuation, so fairness makes no difference.
fn decide_invariant<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    options: Options<'_>,
) -> Result<Report<S::Action>, CheckError> {
    let formulas = std::slice::from_ref(formula);
    if options.reduction {
        let reduced = Reduced::new(system, Preserve::States);
        let pass = check_invariants(&reduced, formulas, None, options.budget)?;
        if !reduced.has_unknown() {
            pass.replay(system, formulas);
            return Ok(pass.only_report());
        }
    }
    Ok(check_invariants(system, formulas, None, options.budget)?.only_report())
}

/// The verdict from the answer of the search for a possible violation.
fn report<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    property: &CompiledProperty,
    options: Options<'_>,
    (answered, mut stats): Answer<S::Action>,
) -> Report<S::Action> {
    stats.automaton_states = property.negation.state_count();
    let violated = |run| match system.has_real_steps() {
        true => Verdict::Violated(run),
        false => Verdict::MayBeViolated(run),
    };
    let verdict = match answered {
        Err(limit) => Verdict::Limit(limit),
        Ok(None) => Verdict::Holds,
        Ok(Some(run)) if run.replay_violation(system, formula, options.fairness) => violated(run),
        Ok(Some(uncertain)) => match search(system, &property.negation, UnknownReading::Must, options).0 {
            Ok(Some(run)) => {
                run.replay_violation(system, formula, options.fairness);
                violated(run)
            }
            Ok(None) | Err(_) => Verdict::MayBeViolated(uncertain),
        },
    };
    Report { verdict, stats }
}

/// A violating run, `None`, or the limit that was reached; and the figures.
pub(crate) type Answer<A> = (Result<Option<Counterexample<A>>, Limit>, Stats);

/// Searches for a run that the automaton accepts. A search without one is not complete if a bound of the
/// language cut off a step.
fn search<S: System>(
    system: &S,
    automaton: &SearchAutomaton,
    unknown: UnknownReading,
    options: Options<'_>,
) -> Answer<S::Action> {
    let Some(checkpoint) = options.budget.checkpoint else {
        return search_or_cut(system, automaton, unknown, options);
    };
    let kind = format!("product {} {} {unknown:?}", system.words(), automaton.state_count());
    match begin(checkpoint, &kind, system) {
        Ok(None) => {}
        Ok(Some(stats)) => return (Ok(None), stats),
        Err(limit) => return (Err(limit), Stats::default()),
    }
    // The order of one worker's search is part of its records.
    let budget = Budget { workers: 1, ..options.budget };
    let answer = search_or_cut(system, automaton, unknown, Options { budget, ..options });
    match &answer {
        (Ok(None), stats) => finish(checkpoint, stats, system),
        (Ok(Some(_)) | Err(Limit::Language), _) => {}
        (Err(_), _) => checkpoint.stop(),
    }
    answer
}

fn search_or_cut<S: System>(
    system: &S,
    automaton: &SearchAutomaton,
    unknown: UnknownReading,
    options: Options<'_>,
) -> Answer<S::Action> {
    match search_uncut(system, automaton, unknown, options) {
        (Ok(None), stats) if system.first_cut().is_some() => (Err(Limit::Language), stats),
        answer => answer,
    }
}

fn search_uncut<S: System>(
    system: &S,
    automaton: &SearchAutomaton,
    unknown: UnknownReading,
    options: Options<'_>,
) -> Answer<S::Action> {
    // Strong fairness decomposes components repeatedly; only the sequential search does so.
    if options.budget.workers > 1 && options.fairness != Fairness::Strong {
        return find_run(
            TransitionRelation::new(system, automaton, options.fairness, unknown),
            options.budget,
        );
    }
    let meter = Meter::start(options.budget);
    let mut product = Product::new(system, automaton, options.fairness, unknown, meter);
    let found = accepting_nodes(&mut product);
    let answer = found.map(|nodes| nodes.map(|nodes| lasso(&mut product, nodes)));
    (answer, product.stats())
}
