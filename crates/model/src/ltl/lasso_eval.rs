//! Does a word satisfy a formula? In time linear in both.
//!
//! For replaying runs of any length: the [semantics](selvedge_ltl::semantics) by definition takes time
//! quadratic in the length of a word. Each operator of the future is a fixed point of one step back,
//! computed in two rounds of the cycle and one of the prefix; operators of the past go forward.
//!
//! Promise: agrees with the definition, on finite and infinite words (tested on random words).

use selvedge_ltl::semantics::past_depth;
use selvedge_ltl::{Binary, Formula, Prop, Unary, Word};

/// Does the word, two-valued in the formula's propositions, satisfy the formula?
pub fn satisfies(word: &Word, formula: &Formula<Prop>) -> bool {
    if !word.is_infinite() {
        return values(word, formula)[0];
    }
    values(&word.unrolled(past_depth(formula)), formula)[0]
}

/// The formula's value at each position; a lasso must be [unrolled](Word::unrolled) [`past_depth`] times.
pub fn values(word: &Word, formula: &Formula<Prop>) -> Vec<bool> {
    let operands: Vec<Vec<bool>> = formula.children().map(|child| values(word, child)).collect();
    let a = |i: usize| operands[0][i];
    let b = |i: usize| operands[1][i];
    let here = |value: &dyn Fn(usize) -> bool| (0..word.len()).map(value).collect();
    match formula {
        Formula::Const(value) => vec![*value; word.len()],
        Formula::Prop(prop) => here(&|i| word.letter(i).allows(*prop, true)),
        Formula::Unary(operator, _) => match operator {
            Unary::Not => here(&|i| !a(i)),
            Unary::Next => here(&|i| word.next(i).is_some_and(a)),
            Unary::WeakNext => here(&|i| word.next(i).is_none_or(a)),
            Unary::Eventually => backward(word, false, |i, next| a(i) || next),
            Unary::Always => backward(word, true, |i, next| a(i) && next),
            Unary::Previous => here(&|i| i > 0 && a(i - 1)),
            Unary::WeakPrevious => here(&|i| i == 0 || a(i - 1)),
            Unary::Once => forward(word, false, |i, before| a(i) || before),
            Unary::Historically => forward(word, true, |i, before| a(i) && before),
        },
        Formula::Binary(operator, ..) => match operator {
            Binary::And => here(&|i| a(i) && b(i)),
            Binary::Or => here(&|i| a(i) || b(i)),
            Binary::Implies => here(&|i| !a(i) || b(i)),
            Binary::Iff => here(&|i| a(i) == b(i)),
            Binary::Until => backward(word, false, |i, next| b(i) || (a(i) && next)),
            Binary::WeakUntil => backward(word, true, |i, next| b(i) || (a(i) && next)),
            Binary::Release => backward(word, true, |i, next| b(i) && (a(i) || next)),
            Binary::StrongRelease => backward(word, false, |i, next| b(i) && (a(i) || next)),
            Binary::Since => forward(word, false, |i, before| b(i) || (a(i) && before)),
            Binary::Triggered => forward(word, true, |i, before| b(i) && (a(i) || before)),
        },
    }
}

/// The fixed point of a value that depends on the next position's: the least from `false`, the greatest from
/// `true`.
fn backward(word: &Word, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut values = vec![start; word.len()];
    let mut next = start;
    // The second round begins, at the cycle's end, with the value that the first found at its beginning.
    for i in (word.prefix.len()..word.len()).rev().chain((0..word.len()).rev()) {
        next = step(i, next);
        values[i] = next;
    }
    values
}

/// A value that depends on the previous position's; before the first position it is `start`.
fn forward(word: &Word, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let positions = 0..word.len();
    positions
        .scan(start, |before, i| {
            *before = step(i, *before);
            Some(*before)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;
    use selvedge_ltl::Letter;
    use selvedge_ltl::semantics::holds;

    fn formula(random: &mut Random, depth: usize) -> Formula<Prop> {
        let mut below = |bound| random.below(bound).expect("a positive bound");
        if depth == 0 {
            return Formula::Prop(Prop(below(2) as u8));
        }
        let choice = below(Unary::ALL.len() + Binary::ALL.len());
        let left = Box::new(formula(random, depth - 1));
        match Unary::ALL.get(choice) {
            Some(operator) => Formula::Unary(*operator, left),
            None => {
                let operator = Binary::ALL[choice - Unary::ALL.len()];
                Formula::Binary(operator, left, Box::new(formula(random, depth - 1)))
            }
        }
    }

    #[test]
    fn the_linear_evaluation_agrees_with_the_definition() {
        let mut random = Random(23);
        let mut satisfied = 0;
        for _ in 0..20_000 {
            let formula = formula(&mut random, 3);
            let mut letters = |least: usize| -> Vec<Letter> {
                let count = least + random.below(4).expect("a positive bound");
                (0..count).map(|_| Letter::exactly(random.word() & 3)).collect()
            };
            let word = Word::lasso(letters(0), letters(1));
            assert_eq!(satisfies(&word, &formula), holds(&word, &formula), "{formula:?} {word:?}");
            satisfied += usize::from(satisfies(&word, &formula));
            let finite = Word::finite(letters(1));
            let expected = selvedge_ltl::semantics::truth_values(&finite, &formula);
            assert_eq!(values(&finite, &formula), expected, "{formula:?} {finite:?}");
        }
        assert!((5_000..15_000).contains(&satisfied), "both answers occur");
    }
}
