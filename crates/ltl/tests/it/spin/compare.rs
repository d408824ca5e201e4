//! A never claim against our automata.
//!
//! Exactly, by [`included`] in both directions; and the product of the claim with our automata of the
//! negation must be empty. Before, [`trimmed`] removes unreachable and dead states of the claim, and nothing
//! else.
//!
//! Promise: `Same` is certain, for the automata with marks on their edges and for the state-based ones; a
//! difference comes with a word.

use super::claim::parse;
use super::inclusion::{Inclusion, included};
use super::process::claim;
use super::relation::MAX_STATES;
use super::trim::trimmed;
use crate::lassos::{lassos, letter_classes};
use selvedge_ltl::buchi::{Automaton, Translator, accepts, product, some_word};
use selvedge_ltl::semantics::holds;
use selvedge_ltl::{Formula, Prop, Word};
use selvedge_testkit::ltl::show_letters;

/// The maximal number of sets and graphs for one inclusion test.
pub(crate) const MAX_GRAPHS: usize = 20_000;

/// The size of lassos where the exact comparison exceeds its limit.
const LASSO_SIZE: usize = 4;

/// The outcome of the comparison for one formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The claim and our automata accept the same words.
    Same,
    /// They agree on all short lassos.
    SameOnLassos,
    /// SPIN took too long.
    NoClaim,
    /// They differ; the text explains how.
    Differs(String),
}

/// Compares SPIN's claim of the formula with our automata of it.
pub(crate) fn examine(formula: &Formula<Prop>, cpu_seconds: u32) -> Outcome {
    let Some(text) = claim(formula, cpu_seconds) else { return Outcome::NoClaim };
    let mut translator = Translator::default();
    let raw = read_claim(&mut translator, &text);
    match difference(&mut translator, &raw, formula) {
        Comparison::Same => Outcome::Same,
        Comparison::Differs(what, word) => {
            let defined = if holds(&word, formula) { "satisfies" } else { "violates" };
            let formula = show_letters(formula);
            Outcome::Differs(format!("{formula}: {what} {word:?}, which {defined} it, says the definition"))
        }
        Comparison::Unknown => on_lassos(translator, &raw, formula, cpu_seconds),
    }
}

/// The claim as an automaton. Panics with the text of a claim that cannot be parsed.
pub(crate) fn read_claim(translator: &mut Translator, text: &str) -> Automaton {
    parse(&mut translator.bdds, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The result of an exact comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Same,
    Differs(&'static str, Word),
    Unknown,
}

/// Compares a claim with our automata of a formula.
pub(crate) fn difference(
    translator: &mut Translator,
    raw: &Automaton,
    formula: &Formula<Prop>,
) -> Comparison {
    if raw.state_count() > MAX_STATES {
        return Comparison::Unknown;
    }
    let claim = trimmed(raw);
    let formula = translator.arena.formula(formula);
    let negation = translator.arena.negate(formula);
    for refuting in both_kinds(translator, negation) {
        let both = product(&mut translator.bdds, &claim, &refuting, translator.limits).expect("a product");
        if let Some(word) = some_word(&translator.bdds, &both) {
            return Comparison::Differs("SPIN's claim and our automaton of the negation both accept", word);
        }
    }
    let [on_edges, state_based] = both_kinds(translator, formula);
    let questions = [
        (&claim, &state_based, "SPIN's claim accepts, but not our automaton,"),
        (&state_based, &claim, "our state-based automaton accepts, but not SPIN's claim,"),
        (&on_edges, &claim, "our automaton accepts, but not SPIN's claim,"),
    ];
    for (left, right, what) in questions {
        match included(&mut translator.bdds, left, right, MAX_GRAPHS) {
            Inclusion::Holds => {}
            Inclusion::Fails(word) => return Comparison::Differs(what, word),
            Inclusion::Unknown => return Comparison::Unknown,
        }
    }
    Comparison::Same
}

/// The automaton with marks on edges, and the state-based one.
fn both_kinds(translator: &mut Translator, formula: selvedge_ltl::nnf::Nnf) -> [Automaton; 2] {
    let on_edges = translator.translate(formula).expect("an automaton");
    [on_edges, translator.translate_state_based(formula).expect("an automaton")]
}

/// Compares on short lassos: SPIN's claims for the formula and for its negation, and our automata, must all
/// agree with the semantics.
fn on_lassos(
    mut translator: Translator,
    claim_of_formula: &Automaton,
    formula: &Formula<Prop>,
    cpu_seconds: u32,
) -> Outcome {
    let Some(text) = claim(&!formula.clone(), cpu_seconds) else { return Outcome::NoClaim };
    let claim_of_negation = read_claim(&mut translator, &text);
    let id = translator.arena.formula(formula);
    let [on_edges, state_based] = both_kinds(&mut translator, id);
    let automata = [claim_of_formula, &on_edges, &state_based, &claim_of_negation];
    let letters = letter_classes(&mut translator.bdds, &automata);
    let differs = |word: &Word| {
        let expected = holds(word, formula);
        let says = automata.map(|automaton| accepts(&translator.bdds, automaton, word));
        says != [expected, expected, expected, !expected]
    };
    match lassos(&letters, LASSO_SIZE).into_iter().find(differs) {
        Some(word) => {
            Outcome::Differs(format!("{}: short lassos tell them apart: {word:?}", show_letters(formula)))
        }
        None => Outcome::SameOnLassos,
    }
}

/// The comparison on short lassos for any formula, to test that comparison itself.
pub(crate) fn examine_on_lassos(formula: &Formula<Prop>, cpu_seconds: u32) -> Outcome {
    let Some(text) = claim(formula, cpu_seconds) else { return Outcome::NoClaim };
    let mut translator = Translator::default();
    let raw = read_claim(&mut translator, &text);
    on_lassos(translator, &raw, formula, cpu_seconds)
}
