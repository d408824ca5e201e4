//! Sequences of 32-bit words, each stored once and known by a number.
//!
//! Hash consing (Filliâtre and Conchon, Type-safe modular hash-consing, 2006): frames, controls, mailboxes,
//! processes and states are such sequences, so that comparing two of them compares two numbers, and a state
//! that differs from another in one process shares all the rest with it. Each sequence carries the set of
//! pids that occur in it, which decides which pids are free.
//!
//! Promise: numbers count from 0 in the order of insertion and never change.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The number of an interned sequence.
pub(crate) type Id = u32;

/// A set of pids, a bit each.
pub(crate) type Pids = u64;

const EMPTY: u32 = u32::MAX;

/// The binary logarithm of the words of a chunk.
const CHUNK_BITS: u32 = 16;

/// An open-addressing table of numbers whose keys are elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct HashIndex {
    slots: Vec<u32>,
    count: usize,
}

impl Default for HashIndex {
    fn default() -> Self {
        HashIndex { slots: vec![EMPTY; 64], count: 0 }
    }
}

impl HashIndex {
    /// The number whose key has this hash and is the wanted one.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_wanted: impl Fn(Id) -> bool) -> Option<Id> {
        let mask = self.slots.len() - 1;
        let mut slot = spread(hash) & mask;
        loop {
            let id = self.slots[slot];
            if id == EMPTY {
                return None;
            }
            if is_wanted(id) {
                return Some(id);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds the number of a key that is not in the table; `hash_of` finds hashes again if the table grows.
    pub(crate) fn insert(&mut self, hash: u64, id: Id, hash_of: impl Fn(Id) -> u64) {
        if self.count + 1 > self.slots.len() / 4 * 3 {
            let larger = vec![EMPTY; self.slots.len() * 2];
            let ids = std::mem::replace(&mut self.slots, larger);
            for id in ids.into_iter().filter(|id| *id != EMPTY) {
                self.place(hash_of(id), id);
            }
        }
        self.place(hash, id);
        self.count += 1;
    }

    fn place(&mut self, hash: u64, id: Id) {
        let mask = self.slots.len() - 1;
        let mut slot = spread(hash) & mask;
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = id;
    }

    /// The bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u32>()
    }
}

/// The hash's good bits, which are the high ones, as an index.
fn spread(hash: u64) -> usize {
    (hash >> 20) as usize
}

/// Interned sequences.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    /// Sequences one after the other, each behind its length; none lies in two chunks.
    chunks: Vec<Vec<u32>>,
    /// For each sequence its chunk, above [`CHUNK_BITS`], and its place there.
    places: Vec<u32>,
    /// Empty if no pids are kept.
    pids: Vec<Pids>,
    forgets_pids: bool,
    index: HashIndex,
}

impl Interner {
    /// Sequences whose pids are not asked for.
    pub(crate) fn without_pids() -> Interner {
        Interner { forgets_pids: true, ..Interner::default() }
    }

    /// The number of this sequence; `pids` are those that occur in it.
    #[inline]
    pub(crate) fn intern(&mut self, words: &[u32], pids: impl FnOnce() -> Pids) -> Id {
        let hash = hash(words);
        if let Some(id) = self.index.find(hash, |id| self.get(id) == words) {
            return id;
        }
        let id = self.places.len() as Id;
        self.append(words);
        if !self.forgets_pids {
            self.pids.push(pids());
        }
        let (chunks, places) = (&self.chunks, &self.places);
        self.index.insert(hash, id, |id| self::hash(sequence(chunks, places, id)));
        id
    }

    /// Puts a sequence behind the others. A chunk is never moved, so that memory is not allocated twice.
    fn append(&mut self, words: &[u32]) {
        let has_room = |chunk: &Vec<u32>| chunk.len() + words.len() < 1 << CHUNK_BITS;
        if !self.chunks.last().is_some_and(has_room) {
            let size = (1 << CHUNK_BITS).max(words.len() + 1);
            assert!(self.chunks.len() < 1 << (u32::BITS - CHUNK_BITS), "fewer than 2^32 words");
            self.chunks.push(Vec::with_capacity(size));
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        self.places.push((number << CHUNK_BITS | chunk.len()) as u32);
        chunk.push(words.len() as u32);
        chunk.extend_from_slice(words);
    }

    /// The sequence with this number.
    #[inline]
    pub(crate) fn get(&self, id: Id) -> &[u32] {
        sequence(&self.chunks, &self.places, id)
    }

    /// The pids that occur in the sequence.
    pub(crate) fn pids(&self, id: Id) -> Pids {
        self.pids[id as usize]
    }

    /// The bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + self.places.capacity() * size_of::<u32>()
            + self.pids.capacity() * size_of::<Pids>()
            + self.index.bytes()
    }
}

#[inline]
fn sequence<'a>(chunks: &'a [Vec<u32>], places: &[u32], id: Id) -> &'a [u32] {
    let place = places[id as usize] as usize;
    let chunk = &chunks[place >> CHUNK_BITS];
    let start = (place & ((1 << CHUNK_BITS) - 1)) + 1;
    &chunk[start..start + chunk[start - 1] as usize]
}

#[inline]
fn hash(words: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for word in words {
        hasher.write_u32(*word);
    }
    hasher.write_usize(words.len());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sequences_have_one_number_and_keep_it() {
        let mut interner = Interner::default();
        let sequences: Vec<Vec<u32>> = (0..2_000).map(|n| (0..n % 7).map(|i| n / 7 * i).collect()).collect();
        let ids: Vec<Id> = sequences.iter().map(|words| interner.intern(words, || 1)).collect();
        for (words, id) in sequences.iter().zip(&ids) {
            assert_eq!(interner.get(*id), &words[..]);
            assert_eq!(interner.intern(words, || unreachable!("it is there")), *id);
        }
        let long: Vec<u32> = (0..200_000).collect();
        let id = interner.intern(&long, || 1);
        assert_eq!(interner.get(id), &long[..], "a sequence that is longer than a chunk");
        for (left, first) in sequences.iter().zip(&ids) {
            for (right, second) in sequences.iter().zip(&ids).take(40) {
                assert_eq!(left == right, first == second);
            }
        }
    }
}
