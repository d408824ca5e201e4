//! Packed states, each stored once.
//!
//! An arena of words in chunks, and an open-addressing table of numbers into it (linear probing; Knuth, The
//! Art of Computer Programming 3, §6.4). A slot is 32 bits. A state's number needs only as many of them as
//! the table has slots; the others hold bits of the state's hash, so that a probe seldom compares with a
//! different state. When the table grows, it is made anew from the arena: no hashes are stored, and the old
//! table is dropped before the new one is allocated.
//!
//! Promise: numbers count from 0 in the order of insertion and never change; a state costs about five to
//! nine bytes beside its words.

use super::fill::fill;
use super::probe::{Probe, is_same};
use crate::system::Word;
use std::ops::Range;

/// The number of a stored state, in the order of insertion from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The approximate number of words in a chunk of the arena.
const CHUNK_WORDS: usize = 1 << 12;

/// A slot without a state. No state has this slot value: numbers are smaller than the table's last index.
pub(super) const EMPTY: u32 = u32::MAX;

pub(super) const FIRST_SLOT_BITS: u32 = 8;
pub(super) const MAX_SLOT_BITS: u32 = 31;

/// A set of states of the same width, numbered in the order of insertion.
#[derive(Clone, Debug)]
pub struct StateTable {
    pub(super) width: usize,
    count: u32,
    chunks: Vec<Vec<Word>>,
    /// The binary logarithm of the number of states in a chunk.
    chunk_bits: u32,
    pub(super) slots: Vec<u32>,
    pub(super) slot_bits: u32,
}

impl StateTable {
    /// The largest number of states in a table.
    pub const MAX_STATES: usize = (1 << MAX_SLOT_BITS) / 8 * 7;

    /// An empty table for states of `width` words, at least one.
    pub fn new(width: usize) -> StateTable {
        assert!(width > 0, "a state has at least one word");
        StateTable {
            width,
            count: 0,
            chunks: Vec::new(),
            chunk_bits: (CHUNK_WORDS / width).max(1).ilog2(),
            slots: vec![EMPTY; 1 << FIRST_SLOT_BITS],
            slot_bits: FIRST_SLOT_BITS,
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Is the table empty?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The bytes in use.
    pub fn memory(&self) -> usize {
        self.chunks.len() * (self.width << self.chunk_bits) * size_of::<Word>()
            + self.slots.len() * size_of::<u32>()
    }

    /// The state with this number.
    #[inline]
    pub fn get(&self, id: StateId) -> &[Word] {
        let within = (id.index() & ((1 << self.chunk_bits) - 1)) * self.width;
        &self.chunks[id.index() >> self.chunk_bits][within..within + self.width]
    }

    /// The first word of the state with this number.
    #[inline]
    pub(super) fn first_word(&self, id: StateId) -> Word {
        let within = (id.index() & ((1 << self.chunk_bits) - 1)) * self.width;
        self.chunks[id.index() >> self.chunk_bits][within]
    }

    /// An owned copy of the state with this number.
    pub fn state(&self, id: StateId) -> Box<[Word]> {
        self.get(id).into()
    }

    /// The state's number, and whether it is new.
    #[inline]
    pub fn insert(&mut self, state: &[Word]) -> (StateId, bool) {
        self.reserve(1);
        self.insert_at(state, self.probe(state))
    }

    /// Makes room for this many more states. Until they are inserted, a [`probe`](StateTable::probe) stays
    /// valid.
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        while self.len() + more > self.slots.len() / 8 * 7 {
            self.grow();
        }
    }

    /// The number of the probed state, and whether it is new. There must be [room](StateTable::reserve).
    #[inline]
    pub fn insert_at(&mut self, state: &[Word], probe: Probe) -> (StateId, bool) {
        self.insert_if(state, probe, || true).expect("a state that is allowed")
    }

    /// The same, but a new state is stored only if `is_allowed` says so; `None` if it does not.
    #[inline]
    pub(crate) fn insert_if(
        &mut self,
        state: &[Word],
        probe: Probe,
        is_allowed: impl FnOnce() -> bool,
    ) -> Option<(StateId, bool)> {
        match self.find_slot(state, probe) {
            Ok(known) => Some((known, false)),
            Err(slot) => is_allowed().then(|| (self.add(state, probe.hash, slot), true)),
        }
    }

    /// The state's number, if it is stored.
    pub fn find(&self, state: &[Word]) -> Option<StateId> {
        self.find_slot(state, self.probe(state)).ok()
    }

    /// All states in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Word]> {
        (0..self.count).map(|id| self.get(StateId(id)))
    }

    fn add(&mut self, state: &[Word], hash: u64, slot: usize) -> StateId {
        let id = self.store(state);
        self.slots[slot] = self.tag(hash) | id.0;
        id
    }

    /// Stores the words of a new state.
    #[inline]
    fn store(&mut self, state: &[Word]) -> StateId {
        let id = StateId(self.count);
        if id.index() & ((1 << self.chunk_bits) - 1) == 0 {
            self.chunks.push(Vec::with_capacity(self.width << self.chunk_bits));
        }
        self.chunks.last_mut().expect("a chunk").extend_from_slice(state);
        self.count += 1;
        id
    }

    fn grow(&mut self) {
        assert!(self.slot_bits < MAX_SLOT_BITS, "a table holds at most {} states", Self::MAX_STATES);
        self.slot_bits += 1;
        self.fill_slots(0);
    }

    /// Adds states that are not in the table, one behind the other, without slots: until they are
    /// [indexed](StateTable::index), nothing can be looked up. They have so many words in all; `extend` adds
    /// those of a range to a chunk.
    pub(crate) fn append_with(&mut self, words: usize, mut extend: impl FnMut(&mut Vec<Word>, Range<usize>)) {
        let chunk_words = self.width << self.chunk_bits;
        let mut start = 0;
        while start < words {
            if self.chunks.last().is_none_or(|chunk| chunk.len() == chunk_words) {
                self.chunks.push(Vec::with_capacity(chunk_words));
            }
            let chunk = self.chunks.last_mut().expect("a chunk");
            let end = words.min(start + chunk_words - chunk.len());
            extend(chunk, start..end);
            self.count += ((end - start) / self.width) as u32;
            start = end;
        }
    }

    /// The same, with these words.
    #[cfg(test)]
    pub(super) fn append(&mut self, words: &[Word]) {
        self.append_with(words.len(), |chunk, range| chunk.extend_from_slice(&words[range]));
    }

    /// The words of states one behind the other, from this state on, in pieces.
    pub(crate) fn words_from(&self, first: usize) -> impl Iterator<Item = &[Word]> {
        let within = (first & ((1 << self.chunk_bits) - 1)) * self.width;
        let chunks = self.chunks.iter().skip(first >> self.chunk_bits);
        chunks.enumerate().map(move |(index, chunk)| if index == 0 { &chunk[within..] } else { chunk })
    }

    /// Puts the states from this one on into slots; if it is the first, the slots are made anew. False if a
    /// state is there twice.
    pub(super) fn fill_slots(&mut self, first: u32) -> bool {
        if first == 0 {
            self.slots = Vec::new();
            self.slots = vec![EMPTY; 1 << self.slot_bits];
        }
        let mut slots = std::mem::take(&mut self.slots);
        let mask = slots.len() as u32 - 1;
        let entries = (first..self.count).map(|number| {
            let hash = hash(self.get(StateId(number)));
            (hash as u32 & mask, self.tag(hash) | number)
        });
        let are_different = fill(&mut slots, entries, |one, other| {
            !is_same(self.get(StateId(one & mask)), self.get(StateId(other & mask)))
        });
        self.slots = slots;
        are_different
    }

    /// Panics, saying which invariant broke.
    #[cfg(test)]
    pub(crate) fn validate(&self) {
        let taken = self.slots.iter().filter(|entry| **entry != EMPTY).count();
        assert_eq!(taken, self.len(), "every state has one slot");
        assert!(self.len() <= self.slots.len() / 8 * 7, "the table is at most seven eighths full");
        let words: usize = self.chunks.iter().map(Vec::len).sum();
        assert_eq!(words, self.len() * self.width, "the arena holds the words of all states");
        for (id, state) in (0..).map(StateId).zip(self.iter()) {
            assert_eq!(self.find(state), Some(id), "a stored state is found by its words");
        }
    }
}

/// Multiplies each word into the hash and folds the product, so that all bits of the words reach all bits of
/// the hash.
#[inline]
pub(crate) fn hash(state: &[Word]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let fold = |hash: u64, word: &Word| {
        let product = u128::from(hash ^ word) * u128::from(MULTIPLIER);
        (product as u64 ^ (product >> 64) as u64).wrapping_add(MULTIPLIER)
    };
    state.iter().fold(0x2545_F491_4F6C_DD1D, fold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Numbers by a linear congruential generator, few enough that many recur.
    fn states(width: usize, count: u64, range: u64) -> impl Iterator<Item = Vec<Word>> {
        let mut seed = width as u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % range
        };
        (0..count).map(move |_| (0..width).map(|_| next()).collect())
    }

    #[track_caller]
    fn check(width: usize, count: u64, range: u64) {
        let mut table = StateTable::new(width);
        let mut known: HashMap<Vec<Word>, StateId> = HashMap::new();
        for state in states(width, count, range) {
            assert_eq!(table.find(&state), known.get(&state).copied());
            let next = StateId(known.len() as u32);
            let id = *known.entry(state.clone()).or_insert(next);
            assert_eq!(table.insert(&state), (id, id == next));
            if table.len().is_power_of_two() {
                table.validate();
            }
        }
        table.validate();
        assert_eq!(table.len(), known.len());
        for (state, id) in &known {
            assert_eq!(table.get(*id), state);
        }
        assert!(table.iter().zip(0..).all(|(state, id)| known[state] == StateId(id)));
    }

    #[test]
    fn a_table_agrees_with_a_hash_map() {
        check(1, 50_000, 30_000);
        check(1, 50_000, u64::MAX);
        check(2, 50_000, 150);
        check(3, 50_000, 4);
        check(5, 50_000, 1 << 30);
        check(CHUNK_WORDS + 1, 100, 1 << 30);
    }

    #[test]
    fn states_that_are_appended_are_found_when_they_are_indexed() {
        let all: Vec<Vec<Word>> = (0..20_000).map(|number| vec![number * 64, number / 3]).collect();
        let mut table = StateTable::new(2);
        assert!(all[..5000].iter().all(|state| table.insert(state).1));
        table.append(&all[5000..].concat());
        assert_eq!(table.index(None), Ok(0));
        table.validate();
        assert!(all.iter().zip(0..).all(|(state, id)| table.find(state) == Some(StateId(id))));
        table.append(&all[77]);
        assert!(table.index(None).is_err(), "a state is there twice");
    }

    #[test]
    fn a_state_costs_its_words_and_less_than_ten_bytes() {
        let mut table = StateTable::new(1);
        for count in 1..=1_000_000_usize {
            table.insert(&[count as u64 * 8]);
            if count > 100_000 {
                assert!(table.memory() <= count * 18 + CHUNK_WORDS * 8, "{count} states");
            }
        }
    }
}
