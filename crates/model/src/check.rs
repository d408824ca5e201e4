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
use crate::frontier::Order;
use crate::lasso::lasso;
use crate::ltl::accepting_nodes;
use crate::negation::Negation;
use crate::product::{Product, Unknown};
use crate::reduced::{Aim, Reduced};
use crate::search::{End, Visitor, explore};
use crate::system::{System, Word};
use selvedge_ltl::buchi::{Frozen, TranslateError};
use selvedge_ltl::nnf::{Nnf, Node, Store};
use selvedge_ltl::{Cube, Formula, Prop};
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
    let is_reduced = options.reduction && options.fairness == Fairness::None && question.is_stutter_invariant;
    if is_reduced {
        let aim = if question.invariant.is_some() { Aim::States } else { Aim::Runs };
        let reduced = Reduced::new(system, aim);
        let first = answer(&reduced, &question, Unknown::May, options);
        if !reduced.has_unknown() || first.0.is_err() {
            return Ok(report(system, formula, &question, options, first));
        }
    }
    let first = answer(system, &question, Unknown::May, options);
    Ok(report(system, formula, &question, options, first))
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
        Ok(Some(uncertain)) => match answer(system, question, Unknown::Known, options).0 {
            Ok(Some(run)) => {
                run.replay_violation(system, formula, options.fairness);
                Verdict::Violated(run)
            }
            Ok(None) | Err(_) => Verdict::MayBeViolated(uncertain),
        },
    };
    Report { verdict, stats }
}

/// The question asked of a system, reduced or not.
fn answer<S: System>(
    system: &S,
    question: &Question,
    unknown: Unknown,
    options: Options<'_>,
) -> Answer<S::Action> {
    match &question.invariant {
        Some(bad) => reach(system, bad, unknown, options.budget),
        None => search(system, &question.negation, unknown, options),
    }
}

/// A formula with `X` whose negation has an automaton of at most so many states is asked whether it is
/// stutter-invariant all the same; that takes more than the automaton did.
const MAX_STUTTER_TEST: usize = 16;

/// A formula, made ready.
struct Question {
    negation: Frozen,
    /// Does it not see how often a state repeats, as far as is known?
    is_stutter_invariant: bool,
    /// For an invariant: the sets of literals that a state must not meet.
    invariant: Option<Vec<Cube>>,
}

impl Question {
    fn new(formula: &Formula<Prop>) -> Result<Question, TranslateError> {
        let mut negated = Negation::of(formula)?;
        let negation = negated.frozen();
        let Negation { mut translator, formula, .. } = negated;
        let invariant = match *translator.store.node(formula) {
            Node::Release([Nnf::FALSE, state]) if is_about_one_state(&translator.store, state) => {
                let bad = translator.store.negate(state);
                let automaton = translator.nondeterministic(bad)?.frozen(&mut translator.bdds);
                Some(automaton.edges(automaton.initial).iter().map(|edge| edge.cube).collect())
            }
            _ => None,
        };
        let is_small = negation.state_count() <= MAX_STUTTER_TEST;
        let is_stutter_invariant = !translator.counts_letters(formula)
            || is_small && translator.is_stutter_invariant(formula).unwrap_or(false);
        Ok(Question { negation, is_stutter_invariant, invariant })
    }
}

fn is_about_one_state(store: &Store, formula: Nnf) -> bool {
    let is_simple = |part: Nnf| {
        matches!(store.node(part), Node::Const(_) | Node::Literal(..) | Node::And(_) | Node::Or(_))
    };
    store.subformulas(formula).into_iter().all(is_simple)
}

/// A run that violates, none, or what ran out; and the figures.
type Answer<A> = (Result<Option<Counterexample<A>>, Limit>, Stats);

/// Looks for a state that meets one of the cubes.
fn reach<S: System>(system: &S, bad: &[Cube], unknown: Unknown, budget: Budget<'_>) -> Answer<S::Action> {
    struct Bad<'a> {
        cubes: &'a [Cube],
        unknown: Unknown,
    }
    impl<S: System> Visitor<S> for Bad<'_> {
        fn found(&mut self, system: &S, state: &[Word]) -> bool {
            let letter = self.unknown.read(system.label(state));
            self.cubes.iter().any(|cube| cube.meets(letter))
        }
    }
    let exploration = explore(system, Order::BreadthFirst, budget, &mut Bad { cubes: bad, unknown });
    let answer = match exploration.end {
        End::Complete => Ok(None),
        End::Limit(limit) => Err(limit),
        End::Stopped(state) => {
            Ok(Some(Counterexample { prefix: exploration.path(system, state), cycle: Vec::new() }))
        }
    };
    (answer, exploration.stats)
}

/// Looks for a run that the automaton accepts.
fn search<S: System>(
    system: &S,
    automaton: &Frozen,
    unknown: Unknown,
    options: Options<'_>,
) -> Answer<S::Action> {
    let meter = Meter::start(options.budget);
    let mut product = Product::new(system, automaton, options.fairness, unknown, meter);
    let found = accepting_nodes(&mut product);
    let answer = found.map(|nodes| nodes.map(|nodes| lasso(&mut product, nodes)));
    (answer, product.stats())
}
