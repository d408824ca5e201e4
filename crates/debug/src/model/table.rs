//! The states of a model, each stored once and numbered in the order in which they were met.
//!
//! Promise: forgetting the states from a number on leaves the table as it was before they were met.

use crate::target::StateId;
use rustc_hash::FxHashMap;
use selvedge_model::Word;
use std::hash::{BuildHasher, Hasher};

pub(super) struct Table {
    width: usize,
    words: Vec<Word>,
    /// How each state was met first: from which state, and by the move of which number.
    origins: Vec<(Option<StateId>, u32)>,
    /// The states whose words have this hash.
    by_hash: FxHashMap<u64, Vec<StateId>>,
    /// Classes by the states' words without the last mover.
    classes: FxHashMap<Box<[Word]>, StateId>,
    hasher: rustc_hash::FxBuildHasher,
}

impl Table {
    pub(super) fn new(width: usize) -> Table {
        Table {
            width,
            words: Vec::new(),
            origins: Vec::new(),
            by_hash: FxHashMap::default(),
            classes: FxHashMap::default(),
            hasher: rustc_hash::FxBuildHasher,
        }
    }

    /// The words of a state.
    pub(super) fn get(&self, state: StateId) -> &[Word] {
        &self.words[state.0 as usize * self.width..(state.0 as usize + 1) * self.width]
    }

    /// How the state was met first: from which state, by which move; of initial states, its place.
    pub(super) fn origin(&self, state: StateId) -> (Option<StateId>, u32) {
        self.origins[state.0 as usize]
    }

    /// The number of a state; a new one if it was not met before.
    pub(super) fn add(&mut self, words: &[Word], from: Option<StateId>, number: u32) -> StateId {
        let hash = self.hash(words);
        let width = self.width;
        let bucket = self.by_hash.entry(hash).or_default();
        let same = |state: &&StateId| {
            let start = state.0 as usize * width;
            self.words[start..start + width] == *words
        };
        if let Some(known) = bucket.iter().find(same) {
            return *known;
        }
        let id = StateId(self.origins.len() as u32);
        bucket.push(id);
        self.words.extend_from_slice(words);
        self.origins.push((from, number));
        id
    }

    /// The number that the next new state gets.
    pub(super) fn next(&self) -> StateId {
        StateId(self.origins.len() as u32)
    }

    /// The class of a state: its number and that of every state that becomes equal to it. Classes have
    /// numbers of their own.
    pub(super) fn class(&mut self, state: StateId, normalise: impl FnOnce(&mut [Word])) -> StateId {
        let mut words: Box<[Word]> = self.get(state).into();
        normalise(&mut words);
        let next = StateId(self.classes.len() as u32);
        *self.classes.entry(words).or_insert(next)
    }

    /// Forgets the states from this number on.
    pub(super) fn forget(&mut self, from: StateId) {
        for number in (from.0..self.origins.len() as u32).rev() {
            let hash = self.hash(self.get(StateId(number)));
            let bucket = self.by_hash.entry(hash).or_default();
            bucket.retain(|state| state.0 != number);
            if bucket.is_empty() {
                self.by_hash.remove(&hash);
            }
        }
        self.origins.truncate(from.0 as usize);
        self.words.truncate(from.0 as usize * self.width);
    }

    fn hash(&self, words: &[Word]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        words.iter().for_each(|word| hasher.write_u64(*word));
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgotten_states_get_their_numbers_anew() {
        let mut table = Table::new(2);
        let first = table.add(&[1, 2], None, 0);
        let second = table.add(&[3, 4], Some(first), 1);
        assert_eq!(table.add(&[1, 2], Some(second), 0), first);
        table.forget(second);
        assert_eq!(table.next(), second);
        assert_eq!(table.add(&[5, 6], Some(first), 2), second);
        assert_eq!((table.get(second), table.origin(second)), (&[5, 6][..], (Some(first), 2)));
        let classes = [first, second].map(|state| table.class(state, |words| words[0] = 0));
        assert_ne!(classes[0], classes[1]);
        assert_eq!(table.class(first, |words| words[0] = 0), classes[0]);
    }
}
