//! Packed states, each stored once, by several workers at once.
//!
//! The table of `store/table.rs` without locks, in the manner of Laarman, van de Pol and Weber, Boosting
//! Multi-core Reachability Performance with Shared Hash Tables, FMCAD 2010. A worker writes the words of a
//! new state under a number of its own and then puts the number into an empty slot by one compare-exchange;
//! if another worker was faster, it looks at that worker's state first. Numbers are given out in ranges, one
//! worker each, so no counter is shared. A slot has the bits of the hash that its number leaves room for.
//!
//! Workers use the table in a [`Session`], which holds the slots for reading. Where the slots are too few,
//! one session waits until the others [let go](Session::reserve) of them, and makes more; then every session
//! that comes back moves a part of the old entries, until all are moved.
//!
//! Promise: a state has one number, which never changes; numbers have few gaps. `explored` shows that for
//! every interleaving of small programs.

use super::chunked_array::{ArrayShape, ChunkedArray};
use super::lock;
use super::quota::StateQuota;
use super::shared_slots::{EMPTY, MAX_SLOT_BITS, Slots};
use crate::store::{Probe, StateId, StateTable, hash};
use crate::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::sync::{Counter, PoisonError, RwLock, RwLockReadGuard, thread};
use crate::system::Word;

/// The least size of a range of numbers.
const RANGE: usize = 256;

/// A set of states of the same width.
#[derive(Debug)]
pub(crate) struct SharedTable {
    /// For each number a row: the words of the state.
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
            quota: most.map(StateQuota::new),
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
        buffer.extend(self.state_words(id));
    }

    /// The words of the state with this number.
    #[inline]
    pub(crate) fn state_words(&self, id: StateId) -> impl Iterator<Item = Word> + '_ {
        self.words.row(id.0).iter().map(|word| word.load(Ordering::Relaxed))
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
        // Entries are moved half as often as if there were twice as many slots each time.
        while (1_usize << bits) / 8 * 7 < numbers && bits < MAX_SLOT_BITS {
            bits = (bits + 2).min(MAX_SLOT_BITS);
        }
        if bits == slots.bits {
            return;
        }
        // The session that made these slots may not have come back yet.
        self.move_entries(&slots);
        let few = std::mem::replace(&mut *slots, Slots::new(0));
        self.slot_bytes.store((few.entries.len() + (1 << bits)) * size_of::<u32>(), Ordering::Relaxed);
        *slots = few.larger(bits);
    }

    /// Moves entries of the table with fewer slots until none is left; returns when all are moved.
    fn move_entries(&self, slots: &Slots) {
        if slots.left.load(Ordering::Acquire) == 0 {
            return;
        }
        let old = lock(&slots.old).clone();
        if let Some(old) = old {
            let mut buffer = Vec::new();
            loop {
                let start = slots.next.fetch_add(self.range, Ordering::Relaxed);
                if start >= old.len() {
                    break;
                }
                let part = &old[start..old.len().min(start + self.range)];
                self.move_part(slots, part, old.len() as u32 - 1, &mut buffer);
                if slots.left.fetch_sub(part.len(), Ordering::AcqRel) == part.len() {
                    *lock(&slots.old) = None;
                    self.slot_bytes.store(slots.entries.len() * size_of::<u32>(), Ordering::Relaxed);
                }
            }
        }
        while slots.left.load(Ordering::Acquire) > 0 {
            thread::yield_now();
        }
    }

    fn move_part(&self, slots: &Slots, part: &[AtomicU32], number_mask: u32, buffer: &mut Vec<Word>) {
        let entries = part.iter().map(|entry| entry.load(Ordering::Relaxed));
        for number in entries.filter(|entry| *entry != EMPTY).map(|entry| entry & number_mask) {
            self.read(StateId(number), buffer);
            slots.put(hash(buffer), number);
        }
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
            let slots = self.table.slots.read().unwrap_or_else(PoisonError::into_inner);
            self.table.move_entries(&slots);
            self.slots = Some(slots);
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

    /// Reads the first slot of a state, and the state there. There must be [room](Session::reserve).
    #[inline]
    pub(crate) fn probe(&self, state: &[Word]) -> Probe {
        let mut probe = [Probe::new(hash(state))];
        self.read_probes(&mut probe);
        probe[0]
    }

    /// Probes for all of these states: see [`StateTable::probe_all`].
    #[inline]
    pub(crate) fn probe_all<'s>(&self, states: impl Iterator<Item = &'s [Word]>, probes: &mut Vec<Probe>) {
        probes.clear();
        probes.extend(states.map(|state| Probe::new(hash(state))));
        self.read_probes(probes);
    }

    #[inline]
    fn read_probes(&self, probes: &mut [Probe]) {
        let slots = self.slots();
        for probe in &mut *probes {
            probe.entry = slots.entries[slots.first(probe.hash)].load(Ordering::Acquire);
        }
        let mask = slots.mask();
        for probe in &mut *probes {
            let (tag, mut slot) = (slots.tag(probe.hash), slots.first(probe.hash));
            while probe.entry != EMPTY && probe.entry & !(mask as u32) != tag {
                slot = (slot + 1) & mask;
                probe.entry = slots.entries[slot].load(Ordering::Acquire);
            }
            probe.slot = slot as u32;
        }
        for probe in probes.iter_mut().filter(|probe| probe.entry != EMPTY) {
            probe.word = self.table.words.get(probe.entry & mask as u32).load(Ordering::Relaxed);
        }
    }

    /// The number of the probed state, and whether it is new; `None` if it is new and above the limit. There
    /// must be [room](Session::reserve).
    #[inline]
    pub(crate) fn insert_at(&mut self, state: &[Word], probe: Probe) -> Option<(StateId, bool)> {
        let slots = self.slots.as_ref().expect("room was reserved");
        let (mask, tag) = (slots.mask(), slots.tag(probe.hash));
        let mut slot = probe.slot as usize;
        let mut written = None;
        // A slot that was taken keeps its state; a slot that was empty may be taken by now.
        let mut entry = probe.entry;
        if entry != EMPTY && probe.word != state[0] {
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
                        let range = self.current_range();
                        self.ranges[range].0 += 1;
                        return Some((StateId(number), true));
                    }
                    Err(faster) => entry = faster,
                }
            }
            let number = entry & mask as u32;
            if entry & !(mask as u32) == tag && self.table.is_same(number, state) {
                if written.is_some() {
                    self.table.quota.iter().for_each(StateQuota::give_back);
                }
                return Some((StateId(number), false));
            }
            slot = (slot + 1) & mask;
            entry = EMPTY;
        }
    }

    /// The index of the range that the next number is in.
    fn current_range(&self) -> usize {
        usize::from(self.ranges[0].0 == self.ranges[0].1)
    }

    /// Writes the state under the session's next number, which is not used up yet; `None` above the limit.
    #[inline]
    fn write(&self, state: &[Word]) -> Option<u32> {
        let (next, end) = self.ranges[self.current_range()];
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
