//! Wide states stored as trees of pairs.
//!
//! Laarman, van de Pol and Weber, Parallel Recursive State Compression for Free, SPIN 2011. Every word of a
//! state is stored once and replaced by its number; two adjacent numbers are a word again, which is stored
//! once, and so on, until a single word is left, the root. States that differ in a few words share the trees
//! of the others, so a state costs about as much as its root. We differ in one place: roots have their own
//! table, so that states are numbered in order.
//!
//! Promise: the numbers are those that a [`StateTable`] of whole states gives. A state of one word is its
//! own root.

use super::{Probe, StateId, StateTable, hash};
use crate::system::Word;

/// A set of states of the same width, as a table of whole states or as trees.
#[derive(Clone, Debug)]
pub struct StateSet {
    width: usize,
    /// Whole states, or the roots of their trees.
    top: StateTable,
    /// The words below the roots; `None` if states are stored whole.
    below: Option<StateTable>,
    /// The numbers of one level of a tree; a buffer.
    level: Vec<u32>,
}

/// A lookup that has begun, and the root of the state's tree if there is one.
#[derive(Clone, Copy, Debug)]
pub struct StateProbe {
    root: Word,
    top: Probe,
}

impl StateSet {
    /// An empty set of states of `width` words, at least one; `compress` stores states of several words as
    /// trees.
    pub fn new(width: usize, compress: bool) -> StateSet {
        let is_tree = compress && width > 1;
        StateSet {
            width,
            top: StateTable::new(if is_tree { 1 } else { width }),
            below: is_tree.then(|| StateTable::new(1)),
            level: Vec::new(),
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.top.len()
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.top.is_empty()
    }

    /// The bytes in use.
    pub fn memory(&self) -> usize {
        self.top.memory() + self.below.as_ref().map_or(0, StateTable::memory)
    }

    /// The state with this number; a compressed state is unfolded into the buffer.
    #[inline]
    pub fn get<'a>(&'a self, id: StateId, buffer: &'a mut Vec<Word>) -> &'a [Word] {
        match &self.below {
            None => self.top.get(id),
            Some(below) => {
                unfold(below, self.top.get(id)[0], self.width, buffer);
                buffer
            }
        }
    }

    /// An owned copy of the state with this number.
    pub fn state(&self, id: StateId) -> Box<[Word]> {
        self.get(id, &mut Vec::new()).into()
    }

    /// All states in order.
    pub fn iter(&self) -> impl Iterator<Item = Box<[Word]>> {
        (0..self.len()).map(|id| self.state(StateId(id as u32)))
    }

    /// Makes room for this many more states; see [`StateTable::reserve`].
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        self.top.reserve(more);
    }

    /// Begins a lookup; see [`StateTable::probe`].
    #[inline]
    pub fn probe(&mut self, state: &[Word]) -> StateProbe {
        self.probe_hash(state, || hash(state))
    }

    /// The same for a state whose hash may be known; a tree does not need it.
    #[inline]
    pub(crate) fn probe_hash(&mut self, state: &[Word], hash: impl FnOnce() -> u64) -> StateProbe {
        let Some(below) = &mut self.below else {
            return StateProbe { root: 0, top: self.top.probe_hash(hash()) };
        };
        let number = |word: Word| Some(below.insert(&[word]).0.0);
        let root = fold(state, &mut self.level, number).expect("a stored word has a number");
        StateProbe { root, top: self.top.probe(&[root]) }
    }

    /// The number of the probed state, and whether it is new.
    #[inline]
    pub fn insert_at(&mut self, state: &[Word], probe: StateProbe) -> (StateId, bool) {
        self.insert_if(state, probe, || true).expect("a state that is allowed")
    }

    /// The same, but a new state is stored only if `is_allowed` says so; `None` if it does not.
    #[inline]
    pub(crate) fn insert_if(
        &mut self,
        state: &[Word],
        probe: StateProbe,
        is_allowed: impl FnOnce() -> bool,
    ) -> Option<(StateId, bool)> {
        match self.below {
            None => self.top.insert_if(state, probe.top, is_allowed),
            Some(_) => self.top.insert_if(&[probe.root], probe.top, is_allowed),
        }
    }

    /// The state's number, and whether it is new.
    pub fn insert(&mut self, state: &[Word]) -> (StateId, bool) {
        self.reserve(1);
        let probe = self.probe(state);
        self.insert_at(state, probe)
    }

    /// The state's number, if it is stored.
    pub fn find(&self, state: &[Word]) -> Option<StateId> {
        let Some(below) = &self.below else { return self.top.find(state) };
        let number = |word: Word| below.find(&[word]).map(|id| id.0);
        self.top.find(&[fold(state, &mut Vec::new(), number)?])
    }

    /// Panics, saying which invariant broke.
    #[cfg(test)]
    fn validate(&self) {
        self.top.validate();
        let Some(below) = &self.below else { return };
        below.validate();
        for (id, state) in (0..).map(StateId).zip(self.iter()) {
            assert_eq!(state.len(), self.width, "an unfolded state has its width");
            assert_eq!(self.find(&state), Some(id), "a state that is unfolded and folded again is the same");
        }
    }
}

fn pair(left: u32, right: u32) -> Word {
    u64::from(left) << 32 | u64::from(right)
}

/// The root of a state of at least two words; `number` gives the numbers of words, `level` is a buffer.
fn fold(state: &[Word], level: &mut Vec<u32>, mut number: impl FnMut(Word) -> Option<u32>) -> Option<Word> {
    level.clear();
    for word in state {
        level.push(number(*word)?);
    }
    while level.len() > 2 {
        let pairs = level.len() / 2;
        for index in 0..pairs {
            level[index] = number(pair(level[2 * index], level[2 * index + 1]))?;
        }
        // The last of an odd number goes up as it is.
        if level.len() % 2 == 1 {
            level[pairs] = level[2 * pairs];
        }
        level.truncate(level.len().div_ceil(2));
    }
    Some(pair(level[0], level[1]))
}

/// The state with this root.
fn unfold(below: &StateTable, root: Word, width: usize, state: &mut Vec<Word>) {
    state.clear();
    state.extend([root >> 32, root & u64::from(u32::MAX)]);
    let word = |id: Word| below.get(StateId(id as u32))[0];
    // The sizes of the levels from the words up; the topmost is two numbers.
    let mut height = 0;
    while width.div_ceil(1 << height) > 2 {
        height += 1;
    }
    for height in (0..height).rev() {
        let size = width.div_ceil(1 << height);
        let above = state.len();
        state.resize(size, 0);
        // Backwards, so that nothing is overwritten before it is read.
        for index in (0..above).rev() {
            let id = state[index];
            if 2 * index + 1 < size {
                let pair = word(id);
                (state[2 * index], state[2 * index + 1]) = (pair >> 32, pair & u64::from(u32::MAX));
            } else {
                state[2 * index] = id;
            }
        }
    }
    for id in state.iter_mut() {
        *id = word(*id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Random;

    /// States of some width whose words are below a bound, many of them several times.
    #[track_caller]
    fn check(width: usize, count: usize, bound: u64) {
        let mut random = Random((width as u64 * 1000).wrapping_add(bound));
        let (mut plain, mut tree) = (StateTable::new(width), StateSet::new(width, true));
        for _ in 0..count {
            let state: Vec<Word> = (0..width).map(|_| random.word() % bound).collect();
            assert_eq!(tree.find(&state), plain.find(&state));
            assert_eq!(tree.insert(&state), plain.insert(&state));
            if tree.len().is_power_of_two() {
                tree.validate();
            }
        }
        tree.validate();
        assert_eq!(tree.len(), plain.len());
        let mut buffer = Vec::new();
        for (id, state) in plain.iter().enumerate() {
            assert_eq!(tree.get(StateId(id as u32), &mut buffer), state);
        }
    }

    #[test]
    fn trees_agree_with_whole_states() {
        for width in 1..=17 {
            check(width, 3000, 2);
            check(width, 3000, 5);
            check(width, 300, u64::MAX);
        }
        check(100, 2000, 2);
    }

    #[test]
    fn wide_states_that_share_words_cost_little_more_than_a_root() {
        let mut tree = StateSet::new(8, true);
        let mut plain = StateSet::new(8, false);
        for number in 0..100_000_u64 {
            let state: Vec<Word> = (0..8).map(|position| number / 5_u64.pow(position) % 5).collect();
            tree.insert(&state);
            plain.insert(&state);
        }
        assert!(tree.memory() * 3 < plain.memory(), "{} and {} bytes", tree.memory(), plain.memory());
    }
}
