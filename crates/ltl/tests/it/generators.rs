//! Random formulas and words, from a seed.

use selvedge_ltl::{Binary, Formula, Letter, Prop, Unary, Word};
use selvedge_testkit::Random;

/// The operators that a random formula may use.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Operators {
    Future,
    All,
}

/// A random formula of exactly this size over the first `props` propositions.
pub(crate) fn formula(random: &mut Random, size: usize, props: usize, operators: Operators) -> Formula<Prop> {
    let allowed = |past: bool| operators == Operators::All || !past;
    if size <= 1 {
        return match random.below(12) {
            0 => Formula::Const(random.below(2) == 0),
            _ => Formula::Prop(Prop(random.below(props) as u8)),
        };
    }
    if size == 2 || random.below(3) == 0 {
        let unary: Vec<Unary> =
            Unary::ALL.into_iter().filter(|operator| allowed(operator.is_past())).collect();
        let operator = random.pick(&unary);
        return Formula::Unary(operator, Box::new(formula(random, size - 1, props, operators)));
    }
    let binary: Vec<Binary> =
        Binary::ALL.into_iter().filter(|operator| allowed(operator.is_past())).collect();
    let operator = random.pick(&binary);
    let left = 1 + random.below(size - 2);
    Formula::Binary(
        operator,
        Box::new(formula(random, left, props, operators)),
        Box::new(formula(random, size - 1 - left, props, operators)),
    )
}

/// A random word over the first `props` propositions, finite or lasso-shaped.
pub(crate) fn word(random: &mut Random, props: usize, infinite: bool) -> Word {
    let letters = |random: &mut Random, count: usize| -> Vec<Letter> {
        (0..count).map(|_| Letter::exactly(random.next() & selvedge_ltl::letter::mask(props))).collect()
    };
    if infinite {
        let (prefix, cycle) = (random.below(5), 1 + random.below(4));
        Word::lasso(letters(random, prefix), letters(random, cycle))
    } else {
        let length = 1 + random.below(7);
        Word::finite(letters(random, length))
    }
}
