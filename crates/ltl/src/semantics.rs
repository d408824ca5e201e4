//! The semantics of formulas: the definition itself, the reference for every other algorithm.
//!
//! Stolz and Huch, Definition 1 (infinite paths), and Gunter and Peled, Temporal Debugging for Concurrent
//! Systems, §2 (finite sequences: `X` needs a next state, `WX` does not), with the usual past operators. A
//! lasso has finitely many positions, and the future is the same at every visit of a position; the past is
//! too, once the cycle was passed as often as past operators are nested.
//!
//! Promise: no optimisation. Each operator is evaluated by its definition, at each position in turn.

use crate::letter::Prop;
use crate::word::Word;
use crate::{Binary, Formula, Unary};

/// Does the word satisfy the formula? The word is two-valued in the formula's propositions.
pub fn holds(word: &Word, formula: &Formula<Prop>) -> bool {
    let word = if word.is_infinite() { word.unrolled(past_depth(formula)) } else { word.clone() };
    truth_values(&word, formula)[0]
}

/// The nesting depth of past operators: a lasso unrolled that many times repeats the truth values of every
/// subformula.
pub fn past_depth(formula: &Formula<Prop>) -> usize {
    let here = match formula {
        Formula::Unary(operator, _) => operator.is_past(),
        Formula::Binary(operator, ..) => operator.is_past(),
        _ => false,
    };
    usize::from(here) + formula.children().map(past_depth).max().unwrap_or(0)
}

/// The truth of a formula at each position of a word; a lasso must be [unrolled](Word::unrolled)
/// [`past_depth`] times.
pub fn truth_values(word: &Word, formula: &Formula<Prop>) -> Vec<bool> {
    let operands: Vec<Vec<bool>> = formula.children().map(|child| truth_values(word, child)).collect();
    let a = |i: usize| operands[0][i];
    let b = |i: usize| operands[1][i];
    let at = |i: usize| match formula {
        Formula::Const(value) => *value,
        Formula::Prop(prop) => word.letter(i).allows(*prop, true),
        Formula::Unary(operator, _) => match operator {
            Unary::Not => !a(i),
            Unary::Next => word.next(i).is_some_and(a),
            Unary::WeakNext => word.next(i).is_none_or(a),
            Unary::Eventually => future(word, i).any(a),
            Unary::Always => future(word, i).all(a),
            Unary::Previous => i > 0 && a(i - 1),
            Unary::WeakPrevious => i == 0 || a(i - 1),
            Unary::Once => (0..=i).any(a),
            Unary::Historically => (0..=i).all(a),
        },
        Formula::Binary(operator, ..) => {
            let until = |j: usize| b(j) && future(word, i).take_while(|k| *k != j).all(a);
            let release = || future(word, i).all(|j| b(j) || future(word, i).take_while(|k| *k != j).any(a));
            match operator {
                Binary::And => a(i) && b(i),
                Binary::Or => a(i) || b(i),
                Binary::Implies => !a(i) || b(i),
                Binary::Iff => a(i) == b(i),
                Binary::Until => future(word, i).any(until),
                Binary::WeakUntil => future(word, i).any(until) || future(word, i).all(a),
                Binary::Release => release(),
                Binary::StrongRelease => release() && future(word, i).any(a),
                Binary::Since => (0..=i).any(|j| b(j) && (j + 1..=i).all(a)),
                Binary::Triggered => (0..=i).all(|j| b(j) || (j + 1..=i).any(a)),
            }
        }
    };
    (0..word.len()).map(at).collect()
}

/// The positions from `start` on, each once, in the order of their first visits.
fn future(word: &Word, start: usize) -> impl Iterator<Item = usize> {
    // From inside the cycle, the positions between its beginning and `start` follow again.
    let again = if start >= word.prefix.len() { word.prefix.len()..start } else { 0..0 };
    (start..word.len()).chain(again)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letter::Alphabet;
    use crate::syntax::Names;
    use crate::word::parse_word;

    #[track_caller]
    fn check(word: &str, formula: &str, expected: bool) {
        let mut alphabet = Alphabet::default();
        let formula = alphabet.number(&formula.parse().expect("a formula")).expect("few propositions");
        let word = parse_word(word, &Names, &mut alphabet).expect("a word");
        assert_eq!(holds(&word, &formula), expected);
    }

    #[test]
    fn the_examples_of_the_papers_have_their_stated_values() {
        check("P; P; Q; cycle{true}", "P U Q", true);
        check("P; P; true; cycle{Q}", "P U Q", false);
        check("P; cycle{P}", "P U Q", false);
        check("p", "X true", false);
        check("p", "WX false", true);
        check("p; p", "WX false", false);
        check("p", "X p | WX !p", true);
    }

    #[test]
    fn strong_and_weak_operators_differ_on_finite_words() {
        check("p; p", "G p", true);
        check("p; p", "G X p", false);
        check("p; p", "G WX p", true);
        check("p; p", "p U q", false);
        check("p; p", "p W q", true);
        check("p; q", "G F q", true);
    }

    #[test]
    fn past_operators_are_evaluated_in_every_round_of_the_cycle() {
        check("q; cycle{p}", "F (p & Y Y Y p)", true);
        check("q; cycle{p}", "G F H p", false);
        check("q; cycle{p; true}", "G F (p & Y O (p & O q))", true);
        check("cycle{p}", "G (p S p)", true);
        check("q; p; p", "F (p S q & Y Y q)", true);
        check("true; p", "F H p", false);
        check("p; true", "WY false & X Y p", true);
        check("q; q; p", "X (p T q) & X X !(p T q)", true);
    }
}
