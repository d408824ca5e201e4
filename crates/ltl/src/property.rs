//! Safety and guarantee, decided by automata.
//!
//! **Safety**: every violating word has a finite prefix that no continuation can repair. The automaton
//! without dead states and without acceptance accepts exactly the words of which every prefix can be
//! continued to satisfy the formula; the formula is a safety property if no such word violates it (Alpern
//! and Schneider, Recognizing Safety and Liveness, 1987). **Guarantee** is the dual.

use crate::buchi::{TranslateError, Translator, is_empty, product};
use crate::nnf::Nnf;

impl Translator {
    /// Does every violating word have a finite prefix that no continuation can repair?
    pub fn is_safety(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        let mut closure = self.nondeterministic(formula)?;
        closure.mark_count = 0;
        closure.edges.iter_mut().flatten().for_each(|edge| edge.marks = 0);
        if is_empty(&closure) {
            return Ok(true);
        }
        let negation = self.arena.negate(formula);
        let negation = self.nondeterministic(negation)?;
        let limits = self.limits;
        Ok(is_empty(&product(&mut self.bdds, &closure, &negation, limits)?))
    }

    /// Does every satisfying word have a finite prefix that no continuation can spoil?
    pub fn is_guarantee(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        let negation = self.arena.negate(formula);
        self.is_safety(negation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letter::Alphabet;

    fn translator(text: &str) -> (Translator, Nnf) {
        let mut translator = Translator::default();
        let formula =
            Alphabet::default().number(&text.parse().expect("a formula")).expect("few propositions");
        let nnf = translator.arena.formula(&formula);
        (translator, nnf)
    }

    #[track_caller]
    fn check(text: &str, safety: bool, guarantee: bool, stutter: bool) {
        let (mut translator, formula) = translator(text);
        let found = (
            translator.is_safety(formula),
            translator.is_guarantee(formula),
            translator.is_stutter_invariant(formula),
        );
        assert_eq!(found, (Ok(safety), Ok(guarantee), Ok(stutter)), "{text}");
    }

    #[test]
    fn safety_guarantee_and_stutter_invariance_are_decided_exactly() {
        check("G p", true, false, true);
        check("F p", false, true, true);
        check("p U q", false, true, true);
        check("p W q", true, false, true);
        check("G F p", false, false, true);
        check("X p", true, true, false);
        check("p", true, true, true);
        check("false", true, true, true);
        check("F p & G !p", true, true, true);
        // Written as no safety property, but it is one.
        check("(p U q) | G p", true, false, true);
        check("G (p | F (p & !p))", true, false, true);
        // Written with X, but without counting.
        check("F (p & X !p)", false, true, true);
        check("G (p -> X X q)", true, false, false);
        check("X F p | F p", false, true, true);
        check("G (p -> O q)", true, false, true);
        check("F (p & Y q)", false, true, false);
    }
}
