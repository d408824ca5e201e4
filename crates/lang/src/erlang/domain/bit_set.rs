//! Sets of small numbers: regions of integers, or elements of a domain.
//!
//! Promise: a set has no allocation of its own; the same numbers are equal sets.

/// One more than the largest number of a set.
pub(super) const CAPACITY: usize = 256;

/// A set of numbers below [`CAPACITY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct BitSet([u64; CAPACITY / 64]);

impl BitSet {
    /// The numbers below the bound.
    pub(super) fn below(bound: usize) -> BitSet {
        (0..bound).collect()
    }

    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == BitSet::default()
    }

    pub(super) fn union(&self, other: &BitSet) -> BitSet {
        self.combined(other, |a, b| a | b)
    }

    pub(super) fn intersection(&self, other: &BitSet) -> BitSet {
        self.combined(other, |a, b| a & b)
    }

    pub(super) fn difference(&self, other: &BitSet) -> BitSet {
        self.combined(other, |a, b| a & !b)
    }

    pub(super) fn is_subset(&self, other: &BitSet) -> bool {
        self.difference(other).is_empty()
    }

    /// The numbers, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len()).flat_map(|word| {
            let mut rest = self.0[word];
            std::iter::from_fn(move || {
                let lowest = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(word * 64 + lowest)
            })
        })
    }

    fn combined(&self, other: &BitSet, combine: impl Fn(u64, u64) -> u64) -> BitSet {
        BitSet(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let numbers = [0, 1, 63, 64, 130, 255];
        let set: BitSet = numbers.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), numbers);
        assert_eq!(set.len(), numbers.len());
        assert!((0..CAPACITY).all(|number| set.contains(number) == numbers.contains(&number)));
        assert!(BitSet::below(2).is_subset(&set) && !BitSet::below(3).is_subset(&set));
        assert_eq!(set.difference(&BitSet::below(64)).iter().next(), Some(64));
        assert!(set.intersection(&set.difference(&set)).is_empty());
        assert_eq!(BitSet::below(63).union(&set).len(), 63 + 4);
    }
}
