//! The states of a search by levels, with their parents.
//!
//! A [`SharedTable`] whose notes are parents. Numbers grow from level to level, so the states of a level are
//! those of a range of numbers, a few of which have no state.
//!
//! Promise: of several parents of a state, the one with the least rank is kept, whatever the timing.

use super::shared_table::{Session, SharedTable};
use crate::store::{StateId, hash};
use crate::sync::atomic::Ordering;
use crate::system::{States, Word};
use std::ops::Range;

/// The states that were found.
#[derive(Debug)]
pub(super) struct LevelTable {
    pub(super) states: SharedTable,
}

/// A state from which another was discovered, as a note: its rank, which is a part of its hash, above its
/// number and one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parent(pub(super) Word);

impl Parent {
    pub(super) fn new(id: StateId, state: &[Word]) -> Parent {
        Parent(hash(state) >> 32 << 32 | u64::from(id.0 + 1))
    }

    /// A parent that will not be compared.
    pub(super) fn unranked(id: StateId) -> Parent {
        Parent(u64::from(id.0) + 1)
    }

    pub(super) fn id(self) -> StateId {
        StateId(self.0 as u32 - 1)
    }

    fn rank(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl LevelTable {
    pub(super) fn new(width: usize, most: Option<usize>) -> LevelTable {
        LevelTable { states: SharedTable::with_notes(width, most) }
    }

    /// The state with this number.
    pub(super) fn state(&self, id: StateId) -> Box<[Word]> {
        self.states.state_words(id).collect()
    }

    /// The parent of a state; `None` if there is no state with this number. An initial state is its own.
    #[inline]
    pub(super) fn parent(&self, id: StateId) -> Option<StateId> {
        let note = self.states.note(id).load(Ordering::Relaxed);
        (note != 0).then(|| Parent(note).id())
    }

    /// A state that is discovered again has another parent: keeps the one with the least rank.
    #[inline]
    pub(super) fn choose_parent(&self, id: StateId, parent: Parent) {
        let note = self.states.note(id);
        let mut known = Parent(note.load(Ordering::Relaxed));
        while parent.rank() <= known.rank() && self.is_before(parent, known) {
            match note.compare_exchange(known.0, parent.0, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => break,
                Err(other) => known = Parent(other),
            }
        }
    }

    /// The order of parents of which the first has no greater rank. Where ranks are equal, words decide.
    fn is_before(&self, one: Parent, other: Parent) -> bool {
        let words = |parent: Parent| self.states.state_words(parent.id());
        one.rank() < other.rank() || one != other && words(one).lt(words(other))
    }

    /// Stores an initial state. Returns its number, and whether it is new; `None` if it is above the limit.
    pub(super) fn add_initial(&self, session: &mut Session<'_>, state: &[Word]) -> Option<(StateId, bool)> {
        session.reserve(1);
        let probe = session.probe(state);
        let (id, is_new) = session.insert_noted(state, probe, Some(Parent::new(StateId(0), state).0))?;
        if is_new {
            self.states.note(id).store(Parent::new(id, state).0, Ordering::Relaxed);
        }
        Some((id, is_new))
    }

    /// The states with these numbers, with their numbers, in the order of their words.
    pub(super) fn sorted(&self, ids: &[StateId]) -> Vec<(Box<[Word]>, StateId)> {
        let mut sorted: Vec<_> = ids.iter().map(|id| (self.state(*id), *id)).collect();
        sorted.sort_unstable();
        sorted
    }

    /// Copies the states with these numbers.
    pub(super) fn read(&self, numbers: Range<u32>, ids: &mut Vec<StateId>, states: &mut States) {
        ids.clear();
        ids.extend(numbers.map(StateId).filter(|id| self.parent(*id).is_some()));
        states.clear();
        let mut words = Vec::new();
        for id in &*ids {
            self.states.read(*id, &mut words);
            states.push(&words);
        }
    }
}
