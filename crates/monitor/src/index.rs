//! An index from values to their numbers, which does not hold the values.
//!
//! Open addressing with linear probing of buckets. A bucket is one line of a processor's cache. Its ten
//! slots are compared at once, by arithmetic on words of four tags (Lamport, Multiple byte processing with
//! full-word instructions, 1975): how far a value is from its place is a branch that a processor cannot
//! predict. The values are compared where they are stored.
//!
//! Promise: a bucket with a vacant slot ends the search, as its slots are filled in order.

/// Numbers by the hashes of values.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// A power of two, or none.
    buckets: Vec<Bucket>,
    count: usize,
}

/// The number of slots of a bucket.
const SLOTS: usize = 10;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Bucket {
    /// Four tags of 16 bits each, in the order of the slots; [`VACANT_TAG`] if a slot, or the rest of the
    /// last word, has none.
    tags: [u64; 3],
    numbers: [u32; SLOTS],
}

/// The tag of a vacant slot, and of no value.
const VACANT_TAG: u16 = 0;
const VACANT: Bucket = Bucket { tags: [0; 3], numbers: [0; SLOTS] };

impl Bucket {
    /// The slots with this tag.
    #[inline]
    fn slots_with(&self, tag: u16) -> Slots {
        const LOW: u64 = 0x7fff_7fff_7fff_7fff;
        let tag = u64::from(tag) * 0x0001_0001_0001_0001;
        // The highest bit of each part of a word that is zero, and no other bit.
        let zeros = |word: u64| !(((word & LOW) + LOW) | word | LOW);
        let [first, second, third] = self.tags.map(|tags| zeros(tags ^ tag));
        Slots((first >> 15) | (second >> 14) | (third >> 13))
    }

    #[inline]
    fn tag(&self, slot: usize) -> u16 {
        (self.tags[slot / 4] >> (slot % 4 * 16)) as u16
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.tag(SLOTS - 1) != VACANT_TAG
    }
}

/// A set of slots: bit `w` of part `n` of 16 bits stands for slot `4 w + n`.
struct Slots(u64);

impl Slots {
    /// A slot of the set; `SLOTS` or more if it is empty, or if it is behind the last slot.
    #[inline]
    fn any(&self) -> usize {
        let bit = self.0.trailing_zeros() as usize;
        bit % 16 * 4 + bit / 16
    }

    #[inline]
    fn remove_any(&mut self) {
        self.0 &= self.0 - 1;
    }
}

impl Index {
    /// The number of a value with this hash; `is_it` compares the value that has the number.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        // Where a value is, one of a few, can be predicted.
        if let [bucket] = &self.buckets[..]
            && let Some(slot) = (0..4).find(|slot| bucket.tag(*slot) == tag(hash))
            && is_it(bucket.numbers[slot])
        {
            return Some(bucket.numbers[slot]);
        }
        self.search(hash, is_it)
    }

    /// The same, one of many values.
    #[inline(never)]
    fn search(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.buckets.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        loop {
            let bucket = self.buckets.get(at)?;
            let mut slots = bucket.slots_with(tag(hash));
            while slots.0 != 0 {
                let number = bucket.numbers[slots.any()];
                if is_it(number) {
                    return Some(number);
                }
                slots.remove_any();
            }
            if !bucket.is_full() {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    /// A part of the bucket that is the place of a value with this hash.
    #[inline]
    pub(crate) fn look_ahead(&self, hash: u64) -> u64 {
        let place = hash as usize & self.buckets.len().wrapping_sub(1);
        self.buckets.get(place).map_or(0, |bucket| bucket.tags[0])
    }

    /// A value at this place that may have this hash; not always the one that [`find`](Self::find) finds.
    #[inline]
    pub(crate) fn candidate(&self, hash: u64) -> Option<u32> {
        let bucket = self.buckets.get(hash as usize & self.buckets.len().wrapping_sub(1))?;
        bucket.numbers.get(bucket.slots_with(tag(hash)).any()).copied()
    }

    /// Adds a value with this hash that is not in the index; `hash_of` is the hash of the value that has a
    /// number.
    pub(crate) fn insert(&mut self, hash: u64, number: u32, hash_of: impl Fn(u32) -> u64) {
        // At least an eighth of the slots is vacant.
        if 8 * (self.count + 1) > 7 * SLOTS * self.buckets.len() {
            self.rebuild((2 * self.buckets.len()).max(1), |number| Some(hash_of(number)));
        }
        self.place(hash, number);
    }

    /// Removes all values but those to be kept, whose hashes `hash_of_kept` knows.
    pub(crate) fn retain(&mut self, hash_of_kept: impl Fn(u32) -> Option<u64>) {
        self.rebuild(self.buckets.len(), hash_of_kept);
    }

    fn rebuild(&mut self, length: usize, hash_of_kept: impl Fn(u32) -> Option<u64>) {
        let old = std::mem::replace(&mut self.buckets, vec![VACANT; length]);
        self.count = 0;
        for bucket in old {
            let is_filled = |slot: &usize| bucket.tag(*slot) != VACANT_TAG;
            for number in (0..SLOTS).filter(is_filled).map(|slot| bucket.numbers[slot]) {
                if let Some(hash) = hash_of_kept(number) {
                    self.place(hash, number);
                }
            }
        }
    }

    fn place(&mut self, hash: u64, number: u32) {
        let mask = self.buckets.len() - 1;
        let mut at = hash as usize & mask;
        while self.buckets[at].is_full() {
            at = (at + 1) & mask;
        }
        let bucket = &mut self.buckets[at];
        let slot = (0..SLOTS).find(|slot| bucket.tag(*slot) == VACANT_TAG).expect("it is not full");
        bucket.tags[slot / 4] |= u64::from(tag(hash)) << (slot % 4 * 16);
        bucket.numbers[slot] = number;
        self.count += 1;
    }
}

/// The part of a hash that a slot has. The low bits of the hash are the place of the value.
#[inline]
fn tag(hash: u64) -> u16 {
    (hash >> 48) as u16 | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_one_line_of_a_cache() {
        assert_eq!((size_of::<Bucket>(), align_of::<Bucket>()), (64, 64));
    }

    #[test]
    fn the_slots_with_a_tag_are_those_with_an_equal_tag() {
        for tag in [1, 3, 0x7fff, 0x8001, 0xffff] {
            for pattern in 0_u32..1 << SLOTS {
                let mut bucket = VACANT;
                for slot in 0..SLOTS {
                    let other = [VACANT_TAG, tag ^ 2, tag ^ 0x8000][(pattern as usize + slot) % 3];
                    let here = if pattern >> slot & 1 == 1 { tag } else { other };
                    bucket.tags[slot / 4] |= u64::from(here) << (slot % 4 * 16);
                }
                let mut slots = bucket.slots_with(tag);
                let mut found = 0;
                while slots.0 != 0 {
                    found |= 1 << slots.any();
                    slots.remove_any();
                }
                assert_eq!(found, pattern, "{tag:x}");
            }
        }
    }

    /// Inserts values, removes a third of them, and inserts these again.
    fn check(count: u32, hash: impl Fn(u32) -> u64) {
        let mut index = Index::default();
        let find = |index: &Index, value: u32| index.find(hash(value), |number| number == value);
        for value in 0..count {
            assert_eq!(find(&index, value), None);
            index.insert(hash(value), value, &hash);
            assert_eq!(find(&index, value), Some(value));
        }
        index.retain(|value| (value % 3 != 0).then(|| hash(value)));
        for value in 0..count {
            assert_eq!(find(&index, value), (value % 3 != 0).then_some(value));
        }
        for value in (0..count).step_by(3) {
            index.insert(hash(value), value, &hash);
        }
        assert!((0..count).all(|value| find(&index, value) == Some(value)));
    }

    #[test]
    fn values_with_one_hash_are_told_apart() {
        for count in [1, 8, 9, 10, 11, 1_000] {
            check(count, |value| u64::from(value).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            check(count, |value| u64::from(value / 20));
            check(count, |value| u64::from(value % 2) << 48);
        }
    }
}
