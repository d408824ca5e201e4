//! Büchi automata: formulas on infinite words.
//!
//! The way from a formula to a small automaton: simplify the formula; `expand` it; `prune` what accepts nothing; reduce by
//! `simulation`; make a deterministic one from its residuals, if there is one (`residual`); `merge` states where the negation permits it, and
//! take the smallest. For those who want acceptance on states, `degeneralise` and `degeneralise_ahead` before the merging.

mod automaton;
mod degeneralise;
mod degeneralise_ahead;
mod emptiness;
mod expand;
mod merge;
pub(crate) mod past;
mod prune;
mod residual;
mod scc;
mod simulation;

pub use automaton::{
    Automaton, Edge, MAX_MARKS, Marks, SearchAutomaton, SearchEdge, StateId, guard_cubes, some_letter,
};
pub use emptiness::{accepts, is_empty, product, some_word};
pub use expand::Limits;
pub use prune::is_weak;
pub use scc::Components;

use crate::bdd::Bdds;
use crate::nnf::{FormulaArena, Nnf, Reading};
use crate::simplify::Simplifier;
use crate::word::Word;
use degeneralise::Choice;
use prune::Passing;
use residual::Residuals;
use std::fmt;

/// An automaton so many times larger than another for the same formula is not worth the time to reduce it further.
const FAR: usize = 2;

/// What ran out, as messages name it.
const DIAGRAMS: &str = "nodes of decision diagrams";

/// Why a formula has no automaton here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// One of the [`Limits`] was reached; it is named.
    TooLarge(&'static str),
    /// An operator of the future stands below one of the past.
    FutureBelowPast,
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::TooLarge(what) => write!(f, "the automaton has too many {what}"),
            TranslateError::FutureBelowPast => f.write_str(
                "an operator of the future stands below one of the past; automata are made only where past operators \
                 speak of the past alone",
            ),
        }
    }
}

impl std::error::Error for TranslateError {}

/// Translates formulas, and answers questions by automata. Automata of one translator share its diagrams.
#[derive(Debug)]
pub struct Translator {
    /// The formulas.
    pub arena: FormulaArena,
    /// The guards.
    pub bdds: Bdds,
    /// What bounds each translation.
    pub limits: Limits,
    simplifier: Simplifier,
}

impl Default for Translator {
    fn default() -> Self {
        Translator::new(FormulaArena::default(), Limits::default())
    }
}

impl Translator {
    /// A translator of the formulas in an arena.
    pub fn new(arena: FormulaArena, limits: Limits) -> Translator {
        // An expansion stops at the limit; what is done with it afterwards may need as much again.
        let bdds = Bdds::with_limit(limits.nodes.saturating_mul(2));
        Translator { arena, bdds, limits, simplifier: Simplifier::new(Reading::Infinite) }
    }

    /// What was computed, unless the diagrams ran out on the way, which makes it meaningless.
    fn sound<T>(&self, computed: T) -> Result<T, TranslateError> {
        if self.bdds.is_exhausted() { Err(TranslateError::TooLarge(DIAGRAMS)) } else { Ok(computed) }
    }

    /// The formula, simplified for infinite words.
    pub fn simplify(&mut self, formula: Nnf) -> Nnf {
        self.simplifier.simplify(&mut self.arena, formula)
    }

    /// A small automaton that accepts the infinite words that satisfy the formula.
    pub fn translate(&mut self, formula: Nnf) -> Result<Automaton, TranslateError> {
        let Candidates { automata, negation } = self.candidates(formula)?;
        let merged = self.merged(automata, negation.as_ref());
        self.sound(smallest(merged))
    }

    /// A small state-based Büchi automaton with one mark.
    pub fn translate_state_based(&mut self, formula: Nnf) -> Result<Automaton, TranslateError> {
        let Candidates { mut automata, negation } = self.candidates(formula)?;
        let merged = self.merged(automata.clone(), negation.as_ref());
        automata.extend(merged);
        let mut state_based = Vec::new();
        for automaton in distinct(automata) {
            for choice in Choice::ALL {
                state_based.push(degeneralise::degeneralise(&mut self.bdds, &automaton, choice));
                state_based.extend(degeneralise_ahead::degeneralise_ahead(
                    &mut self.bdds,
                    &automaton,
                    choice,
                ));
            }
        }
        let reduce = |automaton| simulation::reduce(&mut self.bdds, automaton);
        let reduced = distinct(state_based).into_iter().map(reduce).collect();
        let merged = self.merged(reduced, negation.as_ref());
        self.sound(smallest(merged))
    }

    /// Each automaton with the states merged that the negation permits to merge.
    fn merged(&mut self, automata: Vec<Automaton>, negation: Option<&Automaton>) -> Vec<Automaton> {
        let Some(negation) = negation else { return automata };
        let Translator { bdds, limits, .. } = self;
        let merge = |automaton| merge::merge(bdds, automaton, negation, *limits);
        near(distinct(automata)).into_iter().map(merge).collect()
    }

    /// Automata for the formula, made in different ways.
    fn candidates(&mut self, formula: Nnf) -> Result<Candidates, TranslateError> {
        let reduced = self.nondeterministic(formula)?;
        if reduced.state_count() == 1 {
            return Ok(Candidates { automata: vec![reduced], negation: None });
        }
        let negated = self.arena.negate(formula);
        let negation = match self.nondeterministic(negated) {
            Err(TranslateError::TooLarge(_)) => {
                return Ok(Candidates { automata: vec![reduced], negation: None });
            }
            other => other?,
        };
        let mut automata = Vec::new();
        let Translator { bdds, limits, .. } = self;
        if let Some(residuals) = Residuals::new(bdds, &reduced, &negation, *limits) {
            automata.push(residuals.automaton);
        }
        if let Some(residuals) = Residuals::new(bdds, &negation, &reduced, *limits) {
            automata.push(simulation::reduce(bdds, residuals.complement));
        }
        automata.push(reduced);
        Ok(Candidates { automata: near(automata), negation: Some(negation) })
    }

    /// Expanded, pruned and reduced, but not made smaller by other means: for questions that only need the language.
    pub fn nondeterministic(&mut self, formula: Nnf) -> Result<Automaton, TranslateError> {
        let formula = self.simplify(formula);
        let plain = self.expand(formula, None)?;
        let candidates = [Passing::Unmarked, Passing::Marked].map(|passing| {
            let pruned = prune::prune(&mut self.bdds, &plain, passing);
            simulation::reduce(&mut self.bdds, pruned)
        });
        let size = |a: &Automaton| (a.state_count(), a.edge_count());
        let [one, other] = candidates;
        let smaller = if size(&other) < size(&one) { other } else { one };
        let pruned = prune::prune(&mut self.bdds, &smaller, Passing::Unmarked);
        self.sound(pruned)
    }

    fn expand(
        &mut self,
        formula: Nnf,
        held: Option<&dyn Fn(Nnf) -> bool>,
    ) -> Result<Automaton, TranslateError> {
        expand::expand(&mut self.arena, &mut self.bdds, formula, held, self.limits)
    }

    /// Can the formula be satisfied from a state on before which past operators had the values that `held` says:
    /// `Y a` and `WY a` their value in the state itself, `S` and `T` theirs in the state before?
    pub fn is_satisfiable_after(
        &mut self,
        formula: Nnf,
        held: &dyn Fn(Nnf) -> bool,
    ) -> Result<bool, TranslateError> {
        Ok(!is_empty(&self.expand(formula, Some(held))?))
    }

    /// A word that satisfies the formula; `None` if there is none.
    pub fn model(&mut self, formula: Nnf) -> Result<Option<Word>, TranslateError> {
        let automaton = self.nondeterministic(formula)?;
        Ok(some_word(&self.bdds, &automaton))
    }

    /// A word that satisfies one formula and not the other; `None` if they are equivalent.
    pub fn difference(&mut self, one: Nnf, other: Nnf) -> Result<Option<Word>, TranslateError> {
        let sides = [(one, other), (other, one)];
        for (holds, fails) in sides {
            let (yes, no) = (self.nondeterministic(holds)?, self.arena.negate(fails));
            let no = self.nondeterministic(no)?;
            let both = product(&mut self.bdds, &yes, &no, self.limits)?;
            if let Some(word) = some_word(&self.bdds, &both) {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }
}

/// Automata that accept the same words, and one that accepts all others, unless that became too large.
struct Candidates {
    automata: Vec<Automaton>,
    negation: Option<Automaton>,
}

/// The automata without those that came before.
fn distinct(automata: Vec<Automaton>) -> Vec<Automaton> {
    let mut distinct: Vec<Automaton> = Vec::new();
    for automaton in automata {
        if !distinct.contains(&automaton) {
            distinct.push(automaton);
        }
    }
    distinct
}

/// The automata that are not far larger than the smallest of them.
fn near(mut automata: Vec<Automaton>) -> Vec<Automaton> {
    let fewest = automata.iter().map(Automaton::state_count).min().unwrap_or(0);
    automata.retain(|automaton| automaton.state_count() <= fewest * FAR);
    automata
}

/// The one with the fewest states, then edges; of equals the first.
fn smallest(automata: Vec<Automaton>) -> Automaton {
    let size = |automaton: &Automaton| (automaton.state_count(), automaton.edge_count());
    automata.into_iter().min_by_key(size).unwrap_or_else(Automaton::empty)
}
