//! The automaton of the negated formula, which a check searches with.
//!
//! Promise: [`check()`](crate::check()) and the drawings use the same automaton.

use selvedge_ltl::buchi::{Automaton, SearchAutomaton, TranslateError, Translator};
use selvedge_ltl::nnf::Nnf;
use selvedge_ltl::{Formula, Prop};

/// A formula's negation.
#[derive(Debug)]
pub struct Negation {
    /// Accepts the words that do not satisfy the formula.
    pub automaton: Automaton,
    /// The translator that made the automaton; it owns the binary decision diagrams of the guards.
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
