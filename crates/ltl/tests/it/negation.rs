//! The automata of a formula and of its negation are complements.
//!
//! For each formula of three papers, with marks on edges and state-based. The product decides exactly that
//! no word is accepted by both; all short lassos check that each is accepted by the right automaton.
//!
//! Promise: over up to three propositions, all lassos of three letters, of four letters for at most two
//! propositions; over more propositions, lassos over representatives of the letter classes, as long as they
//! are few, and random lassos.

#![allow(clippy::print_stdout)] // figures for `cargo test -- --nocapture`

use crate::generators::word;
use crate::lassos::{lasso_count, lassos, letter_classes};
use selvedge_ltl::buchi::{Automaton, Translator, accepts, is_empty, product};
use selvedge_ltl::nnf::Nnf;
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Formula, Letter, Prop, Word};
use selvedge_testkit::Random;
use selvedge_testkit::ltl::{StandardSet, show_letters};

/// The maximal number of lassos over letter classes for one formula.
const MAX_LASSOS: usize = 30_000;

/// The number of additional random lassos for a formula of many propositions.
const RANDOM_LASSOS: usize = 500;

#[test]
fn every_word_is_accepted_by_exactly_one_of_formula_and_negation() {
    let mut random = Random(1);
    for set in StandardSet::ALL {
        let formulas = set.formulas();
        let tried: usize = formulas.iter().map(|formula| check(formula, &mut random)).sum();
        println!("{}: {} formulas, {tried} words", set.name, formulas.len());
    }
}

/// Panics if the automata of the formula and its negation are not complements. Returns the number of checked
/// words.
fn check(formula: &Formula<Prop>, random: &mut Random) -> usize {
    let mut translator = Translator::default();
    let id = translator.arena.formula(formula);
    let negated = translator.arena.negate(id);
    let pairs = [Translator::translate, Translator::translate_state_based]
        .map(|translate| [id, negated].map(|id| automaton(&mut translator, translate, id)));
    for [yes, no] in &pairs {
        let both = product(&mut translator.bdds, yes, no, translator.limits).expect("a product");
        assert!(is_empty(&both), "{} and its negation share a word", show_letters(formula));
    }
    let words = words_for(&mut translator, formula, &pairs, random);
    for word in &words {
        let expected = holds(word, formula);
        for pair in &pairs {
            let [yes, no] = pair.each_ref().map(|automaton| accepts(&translator.bdds, automaton, word));
            assert_eq!((yes, no), (expected, !expected), "{} on {word:?}", show_letters(formula));
        }
    }
    words.len()
}

type Translate = fn(&mut Translator, Nnf) -> Result<Automaton, selvedge_ltl::buchi::TranslateError>;

fn automaton(translator: &mut Translator, translate: Translate, formula: Nnf) -> Automaton {
    translate(translator, formula).expect("an automaton")
}

fn words_for(
    translator: &mut Translator,
    formula: &Formula<Prop>,
    pairs: &[[Automaton; 2]],
    random: &mut Random,
) -> Vec<Word> {
    let mut props = 0;
    formula.propositions(&mut |prop| props |= prop.bit());
    if props.count_ones() <= 3 {
        let size = if props.count_ones() <= 2 { 4 } else { 3 };
        return lassos(&valuations(props), size).into_iter().collect();
    }
    let automata: Vec<&Automaton> = pairs.iter().flatten().collect();
    let letters = letter_classes(&mut translator.bdds, &automata);
    let size = (1..=4).rev().find(|size| lasso_count(letters.len(), *size) <= MAX_LASSOS).unwrap_or(1);
    let width = u64::BITS - props.leading_zeros();
    let sample = (0..RANDOM_LASSOS).map(|_| word(random, width as usize, true));
    lassos(&letters, size).into_iter().chain(sample).collect()
}

/// All letters over these propositions.
fn valuations(props: u64) -> Vec<Letter> {
    (0..=props).filter(|holding| holding & !props == 0).map(Letter::exactly).collect()
}
