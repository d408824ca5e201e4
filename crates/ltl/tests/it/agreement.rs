//! The three implementations of the logic against the semantics, on the same random formulas and words.
//!
//! Progression, the finite tableau with its deterministic automaton, and the Büchi automata (generalised,
//! state-based, and search automata) each use an algorithm of their own; `semantics` is the definition. A
//! single difference is a failure. `SELVEDGE_LONG=1` runs twenty times as many cases.

use crate::generators::{Operators, formula, word};
use selvedge_ltl::buchi::{Automaton, Limits, TranslateError, Translator, accepts};
use selvedge_ltl::finite::{Dfa, Tableau};
use selvedge_ltl::nnf::FormulaArena;
use selvedge_ltl::progression::{Progression, Status, Verdict};
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Formula, Letter, Prop, Word};
use selvedge_testkit::ltl::{parse_letters, show_letters};
use selvedge_testkit::{Random, is_long_run};

/// Formulas in the default run; each is evaluated on [`WORDS`] words.
const FORMULAS: usize = 10_000;
const WORDS: usize = 10;
const PROPS: usize = 4;
const MAX_SIZE: usize = 20;

/// Small limits, so that a rare huge formula stops early and the time goes into many cases.
const LIMITS: Limits = Limits { states: 500, edges: 20_000, nodes: 300_000 };

fn rounds(usual: usize) -> usize {
    if is_long_run() { 20 * usual } else { usual }
}

/// Counts the formulas without an automaton because of a limit; they must stay rare.
#[derive(Default)]
struct Skipped(usize);

impl Skipped {
    fn take<T, E: std::fmt::Debug>(&mut self, result: Result<T, E>) -> Option<T> {
        self.0 += usize::from(result.is_err());
        result.ok()
    }

    #[track_caller]
    fn assert_rare(&self, formulas: usize) {
        assert!(self.0 * 100 <= formulas, "{} of {formulas} formulas were too large", self.0);
    }
}

#[test]
fn buchi_automata_accept_exactly_the_lassos_that_satisfy_the_formula() {
    let mut random = Random(1);
    let mut skipped = Skipped::default();
    for _ in 0..rounds(FORMULAS) {
        let size = 1 + random.below(MAX_SIZE);
        let f = formula(&mut random, size, PROPS, Operators::Future);
        let mut translator = Translator::new(FormulaArena::default(), LIMITS);
        let nnf = translator.arena.formula(&f);
        let Some(generalised) = skipped.take(translator.translate(nnf)) else { continue };
        let Some(state_based) = skipped.take(translator.translate_state_based(nnf)) else { continue };
        assert!(state_based.is_state_based(), "{}", show_letters(&f));
        [&generalised, &state_based].into_iter().for_each(Automaton::validate);
        translator.bdds.validate();
        translator.arena.validate();
        for _ in 0..WORDS {
            let w = word(&mut random, PROPS, true);
            let expected = holds(&w, &f);
            for automaton in [&generalised, &state_based] {
                assert_eq!(
                    accepts(&translator.bdds, automaton, &w),
                    expected,
                    "{} on {w:?}",
                    show_letters(&f)
                );
            }
            let search = generalised.search_automaton(&mut translator.bdds);
            assert_eq!(
                search_automaton_accepts(&search, &w),
                expected,
                "search: {} on {w:?}",
                show_letters(&f)
            );
        }
    }
    skipped.assert_rare(rounds(FORMULAS));
}

/// Acceptance by a search automaton, as naively as possible: a pair of state and position lies on cycles
/// with all marks.
fn search_automaton_accepts(automaton: &selvedge_ltl::buchi::SearchAutomaton, word: &Word) -> bool {
    let all = selvedge_ltl::letter::mask(automaton.mark_count);
    let length = word.len();
    let nodes = automaton.state_count() * length;
    let step = |node: usize| {
        let (state, position) = (node / length, node % length);
        let next = word.next(position).expect("a lasso goes on");
        let letter = word.letter(position);
        automaton.step(state as u32, letter).map(move |e| (e.target as usize * length + next, e.marks))
    };
    let reach = |from: usize| {
        let mut seen = vec![false; nodes];
        let mut todo = vec![from];
        while let Some(node) = todo.pop() {
            for (next, _) in step(node) {
                if !std::mem::replace(&mut seen[next], true) {
                    todo.push(next);
                }
            }
        }
        seen
    };
    let first = automaton.initial as usize * length;
    let mut from_first = reach(first);
    from_first[first] = true;
    let reaches: Vec<Vec<bool>> = (0..nodes).map(reach).collect();
    (0..nodes).filter(|node| from_first[*node] && reaches[*node][*node]).any(|root| {
        let round = |node: usize| reaches[root][node] && reaches[node][root];
        let marks = (0..nodes)
            .filter(|node| round(*node))
            .flat_map(|node| step(node).filter(|(next, _)| round(*next)).map(|(_, marks)| marks));
        marks.fold(0, |met, marks| met | marks) == all
    })
}

#[test]
fn buchi_automata_follow_the_pure_past() {
    let mut random = Random(2);
    let (mut skipped, mut refused, mut translated) = (Skipped::default(), 0, 0);
    for _ in 0..rounds(FORMULAS / 2) {
        let size = 2 + random.below(12);
        let f = formula(&mut random, size, 3, Operators::All);
        let mut translator = Translator::new(FormulaArena::default(), LIMITS);
        let nnf = translator.arena.formula(&f);
        let translation = translator.translate(nnf);
        if translation == Err(TranslateError::FutureBelowPast) {
            refused += 1;
            continue;
        }
        let Some(automaton) = skipped.take(translation) else { continue };
        translated += usize::from(f.has_past());
        for _ in 0..WORDS {
            let w = word(&mut random, 3, true);
            assert_eq!(
                accepts(&translator.bdds, &automaton, &w),
                holds(&w, &f),
                "{} on {w:?}",
                show_letters(&f)
            );
        }
    }
    skipped.assert_rare(rounds(FORMULAS));
    assert!(translated > refused / 4, "{translated} formulas with past translated, {refused} refused");
}

#[test]
fn finite_automata_accept_exactly_the_finite_words_that_satisfy_the_formula() {
    let mut random = Random(3);
    let mut skipped = Skipped::default();
    for _ in 0..rounds(FORMULAS) {
        let size = 1 + random.below(MAX_SIZE);
        let f = formula(&mut random, size, PROPS, Operators::Future);
        let mut arena = FormulaArena::default();
        let nnf = arena.formula(&f);
        let Some(mut tableau) = skipped.take(Tableau::with_limit(&arena, nnf, 2_000)) else { continue };
        let Some(dfa) = skipped.take(Dfa::from_formula(&arena, nnf, 2_000)) else { continue };
        for _ in 0..WORDS {
            let w = word(&mut random, PROPS, false);
            let expected = holds(&w, &f);
            assert_eq!(dfa.accepts(&w), expected, "{} on {w:?}", show_letters(&f));
            if let Some(accepted) = skipped.take(tableau.accepts(&w)) {
                assert_eq!(accepted, expected, "{} on {w:?}", show_letters(&f));
            }
        }
    }
    skipped.assert_rare(rounds(FORMULAS));
}

#[test]
fn progression_decides_finite_words_for_any_nesting_of_past_and_future() {
    let mut random = Random(4);
    for _ in 0..rounds(FORMULAS) {
        let size = 1 + random.below(MAX_SIZE);
        let f = formula(&mut random, size, PROPS, Operators::All);
        let start = Progression::new(&f);
        for _ in 0..WORDS {
            let w = word(&mut random, PROPS, false);
            let mut run = start.clone();
            let status = w.prefix.iter().map(|letter| run.step(*letter)).last().expect("a letter");
            let expected = holds(&w, &f);
            assert_eq!(run.holds_at_end(), expected, "{} on {w:?}", show_letters(&f));
            let decided = match status {
                Status::True => Some(true),
                Status::False => Some(false),
                Status::Open => None,
            };
            assert!(decided.is_none_or(|value| value == expected), "{} on {w:?}", show_letters(&f));
        }
    }
}

#[test]
fn the_remainder_holds_on_the_rest_of_a_lasso_exactly_if_the_formula_holds() {
    let mut random = Random(5);
    for _ in 0..rounds(FORMULAS) {
        let size = 1 + random.below(MAX_SIZE);
        let f = formula(&mut random, size, PROPS, Operators::Future);
        let start = Progression::new(&f);
        for _ in 0..WORDS {
            let w = word(&mut random, PROPS, true);
            let mut run = start.clone();
            let steps = random.below(8);
            let mut rest = w.clone();
            for _ in 0..steps {
                run.step(rest.letter(0));
                rest = tail(&rest);
            }
            let (remainder, arena) = run.remainder();
            let remainder = arena.to_formula(remainder);
            let expected = holds(&w, &f);
            assert_eq!(holds(&rest, &remainder), expected, "{} after {steps} of {w:?}", show_letters(&f));
        }
    }
}

#[test]
fn definite_statuses_of_mixed_past_and_future_are_right_on_lassos() {
    let mut random = Random(6);
    for _ in 0..rounds(FORMULAS) {
        let size = 1 + random.below(MAX_SIZE);
        let f = formula(&mut random, size, PROPS, Operators::All);
        let mut run = Progression::new(&f);
        let w = word(&mut random, PROPS, true);
        let mut at = 0;
        for _ in 0..12 {
            run.step(w.letter(at));
            at = w.next(at).expect("a lasso goes on");
        }
        match run.status() {
            Status::True => assert!(holds(&w, &f), "{} on {w:?}", show_letters(&f)),
            Status::False => assert!(!holds(&w, &f), "{} on {w:?}", show_letters(&f)),
            Status::Open => {}
        }
    }
}

/// The lasso without its first letter.
fn tail(word: &Word) -> Word {
    let unrolled = if word.prefix.is_empty() { word.unrolled(1) } else { word.clone() };
    Word::lasso(&unrolled.prefix[1..], unrolled.cycle)
}

/// The definite verdict by automata alone: the prefix becomes a part of the formula.
fn verdict_by_automata(f: &Formula<Prop>, prefix: &[Letter]) -> Result<Option<bool>, TranslateError> {
    let letter = |letter: &Letter| {
        (0..PROPS as u8).map(Prop).fold(Formula::TRUE, |all, prop| {
            let literal = Formula::Prop(prop);
            all & if letter.allows(prop, true) { literal } else { !literal }
        })
    };
    let begins = prefix.iter().rev().fold(Formula::TRUE, |rest, l| letter(l) & rest.next());
    let satisfiable = |f: Formula<Prop>| -> Result<bool, TranslateError> {
        let mut translator = Translator::new(FormulaArena::default(), LIMITS);
        let nnf = translator.arena.formula(&(begins.clone() & f));
        Ok(translator.model(nnf)?.is_some())
    };
    Ok(match (satisfiable(f.clone())?, satisfiable(!f.clone())?) {
        (true, true) => None,
        (can_hold, _) => Some(can_hold),
    })
}

#[test]
fn verdicts_are_definite_exactly_when_no_continuation_can_change_them() {
    let mut random = Random(7);
    let mut definite = 0;
    for round in 0..rounds(1500) {
        let size = 1 + random.below(10);
        let operators = if round % 3 == 0 { Operators::All } else { Operators::Future };
        let f = formula(&mut random, size, PROPS, operators);
        let mut run = Progression::new(&f);
        let w = word(&mut random, PROPS, false);
        for end in 0..=w.prefix.len().min(3) {
            if end > 0 {
                run.step(w.prefix[end - 1]);
            }
            let (Ok(verdict), Ok(expected)) = (run.verdict(), verdict_by_automata(&f, &w.prefix[..end]))
            else {
                continue;
            };
            let found = match verdict {
                Verdict::True => Some(true),
                Verdict::False => Some(false),
                Verdict::PresumablyTrue | Verdict::PresumablyFalse => None,
            };
            assert_eq!(found, expected, "{} after {:?}", show_letters(&f), &w.prefix[..end]);
            definite += usize::from(found.is_some());
            if found.is_none() && end > 0 {
                let finite = holds(&Word::finite(&w.prefix[..end]), &f);
                assert_eq!(verdict == Verdict::PresumablyTrue, finite, "{}", show_letters(&f));
            }
        }
    }
    assert!(definite > 200, "only {definite} definite verdicts were compared");
}

#[test]
fn a_contradiction_is_definitely_false_before_the_first_letter() {
    let f = parse_letters("F a & G !a");
    assert_eq!(Progression::new(&f).verdict(), Ok(Verdict::False));
    assert_eq!(Progression::new(&!f).verdict(), Ok(Verdict::True));
    let open = Progression::new(&parse_letters("G F a")).verdict();
    assert!(matches!(open, Ok(Verdict::PresumablyTrue | Verdict::PresumablyFalse)), "{open:?}");
}

#[test]
fn an_unknown_proposition_is_both_true_and_false_to_an_automaton() {
    let mut random = Random(8);
    for _ in 0..rounds(1000) {
        let size = 1 + random.below(8);
        let f = formula(&mut random, size, 3, Operators::Future);
        let mut translator = Translator::new(FormulaArena::default(), LIMITS);
        let nnf = translator.arena.formula(&f);
        let Ok(automaton) = translator.translate(nnf) else { continue };
        let known = word(&mut random, 3, true);
        let unknown = 1u64 << random.below(3);
        let mut vague = known.clone();
        let position = random.below(known.len());
        let cycle_start = known.prefix.len();
        let place = if position < cycle_start {
            &mut vague.prefix[position]
        } else {
            &mut vague.cycle[position - cycle_start]
        };
        *place = place.forget(unknown);
        if position >= cycle_start {
            // In a cycle each round may choose another value, so a fixed choice gives one direction only.
            let some = [false, true]
                .map(|value| accepts_with(&translator, &automaton, &known, position, unknown, value));
            assert!(
                !some.contains(&true) || accepts(&translator.bdds, &automaton, &vague),
                "{}",
                show_letters(&f)
            );
        } else {
            let some = [false, true]
                .map(|value| accepts_with(&translator, &automaton, &known, position, unknown, value));
            assert_eq!(
                accepts(&translator.bdds, &automaton, &vague),
                some.contains(&true),
                "{}",
                show_letters(&f)
            );
        }
    }
}

/// Is the word accepted after these propositions are set to a value at one position?
fn accepts_with(
    translator: &Translator,
    automaton: &Automaton,
    word: &Word,
    position: usize,
    props: u64,
    value: bool,
) -> bool {
    let mut concrete = word.clone();
    let start = word.prefix.len();
    let place =
        if position < start { &mut concrete.prefix[position] } else { &mut concrete.cycle[position - start] };
    let holding = if value { place.may_true | props } else { place.may_true & !props };
    *place = Letter::exactly(holding);
    accepts(&translator.bdds, automaton, &concrete)
}
