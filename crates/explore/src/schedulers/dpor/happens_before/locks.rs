//! Locks for readers and writers in the reversal of a race.
//!
//! Read locks commute, and so do writers that begin to wait. So the state that the first event of a race
//! observed is not the state that the second event meets in the reversal: other readers and other waiting
//! writers are left. Here the state of the lock is computed from the events that the reversal keeps.
//!
//! A reader that waits for several writers, which have begun to wait one after the other, comes before all
//! of them or before none: the reversal removes the later ones together with the first.

use super::{HappensBefore, Race};
use crate::enabledness::Enabledness;
use crate::event::{Event, Kind};
use crate::ids::ObjectId;

/// The state of a lock, by the events that led to it.
#[derive(Debug, Default)]
struct LockState {
    has_writer: bool,
    /// The events that took the read locks that are held.
    readers: Vec<usize>,
    /// The events by which the waiting writers began to wait.
    waiting: Vec<usize>,
}

impl LockState {
    fn is_free(&self) -> bool {
        !self.has_writer && self.readers.is_empty()
    }

    fn admits_readers(&self) -> bool {
        !self.has_writer && self.waiting.is_empty()
    }
}

/// Is this the attempt of a writer to take a lock? It takes the lock, or begins to wait for readers.
pub(super) fn is_write_attempt(kind: Kind) -> bool {
    matches!(kind, Kind::WriteLock | Kind::WaitToWrite)
}

/// Does a thread announce both kinds of action in the same way?
pub(super) fn is_same_announcement(one: Kind, other: Kind) -> bool {
    one == other || is_write_attempt(one) && is_write_attempt(other)
}

impl HappensBefore {
    /// Could the second event, which takes a lock or begins to wait for it, have been executed just before
    /// the first, which uses the same lock?
    pub(super) fn is_lock_reversible(&self, first: usize, second: usize) -> bool {
        let Event { action, .. } = &self.events[second];
        if action.kind == Kind::ReadLock {
            return self.blocking_writers(first, second).is_some();
        }
        let state = self.lock_without(&[first], action.object);
        let waits = |begun: &usize| self.thread_of[*begun] == self.thread_of[second];
        state.is_free() || !state.has_writer && !state.waiting.iter().any(waits)
    }

    /// The events that the reversal of a race removes beside its first event, each with all events that
    /// happen after it.
    pub(in super::super) fn also_removed(&self, race: Race) -> Vec<usize> {
        if let Some(throw) = self.interrupted_by(race.second) {
            return vec![throw];
        }
        let [one, other] = [race.first, race.second].map(|at| &self.events[at].action);
        let is_overtaken = one.kind == Kind::WaitToWrite && one.object == other.object;
        if other.kind != Kind::ReadLock || !is_overtaken {
            return Vec::new();
        }
        self.blocking_writers(race.first, race.second).map_or(Vec::new(), |writers| writers[1..].to_vec())
    }

    /// The events to remove, with all events that happen after them, so that a reader is enabled before the
    /// first: the first itself, and the later writers that would wait without it. `None` if a writer has the
    /// lock, or has begun to wait earlier, or before the reader in every run.
    fn blocking_writers(&self, first: usize, reader: usize) -> Option<Vec<usize>> {
        let mut removed = vec![first];
        let mut past = vec![0; self.clocks.width];
        self.mandatory_clock(reader, &mut past);
        loop {
            let state = self.lock_without(&removed, self.events[reader].action.object);
            if state.admits_readers() {
                return Some(removed);
            }
            let must_stay =
                |begun: &usize| *begun < first || self.number[*begun] <= past[self.thread_of[*begun]];
            if state.has_writer || state.waiting.iter().any(must_stay) {
                return None;
            }
            removed.extend(state.waiting);
        }
    }

    /// The state of a lock after all events that do not happen after a removed one.
    fn lock_without(&self, removed: &[usize], lock: Option<ObjectId>) -> LockState {
        let is_removed =
            |event: usize| removed.iter().any(|gone| *gone <= event && self.is_ordered(*gone, event));
        let mut state = LockState::default();
        for at in (0..self.executed).filter(|at| self.events[*at].action.object == lock) {
            let Event { action, effect, .. } = &self.events[at];
            match action.kind {
                _ if effect.read_only || is_removed(at) => {}
                Kind::ReadLock | Kind::TryReadLock => state.readers.push(at),
                Kind::WriteLock | Kind::TryWriteLock => state.has_writer = true,
                Kind::UnlockWrite => state.has_writer = false,
                Kind::Downgrade => {
                    state.has_writer = false;
                    state.readers.push(at);
                }
                Kind::WaitToWrite => state.waiting.push(at),
                Kind::UnlockRead => self.unlock_read(&mut state, at),
                _ => {}
            }
        }
        state
    }

    fn unlock_read(&self, state: &mut LockState, at: usize) {
        let is_own = |taken: &usize| self.thread_of[*taken] == self.thread_of[at];
        if let Some(own) = state.readers.iter().rposition(is_own) {
            state.readers.remove(own);
        }
        if state.readers.is_empty() {
            state.waiting.clear();
        }
    }

    /// The second event of a race as it is in the reversal, which also removes these events; `None` if it
    /// uses no lock for readers and writers.
    pub(in super::super) fn predict_on_lock(&self, race: Race, also_removed: &[usize]) -> Option<Event> {
        let mut event = self.events[race.second];
        let object = event.action.object;
        let state = || self.lock_without(&[&[race.first], also_removed].concat(), object);
        match event.action.kind {
            Kind::TryReadLock => event.effect.read_only = !state().admits_readers(),
            Kind::TryWriteLock => event.effect.read_only = !state().is_free(),
            Kind::WriteLock | Kind::WaitToWrite => {
                event.action.kind = if state().is_free() { Kind::WriteLock } else { Kind::WaitToWrite };
            }
            Kind::UnlockRead => {
                event.effect.observed &= !Enabledness::WRITER_WAITS;
                event.effect.observed |= u64::from(!state().waiting.is_empty()) * Enabledness::WRITER_WAITS;
            }
            _ => return None,
        }
        Some(event)
    }
}
