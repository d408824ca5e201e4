//! The minimal complete deterministic automaton of a language of non-empty finite words.
//!
//! State 0 is the initial state, before the first letter. Whether it accepts matters only for words that
//! return to it. So it is merged with a state that words lead to and from which the same words are accepted
//! (a rejecting one, if there are two); only if there is no such state, it is a state of its own, without
//! incoming edges. States are numbered in breadth-first order, edges sorted by their first letter, and the
//! diagrams made in that order.
//!
//! Promise: no automaton for the language has fewer states, and the automata of one language are identical
//! in every number, so that their drawings are identical too.

use super::determinise::determinise;
use super::guard;
use super::minimise::minimise;
use super::{FiniteError, Tableau};
use crate::bdd::{Bdd, Bdds};
use crate::letter::Letter;
use crate::nnf::{FormulaArena, Nnf};
use crate::word::Word;
use std::collections::VecDeque;

/// A state of a [`Dfa`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge: the letters of a guard, and the state after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// A function of the letter, variable `n` for proposition `n`; never constantly false.
    pub guard: Bdd,
    /// The state after it.
    pub target: StateId,
}

/// The automaton.
#[derive(Clone, Debug)]
pub struct Dfa {
    pub(super) bdds: Bdds,
    pub(super) states: Vec<State>,
}

/// Whether it accepts, and its edges: no two to the same state; exactly one edge allows each letter.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) accepting: bool,
    pub(super) edges: Vec<Edge>,
}

impl Dfa {
    /// The automaton of a formula; neither its tableau nor the deterministic automaton may exceed the limit.
    pub fn from_formula(arena: &FormulaArena, formula: Nnf, limit: usize) -> Result<Dfa, FiniteError> {
        Dfa::from_tableau(&mut Tableau::with_limit(arena, formula, limit)?, limit)
    }

    /// The automaton of a tableau, within `limit` states before minimisation.
    pub fn from_tableau(tableau: &mut Tableau, limit: usize) -> Result<Dfa, FiniteError> {
        determinise(tableau, limit).map(minimise)
    }

    /// The states, in the order of their numbers.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + use<> {
        (0..self.states.len() as u32).map(StateId)
    }

    /// The state where a word begins: state 0.
    pub fn initial(&self) -> StateId {
        StateId(0)
    }

    /// Does no edge lead to the initial state? Then whether it accepts has no meaning (and `is_accepting` is
    /// false).
    pub fn has_separate_initial_state(&self) -> bool {
        !self.states.iter().flat_map(|state| &state.edges).any(|edge| edge.target == self.initial())
    }

    /// Is a word accepted that leads here?
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.states[state.index()].accepting
    }

    /// The edges out of a state; their guards partition the letters.
    pub fn edges(&self, state: StateId) -> &[Edge] {
        &self.states[state.index()].edges
    }

    /// The store of the guards.
    pub fn bdds(&self) -> &Bdds {
        &self.bdds
    }

    /// The states after a letter: one, or several if propositions are unknown.
    pub fn step(&self, state: StateId, letter: Letter) -> impl Iterator<Item = StateId> {
        let allowed = move |edge: &&Edge| guard::allows(&self.bdds, edge.guard, letter);
        self.edges(state).iter().filter(allowed).map(|edge| edge.target)
    }

    /// Is the word accepted? An unknown proposition counts as true or false, whichever leads to acceptance;
    /// an infinite word is never accepted.
    pub fn accepts(&self, word: &Word) -> bool {
        let mut current = vec![self.initial()];
        for letter in &word.prefix {
            current = current.into_iter().flat_map(|state| self.step(state, *letter)).collect();
            current.sort_unstable();
            current.dedup();
        }
        let ends = !word.is_infinite() && !word.prefix.is_empty();
        ends && current.into_iter().any(|state| self.is_accepting(state))
    }

    /// Is no word accepted?
    pub fn is_empty(&self) -> bool {
        !self.entered().any(|state| self.is_accepting(state))
    }

    /// Is every word accepted?
    pub fn is_universal(&self) -> bool {
        self.entered().all(|state| self.is_accepting(state))
    }

    /// A shortest word that is accepted.
    pub fn shortest_accepted(&self) -> Option<Word> {
        self.shortest_to(|_, edge| self.is_accepting(edge.target)).map(Word::finite)
    }

    /// The letters of a shortest path whose last edge is a goal.
    pub(super) fn shortest_to(&self, is_goal: impl Fn(StateId, &Edge) -> bool) -> Option<Vec<Letter>> {
        let mut before: Vec<Option<(StateId, Letter)>> = vec![None; self.states.len()];
        let mut open = VecDeque::from([self.initial()]);
        while let Some(state) = open.pop_front() {
            for edge in self.edges(state) {
                let letter = guard::first_letter(&self.bdds, edge.guard)?;
                if is_goal(state, edge) {
                    let mut letters = vec![letter];
                    let mut at = state;
                    while at != self.initial() {
                        let (previous, letter) = before[at.index()]?;
                        letters.push(letter);
                        at = previous;
                    }
                    letters.reverse();
                    return Some(letters);
                }
                if edge.target != self.initial() && before[edge.target.index()].is_none() {
                    before[edge.target.index()] = Some((state, letter));
                    open.push_back(edge.target);
                }
            }
        }
        None
    }

    /// The automaton of the words that this one rejects.
    #[must_use]
    pub fn complement(&self) -> Dfa {
        let mut flipped = self.clone();
        flipped.states.iter_mut().for_each(|state| state.accepting = !state.accepting);
        minimise(flipped)
    }

    /// Is every non-empty prefix of an accepted word accepted? A violation is then final.
    pub fn is_safety(&self) -> bool {
        !self.changes_to(true)
    }

    /// Is every extension of an accepted word accepted? A satisfaction is then final.
    pub fn is_guarantee(&self) -> bool {
        !self.changes_to(false)
    }

    /// The states that words lead to: all except an initial state without incoming edges.
    fn entered(&self) -> impl Iterator<Item = StateId> {
        self.states().skip(usize::from(self.has_separate_initial_state()))
    }

    /// Is there an edge from a rejecting to an accepting state (or, with `false`, the converse)? All states
    /// are reachable.
    fn changes_to(&self, accepting: bool) -> bool {
        self.entered()
            .filter(|state| self.is_accepting(*state) != accepting)
            .any(|state| self.edges(state).iter().any(|edge| self.is_accepting(edge.target) == accepting))
    }

    /// Panics, saying which invariant broke.
    pub fn validate(&self) {
        let mut bdds = self.bdds.clone();
        for state in &self.states {
            let mut covered = Bdd::FALSE;
            for (index, edge) in state.edges.iter().enumerate() {
                assert_ne!(edge.guard, Bdd::FALSE, "an edge that no letter takes");
                assert!(edge.target.index() < self.states.len(), "an edge to nowhere");
                assert!(!bdds.intersect(covered, edge.guard), "a letter with two edges");
                let others = &state.edges[..index];
                assert!(others.iter().all(|other| other.target != edge.target), "two edges to one state");
                covered = bdds.or(covered, edge.guard);
            }
            assert_eq!(covered, Bdd::TRUE, "a letter without edge");
        }
        assert!(
            !(self.has_separate_initial_state() && self.states[0].accepting),
            "the empty word is accepted"
        );
    }
}
