//! The automaton that a check searches with: that of the negated formula.
//!
//! Promise: [`check()`](crate::check()) and the drawings have the same automaton.

use selvedge_ltl::buchi::{Automaton, SearchAutomaton, TranslateError, Translator};
use selvedge_ltl::nnf::Nnf;
use selvedge_ltl::{Formula, Prop};

/// A formula's negation.
#[derive(Debug)]
pub struct Negation {
    /// The words that do not satisfy the formula.
    pub automaton: Automaton,
    /// What it was made with; its diagrams are those of the guards.
    pub translator: Translator,
    /// The formula itself, simplified.
    pub(crate) formula: Nnf,
}

impl Negation {
    /// Negates a formula.
    pub fn of(formula: &Formula<Prop>) -> Result<Negation, TranslateError> {
        let mut translator = Translator::default();
        let formula = translator.arena.formula(formula);
        let formula = translator.simplify(formula);
        let negated = translator.arena.negate(formula);
        let automaton = translator.translate(negated)?;
        Ok(Negation { automaton, translator, formula })
    }

    /// The automaton for a search.
    pub fn search_automaton(&mut self) -> SearchAutomaton {
        self.automaton.search_automaton(&mut self.translator.bdds)
    }
}
