//! Normal forms as readable formulas: abbreviations are restored where they apply.

use crate::letter::Prop;
use crate::nnf::{FormulaArena, Nnf, Node};
use crate::{Formula, Unary};

impl FormulaArena {
    /// The formula, with `F G W M O H` wherever they apply.
    pub fn to_formula(&self, formula: Nnf) -> Formula<Prop> {
        let part = |id: &Nnf| self.to_formula(*id);
        match self.node(formula) {
            Node::Const(value) => Formula::Const(*value),
            Node::Literal(prop, true) => Formula::Prop(*prop),
            Node::Literal(prop, false) => !Formula::Prop(*prop),
            Node::And(parts) => chain(parts.iter().map(part), Formula::and),
            Node::Or(parts) => chain(parts.iter().map(part), Formula::or),
            Node::Next(a) => part(a).next(),
            Node::WeakNext(a) => part(a).weak_next(),
            Node::Previous(a) => part(a).previous(),
            Node::WeakPrevious(a) => part(a).weak_previous(),
            Node::Until([Nnf::TRUE, b]) => part(b).eventually(),
            Node::Release([Nnf::FALSE, b]) => part(b).always(),
            Node::Since([Nnf::TRUE, b]) => Formula::Unary(Unary::Once, Box::new(part(b))),
            Node::Triggered([Nnf::FALSE, b]) => Formula::Unary(Unary::Historically, Box::new(part(b))),
            Node::Until([a, b]) => match self.remaining_parts(*b, *a, true) {
                // a U (a & rest)  =  rest M a
                Some(rest) => chain(rest.iter().map(part), Formula::and).strong_release(part(a)),
                None => part(a).until(part(b)),
            },
            Node::Release([a, b]) => match self.remaining_parts(*b, *a, false) {
                // a R (a | rest)  =  rest W a
                Some(rest) => chain(rest.iter().map(part), Formula::or).weak_until(part(a)),
                None => part(a).release(part(b)),
            },
            Node::Since([a, b]) => part(a).since(part(b)),
            Node::Triggered([a, b]) => part(a).triggered(part(b)),
        }
    }
}

fn chain(
    parts: impl Iterator<Item = Formula<Prop>>,
    join: fn(Formula<Prop>, Formula<Prop>) -> Formula<Prop>,
) -> Formula<Prop> {
    parts.reduce(join).unwrap_or(Formula::TRUE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letter::Alphabet;

    #[track_caller]
    fn check(text: &str, normal: &str) {
        let mut alphabet = Alphabet::default();
        let mut arena = FormulaArena::default();
        let formula = arena.formula(&alphabet.number(&text.parse().expect("a formula")).expect("few"));
        let shown = arena.to_formula(formula).map(&mut |prop| alphabet.name(*prop).clone());
        assert_eq!(shown.to_string(), normal);
        let negation = arena.negate(formula);
        assert_eq!(arena.negate(negation), formula, "double negation");
        arena.validate();
    }

    #[test]
    fn negation_moves_to_the_propositions() {
        check("!(a U b)", "!a R !b");
        check("!(a R b)", "!a U !b");
        check("!G F a", "F G !a");
        check("!X a", "WX !a");
        check("!(a -> b)", "a & !b");
        check("!(a <-> b)", "a & !b | !a & b");
        check("!(a S b) | O c", "!a T !b | O c");
        check("!Y a", "WY !a");
    }

    #[test]
    fn weak_until_and_strong_release_are_recognised() {
        check("a W b", "a W b");
        check("a M b", "a M b");
        check("!(a W b)", "!a M !b");
        check("(a | c) W b", "(a | c) W b");
    }

    #[test]
    fn sets_absorb_repetition_constants_and_contradictions() {
        check("a & (b & a) & true", "a & b");
        check("a | X b | !a", "true");
        check("X (a U b) & false", "false");
        check("F F a & F (a | a)", "F a & F F a");
        check("X false | a U true", "true");
    }
}
