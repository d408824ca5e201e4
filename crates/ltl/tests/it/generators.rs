//! Random formulas and words for the tests, from a seed.

#![allow(dead_code, unreachable_pub)] // each test uses its own part

pub mod fooling;

use selvedge_ltl::{Alphabet, Binary, Formula, Letter, Prop, Unary, Word};

/// Splitmix64 (Steele, Lea, Flood 2014): a seed gives the same cases on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Which operators a random formula may use.
#[derive(Clone, Copy, PartialEq)]
pub enum Operators {
    Future,
    All,
}

/// A random formula of exactly this size over the first `props` propositions.
pub fn formula(random: &mut Random, size: usize, props: usize, operators: Operators) -> Formula<Prop> {
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
pub fn word(random: &mut Random, props: usize, infinite: bool) -> Word {
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

/// The formula over names `a`, `b`, `c`, ...: for messages.
pub fn show(formula: &Formula<Prop>) -> String {
    formula.map(&mut |prop| ((b'a' + prop.0) as char).to_string()).to_string()
}

/// A formula over names `a`, `b`, ..., numbered by the letter.
pub fn read(text: &str) -> Formula<Prop> {
    let mut alphabet: Alphabet<String> = Alphabet::default();
    for name in 'a'..='z' {
        alphabet.intern(&name.to_string()).expect("few propositions");
    }
    alphabet.number(&text.parse().expect("a formula")).expect("few propositions")
}
