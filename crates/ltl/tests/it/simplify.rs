//! The simplifier against the semantics, formula by formula and word by word.
//!
//! Equivalence is checked at every position, not only at the first: rules apply below other operators, and
//! past operators refer to earlier positions. `SELVEDGE_LONG=1` runs many more cases.

use crate::generators::{Operators, formula, word};
use selvedge_ltl::nnf::{FormulaArena, Nnf, Reading};
use selvedge_ltl::simplify::{MAX_GROWTH, Simplifier, is_eventual, is_universal, syntactic_class};
use selvedge_ltl::{Binary, Formula, Letter, Prop, Unary, Word, semantics};
use selvedge_testkit::ltl::{parse_letters, show_letters};
use selvedge_testkit::{Random, is_long_run};
use std::collections::HashSet;

const READINGS: [Reading; 2] = [Reading::Finite, Reading::Infinite];

/// The truth at every position, of a lasso unrolled for `depth` nested past operators.
fn truth(word: &Word, formula: &Formula<Prop>, depth: usize) -> Vec<bool> {
    let word = if word.is_infinite() { word.unrolled(depth) } else { word.clone() };
    semantics::truth_values(&word, formula)
}

fn depth_of(formulas: [&Formula<Prop>; 2]) -> usize {
    formulas.map(semantics::past_depth).into_iter().max().unwrap_or(0)
}

/// Panics, with the formulas and the word, if the two differ at some position.
#[track_caller]
fn assert_equivalent(given: &Formula<Prop>, simple: &Formula<Prop>, word: &Word) {
    let depth = depth_of([given, simple]);
    assert_eq!(
        truth(word, given, depth),
        truth(word, simple, depth),
        "{} was simplified to {}; they differ on {word:?}",
        show_letters(given),
        show_letters(simple)
    );
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
    let formulas = if is_long_run() { 400_000 } else { 14_000 };
    for reading in READINGS {
        let mut random = Random(1);
        for _ in 0..formulas {
            let (given, props) = random_formula(&mut random, 1..=20);
            let mut arena = FormulaArena::default();
            let id = arena.formula(&given);
            let simple = Simplifier::new(reading).simplify(&mut arena, id);
            arena.validate();
            let simple = arena.to_formula(simple);
            for _ in 0..10 {
                let word = word(&mut random, props, reading == Reading::Infinite);
                assert_equivalent(&given, &simple, &word);
            }
        }
    }
}

#[test]
fn every_small_formula_keeps_its_meaning_on_every_small_word() {
    let formulas = all_formulas(if is_long_run() { 5 } else { 4 });
    for reading in READINGS {
        let words = small_words(reading);
        let mut arena = FormulaArena::default();
        let mut simplifier = Simplifier::new(reading);
        let mut seen = HashSet::new();
        for given in formulas.iter().flatten() {
            let id = arena.formula(given);
            let simple = simplifier.simplify(&mut arena, id);
            if id == simple || !seen.insert(id) {
                continue;
            }
            let simple = arena.to_formula(simple);
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

#[test]
fn implications_hold_on_random_words() {
    let formulas = if is_long_run() { 200_000 } else { 10_000 };
    let mut shown = 0;
    for reading in READINGS {
        let mut random = Random(2);
        for _ in 0..formulas {
            // Small formulas, and parts of one formula: random formulas hardly ever imply each other.
            let (given, props) = random_formula(&mut random, 2..=12);
            let (other, _) = random_formula(&mut random, 1..=4);
            let other = other.map(&mut |prop| Prop(prop.0 % props as u8));
            let mut arena = FormulaArena::default();
            let (id, other) = (arena.formula(&given), arena.formula(&other));
            let mut parts = arena.subformulas(id);
            parts.push(other);
            let mut simplifier = Simplifier::new(reading);
            let pairs: Vec<[Nnf; 2]> = (0..6).map(|_| [random.pick(&parts), random.pick(&parts)]).collect();
            for [a, b] in pairs {
                if a == b || !simplifier.implies(&mut arena, a, b) {
                    continue;
                }
                shown += 1;
                let (a, b) = (arena.to_formula(a), arena.to_formula(b));
                for _ in 0..6 {
                    assert_implies(&a, &b, &word(&mut random, props, reading == Reading::Infinite));
                }
            }
        }
    }
    assert!(shown > formulas / 2, "only {shown} implications were shown");
}

#[test]
fn implications_between_small_formulas_hold_on_every_small_word() {
    let formulas = all_formulas(3);
    for reading in READINGS {
        let words = small_words(reading);
        let mut arena = FormulaArena::default();
        let mut simplifier = Simplifier::new(reading);
        let ids: HashSet<Nnf> = formulas.iter().flatten().map(|formula| arena.formula(formula)).collect();
        let truths: Vec<(Nnf, Vec<bool>)> = ids
            .into_iter()
            .map(|id| {
                let formula = arena.to_formula(id);
                (id, words.iter().flat_map(|word| truth(word, &formula, 2)).collect())
            })
            .collect();
        for (a, truth_of_a) in &truths {
            for (b, truth_of_b) in &truths {
                if simplifier.implies(&mut arena, *a, *b) {
                    let holds = truth_of_a.iter().zip(truth_of_b).all(|(a, b)| !a || *b);
                    assert!(
                        holds,
                        "{} -> {}",
                        show_letters(&arena.to_formula(*a)),
                        show_letters(&arena.to_formula(*b))
                    );
                }
            }
        }
    }
}

#[track_caller]
fn assert_implies(a: &Formula<Prop>, b: &Formula<Prop>, word: &Word) {
    let depth = depth_of([a, b]);
    let holds = truth(word, a, depth).iter().zip(truth(word, b, depth)).all(|(a, b)| !a || b);
    assert!(holds, "{} does not imply {} on {word:?}", show_letters(a), show_letters(b));
}

#[test]
fn eventual_formulas_hold_earlier_and_universal_formulas_hold_later() {
    let formulas = if is_long_run() { 200_000 } else { 20_000 };
    for reading in READINGS {
        let mut random = Random(3);
        for _ in 0..formulas {
            let (given, props) = random_formula(&mut random, 1..=9);
            let mut arena = FormulaArena::default();
            let id = arena.formula(&given);
            let is = [is_eventual(&arena, id, reading), is_universal(&arena, id, reading)];
            if is == [false, false] {
                continue;
            }
            for _ in 0..6 {
                let word = word(&mut random, props, reading == Reading::Infinite);
                let truth = truth(&word, &given, semantics::past_depth(&given));
                // In a cycle every position comes after every other.
                let last = truth.len() - 1;
                let steps = (0..last).map(|i| (i, i + 1));
                let back = word.is_infinite().then(|| (last, truth.len() - word.cycle.len()));
                for (now, later) in steps.chain(back) {
                    assert!(
                        !is[0] || !truth[later] || truth[now],
                        "{} is not eventual",
                        show_letters(&given)
                    );
                    assert!(
                        !is[1] || !truth[now] || truth[later],
                        "{} is not universal",
                        show_letters(&given)
                    );
                }
            }
        }
    }
}

#[test]
fn simplification_is_idempotent_and_grows_only_by_the_growing_rules() {
    let formulas = if is_long_run() { 200_000 } else { 12_000 };
    for reading in READINGS {
        let mut random = Random(4);
        for _ in 0..formulas {
            let (given, _) = random_formula(&mut random, 1..=20);
            let mut arena = FormulaArena::default();
            let id = arena.formula(&given);
            let simple = Simplifier::new(reading).simplify(&mut arena, id);
            let again = Simplifier::new(reading).simplify(&mut arena, simple);
            assert_eq!(
                show_letters(&arena.to_formula(again)),
                show_letters(&arena.to_formula(simple)),
                "{} became simpler at the second attempt",
                show_letters(&given)
            );
            assert!(arena.length(simple) <= MAX_GROWTH * arena.length(id), "{}", show_letters(&given));
            let shorter = Simplifier::shrinking(reading).simplify(&mut arena, id);
            assert!(arena.length(shorter) <= arena.length(id), "{}", show_letters(&given));
        }
    }
}

#[test]
fn large_formulas_are_simplified_within_the_step_limit() {
    let formulas = if is_long_run() { 20_000 } else { 600 };
    for reading in READINGS {
        let mut random = Random(5);
        for _ in 0..formulas {
            let (given, props) = random_formula(&mut random, 30..=60);
            let mut arena = FormulaArena::default();
            let id = arena.formula(&given);
            let mut simplifier = Simplifier::new(reading);
            let simple = simplifier.simplify(&mut arena, id);
            assert!(!simplifier.was_cut_short(), "{}", show_letters(&given));
            let simple = arena.to_formula(simple);
            assert_equivalent(&given, &simple, &word(&mut random, props, reading == Reading::Infinite));
        }
    }
}

#[test]
fn deep_formulas_are_simplified_without_stack_overflow() {
    let mut deep = parse_letters("a");
    for _ in 0..2_000 {
        deep = deep.next();
    }
    let mut arena = FormulaArena::default();
    let id = arena.formula(&deep.eventually());
    let simple = Simplifier::new(Reading::Infinite).simplify(&mut arena, id);
    assert_eq!(arena.length(simple), arena.length(id));
}

/// Checks the simplified formula on finite and on infinite words.
#[track_caller]
fn check(given: &str, finite: &str, infinite: &str) {
    for (reading, simple) in READINGS.into_iter().zip([finite, infinite]) {
        let mut arena = FormulaArena::default();
        let (id, expected) = (arena.formula(&parse_letters(given)), arena.formula(&parse_letters(simple)));
        let made = Simplifier::new(reading).simplify(&mut arena, id);
        let shown = show_letters(&arena.to_formula(made));
        assert_eq!(made, expected, "{given} became {shown}, not {simple} ({reading:?})");
    }
}

#[test]
fn needless_operands_of_until_and_release_are_dropped() {
    for (given, simple) in [
        ("F F a", "F a"),
        ("G G a", "G a"),
        ("a U F b", "F b"),
        ("a R G b", "G b"),
        ("F (a U b)", "F b"),
        ("G (a R b)", "G b"),
        ("F (a | b U c)", "F (a | c)"),
        ("G (a & b R c)", "G (a & c)"),
        ("F (a M b)", "F (a & b)"),
        ("G (a W b)", "G (a | b)"),
        ("a U G a", "G a"),
        ("a R F a", "F a"),
        ("(a & b) U a", "a"),
        ("(a | b) R a", "a"),
        ("!a U a", "F a"),
        ("!a R a", "G a"),
        ("(a | b) U b", "a U b"),
        ("(a & b) R b", "a R b"),
        ("(a & !b) U b", "a U b"),
        ("(a | !b) R b", "a R b"),
        ("a U ((a | b) U c)", "(a | b) U c"),
        ("a R ((a & b) R c)", "(a & b) R c"),
        ("(a | b) U (a U c)", "(a | b) U c"),
        ("(a & b) R (a R c)", "(a & b) R c"),
        ("a U (b R (a U c))", "b R (a U c)"),
        ("a R (b U (a R c))", "b U (a R c)"),
        ("(a U b) U (a | c)", "b U (a | c)"),
        ("(a R b) R (a & c)", "b R (a & c)"),
        ("(a W b) U (a | c)", "b U (a | c)"),
        ("(a M b) R (a & c)", "b R (a & c)"),
        ("(a U b) U (b | c)", "a U b | c"),
        ("(a R b) R (b & c)", "a R b & c"),
        ("F a U (a & b)", "F (a & b)"),
        ("G a R (a | b)", "G (a | b)"),
        ("!a U (a & F b)", "F (a & F b)"),
        ("!a R (a | G b)", "G (a | G b)"),
        ("G a U (b & G a)", "G a & F b"),
        ("F a R (b | F a)", "F a | G b"),
        ("F a M b", "F a & b"),
        ("F (a | b & F a)", "F a"),
        ("G (a & F (a & b))", "G (a & F b)"),
    ] {
        check(given, simple, simple);
    }
}

#[test]
fn next_moves_to_the_front() {
    for (given, finite, infinite) in [
        ("F X a", "X F a", "X F a"),
        ("G WX a", "WX G a", "X G a"),
        ("X a U X b", "X (a U b)", "X (a U b)"),
        ("WX a U X b", "X (a U b)", "X (a U b)"),
        ("WX a R WX b", "WX (a R b)", "X (a R b)"),
        ("G F a U X b", "X (G F a U b)", "X (G F a U b)"),
        ("X a & X b", "X (a & b)", "X (a & b)"),
        ("X a | X b", "X (a | b)", "X (a | b)"),
        ("WX a & WX b", "WX (a & b)", "X (a & b)"),
        ("X a & WX b", "X (a & b)", "X (a & b)"),
        ("X a | WX b", "WX (a | b)", "X (a | b)"),
        ("X a U b", "b | X (b M a)", "b | X (b M a)"),
        ("WX a R b", "b & WX (b W a)", "b & X (b W a)"),
        ("X a U b | X (!b W !a)", "b | X true", "true"),
    ] {
        check(given, finite, infinite);
    }
}

#[test]
fn parts_of_conjunctions_and_disjunctions_are_merged() {
    for (given, simple) in [
        ("F a | F b", "F (a | b)"),
        ("G a & G b", "G (a & b)"),
        ("a U b | a U c", "a U (b | c)"),
        ("a R b & a R c", "a R (b & c)"),
        ("a U b & c U b", "(a & c) U b"),
        ("a R b | c R b", "(a | c) R b"),
        ("a W b & c W b", "(a & c) W b"),
        ("a M b | c M b", "(a | c) M b"),
        ("G F a | G F b", "G F (a | b)"),
        ("a U b & c W b", "(a & c) U b"),
        ("a R b | c M b", "(a | c) R b"),
        ("F b & a W b", "a U b"),
        ("G b | a M b", "a R b"),
        ("G a | a U b", "a W b"),
        ("F a & a R b", "a M b"),
        ("a U b | a W c", "a W (b | c)"),
        ("a U (b | G a)", "a W b"),
        ("a R (b & F a)", "a M b"),
        ("G !a | F (a & F b)", "(a & F b) R (!a | F b)"),
        ("F b & a U b", "a U b"),
        ("G b | a R b", "a R b"),
        ("b | a & X (a U b)", "a U b"),
        ("b & (a | WX (a R b))", "a R b"),
        ("a | X F a", "F a"),
        ("a & WX G a", "G a"),
        ("a | X (F a | b)", "F a | X b"),
        ("a | X a M b", "b U a"),
        ("a & WX a W b", "b R a"),
        ("a & b | a & c", "a & (b | c)"),
        ("(a | X b) & (a | X c)", "a | X (b & c)"),
        ("a & b | !a & c | b & c", "a & b | !a & c"),
    ] {
        check(given, simple, simple);
    }
}

#[test]
fn parts_are_simplified_in_the_context_of_the_others() {
    for (given, simple) in [
        ("a & (a | b)", "a"),
        ("a | a & b", "a"),
        ("a & (b | !a)", "a & b"),
        ("a | b & !a", "a | b"),
        ("a & F a", "a"),
        ("a | G a", "a"),
        ("G a & a U b", "G a & F b"),
        ("F a | a R b", "F a | G b"),
        ("G a & F !a", "false"),
        ("F a | G !a", "true"),
        ("a U b & !a R !b", "false"),
        ("a U b & G !b", "false"),
        ("a U b | !b W !a", "true"),
        ("G a & F (a & b)", "G a & F b"),
        ("F a & (F a & G b | c U d)", "F a & (G b | c U d)"),
        ("G a & X (a & b)", "G a & X b"),
        ("F !a & F !b & (F (!a & G F !c) | F (!b & G F c))", "F !a & F !b"),
    ] {
        check(given, simple, simple);
    }
}

#[test]
fn eventual_and_universal_parts_are_split_off() {
    for (given, finite, infinite) in [
        ("F (a & G F b)", "F a & G F b", "F a & G F b"),
        ("G (a | G F b)", "G a | G F b", "G a | G F b"),
        ("a U (b & G F c)", "a U b & G F c", "a U b & G F c"),
        ("a R (b | F G c)", "a R b | G F c", "a R b | F G c"),
        ("c & (F G a | F b)", "c & (G F a | F b)", "c & F (G a | b)"),
        ("G F a | F b", "F (G F a | b)", "F (G F a | b)"),
        ("X a & G F b", "X a & G F b", "X (a & G F b)"),
    ] {
        check(given, finite, infinite);
    }
}

#[test]
fn rules_for_infinite_words_are_not_applied_to_finite_ones() {
    for (given, finite, infinite) in [
        ("X true", "X true", "true"),
        ("X G F a", "X G F a", "G F a"),
        ("X F G a", "X G F a", "F G a"),
        ("X a | X !a", "X true", "true"),
        ("WX a & X !a", "false", "false"),
        ("WX a & !X a", "WX false", "false"),
        ("G F X a", "false", "G F a"),
        ("F G X a", "false", "F G a"),
        ("G (a & X F b)", "false", "G (a & F b)"),
        ("F (a | X G b)", "F (a | X G b)", "F (a | G b)"),
        ("G F (a | X b)", "G F a", "G F (a | b)"),
        ("G (a & F (b & X F c))", "false", "G (a & F b & F c)"),
        ("a & X G a", "a & X G a", "G a"),
        ("G a & X true", "G a & X true", "G a"),
        ("G a & X a", "G a & X true", "G a"),
        ("F G (a | G b)", "G F (a | b)", "F (G a | G b)"),
    ] {
        check(given, finite, infinite);
    }
}

#[test]
fn rules_for_finite_words_are_not_applied_to_infinite_ones() {
    for (given, finite, infinite) in [
        ("F G a", "G F a", "F G a"),
        ("G X a", "false", "X G a"),
        ("F WX a", "true", "X F a"),
        ("F (a | WX b)", "true", "F (a | X b)"),
        ("G F (a & (b | X c))", "G F (a & b)", "G F (a & (b | X c))"),
        ("F G a & G F b", "G F (a & b)", "F G a & G F b"),
        ("G (F a & F b)", "G F (a & b)", "G (F a & F b)"),
    ] {
        check(given, finite, infinite);
    }
}

#[test]
fn the_past_is_simplified_as_a_finite_future() {
    for (given, simple) in [
        ("O O a", "O a"),
        ("H H a", "H a"),
        ("Y a & Y b", "Y (a & b)"),
        ("WY a | Y b", "WY (a | b)"),
        ("O a | O b", "O (a | b)"),
        ("H a & H b", "H (a & b)"),
        ("a S (a S b)", "a S b"),
        ("O (a S b)", "O b"),
        ("b | a & Y (a S b)", "a S b"),
        ("a S b & c S b", "(a & c) S b"),
        ("O Y a", "Y O a"),
        ("O a & Y b", "O a & Y b"),
        ("F O a", "F O a"),
        ("O F a", "O F a"),
        ("H a & F (a & b)", "H a & F (a & b)"),
    ] {
        check(given, simple, simple);
    }
}

#[test]
fn the_class_is_the_least_that_the_syntax_shows() {
    for (formula, class) in [
        ("a & X b", "safety"),
        ("G a", "safety"),
        ("a W b", "safety"),
        ("a R G b", "safety"),
        ("F a", "guarantee"),
        ("a U (b & X c)", "guarantee"),
        ("F a | G b", "obligation"),
        ("G a U b", "obligation"),
        ("a W (b U c)", "obligation"),
        ("F (a & F b) & X G c", "obligation"),
        ("G F a", "recurrence"),
        ("G (a -> F b)", "recurrence"),
        ("F G a", "persistence"),
        ("a U G b", "persistence"),
        ("F G a | G F b", "reactivity"),
        ("G (a -> F G b)", "reactivity"),
        ("G (a -> O b)", "safety"),
        ("G F (a S b)", "recurrence"),
    ] {
        let mut arena = FormulaArena::default();
        let id = arena.formula(&parse_letters(formula));
        assert_eq!(syntactic_class(&arena, id).to_string(), class, "{formula}");
    }
}
