//! The automata of formulas on finite words, against the semantics.

use crate::generators::{self, Operators};
use selvedge_ltl::finite::{DEFAULT_LIMIT, Dfa, FiniteError, Tableau};
use selvedge_ltl::nnf::FormulaArena;
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Binary, Formula, Letter, Prop, Unary, Word};
use selvedge_testkit::ltl::{parse_letters, show_letters};
use selvedge_testkit::{Random, is_long_run};
use std::collections::{BTreeMap, BTreeSet};

/// The limit on the automata of random formulas.
const LIMIT: usize = 2_000;

fn tableau(formula: &Formula<Prop>, limit: usize) -> Result<Tableau, FiniteError> {
    let mut arena = FormulaArena::default();
    let normal = arena.formula(formula);
    Tableau::with_limit(&arena, normal, limit)
}

fn dfa(formula: &Formula<Prop>) -> Dfa {
    let dfa = tableau(formula, DEFAULT_LIMIT)
        .and_then(|mut tableau| Dfa::from_tableau(&mut tableau, DEFAULT_LIMIT));
    let dfa = dfa.unwrap_or_else(|error| panic!("{}: {error}", show_letters(formula)));
    dfa.validate();
    dfa
}

fn parsed(text: &str) -> Dfa {
    dfa(&parse_letters(text))
}

/// All two-valued words of one to `longest` letters.
fn words(props: usize, longest: usize) -> Vec<Word> {
    let mut all: Vec<Vec<Letter>> = Vec::new();
    let mut last: Vec<Vec<Letter>> = vec![Vec::new()];
    for _ in 0..longest {
        let longer = |word: &Vec<Letter>| {
            let word = word.clone();
            (0..1 << props).map(move |holding| [&word[..], &[Letter::exactly(holding)]].concat())
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all.into_iter().map(Word::finite).collect()
}

/// A random formula with past operators, none of them over a future operator.
fn with_pure_past(random: &mut Random, size: usize, props: usize) -> Formula<Prop> {
    loop {
        let candidate = generators::formula(random, size, props, Operators::All);
        if candidate.has_past() && !matches!(tableau(&candidate, LIMIT), Err(FiniteError::PastOverFuture(_)))
        {
            return candidate;
        }
    }
}

/// Compares both automata with the semantics; returns the number of compared words, 0 if the limit was
/// exceeded.
fn compare_on_random_words(random: &mut Random, formula: &Formula<Prop>, word_count: usize) -> usize {
    let Ok(mut tableau) = tableau(formula, LIMIT) else { return 0 };
    let Ok(dfa) = Dfa::from_tableau(&mut tableau, LIMIT) else { return 0 };
    dfa.validate();
    for _ in 0..word_count {
        let word = generators::word(random, 4, false);
        let expected = holds(&word, formula);
        assert_eq!(dfa.accepts(&word), expected, "automaton: {} on {word:?}", show_letters(formula));
        // The tableau may need nodes here that the deterministic automaton did not need.
        let Ok(accepted) = tableau.accepts(&word) else { return 0 };
        assert_eq!(accepted, expected, "tableau: {} on {word:?}", show_letters(formula));
    }
    word_count
}

fn compare_random_formulas(seed: u64, formula_count: usize, pure_past: bool) {
    let factor = if is_long_run() { 20 } else { 1 };
    let (mut pairs, mut too_large) = (0, 0);
    let mut random = Random(seed);
    for _ in 0..formula_count * factor {
        let size = 1 + random.below(20);
        let formula = if pure_past {
            with_pure_past(&mut random, size.max(2), 4)
        } else {
            generators::formula(&mut random, size, 4, Operators::Future)
        };
        let compared = compare_on_random_words(&mut random, &formula, 10);
        pairs += compared;
        too_large += usize::from(compared == 0);
    }
    assert_eq!(pairs, 10 * (formula_count * factor - too_large));
    assert!(too_large * 1_000 <= formula_count * factor, "{too_large} formulas were too large");
}

#[test]
fn both_automata_agree_with_the_semantics_on_random_future_formulas() {
    compare_random_formulas(1, 6_000, false);
}

#[test]
fn both_automata_agree_with_the_semantics_on_random_formulas_over_the_pure_past() {
    compare_random_formulas(2, 3_000, true);
}

/// All formulas of exactly this size over two propositions.
fn formulas(size: usize) -> Vec<Formula<Prop>> {
    if size == 1 {
        let leaves = [Formula::TRUE, Formula::FALSE, Formula::Prop(Prop(0)), Formula::Prop(Prop(1))];
        return leaves.to_vec();
    }
    let mut all = Vec::new();
    for inner in formulas(size - 1) {
        all.extend(Unary::ALL.map(|operator| Formula::Unary(operator, Box::new(inner.clone()))));
    }
    for left_size in 1..size - 1 {
        for left in formulas(left_size) {
            for right in formulas(size - 1 - left_size) {
                let pair = || (Box::new(left.clone()), Box::new(right.clone()));
                all.extend(Binary::ALL.map(|operator| {
                    let (left, right) = pair();
                    Formula::Binary(operator, left, right)
                }));
            }
        }
    }
    all
}

#[test]
fn both_automata_agree_with_the_semantics_on_all_small_formulas_and_short_words() {
    let words = words(2, 3);
    // Formulas with the same normal form share one automaton, which is compared with each of them.
    let mut arena = FormulaArena::default();
    let mut automata: BTreeMap<_, Result<Vec<bool>, FiniteError>> = BTreeMap::new();
    let mut refused = 0;
    let mut pairs = 0;
    for formula in (1..=4).flat_map(formulas) {
        let normal = arena.formula(&formula);
        let verdicts = automata.entry(normal).or_insert_with(|| {
            let mut tableau = Tableau::new(&arena, normal)?;
            let dfa = Dfa::from_tableau(&mut tableau, DEFAULT_LIMIT)?;
            let verdict = |word| {
                let accepted = dfa.accepts(word);
                assert_eq!(tableau.accepts(word), Ok(accepted), "{} on {word:?}", show_letters(&formula));
                accepted
            };
            Ok(words.iter().map(verdict).collect())
        });
        match verdicts {
            Ok(verdicts) => {
                for (word, verdict) in words.iter().zip(verdicts) {
                    assert_eq!(*verdict, holds(word, &formula), "{} on {word:?}", show_letters(&formula));
                    pairs += 1;
                }
            }
            Err(FiniteError::PastOverFuture(_)) => refused += 1,
            Err(error) => panic!("{}: {error}", show_letters(&formula)),
        }
    }
    assert!(refused > 0 && pairs > 100_000);
}

#[test]
fn nodes_that_differ_in_strong_alone_stay_apart() {
    let formula = parse_letters("(a U b) & WX (a U b) & a & b");
    let word = Word::finite([Letter::exactly(0b11)]);
    assert_eq!(tableau(&formula, 10).expect("few nodes").accepts(&word), Ok(true));
    assert!(dfa(&formula).accepts(&word));
}

/// The necessary number of states: the Myhill-Nerode classes of words, by the semantics.
fn needed_states(formula: &Formula<Prop>, props: usize, longest: usize, longest_after: usize) -> usize {
    let after = words(props, longest_after);
    let continued = |word: &[Letter]| -> Vec<bool> {
        after.iter().map(|rest| holds(&Word::finite([word, &rest.prefix].concat()), formula)).collect()
    };
    let classes: BTreeSet<(Vec<bool>, bool)> =
        words(props, longest).iter().map(|word| (continued(&word.prefix), holds(word, formula))).collect();
    let initial = continued(&[]);
    let apart = !classes.iter().any(|(future, _)| *future == initial);
    classes.len() + usize::from(apart)
}

#[test]
fn automata_are_minimal() {
    let mut random = Random(3);
    for round in 0..150 {
        let size = 1 + random.below(7);
        let formula = if round % 3 == 0 {
            with_pure_past(&mut random, size.max(2), 1)
        } else {
            generators::formula(&mut random, size, 1, Operators::Future)
        };
        assert_eq!(
            dfa(&formula).states().len(),
            needed_states(&formula, 1, 6, 6),
            "{}",
            show_letters(&formula)
        );
    }
    for _ in 0..60 {
        let formula = generators::formula(&mut random, 5, 2, Operators::Future);
        assert_eq!(
            dfa(&formula).states().len(),
            needed_states(&formula, 2, 4, 3),
            "{}",
            show_letters(&formula)
        );
    }
}

#[track_caller]
fn check_states(formula: &str, expected: usize) {
    assert_eq!(parsed(formula).states().len(), expected);
}

#[test]
fn the_initial_state_is_merged_if_possible() {
    check_states("true", 1);
    check_states("false", 1);
    check_states("F a", 2);
    check_states("G a", 2);
    check_states("G F a", 2);
    check_states("a", 3);
    check_states("X true", 3);
    check_states("WX false", 3);
    check_states("G (a -> F b)", 2);
    check_states("F (a & O b)", 3);
    check_states("H a", 3); // in the first state: a
    assert!(!parsed("G a").has_separate_initial_state());
    assert!(parsed("a").has_separate_initial_state());
}

#[test]
fn automata_of_one_language_are_identical() {
    let same = [
        ("!(a U b)", "(!a) R (!b)"),
        ("F (a | b)", "F b | F a"),
        ("G (b -> O a)", "!b W a"),
        ("X (a | !a)", "!WX false"),
        ("a W b", "(a U b) | G a"),
        ("F (b & Y a)", "F (a & X b)"),
    ];
    for (left, right) in same {
        assert_same(&parsed(left), &parsed(right));
    }
}

#[track_caller]
fn assert_same(left: &Dfa, right: &Dfa) {
    assert_eq!(left.difference(right), None);
    assert_eq!(left.bdds().size(), right.bdds().size());
    assert!(left.states().eq(right.states()));
    for state in left.states() {
        assert_eq!(left.edges(state), right.edges(state));
        assert_eq!(left.is_accepting(state), right.is_accepting(state));
    }
}

/// The truth table of a formula on all short words, and properties decided by it alone.
struct TruthTable {
    words: Vec<Word>,
    accepted: BTreeSet<Word>,
}

impl TruthTable {
    fn new(formula: &Formula<Prop>, props: usize, longest: usize) -> TruthTable {
        let words = words(props, longest);
        let accepted = words.iter().filter(|word| holds(word, formula)).cloned().collect();
        TruthTable { words, accepted }
    }

    /// Does `change` keep this verdict? All words derived from a word with the verdict have it too.
    fn keeps(&self, verdict: bool, change: impl Fn(&Word) -> Vec<Word>) -> bool {
        let has = |word: &Word| self.accepted.contains(word) == verdict;
        self.words.iter().filter(|word| has(word)).flat_map(change).all(|word| has(&word))
    }
}

fn prefixes(word: &Word) -> Vec<Word> {
    (1..word.len()).map(|length| Word::finite(&word.prefix[..length])).collect()
}

/// The words with one of two equal neighbouring letters removed.
fn unstuttered(word: &Word) -> Vec<Word> {
    let repeated = (1..word.len()).filter(|i| word.prefix[*i] == word.prefix[i - 1]);
    repeated
        .map(|i| {
            let mut letters = word.prefix.clone();
            letters.remove(i);
            Word::finite(letters)
        })
        .collect()
}

#[test]
fn safety_guarantee_and_stutter_invariance_agree_with_short_words() {
    let mut random = Random(4);
    let mut counts = [0; 3];
    for round in 0..400 {
        let size = 1 + random.below(7);
        let formula = if round % 3 == 0 {
            with_pure_past(&mut random, size.max(2), 2)
        } else {
            generators::formula(&mut random, size, 2, Operators::Future)
        };
        let (automaton, table) = (dfa(&formula), TruthTable::new(&formula, 2, 5));
        let text = show_letters(&formula);
        let stutter = table.keeps(true, unstuttered) && table.keeps(false, unstuttered);
        assert_eq!(automaton.is_safety(), table.keeps(true, prefixes), "safety of {text}");
        assert_eq!(automaton.is_guarantee(), table.keeps(false, prefixes), "guarantee of {text}");
        assert_eq!(automaton.is_stutter_invariant(), stutter, "stuttering of {text}");
        let is = [automaton.is_safety(), automaton.is_guarantee(), automaton.is_stutter_invariant()];
        counts.iter_mut().zip(is).for_each(|(count, is)| *count += usize::from(is));
        assert_eq!(automaton.is_empty(), table.accepted.is_empty(), "emptiness of {text}");
        let shortest = table.words.iter().find(|word| table.accepted.contains(*word)).map(Word::len);
        let found = automaton.shortest_accepted();
        assert_eq!(found.as_ref().map(Word::len), shortest, "shortest of {text}");
        assert!(found.is_none_or(|word| holds(&word, &formula)), "shortest of {text}");
    }
    assert!(counts.into_iter().all(|count| (40..360).contains(&count)), "one-sided cases: {counts:?}");
}

#[test]
fn complements_products_and_differences_agree_with_the_semantics() {
    let mut random = Random(5);
    let all = words(2, 5);
    for _ in 0..300 {
        let sizes = [(); 2].map(|()| 1 + random.below(8));
        let formulas = sizes.map(|size| generators::formula(&mut random, size, 2, Operators::Future));
        let [left, right] = formulas.each_ref().map(dfa);
        let text = formulas.each_ref().map(show_letters).join(" and ");
        let [a, b] = formulas.clone();
        let complement = left.complement();
        complement.validate();
        assert_same(&complement, &dfa(&!a.clone()));
        assert_same(&complement.complement(), &left);
        assert_eq!(complement.states().len(), left.states().len(), "complement in {text}");
        let both = left.product(&right, |a, b| a && b, LIMIT).expect("a small product");
        both.validate();
        assert_same(&both, &dfa(&(a.clone() & b.clone())));
        let differs = |word: &Word| holds(word, &a) != holds(word, &b);
        let difference = left.difference(&right);
        assert_eq!(difference.is_none(), left.equivalent(&right));
        match (&difference, all.iter().find(|word| differs(word))) {
            (Some(found), Some(shortest)) => assert_eq!(found.len(), shortest.len(), "difference of {text}"),
            (Some(found), None) => assert!(found.len() > 5, "difference of {text}"),
            (None, expected) => assert_eq!(expected, None, "difference of {text}"),
        }
        assert!(difference.is_none_or(|word| differs(&word)), "difference of {text}");
    }
}

/// The two-valued words that a word with unknown propositions stands for.
fn concretisations(word: &Word, props: usize) -> Vec<Word> {
    let fits = |concrete: &Word| {
        (0..word.len()).all(|i| {
            let (open, exact) = (word.letter(i), concrete.letter(i));
            exact.may_true & !open.may_true == 0 && exact.may_false & !open.may_false == 0
        })
    };
    words(props, word.len()).into_iter().filter(|other| other.len() == word.len() && fits(other)).collect()
}

#[test]
fn a_word_with_unknowns_is_accepted_if_one_of_its_concretisations_is() {
    let mut random = Random(6);
    for _ in 0..400 {
        let size = 1 + random.below(9);
        let formula = generators::formula(&mut random, size, 2, Operators::Future);
        let (mut tableau, dfa) = (tableau(&formula, LIMIT).expect("few nodes"), dfa(&formula));
        for _ in 0..5 {
            let length = 1 + random.below(3);
            let letters: Vec<Letter> =
                (0..length).map(|_| Letter::exactly(random.next() & 3).forget(random.next() & 3)).collect();
            let word = Word::finite(letters);
            let expected = concretisations(&word, 2).iter().any(|concrete| holds(concrete, &formula));
            assert_eq!(tableau.accepts(&word), Ok(expected), "{} on {word:?}", show_letters(&formula));
            assert_eq!(dfa.accepts(&word), expected, "{} on {word:?}", show_letters(&formula));
        }
    }
}

#[test]
fn a_past_operator_over_a_future_operator_is_refused() {
    let mut arena = FormulaArena::default();
    let inner = arena.formula(&parse_letters("O F a"));
    let whole = arena.formula(&parse_letters("G (b -> O F a)"));
    assert_eq!(Tableau::new(&arena, whole).err(), Some(FiniteError::PastOverFuture(inner)));
    assert!(tableau(&parse_letters("F O Y (a S b)"), LIMIT).is_ok());
}

#[test]
fn an_automaton_beyond_the_limit_is_refused_within_bounded_work() {
    // The letter ten positions before the last: a deterministic automaton needs 2^10 states.
    let formula = parse_letters(&format!("F (a & {} WX false)", "X ".repeat(10)));
    let mut tableau = tableau(&formula, 100).expect("few nodes");
    assert_eq!(Dfa::from_tableau(&mut tableau, 1_000).err(), Some(FiniteError::TooLarge { limit: 1_000 }));
    assert_eq!(dfa(&formula).states().len(), 2_048);
    // Twenty eventualities at once, and a memory of forty letters: the automata track all combinations.
    let many: Vec<String> = ('a'..='t').map(|name| format!("F ({name} & X {name})")).collect();
    for text in [many.join(" & "), format!("G (a <-> {} b)", "Y ".repeat(40))] {
        let tableau = self::tableau(&parse_letters(&text), LIMIT);
        let result = tableau.and_then(|mut tableau| Dfa::from_tableau(&mut tableau, LIMIT));
        assert_eq!(result.err(), Some(FiniteError::TooLarge { limit: LIMIT }), "{text}");
    }
}

#[test]
fn deep_and_wide_formulas_have_small_automata() {
    check_states(&format!("{} a", "X ".repeat(900)), 903);
    check_states(&format!("F ({} WY false)", "Y ".repeat(200)), 202);
    let wide: Vec<String> = ('a'..='z').map(String::from).collect();
    check_states(&format!("F ({})", wide.join(" | ")), 2);
}

#[test]
fn the_empty_word_and_infinite_words_are_not_accepted() {
    let (mut tableau, dfa) = (tableau(&Formula::TRUE, LIMIT).expect("few nodes"), dfa(&Formula::TRUE));
    let letter = Letter::exactly(0);
    for word in [Word::finite([]), Word::lasso([], [letter]), Word::lasso([letter], [letter])] {
        assert_eq!(tableau.accepts(&word), Ok(false));
        assert!(!dfa.accepts(&word));
    }
    assert!(dfa.is_universal() && dfa.complement().is_empty());
}
