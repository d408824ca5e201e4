//! Does every run of a system satisfy a formula?
//!
//! An invariant, `G p` with p about single states, goes by plain reachability, breadth first, so that the path to
//! its violation is as short as any; everything else by the product with the automaton of the negated formula.
//!
//! Where labels do not know every proposition (abstract interpretation), a violation is first looked for as one
//! that may be, then, if there is one, as one that is certain.
//!
//! Where the formula does not see how often a state repeats, and all runs count, some orders of independent steps
//! stand for all ([`Reduced`]). Fair runs are not reduced: strong fairness tells orders apart that the reduction
//! takes for one, and weak fairness is kept simple. A path that is as short as any is then only as short as any among the
//! reduced system's.
//!
//! Promise: a search that was cut short never says [`Verdict::Holds`]; every counterexample has been replayed.

use crate::budget::{Budget, Limit, Meter, Stats};
use crate::counterexample::Counterexample;
use crate::fairness::{Fairness, MAX_FAIR_PROCESSES};
use crate::invariant::check_invariants;
use crate::lasso::lasso;
use crate::ltl::accepting_nodes;
use crate::parallel::find_run;
use crate::product::Product;
use crate::question::Question;
use crate::reduced::{Aim, Reduced};
use crate::rules::{Rules, Unknown};
use crate::system::System;
use selvedge_ltl::buchi::{SearchAutomaton, TranslateError};
use selvedge_ltl::{Formula, Prop};
use std::fmt;

/// How to check.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Which runs count.
    pub fairness: Fairness,
    /// May partial-order reduction be used where it is sound? On by default.
    pub reduction: bool,
    /// What may be used, the clock, and who hears of progress.
    pub budget: Budget<'a>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { fairness: Fairness::None, reduction: true, budget: Budget::default() }
    }
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<A> {
    /// Every run (every fair run) satisfies the formula.
    Holds,
    /// This run does not.
    Violated(Counterexample<A>),
    /// This run does not, if propositions that are unknown on it are as they may be; and no violation is certain,
    /// as far as was seen.
    MayBeViolated(Counterexample<A>),
    /// The search was cut short, with no violation so far.
    Limit(Limit),
}

/// A verdict, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<A> {
    /// The answer.
    pub verdict: Verdict<A>,
    /// The figures of the search.
    pub stats: Stats,
}

/// Why a check cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The formula has no automaton.
    Translate(TranslateError),
    /// Fairness for so many processes, more than [`MAX_FAIR_PROCESSES`].
    TooManyProcesses(usize),
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
    let question = Question::new(formula)?;
    if question.invariant.is_some() {
        return decide_invariant(system, formula, options);
    }
    let is_reduced = options.reduction && options.fairness == Fairness::None && question.is_stutter_invariant;
    if is_reduced {
        let reduced = Reduced::new(system, Aim::Runs);
        let first = search(&reduced, &question.negation, Unknown::May, options);
        if !reduced.has_unknown() || first.0.is_err() {
            return Ok(report(system, formula, &question, options, first));
        }
    }
    let first = search(system, &question.negation, Unknown::May, options);
    Ok(report(system, formula, &question, options, first))
}

/// The verdict on an invariant. Every finite run goes on fairly, so fairness makes no difference.
fn decide_invariant<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    options: Options<'_>,
) -> Result<Report<S::Action>, CheckError> {
    let formulas = std::slice::from_ref(formula);
    if options.reduction {
        let reduced = Reduced::new(system, Aim::States);
        let pass = check_invariants(&reduced, formulas, None, options.budget)?;
        if !reduced.has_unknown() {
            pass.replay(system, formulas);
            return Ok(pass.only_report());
        }
    }
    Ok(check_invariants(system, formulas, None, options.budget)?.only_report())
}

/// The verdict by the answer to whether there may be a violation.
fn report<S: System>(
    system: &S,
    formula: &Formula<Prop>,
    question: &Question,
    options: Options<'_>,
    (answered, mut stats): Answer<S::Action>,
) -> Report<S::Action> {
    stats.automaton_states = question.negation.state_count();
    let verdict = match answered {
        Err(limit) => Verdict::Limit(limit),
        Ok(None) => Verdict::Holds,
        Ok(Some(run)) if run.replay_violation(system, formula, options.fairness) => Verdict::Violated(run),
        Ok(Some(uncertain)) => match search(system, &question.negation, Unknown::Known, options).0 {
            Ok(Some(run)) => {
                run.replay_violation(system, formula, options.fairness);
                Verdict::Violated(run)
            }
            Ok(None) | Err(_) => Verdict::MayBeViolated(uncertain),
        },
    };
    Report { verdict, stats }
}

/// A run that violates, none, or what ran out; and the figures.
pub(crate) type Answer<A> = (Result<Option<Counterexample<A>>, Limit>, Stats);

/// Looks for a run that the automaton accepts.
fn search<S: System>(
    system: &S,
    automaton: &SearchAutomaton,
    unknown: Unknown,
    options: Options<'_>,
) -> Answer<S::Action> {
    // Strong fairness decomposes components again and again: that is one worker's business.
    if options.budget.workers > 1 && options.fairness != Fairness::Strong {
        return find_run(Rules::new(system, automaton, options.fairness, unknown), options.budget);
    }
    let meter = Meter::start(options.budget);
    let mut product = Product::new(system, automaton, options.fairness, unknown, meter);
    let found = accepting_nodes(&mut product);
    let answer = found.map(|nodes| nodes.map(|nodes| lasso(&mut product, nodes)));
    (answer, product.stats())
}
