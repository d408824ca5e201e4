//! Stutter invariance on finite words.
//!
//! In a minimal automaton no two states accept the same words. So a language is stutter-invariant if, after
//! a letter, reading it again does not change the state.
//!
//! Promise: exact; the two words of a witness differ in one repeated letter.

use super::dfa::{Dfa, Edge, StateId};
use super::guard;
use crate::letter::Letter;
use crate::stutter::StutterWitness;
use crate::word::Word;

impl Dfa {
    /// Does doubling a letter never change whether a word is accepted?
    pub fn is_stutter_invariant(&self) -> bool {
        !self.states().flat_map(|state| self.edges(state)).any(|edge| self.second_time(edge).is_some())
    }

    /// Two words, one accepted and one rejected, that differ in one repeated letter.
    pub fn stutter_witness(&self) -> Option<StutterWitness> {
        let changes = |_: StateId, edge: &Edge| self.second_time(edge).is_some();
        let mut once = self.shortest_to(changes)?;
        once.pop();
        let before = once.iter().fold(self.initial(), |state, letter| self.after(state, *letter));
        let (letter, first, second) = self.edges(before).iter().find_map(|edge| {
            let (letter, second) = self.second_time(edge)?;
            Some((letter, edge.target, second))
        })?;
        once.push(letter);
        let mut twice = once.clone();
        twice.push(letter);
        if self.is_accepting(first) == self.is_accepting(second) {
            let rest = self.difference_from(self, (first, second))?;
            once.extend(&rest);
            twice.extend(&rest);
        }
        let [once, twice] = [once, twice].map(Word::finite);
        let is_accepted = self.accepts(&once);
        let (satisfying, violating) = if is_accepted { (once, twice) } else { (twice, once) };
        Some(StutterWitness { satisfying, violating })
    }

    /// A letter of the edge that leads on to another state if it is read again, and that state.
    fn second_time(&self, edge: &Edge) -> Option<(Letter, StateId)> {
        self.edges(edge.target).iter().filter(|again| again.target != edge.target).find_map(|again| {
            let letter = guard::common_letter((&self.bdds, edge.guard), (&self.bdds, again.guard))?;
            Some((letter, again.target))
        })
    }

    /// The state after a two-valued letter.
    fn after(&self, state: StateId, letter: Letter) -> StateId {
        self.step(state, letter).next().expect("some edge allows each letter")
    }
}
