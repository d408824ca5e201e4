//! Expansions that workers have made ahead of the search: the steps of states that it has not expanded yet.
//!
//! A record is the list of a state's successors, with the state's label and what fairness asks for. Workers
//! write records into blocks; each state has a cell that says where its record is. The search takes a record
//! as often as it was made for, and a block without records is used again. There is a budget of blocks: when
//! it is used up, a block most of whose records are taken is emptied, and the records in it are lost.
//!
//! The search never needs a record: where there is none, it expands the state itself.
//!
//! Promise: a cell changes only under the lock of the block that it points to, so a record that is found
//! under that lock is the state's own. `explored` shows that for every interleaving of small programs.

use super::chunked_array::{ArrayShape, ChunkedArray};
use super::lock;
use crate::store::StateId;
use crate::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use crate::sync::{Counter, Mutex};
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
    full: VecDeque<u32>,
    made: usize,
}

/// The records.
#[derive(Debug)]
pub(crate) struct Expansions {
    cells: ChunkedArray<Cell>,
    blocks: ChunkedArray<Mutex<Block>>,
    used: Mutex<UsedBlocks>,
    bytes: Counter,
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

/// Records, one after the other: the number of the state; how often the record can still be taken, and the
/// number of words that follow; and these words.
#[derive(Debug, Default)]
struct Block {
    words: Vec<u32>,
    records: usize,
    /// The records that can still be taken.
    left: usize,
}

/// The words of a record before its own.
const HEAD: usize = 2;

/// One time that a record can be taken, in its second word; below is the number of words.
const TAKE: u32 = 1 << 16;

/// Records that a worker has made and not yet published.
#[derive(Debug, Default)]
pub(super) struct Draft {
    words: Vec<u32>,
    records: usize,
}

impl Draft {
    /// Adds a record for a state, to be taken this many times: a number of at least 1.
    pub(super) fn add(&mut self, state: StateId, takes: u32, record: &[u32]) {
        self.words.extend([state.0, takes * TAKE + record.len() as u32]);
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
        let shape = ArrayShape { block_bits: 6, branch_bits: 7, top_bits: MAX_BLOCKS.ilog2() - 13 };
        Expansions::with_size(ArrayShape::WHOLE, shape)
    }

    /// Records of as many states and in as many blocks as the arrays have elements.
    pub(super) fn with_size(states: ArrayShape, blocks: ArrayShape) -> Expansions {
        Expansions {
            cells: ChunkedArray::new(states, 1),
            blocks: ChunkedArray::new(blocks, 1),
            used: Mutex::new(UsedBlocks::default()),
            bytes: Counter::new(0),
        }
    }

    /// The bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.cells.memory() + self.bytes.load(Ordering::Relaxed)
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
        if full.front().is_some_and(|number| self.empty(*number, None)) {
            return full.pop_front();
        }
        if *made < budget.min(MAX_BLOCKS) {
            *made += 1;
            return Some(*made as u32 - 1);
        }
        // The oldest first. The others go to the end, so that the next call looks at different blocks.
        for _ in 0..full.len().min(MOST_LOOKED_AT) {
            let number = full.pop_front()?;
            if self.empty(number, Some(LOST_PART)) {
                return Some(number);
            }
            full.push_back(number);
        }
        None
    }

    /// Loses the records of a block if at most one in `part` is left; if none is left, where `part` is
    /// `None`.
    fn empty(&self, number: u32, part: Option<usize>) -> bool {
        let mut block = lock(self.blocks.get(number));
        if block.left > part.map_or(0, |part| block.records / part) {
            return false;
        }
        let mut start = 0;
        while block.left > 0 && start < block.words.len() {
            let record = &self.cells.get(block.words[start]).record;
            if record.load(Ordering::Relaxed) == place(number, start) {
                record.store(0, Ordering::Relaxed);
            }
            start += HEAD + length(block.words[start + 1]);
        }
        block.left = 0;
        true
    }

    /// Publishes the records of a draft in this block, and clears the draft.
    pub(super) fn publish(&self, number: u32, draft: &mut Draft) {
        let mut block = lock(self.blocks.get(number));
        let bytes = block.memory();
        std::mem::swap(&mut block.words, &mut draft.words);
        block.records = std::mem::take(&mut draft.records);
        draft.words.clear();
        let (mut start, mut left) = (0, 0);
        while start < block.words.len() {
            let record = &self.cells.get(block.words[start]).record;
            // Another worker may have been faster.
            let exchanged =
                record.compare_exchange(0, place(number, start), Ordering::AcqRel, Ordering::Relaxed);
            left += usize::from(exchanged.is_ok());
            start += HEAD + length(block.words[start + 1]);
        }
        block.left = left;
        self.bytes.fetch_add(block.memory().wrapping_sub(bytes), Ordering::Relaxed);
        drop(block);
        lock(&self.used).full.push_back(number);
    }

    /// The search expands the state for this state of the automaton. Takes the state's record, if it has
    /// one: calls `read` with it.
    #[inline]
    pub(super) fn take<T>(
        &self,
        state: StateId,
        automaton: u32,
        read: impl FnOnce(&[u32]) -> T,
    ) -> Option<T> {
        let Cell { record, entered, .. } = self.cells.get(state.0);
        entered.store(entered.load(Ordering::Relaxed) | bit(automaton), Ordering::Relaxed);
        let at = record.load(Ordering::Acquire);
        let number = at.checked_sub(1)? >> BLOCK_BITS;
        let mut block = lock(self.blocks.get(number));
        if record.load(Ordering::Relaxed) != at {
            return None;
        }
        let start = (at - 1) as usize & (BLOCK_WORDS - 1);
        let first = start + HEAD;
        let result = read(&block.words[first..first + length(block.words[start + 1])]);
        block.words[start + 1] -= TAKE;
        if block.words[start + 1] < TAKE {
            record.store(0, Ordering::Relaxed);
            block.left -= 1;
        }
        Some(result)
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
            let (number, start) = (at >> BLOCK_BITS, at as usize & (BLOCK_WORDS - 1));
            assert_eq!(
                lock(self.blocks.get(number)).words[start],
                state,
                "a cell points to another's record"
            );
            *left.entry(number).or_insert(0) += 1;
        }
        for number in 0..lock(&self.used).made as u32 {
            let counted = lock(self.blocks.get(number)).left;
            assert_eq!(counted, left.get(&number).copied().unwrap_or(0), "the records of block {number}");
        }
    }
}

impl Block {
    fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }
}

/// The value of a cell whose record is there.
fn place(block: u32, start: usize) -> u32 {
    (block << BLOCK_BITS | start as u32) + 1
}

/// The number of words of a record after its head, by the second word of the head.
fn length(word: u32) -> usize {
    (word % TAKE) as usize
}
