//! Commits: a store leaves its buffer and becomes the value in memory.

use super::atomic::atomic;
use super::buffers::Store;
use crate::control::State;
use selvedge_explore::ThreadId;

/// The oldest store of a phantom's buffer goes to memory. Returns the old value.
pub(in crate::control) fn commit(state: &mut State, phantom: ThreadId) -> u64 {
    let (owner, number) = (phantom.owner(), phantom.buffer());
    let buffer = state.buffers.of_mut(owner);
    let is_own = |store: &Store| Some(store.buffer) == number;
    let place = buffer.stores.iter().position(is_own).expect("a phantom that is enabled has a store");
    state.step.written.note(buffer.stores[place].value);
    commit_at(state, owner, place)
}

fn commit_at(state: &mut State, owner: ThreadId, place: usize) -> u64 {
    let mut store = state.buffers.of_mut(owner).take(place);
    state.buffers.count -= 1;
    let object = &mut state.objects[store.object];
    std::mem::swap(&mut object.clock, &mut store.clock);
    object.changes = object.changes.wrapping_add(1);
    state.threads[owner].spin.own_store_committed(store.object, object.changes);
    let atomic = atomic(&mut object.sync);
    let before = std::mem::replace(&mut atomic.value, store.value);
    atomic.is_ahead = true;
    atomic.writer = Some(owner);
    atomic.buffered -= 1;
    if let Some(shadow) = atomic.shadow {
        // A thread that owns the atomic alone and still has stores in its buffer finds the newest of these.
        let newest = |thread: &ThreadId| Some(state.buffers.of(*thread)?.newest(store.object)?.value);
        let has_more = atomic.buffered > 0;
        let newest = has_more.then(|| state.threads.ids().iter().rev().find_map(newest)).flatten();
        shadow.set(Some(newest.unwrap_or(store.value)));
    }
    state.buffers.spare.push(store.clock);
    before
}

/// The stores of a thread that match go to memory at once, in program order.
pub(super) fn commit_all(state: &mut State, owner: ThreadId, matches: impl Fn(&Store) -> bool) {
    let count = |state: &State| state.buffers.of(owner).map_or(0, |buffer| buffer.stores.len());
    let mut place = 0;
    while place < count(state) {
        if matches(&state.buffers.threads[owner.index()].stores[place]) {
            commit_at(state, owner, place);
        } else {
            place += 1;
        }
    }
}

/// No store in a buffer is ever committed: their threads are stopped.
pub(in crate::control) fn discard_stores(state: &mut State) {
    for store in state.buffers.threads.iter().flat_map(|buffer| &buffer.stores) {
        let atomic = atomic(&mut state.objects[store.object].sync);
        atomic.buffered -= 1;
        if let Some(shadow) = atomic.shadow {
            shadow.set(atomic.is_ahead.then_some(atomic.value));
        }
    }
    state.buffers.discard();
}

/// All stores of a thread go to memory at once.
pub(in crate::control) fn flush(state: &mut State, owner: ThreadId) {
    if !state.buffers.is_empty(owner) {
        commit_all(state, owner, |_| true);
    }
}
