//! The inclusion test itself, against all short lassos and against complements.

#![allow(clippy::print_stdout)] // figures for `cargo test -- --nocapture`

use super::inclusion::{Inclusion, included};
use super::trim::trimmed;
use crate::generators::{Operators, formula};
use crate::lassos::lassos;
use selvedge_ltl::bdd::{Bdd, Bdds};
use selvedge_ltl::buchi::{Automaton, Edge, Translator, accepts, is_empty, product};
use selvedge_ltl::{Letter, Word};
use selvedge_testkit::Random;
use selvedge_testkit::ltl::{parse_letters, show_letters};

/// A limit that no case here reaches.
const LIMIT: usize = 100_000;

/// A random automaton with up to `states` states and exactly these marks, over one or two propositions.
fn automaton(random: &mut Random, bdds: &mut Bdds, states: usize, marks: usize, props: u32) -> Automaton {
    let count = 1 + random.below(states);
    let density = 2 + random.below(3);
    let mut edge = |random: &mut Random| {
        let literals = (0..props).map(|var| match random.below(3) {
            0 => Bdd::TRUE,
            sign => bdds.literal(var, sign == 1),
        });
        let literals: Vec<Bdd> = literals.collect();
        let guard = literals.into_iter().fold(Bdd::TRUE, |guard, literal| bdds.and(guard, literal));
        let marked = random.next() & random.next() & selvedge_ltl::letter::mask(marks);
        Edge { target: random.below(count) as u32, marks: marked, guard }
    };
    let mut leaving = |_| {
        let degree = random.below(density + 1);
        (0..degree).map(|_| edge(random)).collect()
    };
    Automaton { edges: (0..count).map(&mut leaving).collect(), initial: 0, mark_count: marks }
}

/// Decides inclusion. Panics if one of the words, or the returned counterexample, contradicts the answer.
fn judge(bdds: &mut Bdds, left: &Automaton, right: &Automaton, words: &[Word]) -> bool {
    let tells = |bdds: &Bdds, word: &Word| accepts(bdds, left, word) && !accepts(bdds, right, word);
    match included(bdds, left, right, LIMIT) {
        Inclusion::Holds => {
            let missed = words.iter().find(|word| tells(bdds, word));
            assert_eq!(missed, None, "{left:?} is said to be within {right:?}");
            true
        }
        Inclusion::Fails(word) => {
            assert!(tells(bdds, &word), "{word:?} does not tell {left:?} from {right:?}");
            false
        }
        Inclusion::Unknown => panic!("{left:?} and {right:?} are too much"),
    }
}

#[test]
fn inclusion_of_small_automata_agrees_with_short_lassos() {
    let mut random = Random(1);
    let mut answers = [0; 2];
    for props in 1..=2 {
        let letters: Vec<Letter> = (0..1 << props).map(Letter::exactly).collect();
        let words: Vec<Word> = lassos(&letters, if props == 1 { 7 } else { 4 }).into_iter().collect();
        for _ in 0..1500 {
            let mut bdds = Bdds::default();
            let left_marks = random.below(3);
            let left = automaton(&mut random, &mut bdds, 3, left_marks, props);
            let right_marks = random.below(2);
            let right = automaton(&mut random, &mut bdds, 4, right_marks, props);
            answers[usize::from(judge(&mut bdds, &left, &right, &words))] += 1;
            if left_marks <= 1 {
                answers[usize::from(judge(&mut bdds, &right, &left, &words))] += 1;
            }
        }
    }
    println!("automata: {} included, {} not", answers[1], answers[0]);
    assert!(answers.iter().all(|count| *count > 500), "one answer was hardly ever given: {answers:?}");
}

#[test]
fn inclusion_of_formulas_agrees_with_complements() {
    let mut random = Random(2);
    let mut answers = [0; 2];
    for _ in 0..1000 {
        let mut translator = Translator::default();
        let [f, g] = [(); 2].map(|()| {
            let size = 1 + random.below(7);
            formula(&mut random, size, 2, Operators::Future)
        });
        // In half of the pairs the first formula implies the second.
        let g = if random.below(2) == 0 { g | f.clone() } else { g };
        let [left, right] = [&f, &g].map(|formula| translator.arena.formula(formula));
        let not_right = translator.arena.negate(right);
        let left = translator.translate(left).expect("an automaton");
        let right = translator.translate_state_based(right).expect("an automaton");
        let not_right = translator.translate(not_right).expect("an automaton");
        let both = product(&mut translator.bdds, &left, &not_right, translator.limits).expect("a product");
        let found = judge(&mut translator.bdds, &left, &right, &[]);
        assert_eq!(found, is_empty(&both), "{} within {}", show_letters(&f), show_letters(&g));
        answers[usize::from(found)] += 1;
    }
    println!("formulas: {} included, {} not", answers[1], answers[0]);
    assert!(answers.iter().all(|count| *count > 200), "one answer was hardly ever given: {answers:?}");
}

#[test]
fn an_exceeded_limit_is_reported() {
    let mut translator = Translator::default();
    let formula = parse_letters("G (a -> F b) & G F c");
    let formula = translator.arena.formula(&formula);
    let automaton = translator.translate_state_based(formula).expect("an automaton");
    let Translator { bdds, .. } = &mut translator;
    assert_eq!(included(bdds, &automaton, &automaton, 1), Inclusion::Unknown);
    assert_eq!(included(bdds, &automaton, &automaton, LIMIT), Inclusion::Holds);
}

#[test]
fn trimming_keeps_the_language() {
    let mut random = Random(3);
    let words: Vec<Word> = lassos(&[0, 1].map(Letter::exactly), 6).into_iter().collect();
    let mut removed = 0;
    for _ in 0..1000 {
        let mut bdds = Bdds::default();
        let mut raw = automaton(&mut random, &mut bdds, 6, 1, 1);
        for edges in &mut raw.edges {
            let marks = random.next() & 1;
            edges.iter_mut().for_each(|edge| edge.marks = marks);
        }
        let kept = trimmed(&raw);
        removed += raw.state_count() - kept.state_count();
        for word in &words {
            assert_eq!(accepts(&bdds, &raw, word), accepts(&bdds, &kept, word), "{raw:?} on {word:?}");
        }
    }
    assert!(removed > 500, "hardly anything was removed: {removed}");
}
