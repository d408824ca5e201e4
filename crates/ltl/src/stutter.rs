//! Stutter invariance: whether repeating a letter can change the truth of a formula.
//!
//! **On infinite words**: two words are equal up to stuttering if some word is a stuttering of both. So the
//! formula is stutter-invariant if no word that satisfies it has a stuttering in common with a word that
//! violates it (Michaud and Duret-Lutz, Practical Stutter-Invariance Checks for ω-Regular Languages, SPIN
//! 2015). **On finite words**: in the minimal automaton, reading a letter again does not change the state.
//!
//! A formula over the interleaved steps of several threads should be stutter-invariant: a step that changes
//! nothing which the formula mentions repeats the letter (Stolz and Huch, Runtime Verification of Concurrent
//! Haskell Programs, §3.3).
//!
//! Promise: exact; the two words of a [`StutterWitness`] are equal up to stuttering, the formula holds on
//! the first and not on the second.

use crate::bdd::{Bdd, Bdds};
use crate::buchi::{
    Automaton, Edge, Limits, StateId, TranslateError, Translator, is_empty, product, some_word,
};
use crate::finite::{Dfa, FiniteError};
use crate::letter::{Letter, Prop};
use crate::nnf::{FormulaArena, Nnf, Node};
use crate::word::Word;
use rustc_hash::FxHashMap;
use std::fmt;

/// The test gives up above this number of letter classes.
const MAX_LETTER_CLASSES: usize = 4096;
/// The test on finite words gives up above this number of states.
const MAX_FINITE_STATES: usize = 10_000;

/// Two words that are equal up to repeated letters, and differ in the truth of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StutterWitness {
    /// The formula holds on this word.
    pub satisfying: Word,
    /// The formula does not hold on this word.
    pub violating: Word,
}

/// The reason why stutter invariance was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StutterError {
    /// On infinite words.
    Infinite(TranslateError),
    /// On finite words.
    Finite(FiniteError),
}

impl fmt::Display for StutterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StutterError::Infinite(error) => error.fmt(f),
            StutterError::Finite(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StutterError {}

/// Two words that show that the formula is not stutter-invariant: infinite ones, or finite ones if it is
/// stutter-invariant on infinite words. `None` if it is stutter-invariant on both.
pub fn find_stutter_witness(
    arena: &FormulaArena,
    formula: Nnf,
) -> Result<Option<StutterWitness>, StutterError> {
    if !arena.has_next_or_previous(formula) {
        return Ok(None);
    }
    let mut translator = Translator::new(arena.clone(), Limits::default());
    if let Some(witness) = translator.stutter_witness(formula).map_err(StutterError::Infinite)? {
        return Ok(Some(witness));
    }
    let dfa = Dfa::from_formula(arena, formula, MAX_FINITE_STATES).map_err(StutterError::Finite)?;
    Ok(dfa.stutter_witness())
}

impl FormulaArena {
    /// Does a next or previous operator occur? A formula without them is stutter-invariant.
    pub fn has_next_or_previous(&self, formula: Nnf) -> bool {
        let counts = |node: &Node| {
            matches!(node, Node::Next(_) | Node::WeakNext(_) | Node::Previous(_) | Node::WeakPrevious(_))
        };
        self.subformulas(formula).into_iter().any(|part| counts(self.node(part)))
    }
}

impl Translator {
    /// Do infinite words that differ only in repetitions of letters agree on the formula?
    pub fn is_stutter_invariant(&mut self, formula: Nnf) -> Result<bool, TranslateError> {
        if !self.arena.has_next_or_previous(formula) {
            return Ok(true);
        }
        let sides = self.both_sides(formula)?;
        Ok(is_empty(&self.common_stutterings(&sides)?))
    }

    /// Two infinite words that show that the formula is not stutter-invariant.
    pub fn stutter_witness(&mut self, formula: Nnf) -> Result<Option<StutterWitness>, TranslateError> {
        if !self.arena.has_next_or_previous(formula) {
            return Ok(None);
        }
        let sides = self.both_sides(formula)?;
        let common = self.common_stutterings(&sides)?;
        let Some(common) = some_word(&self.bdds, &common) else { return Ok(None) };
        let shortened = shortened_words(&mut self.bdds, &common, self.arena.props(formula));
        let limits = self.limits;
        let mut word_of = |side: &Automaton| {
            let words = product(&mut self.bdds, &shortened, side, limits)?;
            Ok(some_word(&self.bdds, &words).expect("a word of each side has the common stuttering"))
        };
        let [satisfying, violating] = [word_of(&sides[0])?, word_of(&sides[1])?];
        Ok(Some(StutterWitness { satisfying, violating }))
    }

    /// The automata of the formula and of its negation.
    fn both_sides(&mut self, formula: Nnf) -> Result<[Automaton; 2], TranslateError> {
        let negation = self.arena.negate(formula);
        Ok([self.nondeterministic(formula)?, self.nondeterministic(negation)?])
    }

    /// The words that are a stuttering of a word of each side.
    fn common_stutterings(&mut self, sides: &[Automaton; 2]) -> Result<Automaton, TranslateError> {
        let classes = letter_classes(&mut self.bdds, sides)?;
        let [yes, no] = [&sides[0], &sides[1]].map(|side| stuttering(&mut self.bdds, side, &classes));
        product(&mut self.bdds, &yes, &no, self.limits)
    }
}

/// The partition of the letters into classes that no guard separates.
fn letter_classes(bdds: &mut Bdds, automata: &[Automaton]) -> Result<Vec<Bdd>, TranslateError> {
    let mut guards: Vec<Bdd> =
        automata.iter().flat_map(|a| a.edges.iter().flatten()).map(|e| e.guard).collect();
    guards.sort_unstable();
    guards.dedup();
    let mut classes = vec![Bdd::TRUE];
    for guard in guards {
        let halves = classes.iter().flat_map(|class| [bdds.and(*class, guard), bdds.and_not(*class, guard)]);
        classes = halves.filter(|half| *half != Bdd::FALSE).collect();
        if classes.len() > MAX_LETTER_CLASSES {
            return Err(TranslateError::TooLarge("classes of letters"));
        }
    }
    Ok(classes)
}

/// The automaton that accepts the stutterings of accepted words: each letter repeated finitely often.
///
/// A state is a pair: a state of the automaton, and the class of the last letter, which may be read again.
/// An additional mark requires that the original word progresses infinitely often.
fn stuttering(bdds: &mut Bdds, automaton: &Automaton, classes: &[Bdd]) -> Automaton {
    let progress_mark = 1 << automaton.mark_count;
    let mut numbers: FxHashMap<(StateId, usize), StateId> = FxHashMap::default();
    // In the initial state no letter was read yet.
    let mut nodes = vec![(automaton.initial, usize::MAX)];
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < nodes.len() {
        let number = edges.len() as StateId;
        let (state, last) = nodes[edges.len()];
        let mut leaving = Vec::new();
        if let Some(class) = classes.get(last) {
            leaving.push(Edge { target: number, marks: 0, guard: *class });
        }
        for edge in &automaton.edges[state as usize] {
            for (index, class) in classes.iter().enumerate() {
                if !bdds.implies(*class, edge.guard) {
                    continue;
                }
                let node = (edge.target, index);
                let target = *numbers.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    (nodes.len() - 1) as StateId
                });
                leaving.push(Edge { target, marks: edge.marks | progress_mark, guard: *class });
            }
        }
        edges.push(leaving);
    }
    Automaton { edges, initial: 0, mark_count: automaton.mark_count + 1 }
}

/// The automaton of the words of which this lasso is a stuttering. A state is a position of the lasso;
/// positions that repeat the letter before them can be left out.
fn shortened_words(bdds: &mut Bdds, lasso: &Word, props: u64) -> Automaton {
    let same = |one: Letter, other: Letter| (one.may_true ^ other.may_true) & props == 0;
    let edges = (0..lasso.len()).map(|position| {
        let letter = lasso.letter(position);
        let guard = exactly(bdds, letter, props);
        let mut targets = Vec::new();
        let mut at = position;
        while let Some(next) = lasso.next(at).filter(|next| !targets.contains(&(*next as StateId))) {
            targets.push(next as StateId);
            if !same(lasso.letter(next), letter) {
                break;
            }
            at = next;
        }
        targets.into_iter().map(|target| Edge { target, marks: 0, guard }).collect()
    });
    Automaton { edges: edges.collect(), initial: 0, mark_count: 0 }
}

/// The guard that allows the letters that agree with this one on the propositions.
fn exactly(bdds: &mut Bdds, letter: Letter, props: u64) -> Bdd {
    (0..u64::BITS).rev().filter(|var| props >> var & 1 == 1).fold(Bdd::TRUE, |guard, var| {
        let literal = bdds.literal(var, letter.allows(Prop(var as u8), true));
        bdds.and(literal, guard)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letter::Alphabet;
    use crate::semantics;

    /// Every word without repeated letters; the last letter of a finite word and a cycle of one letter stay.
    fn without_repetitions(word: &Word) -> (Vec<u64>, Vec<u64>) {
        let holding = |letters: &[Letter]| letters.iter().map(|l| l.may_true).collect::<Vec<_>>();
        let (mut prefix, mut cycle) = (holding(&word.prefix), holding(&word.cycle));
        prefix.extend(cycle.iter().copied());
        prefix.dedup();
        cycle.dedup();
        if cycle.len() > 1 && cycle.first() == cycle.last() {
            cycle.pop();
        }
        (prefix, cycle)
    }

    #[track_caller]
    fn check(text: &str, is_invariant: [bool; 2]) {
        let numbered = Alphabet::default().number(&text.parse().expect("a formula")).expect("few");
        let mut arena = FormulaArena::default();
        let formula = arena.formula(&numbered);
        let infinite = Translator::new(arena.clone(), Limits::default()).stutter_witness(formula);
        let finite = Dfa::from_formula(&arena, formula, 1000).expect("small").stutter_witness();
        let witnesses = [infinite.expect("small"), finite];
        assert_eq!(witnesses.clone().map(|witness| witness.is_none()), is_invariant, "{text}");
        for StutterWitness { satisfying, violating } in witnesses.into_iter().flatten() {
            assert!(semantics::holds(&satisfying, &numbered), "{text} holds on {satisfying:?}");
            assert!(!semantics::holds(&violating, &numbered), "{text} is violated on {violating:?}");
            if !satisfying.is_infinite() {
                let [one, other] = [&satisfying, &violating].map(without_repetitions);
                assert_eq!(one, other, "{text}: {satisfying:?} and {violating:?}");
            }
        }
    }

    #[test]
    fn formulas_that_count_have_two_words_that_differ_in_repetitions() {
        check("X p", [false, false]);
        check("G (p -> X X q)", [false, false]);
        check("F (p & Y q)", [false, false]);
        check("G F (p <-> X p)", [false, true]);
        // Repeated infinitely often, no single repetition matters.
        check("G F (p & X p)", [false, true]);
        // On infinite words alone there is always a next state.
        check("X true", [true, false]);
        check("F (p & X !p) & F q", [true, true]);
        check("X F p | F p", [true, true]);
        check("p U q", [true, true]);
        check("G (p -> O q)", [true, true]);
    }
}
