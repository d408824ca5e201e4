//! Formulas of linear temporal logic for tests and benchmarks.

mod standard_sets;

pub use standard_sets::StandardSet;

use selvedge_ltl::{Alphabet, Formula, Prop};

/// Parses a formula over the names `a`, `b`, ..., numbered by the letter.
///
/// # Panics
///
/// If the text is no formula.
pub fn parse_letters(text: &str) -> Formula<Prop> {
    let mut alphabet: Alphabet<String> = Alphabet::default();
    for name in 'a'..='z' {
        alphabet.intern(&name.to_string()).expect("few propositions");
    }
    alphabet.number(&text.parse().expect("a formula")).expect("few propositions")
}

/// The formula over the names `a`, `b`, ..., for messages.
pub fn show_letters(formula: &Formula<Prop>) -> String {
    formula.map(&mut |prop| ((b'a' + prop.0) as char).to_string()).to_string()
}
