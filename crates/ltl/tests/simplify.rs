//! The simplifier against the definition, formula by formula and word by word.
//!
//! Equivalence is asked at every position, not only at the first: rules are applied below other operators, and past
//! operators look back. `SELVEDGE_LONG` asks for many more cases.

mod common;

use common::{Operators, Random, formula, show, word};
use selvedge_ltl::nnf::{Reading, Store};
use selvedge_ltl::simplify::Simplifier;
use selvedge_ltl::{Binary, Formula, Letter, Prop, Unary, Word, definition};
use std::collections::HashSet;

const READINGS: [Reading; 2] = [Reading::Finite, Reading::Infinite];

/// The truth at every position, of a lasso unrolled for `depth` nested past operators.
fn truth(word: &Word, formula: &Formula<Prop>, depth: usize) -> Vec<bool> {
    let word = if word.is_infinite() { word.unrolled(depth) } else { word.clone() };
    definition::truth(&word, formula)
}

fn depth_of(formulas: [&Formula<Prop>; 2]) -> usize {
    formulas.map(definition::past_depth).into_iter().max().unwrap_or(0)
}

/// Panics, with the formulas and the word, if the two differ somewhere.
#[track_caller]
fn assert_equivalent(given: &Formula<Prop>, simple: &Formula<Prop>, word: &Word) {
    let depth = depth_of([given, simple]);
    assert_eq!(
        truth(word, given, depth),
        truth(word, simple, depth),
        "{} was simplified to {}; they differ on {word:?}",
        show(given),
        show(simple)
    );
}

fn is_long() -> bool {
    std::env::var_os("SELVEDGE_LONG").is_some()
}

/// A random formula of one of these sizes, over up to four propositions.
fn random_formula(random: &mut Random, sizes: std::ops::RangeInclusive<usize>) -> (Formula<Prop>, usize) {
    let size = sizes.start() + random.below(sizes.end() - sizes.start() + 1);
    let props = 1 + random.below(4);
    let operators = random.pick(&[Operators::Future, Operators::Future, Operators::All]);
    (formula(random, size, props, operators), props)
}

#[test]
fn random_formulas_keep_their_meaning_on_random_words() {
    let formulas = if is_long() { 400_000 } else { 14_000 };
    for reading in READINGS {
        let mut random = Random(1);
        for _ in 0..formulas {
            let (given, props) = random_formula(&mut random, 1..=20);
            let mut store = Store::default();
            let id = store.formula(&given);
            let simple = Simplifier::new(reading).simplify(&mut store, id);
            let simple = store.to_formula(simple);
            for _ in 0..10 {
                let word = word(&mut random, props, reading == Reading::Infinite);
                assert_equivalent(&given, &simple, &word);
            }
        }
    }
}

#[test]
fn every_small_formula_keeps_its_meaning_on_every_small_word() {
    let formulas = all_formulas(if is_long() { 5 } else { 4 });
    for reading in READINGS {
        let words = small_words(reading);
        let mut store = Store::default();
        let mut simplifier = Simplifier::new(reading);
        let mut seen = HashSet::new();
        for given in formulas.iter().flatten() {
            let id = store.formula(given);
            let simple = simplifier.simplify(&mut store, id);
            if id == simple || !seen.insert(id) {
                continue;
            }
            let simple = store.to_formula(simple);
            for word in &words {
                assert_equivalent(given, &simple, word);
            }
        }
    }
}

/// All formulas over two propositions with up to this many operators and leaves, by their sizes.
fn all_formulas(size: usize) -> Vec<Vec<Formula<Prop>>> {
    let leaves = [Formula::TRUE, Formula::FALSE, Formula::Prop(Prop(0)), Formula::Prop(Prop(1))];
    let mut all: Vec<Vec<Formula<Prop>>> = vec![Vec::new(), leaves.to_vec()];
    for size in 2..=size {
        let mut made = Vec::new();
        for operator in Unary::ALL {
            made.extend(all[size - 1].iter().map(|a| Formula::Unary(operator, Box::new(a.clone()))));
        }
        for operator in Binary::ALL {
            for left in 1..size - 1 {
                for a in &all[left] {
                    let with_a = |b: &Formula<Prop>| {
                        Formula::Binary(operator, Box::new(a.clone()), Box::new(b.clone()))
                    };
                    made.extend(all[size - 1 - left].iter().map(with_a));
                }
            }
        }
        all.push(made);
    }
    all
}

/// All words of up to three written letters over two propositions.
fn small_words(reading: Reading) -> Vec<Word> {
    let mut by_length: Vec<Vec<Vec<Letter>>> = vec![vec![Vec::new()]];
    for length in 1..=3 {
        let longer = |letters: &Vec<Letter>| {
            let letters = letters.clone();
            (0..4).map(move |bits| letters.iter().copied().chain([Letter::exactly(bits)]).collect())
        };
        by_length.push(by_length[length - 1].iter().flat_map(longer).collect());
    }
    let letters = by_length.into_iter().skip(1).flatten();
    match reading {
        Reading::Finite => letters.map(Word::finite).collect(),
        Reading::Infinite => letters
            .flat_map(|letters| {
                (0..letters.len()).map(move |start| Word::lasso(&letters[..start], &letters[start..]))
            })
            .collect(),
    }
}
