//! Stores leave their buffers: which of them can, and what becomes of memory then.

use super::buffers::{Buffer, Store, cell};
use crate::control::schedule::CandidateEvent;
use crate::control::state::State;
use selvedge_explore::{Event, ThreadId};

impl State {
    /// Lists the stores that can be committed, in the order of their phantoms.
    #[inline]
    pub(in crate::control) fn list_commits<L: CandidateEvent>(&self, out: &mut Vec<L>) {
        if self.buffers.count > 0 {
            // Where a thread has one buffer, its oldest store is the only one.
            let most = |buffer: &Buffer| if buffer.locations.is_empty() { 1 } else { usize::MAX };
            self.list_stores(out, most, |buffer, place| buffer.can_commit(place));
        }
    }

    /// Lists all stores that are in buffers, as commits.
    pub(in crate::control) fn list_uncommitted(&self, out: &mut Vec<Event>) {
        self.list_stores(out, |_| usize::MAX, |_, _| true);
    }

    fn list_stores<L: CandidateEvent>(
        &self,
        out: &mut Vec<L>,
        most: impl Fn(&Buffer) -> usize,
        is_listed: impl Fn(&Buffer, usize) -> bool,
    ) {
        let start = out.len();
        for (index, buffer) in self.buffers.threads.iter().enumerate() {
            let stores = buffer.stores.iter().enumerate().take(most(buffer));
            let listed = stores.filter(|(place, _)| is_listed(buffer, *place));
            out.extend(listed.map(|(_, store)| L::from(store.commit(ThreadId(index as u32)))));
        }
        if !out[start..].is_sorted_by_key(L::thread) {
            // Stable, so that stores of one buffer stay in their order.
            out[start..].sort_by_key(L::thread);
        }
    }

    /// The oldest store of a phantom's buffer goes to memory. Returns what was there.
    pub(in crate::control) fn commit(&mut self, phantom: ThreadId) -> u64 {
        let (owner, number) = (phantom.owner(), phantom.buffer());
        let buffer = self.buffers.of_mut(owner);
        let mine = |store: &Store| Some(store.buffer) == number;
        let place = buffer.stores.iter().position(mine).expect("a phantom that can go on has a store");
        self.noted.note(buffer.stores[place].value);
        self.commit_at(owner, place)
    }

    fn commit_at(&mut self, owner: ThreadId, place: usize) -> u64 {
        let mut store = self.buffers.of_mut(owner).take(place);
        self.buffers.count -= 1;
        let object = &mut self.objects[store.object.index()];
        std::mem::swap(&mut object.clock, &mut store.clock);
        object.changes = object.changes.wrapping_add(1);
        self.threads[owner.index()].looks.is_committed(store.object, object.changes);
        let cell = cell(&mut object.sync);
        let found = std::mem::replace(&mut cell.value, store.value);
        cell.is_ahead = true;
        cell.writer = Some(owner);
        cell.buffered -= 1;
        if let Some(shadow) = cell.shadow {
            // Who has the atomic alone and still has stores in its buffer finds the newest of these.
            let left = |buffer: &Buffer| buffer.newest(store.object).map(|store| store.value);
            let left =
                (cell.buffered > 0).then(|| self.buffers.threads.iter().rev().find_map(left)).flatten();
            shadow.set(Some(left.unwrap_or(store.value)));
        }
        self.buffers.spare.push(store.clock);
        found
    }

    /// The stores of a thread that are asked for go to memory at once, in their order.
    pub(super) fn commit_all(&mut self, owner: ThreadId, is_asked_for: impl Fn(&Store) -> bool) {
        let stores = |state: &State| state.buffers.of(owner).map_or(0, |buffer| buffer.stores.len());
        let mut place = 0;
        while place < stores(self) {
            if is_asked_for(&self.buffers.threads[owner.index()].stores[place]) {
                self.commit_at(owner, place);
            } else {
                place += 1;
            }
        }
    }

    /// Nothing of what is in buffers is ever committed: whose it is, is stopped.
    pub(in crate::control) fn discard_stores(&mut self) {
        for store in self.buffers.threads.iter().flat_map(|buffer| &buffer.stores) {
            let cell = cell(&mut self.objects[store.object.index()].sync);
            cell.buffered -= 1;
            if let Some(shadow) = cell.shadow {
                shadow.set(cell.is_ahead.then_some(cell.value));
            }
        }
        self.buffers.clear();
    }

    /// All stores of a thread go to memory at once.
    pub(in crate::control) fn flush(&mut self, owner: ThreadId) {
        if !self.buffers.is_empty(owner) {
            self.commit_all(owner, |_| true);
        }
    }
}
