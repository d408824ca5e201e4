//! A bit for each stored state.

use super::StateId;

/// A set of states, by their numbers, as bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateBits {
    words: Vec<u64>,
}

impl StateBits {
    /// Adds a state. Returns whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, state: StateId) -> bool {
        let (word, bit) = (state.index() / 64, 1 << (state.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    pub(crate) fn contains(&self, state: StateId) -> bool {
        self.words.get(state.index() / 64).is_some_and(|word| word >> (state.index() % 64) & 1 == 1)
    }

    /// The bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_new_once() {
        let mut set = StateBits::default();
        for number in [0, 63, 64, 1000, 5] {
            assert!(!set.contains(StateId(number)));
            assert!(set.insert(StateId(number)) && !set.insert(StateId(number)));
            assert!(set.contains(StateId(number)) && !set.contains(StateId(number + 1)));
        }
    }
}
