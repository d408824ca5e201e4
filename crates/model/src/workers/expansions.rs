//! Expansions that workers have made ahead of the search: the steps of states that it has not expanded yet.
//!
//! A record is the list of a state's successors, with the state's label and what fairness asks for. Workers
//! write records into blocks; each state has a cell that says where its record is. The search takes a record
//! for the states of the automaton that it was made for, and a block without records is used again. There is
//! a budget of blocks: when it is used up, a block most of whose records are taken is emptied, and the
//! records in it are lost.
//!
//! The search takes records without a lock, because a lock and a pointer are two more places of memory that
//! it would wait for. A block has a version, which changes before its words do (Lameter, Effective
//! Synchronization on Linux/NUMA Systems, 2005: sequence locks). The search reads the version, then the
//! cell, the words, and the version again; a record whose version has changed meanwhile is lost.
//!
//! The search never needs a record: where there is none, it expands the state itself.
//!
//! Promise: a record that is taken is the state's own, whole. `explored` shows that for every interleaving
//! of small programs. Only one thread takes records.

use super::chunked_array::{ArrayShape, ChunkedArray};
use super::lock;
use crate::store::StateId;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::collections::VecDeque;

/// The binary logarithm of the number of words in a block.
const BLOCK_BITS: u32 = 12;

/// The number of words in a block.
pub(super) const BLOCK_WORDS: usize = 1 << BLOCK_BITS;

/// The largest number of blocks: a cell has a block and a position within.
const MAX_BLOCKS: usize = 1 << (31 - BLOCK_BITS);

/// When the budget is used up: the number of blocks that are looked at for one to be emptied, and the part
/// of its records, one in so many, that may be lost.
const MOST_LOOKED_AT: usize = 16;
const LOST_PART: usize = 4;

#[derive(Debug, Default)]
struct UsedBlocks {
    /// The blocks with records, oldest first.
    full: VecDeque<FullBlock>,
    made: usize,
}

/// A block with records: its number, and how many words and records were written.
#[derive(Clone, Copy, Debug)]
struct FullBlock {
    number: u32,
    words: usize,
    records: usize,
}

/// The records.
#[derive(Debug)]
pub(crate) struct Expansions {
    cells: ChunkedArray<Cell>,
    /// The words of all blocks, one block after the other.
    words: ChunkedArray<AtomicU32>,
    /// The binary logarithm of the number of words in a block.
    block_bits: u32,
    blocks: ChunkedArray<Block>,
    used: Mutex<UsedBlocks>,
}

/// What the workers know about a state. A mask has a bit for each state of the automaton.
#[derive(Debug, Default)]
struct Cell {
    /// Where its record is, plus 1; 0 without a record.
    record: AtomicU32,
    /// Those for which a worker ahead of the search expands it, or has done so.
    claimed: AtomicU16,
    /// Those for which the search has expanded it.
    entered: AtomicU16,
}

/// What the workers know about the records of a block. The words of a record are the number of the state;
/// the states of the automaton that it is made for, and the number of words that follow; and these words.
#[derive(Debug, Default)]
struct Block {
    /// Changes before the words are written again.
    version: AtomicU32,
    /// The records that were taken, of all versions. Only the search counts them.
    taken: AtomicU32,
    /// The records that were published and not lost, of all versions. Changed by the worker that has the
    /// block, or under the lock of the used blocks.
    published: AtomicU32,
}

/// The second word of a record that is read ahead: most records end before it, or near it.
const TOUCHED: usize = 12;

/// The words of a record before its own.
const HEAD: usize = 2;

/// The first bit, in its second word, of the automaton states that a record is made for; below is the number
/// of words.
const MASK_SHIFT: u32 = 16;

/// Records that a worker has made and not yet published.
#[derive(Debug, Default)]
pub(super) struct Draft {
    words: Vec<u32>,
    records: usize,
}

impl Draft {
    /// Adds a record for a state, to be taken for these states of the automaton: at least one.
    pub(super) fn add(&mut self, state: StateId, automaton: u16, record: &[u32]) {
        self.words.extend([state.0, u32::from(automaton) << MASK_SHIFT | record.len() as u32]);
        self.words.extend_from_slice(record);
        self.records += 1;
    }

    /// Is there room for one more record of this many words?
    pub(super) fn has_room(&self, record: usize) -> bool {
        self.words.len() + HEAD + record <= BLOCK_WORDS
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records == 0
    }
}

/// The largest number of automaton states that a mask has bits for.
pub(super) const MAX_AUTOMATON: usize = 16;

/// The bit of an automaton state in a mask.
#[inline]
pub(super) fn bit(automaton: u32) -> u16 {
    1 << automaton
}

impl Expansions {
    pub(super) fn new() -> Expansions {
        let blocks = ArrayShape { block_bits: 6, branch_bits: 7, top_bits: MAX_BLOCKS.ilog2() - 13 };
        let words = ArrayShape { block_bits: BLOCK_BITS, ..ArrayShape::WHOLE };
        Expansions::with_size(ArrayShape::WHOLE, blocks, words)
    }

    /// Records of as many states and in as many blocks as the arrays have elements. A block of records is a
    /// block of the array of words.
    pub(super) fn with_size(states: ArrayShape, blocks: ArrayShape, words: ArrayShape) -> Expansions {
        Expansions {
            cells: ChunkedArray::new(states, 1),
            words: ChunkedArray::new(words, 1),
            block_bits: words.block_bits,
            blocks: ChunkedArray::new(blocks, 1),
            used: Mutex::new(UsedBlocks::default()),
        }
    }

    /// The bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.cells.memory() + self.words.memory()
    }

    /// Reads the first words of this state's record, if it has one, so that they are near when it is taken.
    #[inline]
    pub(super) fn touch_record(&self, state: StateId) {
        let at = self.cells.get(state.0).record.load(Ordering::Relaxed);
        if let Some(index) = at.checked_sub(1) {
            let words = self.words.rows_from(index);
            let far = words.get(TOUCHED).map_or(0, |word| word.load(Ordering::Relaxed));
            let version = self.blocks.get(index >> self.block_bits).version.load(Ordering::Relaxed);
            std::hint::black_box(words[0].load(Ordering::Relaxed) ^ far ^ version);
        }
    }

    /// Reads the cells of these states, all at once, so that they are near when they are needed.
    #[inline]
    pub(super) fn touch(&self, states: impl Iterator<Item = StateId>) {
        let read = |sum, state: StateId| sum ^ self.cells.get(state.0).record.load(Ordering::Relaxed);
        std::hint::black_box(states.fold(0, read));
    }

    /// Claims a state for these states of the automaton; returns those for which it was new. Two workers at
    /// once may both be told of the same one: both then expand it.
    #[inline]
    pub(super) fn claim(&self, state: StateId, automaton: u16) -> u16 {
        let Cell { claimed, entered, .. } = self.cells.get(state.0);
        let before = claimed.load(Ordering::Relaxed);
        let new = automaton & !before & !entered.load(Ordering::Relaxed);
        if new != 0 {
            claimed.store(before | new, Ordering::Relaxed);
        }
        new
    }

    /// Has a helper claimed the state for this state of the automaton?
    pub(super) fn is_claimed(&self, state: StateId, automaton: u32) -> bool {
        self.cells.get(state.0).claimed.load(Ordering::Relaxed) & bit(automaton) != 0
    }

    /// The states of the automaton among these for which the search has not expanded the state.
    #[inline]
    pub(super) fn missing(&self, state: StateId, automaton: u16) -> u16 {
        automaton & !self.cells.get(state.0).entered.load(Ordering::Relaxed)
    }

    /// A block for a draft, if the budget of so many blocks has one.
    pub(super) fn block(&self, budget: usize) -> Option<u32> {
        let mut used = lock(&self.used);
        let UsedBlocks { full, made } = &mut *used;
        if full.front().is_some_and(|block| self.left(block.number) == 0) {
            return full.pop_front().map(|block| block.number);
        }
        if *made < budget.min(MAX_BLOCKS) {
            *made += 1;
            return Some(*made as u32 - 1);
        }
        // The oldest first. The others go to the end, so that the next call looks at different blocks.
        for _ in 0..full.len().min(MOST_LOOKED_AT) {
            let block = full.pop_front()?;
            if self.left(block.number) as usize <= block.records / LOST_PART {
                self.lose(block);
                return Some(block.number);
            }
            full.push_back(block);
        }
        None
    }

    /// The number of records of a block that are not taken: never too small.
    fn left(&self, number: u32) -> u32 {
        let Block { taken, published, .. } = self.blocks.get(number);
        published.load(Ordering::Relaxed).wrapping_sub(taken.load(Ordering::Acquire))
    }

    /// Loses the records of a block.
    fn lose(&self, FullBlock { number, words: length, .. }: FullBlock) {
        let first = number << self.block_bits;
        let words: Vec<u32> =
            self.words.rows_from(first)[..length].iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let is_lost = |(start, state): (u32, u32)| {
            let record = &self.cells.get(state).record;
            record.compare_exchange(first + start + 1, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let lost = records(&words).filter(|record| is_lost(*record)).count();
        let published = &self.blocks.get(number).published;
        published.store(published.load(Ordering::Relaxed).wrapping_sub(lost as u32), Ordering::Relaxed);
    }

    /// Publishes the records of a draft in this block, and clears the draft.
    pub(super) fn publish(&self, number: u32, draft: &mut Draft) {
        let Block { version, published, .. } = self.blocks.get(number);
        let first = number << self.block_bits;
        version.store(version.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        for (cell, word) in self.words.rows_from(first).iter().zip(&draft.words) {
            // The search that reads such a word reads the new version afterwards.
            cell.store(*word, Ordering::Release);
        }
        let is_first = |(start, state): (u32, u32)| {
            // Another worker may have been faster.
            let record = &self.cells.get(state).record;
            record.compare_exchange(0, first + start + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let new = records(&draft.words).filter(|record| is_first(*record)).count();
        published.store(published.load(Ordering::Relaxed).wrapping_add(new as u32), Ordering::Relaxed);
        let block = FullBlock { number, words: draft.words.len(), records: draft.records };
        draft.words.clear();
        draft.records = 0;
        lock(&self.used).full.push_back(block);
    }

    /// The search expands the state for this state of the automaton. Takes the state's record, if it has
    /// one: writes its words into the buffer.
    #[inline]
    pub(super) fn take(&self, state: StateId, automaton: u32, buffer: &mut Vec<u32>) -> bool {
        let Cell { record, entered, .. } = self.cells.get(state.0);
        let done = entered.load(Ordering::Relaxed) | bit(automaton);
        entered.store(done, Ordering::Relaxed);
        let at = record.load(Ordering::Acquire);
        let Some(index) = at.checked_sub(1) else { return false };
        let Block { version, taken, .. } = self.blocks.get(index >> self.block_bits);
        let before = version.load(Ordering::Acquire);
        // All cells of older versions were cleared before this version began.
        if record.load(Ordering::Acquire) != at {
            return false;
        }
        let words = self.words.rows_from(index);
        let head = words[1].load(Ordering::Acquire);
        // Of a block that is written again, the length may be anything.
        let Some(words) = words.get(HEAD..HEAD + length(head)) else { return false };
        buffer.clear();
        buffer.extend(words.iter().map(|word| word.load(Ordering::Acquire)));
        if version.load(Ordering::Relaxed) != before {
            return false;
        }
        let is_over = (head >> MASK_SHIFT) as u16 & !done == 0;
        if is_over && record.compare_exchange(at, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            taken.store(taken.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        }
        true
    }

    /// Panics, saying which invariant broke. For the states below the bound, while no worker changes
    /// anything.
    #[cfg(test)]
    pub(super) fn validate(&self, state_bound: u32) {
        let mut left = std::collections::BTreeMap::new();
        for state in 0..state_bound {
            let Some(at) = self.cells.get(state).record.load(Ordering::Relaxed).checked_sub(1) else {
                continue;
            };
            let number = at >> self.block_bits;
            let owner = self.words.get(at).load(Ordering::Relaxed);
            assert_eq!(owner, state, "a cell points to another's record");
            *left.entry(number).or_insert(0) += 1;
        }
        for number in 0..lock(&self.used).made as u32 {
            let expected = left.get(&number).copied().unwrap_or(0);
            assert_eq!(self.left(number), expected, "the records of block {number}");
        }
    }
}

/// Where each record of a block starts, and its state.
fn records(words: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let (state, head) = (*words.get(start)?, words[start + 1]);
        let record = (start as u32, state);
        start += HEAD + length(head);
        Some(record)
    })
}

/// The number of words of a record after its head, by the second word of the head.
fn length(word: u32) -> usize {
    (word & ((1 << MASK_SHIFT) - 1)) as usize
}
