//! Our automata against SPIN's never claims.
//!
//! For a formula, `spin -f` prints a never claim: a Büchi automaton, by the translation of Gerth, Peled,
//! Vardi and Wolper (PSTV 1995), from a program that shares no code with ours. It is parsed and compared
//! exactly, in both directions, for the formulas of three papers, their negations, and random formulas. SPIN
//! must be installed.
//!
//! Promise: no case is skipped silently. Formulas with `X` are left out, since `spin -f` refuses them;
//! formulas for which SPIN takes too long, and formulas compared on short lassos only, are counted and
//! printed, and the test bounds their number. `SELVEDGE_LONG=1` runs more formulas with a higher time limit.

#![allow(clippy::print_stdout)] // figures for `cargo test -- --nocapture`

mod brute_force;
mod claim;
mod compare;
mod inclusion;
mod process;
mod relation;
mod trim;

use crate::generators::{Operators, formula};
use compare::{Comparison, Outcome, difference, examine, examine_on_lassos, read_claim};
use selvedge_ltl::buchi::Translator;
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Formula, Prop, Unary};
use selvedge_testkit::ltl::{StandardSet, parse_letters, show_letters};
use selvedge_testkit::{Random, is_long_run};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// At most one formula in this number may take SPIN too long. One in forty does: weak untils, which SPIN
/// lacks, nested five deep, equivalences, and the like.
const SLOW_ONE_IN: usize = 15;

/// At most one formula in this number may be compared on short lassos only.
const INEXACT_ONE_IN: usize = 100;

/// The number of children that run at a time.
const WORKERS: usize = 2;

/// The processor time that SPIN may take for a formula, in seconds. Most formulas take milliseconds; of the
/// others most take hours.
fn cpu_seconds() -> u32 {
    if is_long_run() { 10 } else { 4 }
}

#[test]
fn never_claims_accept_what_our_automata_accept() {
    let mut formulas = standard_formulas();
    formulas.extend(random_formulas(if is_long_run() { 6000 } else { 300 }));
    let outcomes = examine_all(&formulas);
    let of = |wanted: &Outcome| -> Vec<String> {
        let matching = outcomes.iter().filter(|(_, outcome)| outcome == wanted);
        matching.map(|(index, _)| show_letters(&formulas[*index])).collect()
    };
    let (same, inexact, slow) = (of(&Outcome::Same), of(&Outcome::SameOnLassos), of(&Outcome::NoClaim));
    println!("of {} formulas, {} have the same claim exactly", formulas.len(), same.len());
    println!("{} on short lassos only: {inexact:#?}", inexact.len());
    println!("{} take SPIN longer than {} s: {slow:#?}", slow.len(), cpu_seconds());
    let differences: Vec<&Outcome> =
        outcomes.iter().map(|(_, outcome)| outcome).filter(|o| matches!(o, Outcome::Differs(_))).collect();
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(slow.len() * SLOW_ONE_IN <= formulas.len(), "too many formulas without a claim");
    assert!(inexact.len() * INEXACT_ONE_IN <= formulas.len(), "too many formulas compared on lassos only");
}

/// The formulas of the papers that SPIN can read, and their negations.
fn standard_formulas() -> Vec<Formula<Prop>> {
    let mut formulas = Vec::new();
    for set in StandardSet::ALL {
        let all = set.formulas();
        let readable: Vec<Formula<Prop>> = all.iter().filter(|formula| !has_next(formula)).cloned().collect();
        println!("{}: {} of {} formulas are without X", set.name, readable.len(), all.len());
        formulas.extend(readable.iter().cloned().map(|formula| !formula));
        formulas.extend(readable);
    }
    formulas
}

fn random_formulas(count: usize) -> impl Iterator<Item = Formula<Prop>> {
    let mut random = Random(1);
    let drawn = std::iter::repeat_with(move || {
        let size = 2 + random.below(9);
        formula(&mut random, size, 3, Operators::Future)
    });
    drawn.filter(|formula| !has_next(formula)).take(count)
}

fn has_next(formula: &Formula<Prop>) -> bool {
    let here = matches!(formula, Formula::Unary(Unary::Next | Unary::WeakNext, _));
    here || formula.children().any(has_next)
}

/// The outcome of each formula, by its index.
fn examine_all(formulas: &[Formula<Prop>]) -> Vec<(usize, Outcome)> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    let take = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        (index, formulas.get(index))
    };
    let work = || {
        while let (index, Some(formula)) = take() {
            let outcome = examine(formula, cpu_seconds());
            outcomes.lock().expect("the other worker goes on").push((index, outcome));
        }
    };
    std::thread::scope(|scope| (0..WORKERS).for_each(|_| drop(scope.spawn(work))));
    let mut outcomes = outcomes.into_inner().expect("no worker panicked");
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes
}

#[test]
fn claims_of_inequivalent_formulas_are_distinguished() {
    let mut random = Random(2);
    let mut same = 0;
    let mut differ = 0;
    while differ < 60 {
        let [f, g] = [(); 2].map(|()| {
            let size = 1 + random.below(5);
            formula(&mut random, size, 2, Operators::Future)
        });
        if has_next(&f) {
            continue;
        }
        let mut translator = Translator::default();
        let text = process::claim(&f, cpu_seconds()).expect("a claim of a small formula");
        let claim = read_claim(&mut translator, &text);
        let [one, other] = [&f, &g].map(|formula| translator.arena.formula(formula));
        let expected = translator.difference(one, other).expect("automata");
        match difference(&mut translator, &claim, &g) {
            Comparison::Same => {
                assert_eq!(expected, None, "{} and {}", show_letters(&f), show_letters(&g));
                same += 1;
            }
            Comparison::Differs(_, word) => {
                assert_ne!(
                    holds(&word, &f),
                    holds(&word, &g),
                    "{} and {}",
                    show_letters(&f),
                    show_letters(&g)
                );
                differ += 1;
            }
            Comparison::Unknown => panic!("{} and {} are too much", show_letters(&f), show_letters(&g)),
        }
    }
    println!("{differ} pairs distinguished, {same} equivalent");
    assert!(same > 0, "no two formulas were equivalent");
}

#[test]
fn the_comparison_on_lassos_finds_no_difference() {
    for text in ["a U b", "G (a -> F b)", "F G a | G F b", "a R b R c", "false", "G (a -> b W c)"] {
        assert_eq!(examine_on_lassos(&parse_letters(text), cpu_seconds()), Outcome::SameOnLassos, "{text}");
    }
}

#[test]
fn spin_refuses_next() {
    for text in ["X (a)", "[] ((a) -> (X (b)))"] {
        let (output, succeeded) = process::run(&["-f", text], cpu_seconds()).expect("an answer");
        assert!(!succeeded, "spin -f '{text}' says {output}: compare formulas with X as well");
    }
}
