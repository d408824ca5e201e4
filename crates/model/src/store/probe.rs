//! Lookups in a table of states.
//!
//! Nearly every lookup of a large search waits for the memory: for a slot, then for the state there. Memory
//! has a long latency but serves many reads at once, so a search begins the lookups of many states together,
//! reads their slots, then their states, and ends them one after the other (group prefetching: Chen,
//! Ailamaki, Gibbons, Mowry, Improving Hash Join Performance through Prefetching, ICDE 2004).
//!
//! Promise: a lookup that has begun finds what a lookup from the start would find, whatever was inserted
//! meanwhile, as long as the table has not grown.

use super::table::{EMPTY, StateId, StateTable, hash};
use crate::system::{Steps, Word};

/// The hash of a state, the first slot that is empty or whose state may be the same, its entry, and the
/// first word of the state there: a lookup that has begun.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub(crate) hash: u64,
    pub(crate) slot: u32,
    pub(crate) entry: u32,
    pub(crate) word: Word,
}

impl Probe {
    /// A lookup of a state with this hash that has read nothing yet.
    #[inline]
    pub(crate) fn new(hash: u64) -> Probe {
        Probe { hash, slot: 0, entry: EMPTY, word: 0 }
    }
}

impl StateTable {
    /// Reads the first slot of the state, and the state there.
    #[inline]
    pub fn probe(&self, state: &[Word]) -> Probe {
        let mut probe = [Probe::new(hash(state))];
        self.read_probes(&mut probe);
        probe[0]
    }

    /// Probes for the targets of all steps in these lists.
    #[inline]
    pub fn probe_all<A: Copy>(&self, lists: &[Steps<A>], probes: &mut Vec<Probe>) {
        probes.clear();
        for steps in lists {
            probes.extend(steps.iter().map(|(_, target)| Probe::new(hash(target))));
        }
        self.read_probes(probes);
    }

    /// Reads the slots of the states with these hashes, and the states there: all first slots, then those
    /// beside them, then all states, in loops so short that their reads overlap.
    #[inline]
    pub(crate) fn read_probes(&self, probes: &mut [Probe]) {
        let mask = self.slots.len() - 1;
        for probe in &mut *probes {
            probe.entry = self.slots[probe.hash as usize & mask];
        }
        for probe in &mut *probes {
            let (tag, mut slot) = (self.tag(probe.hash), probe.hash as usize & mask);
            while probe.entry != EMPTY && probe.entry & !(mask as u32) != tag {
                slot = (slot + 1) & mask;
                probe.entry = self.slots[slot];
            }
            probe.slot = slot as u32;
        }
        if self.is_empty() {
            return;
        }
        for probe in probes {
            // The word of another state is of no use, but a read costs less than a branch that is guessed.
            let id = if probe.entry != EMPTY { probe.entry & mask as u32 } else { 0 };
            probe.word = self.first_word(StateId(id));
        }
    }

    /// The state's number, or the slot where it belongs.
    #[inline]
    pub(super) fn find_slot(&self, state: &[Word], probe: Probe) -> Result<StateId, usize> {
        if probe.entry == EMPTY {
            // The slot may be taken by now.
            return self.find_slot_from(state, probe.hash, probe.slot as usize);
        }
        let id = StateId(probe.entry & self.number_mask());
        if probe.word == state[0] && (self.width == 1 || is_same(self.get(id), state)) {
            return Ok(id);
        }
        self.find_slot_from(state, probe.hash, probe.slot as usize + 1)
    }

    /// The same; the state is not in the slots before this one.
    fn find_slot_from(&self, state: &[Word], hash: u64, slot: usize) -> Result<StateId, usize> {
        let (number_mask, tag) = (self.number_mask(), self.tag(hash));
        let mask = number_mask as usize;
        let mut slot = slot & mask;
        let mut entry = self.slots[slot];
        while entry != EMPTY {
            let id = StateId(entry & number_mask);
            if entry & !number_mask == tag && is_same(self.get(id), state) {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
            entry = self.slots[slot];
        }
        Err(slot)
    }

    /// The bits of a slot that are the number of a state.
    #[inline]
    fn number_mask(&self) -> u32 {
        self.slots.len() as u32 - 1
    }

    /// The bits of a hash that a slot has room for, above the number.
    pub(super) fn tag(&self, hash: u64) -> u32 {
        // The upper half: the lower bits choose the slot already.
        ((hash >> 32) as u32) << self.slot_bits
    }
}

/// States have a few words, too few to pay for a call of the library's comparison.
#[inline]
pub(super) fn is_same(one: &[Word], other: &[Word]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    /// Inserts groups of states, many of them twice, and compares each number with that of a lookup from the
    /// start.
    #[track_caller]
    fn check(width: usize, range: u64) {
        let mut random = Random(width as u64);
        let mut table = StateTable::new(width);
        let (mut steps, mut probes) = ([Steps::new(width), Steps::new(width)], Vec::new());
        let (mut known, mut new) = (0, 0);
        for _ in 0..3000 {
            for list in &mut steps {
                list.clear();
                for _ in 0..random.word() % 9 {
                    let state: Vec<Word> = (0..width).map(|_| random.word() % range).collect();
                    list.push((), &state);
                }
            }
            table.reserve(steps.iter().map(Steps::len).sum());
            table.probe_all(&steps, &mut probes);
            let targets = steps.iter().flat_map(Steps::iter).map(|(_, target)| target);
            for (target, probe) in targets.zip(&probes) {
                let found = table.find(target);
                let next = StateId(table.len() as u32);
                assert_eq!(table.insert_at(target, *probe), (found.unwrap_or(next), found.is_none()));
                *(if found.is_none() { &mut new } else { &mut known }) += 1;
            }
        }
        table.validate();
        assert!(known > 1000 && new > 1000, "{known} known, {new} new");
    }

    #[test]
    fn a_lookup_that_has_begun_finds_what_a_lookup_from_the_start_finds() {
        check(1, 8000);
        check(2, 80);
        check(3, 20);
    }
}
