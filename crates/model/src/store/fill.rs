//! Fills the slots of a table at once.
//!
//! Slots are chosen by hashes, so entries that follow each other belong to slots that are far apart, and in
//! a large table each of them waits for the memory. Here entries are taken in blocks, and those of a block
//! are sorted by the part of the table that they belong to: a part fits into the cache of a core (a radix
//! partition, as in hash joins: Manegold, Boncz, Kersten, Optimizing Main-Memory Join on Modern Hardware,
//! TKDE 2002). Memory serves many reads at once, so within a part slots are read before they are filled.
//!
//! Promise: the slots are those of a table into which the same entries were put one after the other by
//! linear probing, up to the order of entries that share a run of slots. Beside the slots it takes at most
//! as much memory again.

use super::table::EMPTY;

/// The binary logarithm of the number of slots in a part: half a mebibyte.
const PART_BITS: u32 = 17;

/// A block has one entry for so many slots.
const SLOTS_PER_ENTRY: usize = 4;

/// The number of entries whose slots are read together.
const READ_TOGETHER: usize = 64;

/// The number of pairs of entries that are compared together.
const COMPARED_TOGETHER: usize = 4096;

/// Puts entries, each with its first slot, into slots; a power of two of them, more of which are empty than
/// there are entries. The bits of an entry above the number of a slot must be equal for equal states: such
/// pairs are compared. False if some are not different.
pub(super) fn fill(
    slots: &mut [u32],
    entries: impl Iterator<Item = (u32, u32)>,
    are_different: impl Fn(u32, u32) -> bool,
) -> bool {
    let bits = slots.len().ilog2();
    let part_bits = bits.min(PART_BITS);
    let mut parts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); 1 << (bits - part_bits)];
    let block = (slots.len() / SLOTS_PER_ENTRY).max(READ_TOGETHER);
    let mut filling = Filling { slots, pairs: Vec::new(), are_all_different: true };
    let mut count = 0;
    for (slot, entry) in entries {
        parts[(slot >> part_bits) as usize].push((slot, entry));
        count += 1;
        if count == block {
            filling.fill_parts(&mut parts, &are_different);
            count = 0;
        }
    }
    filling.fill_parts(&mut parts, &are_different);
    filling.are_all_different
}

struct Filling<'s> {
    slots: &'s mut [u32],
    /// Entries that may be of the same state. They are far away in memory, and hardly ever the same.
    pairs: Vec<(u32, u32)>,
    are_all_different: bool,
}

impl Filling<'_> {
    /// Puts the entries of a block into their slots.
    fn fill_parts(&mut self, parts: &mut [Vec<(u32, u32)>], are_different: &impl Fn(u32, u32) -> bool) {
        for part in parts {
            for entries in part.chunks(READ_TOGETHER) {
                let read = |sum, (slot, _): &(u32, u32)| sum ^ self.slots[*slot as usize];
                std::hint::black_box(entries.iter().fold(0, read));
                for (slot, entry) in entries {
                    self.put(*slot, *entry);
                }
            }
            part.clear();
            if self.pairs.len() >= COMPARED_TOGETHER {
                self.compare(are_different);
            }
        }
        self.compare(are_different);
    }

    /// Puts an entry into the first empty slot from this one on.
    #[inline]
    fn put(&mut self, slot: u32, entry: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = slot as usize;
        loop {
            let other = self.slots[slot & mask];
            if other == EMPTY {
                break;
            }
            if (other ^ entry) & !(mask as u32) == 0 {
                self.pairs.push((other, entry));
            }
            slot += 1;
        }
        self.slots[slot & mask] = entry;
    }

    fn compare(&mut self, are_different: &impl Fn(u32, u32) -> bool) {
        for (one, other) in self.pairs.drain(..) {
            self.are_all_different &= are_different(one, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// By the definition: one after the other.
    fn fill_naively(slots: &mut [u32], entries: &[(u32, u32)]) {
        for (slot, entry) in entries {
            let free = (*slot as usize..).find(|slot| slots[slot % slots.len()] == EMPTY);
            let free = free.expect("an empty slot") % slots.len();
            slots[free] = *entry;
        }
    }

    /// Entries for a table of so many slots, by a linear congruential generator.
    fn entries(bits: u32, count: u32) -> Vec<(u32, u32)> {
        let mut seed = u64::from(bits);
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 32) as u32
        };
        let mask = (1_u32 << bits) - 1;
        (0..count).map(|number| (next() & mask, next() & !mask | number)).collect()
    }

    #[test]
    fn the_slots_are_those_of_entries_that_come_one_after_the_other() {
        for (bits, count) in [(8, 200), (10, 100), (12, 3584), (PART_BITS + 2, 400_000)] {
            let entries = entries(bits, count);
            let (mut slots, mut naive) = (vec![EMPTY; 1 << bits], vec![EMPTY; 1 << bits]);
            assert!(fill(&mut slots, entries.iter().copied(), |_, _| true));
            fill_naively(&mut naive, &entries);
            // Which slots are taken does not depend on the order; an entry is reached from its first slot.
            let taken = |slots: &[u32]| slots.iter().map(|entry| *entry != EMPTY).collect::<Vec<bool>>();
            assert_eq!(taken(&slots), taken(&naive));
            for (slot, entry) in &entries {
                let run = (*slot as usize..).map(|slot| slots[slot % slots.len()]);
                assert!(run.take_while(|other| *other != EMPTY).any(|other| other == *entry));
            }
            let all: BTreeSet<u32> = slots.iter().copied().filter(|entry| *entry != EMPTY).collect();
            assert_eq!(all.len(), entries.len());
        }
    }

    #[test]
    fn entries_that_may_be_equal_are_compared() {
        let twice = [(3, 0x700), (9, 0x901), (3, 0x702)];
        let mut slots = vec![EMPTY; 256];
        let mut compared = Vec::new();
        let pairs = std::cell::RefCell::new(&mut compared);
        assert!(!fill(&mut slots, twice.into_iter(), |one, other| {
            pairs.borrow_mut().push((one, other));
            false
        }));
        assert_eq!(compared, [(0x700, 0x702)]);
    }
}
