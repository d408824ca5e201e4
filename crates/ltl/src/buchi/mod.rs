//! Büchi automata: formulas on infinite words.
//!
//! From a formula to a small automaton: simplify the formula; `expand` it; `prune` dead states; reduce by
//! `simulation`; build a deterministic automaton of its residual languages, if there is one (`residual`);
//! `merge` states that an emptiness test with the negation permits to merge; take the smallest automaton.
//! For state-based acceptance, `degeneralise` and `degeneralise_ahead` come before the merging.

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
use prune::TransientMarks;
use residual::Residuals;
use std::fmt;

/// Candidates with more than this multiple of the smallest candidate's states are not reduced further.
const MAX_SIZE_RATIO: usize = 2;

/// The exceeded limit of decision diagrams, as messages name it.
const BDD_NODES: &str = "nodes of decision diagrams";

/// The reason why a formula was not translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// One of the [`Limits`] was exceeded; the text names it.
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

/// Translates formulas into automata. All automata of one translator share its diagrams.
#[derive(Debug)]
pub struct Translator {
    /// The formulas.
    pub arena: FormulaArena,
    /// The guards.
    pub bdds: Bdds,
    /// The limits of each translation.
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
        // An expansion stops at the limit; the reductions afterwards may need as much again.
        let bdds = Bdds::with_limit(limits.nodes.saturating_mul(2));
        Translator { arena, bdds, limits, simplifier: Simplifier::new(Reading::Infinite) }
    }

    /// The result, or an error if the diagrams were exhausted, which makes the result meaningless.
    fn unless_exhausted<T>(&self, computed: T) -> Result<T, TranslateError> {
        if self.bdds.is_exhausted() { Err(TranslateError::TooLarge(BDD_NODES)) } else { Ok(computed) }
    }

    /// The formula, simplified for infinite words.
    pub fn simplify(&mut self, formula: Nnf) -> Nnf {
        self.simplifier.simplify(&mut self.arena, formula)
    }

    /// A small automaton that accepts the infinite words that satisfy the formula.
    pub fn translate(&mut self, formula: Nnf) -> Result<Automaton, TranslateError> {
        let Candidates { automata, negation } = self.candidates(formula)?;
        let merged = self.merged(automata, negation.as_ref());
        self.unless_exhausted(smallest(merged))
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
        self.unless_exhausted(smallest(merged))
    }

    /// Each automaton, with states merged by [`merge`].
    fn merged(&mut self, automata: Vec<Automaton>, negation: Option<&Automaton>) -> Vec<Automaton> {
        let Some(negation) = negation else { return automata };
        let Translator { bdds, limits, .. } = self;
        let merge = |automaton| merge::merge(bdds, automaton, negation, *limits);
        without_oversized(distinct(automata)).into_iter().map(merge).collect()
    }

    /// Automata for the formula, from different constructions.
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
        Ok(Candidates { automata: without_oversized(automata), negation: Some(negation) })
    }

    /// The automaton after expansion, pruning and reduction by simulation alone: for uses that only need the
    /// language.
    pub fn nondeterministic(&mut self, formula: Nnf) -> Result<Automaton, TranslateError> {
        let formula = self.simplify(formula);
        let plain = self.expand(formula, None)?;
        let candidates = [TransientMarks::None, TransientMarks::All].map(|transient| {
            let pruned = prune::prune(&mut self.bdds, &plain, transient);
            simulation::reduce(&mut self.bdds, pruned)
        });
        let size = |a: &Automaton| (a.state_count(), a.edge_count());
        let [one, other] = candidates;
        let smaller = if size(&other) < size(&one) { other } else { one };
        let pruned = prune::prune(&mut self.bdds, &smaller, TransientMarks::None);
        self.unless_exhausted(pruned)
    }

    fn expand(
        &mut self,
        formula: Nnf,
        held: Option<&dyn Fn(Nnf) -> bool>,
    ) -> Result<Automaton, TranslateError> {
        expand::expand(&mut self.arena, &mut self.bdds, formula, held, self.limits)
    }

    /// Can the formula be satisfied from a given state on? `held` gives the values of past operators: of
    /// `Y a` and `WY a` their value in that state, of `S` and `T` their value in the state before.
    pub fn is_satisfiable_after(
        &mut self,
        formula: Nnf,
        held: &dyn Fn(Nnf) -> bool,
    ) -> Result<bool, TranslateError> {
        Ok(!is_empty(&self.expand(formula, Some(held))?))
    }

    /// A word that satisfies the formula; `None` if it is unsatisfiable.
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

/// Automata of the formula, and an automaton of its negation, unless that became too large.
struct Candidates {
    automata: Vec<Automaton>,
    negation: Option<Automaton>,
}

/// The automata without repetitions.
fn distinct(automata: Vec<Automaton>) -> Vec<Automaton> {
    let mut distinct: Vec<Automaton> = Vec::new();
    for automaton in automata {
        if !distinct.contains(&automaton) {
            distinct.push(automaton);
        }
    }
    distinct
}

/// The automata within [`MAX_SIZE_RATIO`] of the smallest.
fn without_oversized(mut automata: Vec<Automaton>) -> Vec<Automaton> {
    let fewest = automata.iter().map(Automaton::state_count).min().unwrap_or(0);
    automata.retain(|automaton| automaton.state_count() <= fewest * MAX_SIZE_RATIO);
    automata
}

/// The automaton with the fewest states, then edges; of equal ones the first.
fn smallest(automata: Vec<Automaton>) -> Automaton {
    let size = |automaton: &Automaton| (automaton.state_count(), automaton.edge_count());
    automata.into_iter().min_by_key(size).unwrap_or_else(Automaton::empty)
}
