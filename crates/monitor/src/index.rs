//! An index from values to their numbers, which does not hold the values.
//!
//! Open addressing with linear probing. A slot takes eight bytes, so that the index of many propositions
//! stays in the caches of a processor; the values are compared where they are stored.

/// Numbers by the hashes of values.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// A power of two, or none; at least an eighth of them is vacant.
    slots: Vec<Slot>,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The low half of the hash.
    hash: u32,
    number: u32,
}

/// The number in a vacant slot.
const VACANT: Slot = Slot { hash: 0, number: u32::MAX };
/// The number of slots at first.
const FIRST_LENGTH: usize = 16;

impl Index {
    /// The number of a value with this hash; `is_it` compares the value that has the number.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let (hash, mask) = (fold(hash), self.slots.len() - 1);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.number == VACANT.number {
                return None;
            }
            if slot.hash == hash && is_it(slot.number) {
                return Some(slot.number);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of the first value that has this hash, or one with the same low half.
    #[inline]
    pub(crate) fn first(&self, hash: u64) -> Option<u32> {
        let (hash, mask) = (fold(hash), self.slots.len().checked_sub(1)?);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.hash == hash || slot.number == VACANT.number {
                return (slot.number != VACANT.number).then_some(slot.number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a value with this hash that is not in the index.
    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        if 8 * (self.count + 1) > 7 * self.slots.len() {
            let length = (2 * self.slots.len()).max(FIRST_LENGTH);
            let old = std::mem::replace(&mut self.slots, vec![VACANT; length]);
            old.into_iter().filter(|slot| slot.number != VACANT.number).for_each(|slot| self.place(slot));
        }
        self.count += 1;
        self.place(Slot { hash: fold(hash), number });
    }

    /// Removes a value with this hash and number, which is in the index.
    pub(crate) fn remove(&mut self, hash: u64, number: u32) {
        let mask = self.slots.len() - 1;
        let mut at = fold(hash) as usize & mask;
        while self.slots[at].number != number {
            at = (at + 1) & mask;
        }
        // What follows is moved to the gap, unless the gap is before its own place.
        let mut next = at;
        loop {
            next = (next + 1) & mask;
            let slot = self.slots[next];
            if slot.number == VACANT.number {
                break;
            }
            let distance = next.wrapping_sub(slot.hash as usize) & mask;
            if distance >= next.wrapping_sub(at) & mask {
                self.slots[at] = slot;
                at = next;
            }
        }
        self.slots[at] = VACANT;
        self.count -= 1;
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = slot.hash as usize & mask;
        while self.slots[at].number != VACANT.number {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

#[inline]
fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_one_hash_are_told_apart() {
        let mut index = Index::default();
        let values: Vec<u64> = (0..1_000).collect();
        let hash = |value: u64| value / 10;
        for (number, value) in (0..).zip(&values) {
            assert_eq!(index.find(hash(*value), |number| values[number as usize] == *value), None);
            index.insert(hash(*value), number);
        }
        for (number, value) in (0..).zip(&values) {
            assert_eq!(index.find(hash(*value), |number| values[number as usize] == *value), Some(number));
        }
        for (number, value) in (0..).zip(&values).step_by(3) {
            index.remove(hash(*value), number);
        }
        for (number, value) in (0..).zip(&values) {
            let expected = (number % 3 != 0).then_some(number);
            assert_eq!(index.find(hash(*value), |number| values[number as usize] == *value), expected);
        }
    }
}
