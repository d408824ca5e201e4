//! Packed states, each stored once, by several workers at once.
//!
//! The table of `store/table.rs` without locks, in the manner of Laarman, van de Pol and Weber, Boosting
//! Multi-core Reachability Performance with Shared Hash Tables, FMCAD 2010. A worker writes the words of a
//! new state under a number of its own and then puts the number into an empty slot by one compare-exchange;
//! if another worker was faster, it looks at that worker's state first. Numbers are given out in ranges, one
//! worker each, so no counter is shared. A slot has the bits of the hash that its number leaves room for.
//!
//! Workers use the table in a [`Session`], which holds the slots for reading. Where the slots are too few,
//! one session waits until the others [let go](Session::reserve) of them, and makes more.
//!
//! Promise: a state has one number, which never changes; numbers have few gaps. `explored` shows that for
//! every interleaving of small programs.

use super::chunked_array::{ArrayShape, ChunkedArray};
use super::shards::StateQuota;
use crate::store::{StateId, StateTable, hash};
use crate::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::sync::{Counter, PoisonError, RwLock, RwLockReadGuard};
use crate::system::Word;

/// A slot without a state. Numbers are smaller than the index of the last slot.
const EMPTY: u32 = u32::MAX;

/// The least size of a range of numbers.
const RANGE: usize = 256;

const MAX_SLOT_BITS: u32 = 31;

/// A set of states of the same width.
#[derive(Debug)]
pub(crate) struct SharedTable {
    words: ChunkedArray<AtomicU64>,
    slots: RwLock<Slots>,
    /// All numbers below are given out.
    given: AtomicUsize,
    range: usize,
    /// The number of sessions that wait to make more slots.
    growers: AtomicUsize,
    /// `None` where there is no limit, and nothing to count at every state.
    quota: Option<StateQuota>,
    stored: Counter,
    slot_bytes: Counter,
}

/// The open-addressing table: numbers with bits of hashes, a power of two of them.
#[derive(Debug)]
struct Slots {
    bits: u32,
    entries: Box<[AtomicU32]>,
}

/// The hash of a state, the entry of its first slot, and the first word of the state there if it may be the
/// same: a lookup that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedProbe {
    hash: u64,
    entry: u32,
    word: Word,
}

impl Slots {
    fn new(bits: u32) -> Slots {
        Slots { bits, entries: (0..1_usize << bits).map(|_| AtomicU32::new(EMPTY)).collect() }
    }

    /// The numbers that fit.
    fn capacity(&self) -> usize {
        self.entries.len() / 8 * 7
    }

    fn mask(&self) -> usize {
        self.entries.len() - 1
    }

    /// The first slot. By the upper bits, so that a table with twice the slots keeps the order.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// The bits of a hash that an entry has room for, above the number.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        (hash as u32) << self.bits
    }

    /// Puts a number into the first empty slot of its hash.
    fn put(&mut self, hash: u64, number: u32) {
        let (mask, entry) = (self.mask(), self.tag(hash) | number);
        let mut slot = self.first(hash);
        while *self.entries[slot].get_mut() != EMPTY {
            slot = (slot + 1) & mask;
        }
        *self.entries[slot].get_mut() = entry;
    }
}

impl SharedTable {
    /// An empty table for states of `width` words, at least one, and at most this many states.
    pub(crate) fn new(width: usize, most: Option<usize>) -> SharedTable {
        SharedTable::with_size(ArrayShape::WHOLE, width, most, RANGE)
    }

    /// A table whose array has this shape, and whose ranges have at least this size.
    pub(crate) fn with_size(
        shape: ArrayShape,
        width: usize,
        most: Option<usize>,
        range: usize,
    ) -> SharedTable {
        let slots = Slots::new((2 * range).next_power_of_two().ilog2());
        SharedTable {
            words: ChunkedArray::new(shape, width),
            slot_bytes: Counter::new(slots.entries.len() * size_of::<u32>()),
            slots: RwLock::new(slots),
            given: AtomicUsize::new(0),
            range,
            growers: AtomicUsize::new(0),
            quota: most.map(|most| StateQuota::new(Some(most))),
            stored: Counter::new(0),
        }
    }

    pub(crate) fn session(&self) -> Session<'_> {
        Session { table: self, slots: None, ranges: [(0, 0); 2], fresh: 0 }
    }

    /// The number of states; of a session that has not ended, those of its last range may be missing.
    pub(crate) fn len(&self) -> usize {
        self.stored.load(Ordering::Relaxed)
    }

    /// The bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.words.memory() + self.slot_bytes.load(Ordering::Relaxed)
    }

    /// Writes the state with this number into the buffer.
    #[inline]
    pub(crate) fn read(&self, id: StateId, buffer: &mut Vec<Word>) {
        buffer.clear();
        buffer.extend(self.words.row(id.0).iter().map(|word| word.load(Ordering::Relaxed)));
    }

    #[inline]
    fn is_same(&self, number: u32, state: &[Word]) -> bool {
        self.words.row(number).iter().zip(state).all(|(cell, word)| cell.load(Ordering::Relaxed) == *word)
    }

    /// Makes slots for this many numbers, unless there are as many.
    fn grow(&self, numbers: usize) {
        self.growers.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        self.growers.fetch_sub(1, Ordering::Relaxed);
        let mut bits = slots.bits;
        while (1_usize << bits) / 8 * 7 < numbers && bits < MAX_SLOT_BITS {
            bits += 1;
        }
        if bits == slots.bits {
            return;
        }
        let mut more = Slots::new(bits);
        let (number_mask, mut buffer) = (slots.mask() as u32, Vec::new());
        for entry in &slots.entries {
            let entry = entry.load(Ordering::Relaxed);
            if entry != EMPTY {
                let number = entry & number_mask;
                self.read(StateId(number), &mut buffer);
                more.put(hash(&buffer), number);
            }
        }
        self.slot_bytes.store(more.entries.len() * size_of::<u32>(), Ordering::Relaxed);
        *slots = more;
    }
}

/// A worker's access to the table.
#[derive(Debug)]
pub(crate) struct Session<'t> {
    table: &'t SharedTable,
    /// `None` while the worker lets others make more slots.
    slots: Option<RwLockReadGuard<'t, Slots>>,
    /// Numbers that only this session uses; the first range is used up before the second.
    ranges: [(usize, usize); 2],
    /// States that the table's count lacks.
    fresh: usize,
}

impl Session<'_> {
    /// The number of states, exact if no other session stores any.
    pub(crate) fn len(&self) -> usize {
        self.table.len() + self.fresh
    }

    pub(crate) fn memory(&self) -> usize {
        self.table.memory()
    }

    pub(crate) fn read(&self, id: StateId, buffer: &mut Vec<Word>) {
        self.table.read(id, buffer);
    }

    /// Lets other sessions make more slots. Called before the worker waits for anything.
    pub(crate) fn rest(&mut self) {
        self.slots = None;
    }

    /// Makes room for this many more states, and lets other sessions do so. Until they are inserted, a
    /// [`probe`](Session::probe) stays valid.
    #[inline]
    pub(crate) fn reserve(&mut self, more: usize) {
        if self.table.growers.load(Ordering::Relaxed) > 0 {
            self.slots = None;
        }
        let left: usize = self.ranges.iter().map(|(next, end)| end - next).sum();
        if left < more {
            self.take_range(more);
        }
        if self.slots.is_none() {
            self.slots = Some(self.table.slots.read().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn take_range(&mut self, more: usize) {
        let size = more.max(self.table.range);
        let start = self.table.given.fetch_add(size, Ordering::Relaxed);
        let end = start + size;
        if end > (1 << MAX_SLOT_BITS) / 8 * 7 {
            // The numbers are used up: states are refused.
            self.table.given.fetch_sub(size, Ordering::Relaxed);
            return;
        }
        if self.ranges[0].0 == self.ranges[0].1 {
            self.ranges.swap(0, 1);
        }
        self.ranges[1] = (start, end);
        self.report();
        let is_too_small = |slots: &RwLockReadGuard<'_, Slots>| slots.capacity() < end;
        if self.slots.as_ref().is_none_or(is_too_small) {
            self.slots = None;
            self.table.grow(end);
        }
    }

    /// Adds this session's states to the table's count.
    fn report(&mut self) {
        self.table.stored.fetch_add(std::mem::take(&mut self.fresh), Ordering::Relaxed);
    }

    fn slots(&self) -> &Slots {
        self.slots.as_ref().expect("room was reserved")
    }

    /// Reads the first slot of a state, and the state there. Memory has a long latency but serves many reads
    /// at once, so a worker probes for all states before it inserts one. There must be
    /// [room](Session::reserve).
    #[inline]
    pub(crate) fn probe(&self, state: &[Word]) -> SharedProbe {
        let (hash, slots) = (hash(state), self.slots());
        let entry = slots.entries[slots.first(hash)].load(Ordering::Acquire);
        let mask = slots.mask() as u32;
        let may_be_same = entry != EMPTY && entry & !mask == slots.tag(hash);
        let word = if may_be_same { self.table.words.get(entry & mask).load(Ordering::Relaxed) } else { 0 };
        SharedProbe { hash, entry, word }
    }

    /// The number of the probed state, and whether it is new; `None` if it is new and above the limit. There
    /// must be [room](Session::reserve).
    #[inline]
    pub(crate) fn insert_at(&mut self, state: &[Word], probe: SharedProbe) -> Option<(StateId, bool)> {
        let slots = self.slots.as_ref().expect("room was reserved");
        let (mask, tag) = (slots.mask(), slots.tag(probe.hash));
        let mut slot = slots.first(probe.hash);
        let mut written = None;
        // A slot that was taken keeps its state; a slot that was empty may be taken by now.
        let mut entry = probe.entry;
        if entry != EMPTY && (entry & !(mask as u32) != tag || probe.word != state[0]) {
            slot = (slot + 1) & mask;
            entry = EMPTY;
        }
        loop {
            if entry == EMPTY {
                entry = slots.entries[slot].load(Ordering::Acquire);
            }
            while entry == EMPTY {
                let number = match written {
                    Some(number) => number,
                    None => self.write(state)?,
                };
                written = Some(number);
                let (expected, new) = (Ordering::AcqRel, Ordering::Acquire);
                match slots.entries[slot].compare_exchange(EMPTY, tag | number, expected, new) {
                    Ok(_) => {
                        self.fresh += 1;
                        let range = self.range();
                        self.ranges[range].0 += 1;
                        return Some((StateId(number), true));
                    }
                    Err(faster) => entry = faster,
                }
            }
            let number = entry & mask as u32;
            if entry & !(mask as u32) == tag && self.table.is_same(number, state) {
                if let (Some(quota), true) = (&self.table.quota, written.is_some()) {
                    quota.give_back();
                }
                return Some((StateId(number), false));
            }
            slot = (slot + 1) & mask;
            entry = EMPTY;
        }
    }

    /// The index of the range that the next number is in.
    fn range(&self) -> usize {
        usize::from(self.ranges[0].0 == self.ranges[0].1)
    }

    /// Writes the state under the session's next number, which is not used up yet; `None` above the limit.
    fn write(&self, state: &[Word]) -> Option<u32> {
        let (next, end) = self.ranges[self.range()];
        if next == end || self.table.quota.as_ref().is_some_and(|quota| !quota.take()) {
            return None;
        }
        for (cell, word) in self.table.words.row(next as u32).iter().zip(state) {
            cell.store(*word, Ordering::Relaxed);
        }
        Some(next as u32)
    }

    /// The state's number, if it is stored.
    pub(crate) fn find(&self, state: &[Word]) -> Option<StateId> {
        let (hash, slots) = (hash(state), self.slots());
        let (mask, tag) = (slots.mask(), slots.tag(hash));
        let mut slot = slots.first(hash);
        loop {
            let entry = slots.entries[slot].load(Ordering::Acquire);
            if entry == EMPTY {
                return None;
            }
            let number = entry & mask as u32;
            if entry & !(mask as u32) == tag && self.table.is_same(number, state) {
                return Some(StateId(number));
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Stores the states of a set under their numbers. The table must be empty and have no other session.
    pub(crate) fn copy(&mut self, states: &StateTable) {
        self.reserve(states.len());
        for id in (0..states.len() as u32).map(StateId) {
            let state = states.get(id);
            let copied = self.insert_at(state, self.probe(state));
            assert_eq!(copied, Some((id, true)), "a state keeps its number");
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.report();
    }
}
