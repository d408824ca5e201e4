//! The slots of a [`SharedTable`](super::shared_table::SharedTable): its open-addressing table of numbers.
//!
//! A slot has a number, and bits of the hash of its state: those that the number leaves room for. The upper
//! bits of the hash choose the first slot, so that a table with more slots keeps the order of the entries.
//!
//! Promise: an entry that is in a slot stays there.

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::Arc;

/// A slot without a state. Numbers are smaller than the index of the last slot.
pub(super) const EMPTY: u32 = u32::MAX;

pub(super) const MAX_SLOT_BITS: u32 = 31;

/// The open-addressing table: numbers with bits of hashes, a power of two of them.
#[derive(Debug)]
pub(super) struct Slots {
    pub(super) bits: u32,
    pub(super) entries: Box<[AtomicU32]>,
    /// The entries of the table with fewer slots, until all are moved.
    pub(super) old: Mutex<Option<Arc<Box<[AtomicU32]>>>>,
    /// The first entry that no session moves yet, and the number of entries that are not moved.
    pub(super) next: AtomicUsize,
    pub(super) left: AtomicUsize,
}

impl Slots {
    pub(super) fn new(bits: u32) -> Slots {
        Slots {
            bits,
            entries: (0..1_usize << bits).map(|_| AtomicU32::new(EMPTY)).collect(),
            old: Mutex::new(None),
            next: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
        }
    }

    /// More slots, into which the entries of these have to be moved.
    pub(super) fn larger(self, bits: u32) -> Slots {
        let mut more = Slots::new(bits);
        more.left = AtomicUsize::new(self.entries.len());
        more.old = Mutex::new(Some(Arc::new(self.entries)));
        more
    }

    /// The numbers that fit.
    pub(super) fn capacity(&self) -> usize {
        self.entries.len() / 8 * 7
    }

    pub(super) fn mask(&self) -> usize {
        self.entries.len() - 1
    }

    /// The first slot. By the upper bits, so that a table with twice the slots keeps the order.
    #[inline]
    pub(super) fn first(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// The bits of a hash that an entry has room for, above the number.
    #[inline]
    pub(super) fn tag(&self, hash: u64) -> u32 {
        (hash as u32) << self.bits
    }

    /// Puts a number into the first empty slot of its hash.
    pub(super) fn put(&self, hash: u64, number: u32) {
        let (mask, entry) = (self.mask(), self.tag(hash) | number);
        let mut slot = self.first(hash);
        let is_taken = |slot: usize| {
            let cell = &self.entries[slot];
            cell.load(Ordering::Relaxed) != EMPTY
                || cell.compare_exchange(EMPTY, entry, Ordering::AcqRel, Ordering::Relaxed).is_err()
        };
        while is_taken(slot) {
            slot = (slot + 1) & mask;
        }
    }
}
