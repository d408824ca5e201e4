//! Does every run of a system satisfy a formula?
//!
//! An invariant, `G p` with p about single states, goes by plain reachability, breadth first, so that the path to
//! its violation is as short as any; everything else by the product with the automaton of the negated formula.
//!
//! Where labels do not know every proposition (abstract interpretation), a violation is first looked for as one
//! that may be, then, if there is one, as one that is certain.
//!
//! Promise: a search that was cut short never says [`Verdict::Holds`]; every counterexample has been replayed.

use crate::breadth_first::breadth_first;
use crate::budget::{Budget, Limit, Meter, Stats};
use crate::counterexample::Counterexample;
use crate::fairness::{Fairness, MAX_FAIR_PROCESSES};
use crate::lasso::lasso;
use crate::ltl::accepting_nodes;
use crate::negation::Negation;
use crate::parallel::{Watch, find_run};
use crate::product::Product;
use crate::rules::{Rules, Unknown};
use crate::search::{End, Visitor};
use crate::system::{System, Word};
use selvedge_ltl::buchi::{Frozen, TranslateError};
use selvedge_ltl::nnf::{Nnf, Node, Store};
use selvedge_ltl::{Cube, Formula, Prop};
use std::fmt;

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Which runs count.
    pub fairness: Fairness,
    /// What may be used, the clock, and who hears of progress.
    pub budget: Budget<'a>,
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
    let ask = |unknown| match &question.invariant {
        Some(bad) => reach(system, bad, unknown, options.budget),
        None => search(system, &question.negation, unknown, options),
    };
    let (answer, mut stats) = ask(Unknown::May);
    stats.automaton_states = question.negation.state_count();
    let verdict = match answer {
        Err(limit) => Verdict::Limit(limit),
        Ok(None) => Verdict::Holds,
        Ok(Some(run)) if run.replay_violation(system, formula, options.fairness) => Verdict::Violated(run),
        Ok(Some(uncertain)) => match ask(Unknown::Known).0 {
            Ok(Some(run)) => {
                run.replay_violation(system, formula, options.fairness);
                Verdict::Violated(run)
            }
            Ok(None) | Err(_) => Verdict::MayBeViolated(uncertain),
        },
    };
    Ok(Report { verdict, stats })
}

/// A formula, made ready.
struct Question {
    negation: Frozen,
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
        Ok(Question { negation, invariant })
    }
}

fn is_about_one_state(store: &Store, formula: Nnf) -> bool {
    let is_simple = |part: Nnf| {
        matches!(store.node(part), Node::Const(_) | Node::Literal(..) | Node::And(_) | Node::Or(_))
    };
    store.subformulas(formula).into_iter().all(is_simple)
}

/// A run that violates, none, or what ran out; and the figures.
pub(crate) type Answer<A> = (Result<Option<Counterexample<A>>, Limit>, Stats);

/// Looks for a state that meets one of the cubes.
fn reach<S: System>(system: &S, bad: &[Cube], unknown: Unknown, budget: Budget<'_>) -> Answer<S::Action> {
    struct Bad<'a> {
        cubes: &'a [Cube],
        unknown: Unknown,
    }
    impl Bad<'_> {
        fn is_bad(&self, system: &impl System, state: &[Word]) -> bool {
            let letter = self.unknown.read(system.label(state));
            self.cubes.iter().any(|cube| cube.meets(letter))
        }
    }
    impl<S: System> Visitor<S> for Bad<'_> {
        fn found(&mut self, system: &S, state: &[Word]) -> bool {
            self.is_bad(system, state)
        }
    }
    impl<S: System> Watch<S> for Bad<'_> {
        fn minds_state(&self, system: &S, state: &[Word]) -> bool {
            self.is_bad(system, state)
        }
    }
    let search = breadth_first(system, budget, &mut Bad { cubes: bad, unknown });
    let answer = match search.end() {
        End::Complete => Ok(None),
        End::Limit(limit) => Err(limit),
        End::Stopped(state) => {
            Ok(Some(Counterexample { prefix: search.path(system, state), cycle: Vec::new() }))
        }
    };
    (answer, search.stats())
}

/// Looks for a run that the automaton accepts.
fn search<S: System>(
    system: &S,
    automaton: &Frozen,
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
