//! Accesses of atomics by the running thread: from memory, or through its store buffer.

use super::atomic::atomic;
use super::buffers::NewStore;
use super::commits::commit_all;
use super::model::MemoryModel;
use super::shadow::Shadow;
use crate::control::State;
use crate::control::object::Sync;
use crate::control::race;
use selvedge_explore::ObjectId;
use std::sync::atomic::Ordering;

/// The value that a thread reads from an atomic.
pub(crate) enum View {
    /// The value in the atomic.
    Itself,
    /// A value that was committed since the last access; the reader writes it to the atomic.
    News(u64),
    /// The thread's own store, from its buffer.
    Own(u64),
}

/// What a store that goes to a buffer promises to its readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promises {
    /// Nothing: `Relaxed`.
    Nothing,
    /// An acquiring reader acquires all that the thread had seen and done: `Release`. The store is committed
    /// after earlier stores.
    Order,
    /// The same, but if each location has its own buffer the store may be committed before earlier stores to
    /// other locations. Such are stores to atomic references, for which the literature has no orderings.
    Release,
}

impl Promises {
    /// What a store of this ordering promises.
    pub(crate) fn of(order: Ordering) -> Promises {
        if race::releases(order) { Promises::Order } else { Promises::Nothing }
    }
}

/// The value that the running thread reads.
#[inline]
pub(in crate::control) fn view(state: &mut State, object: ObjectId) -> View {
    let own = state.buffers.own_store(&state.objects, state.running, object);
    let atomic = atomic(&mut state.objects[object].sync);
    match own {
        Some(value) => {
            state.step.observed = atomic.value;
            state.step.written.note(value);
            View::Own(value)
        }
        None => atomic.take_committed().map_or(View::Itself, View::News),
    }
}

/// The value that was committed since the last access. The caller writes it to the atomic.
#[inline]
pub(in crate::control) fn take_committed(state: &mut State, object: ObjectId) -> Option<u64> {
    atomic(&mut state.objects[object].sync).take_committed()
}

/// The value that the running thread would read, if it is not in the atomic. Changes nothing.
pub(in crate::control) fn peek(state: &State, object: ObjectId) -> Option<u64> {
    let own = state.buffers.own_store(&state.objects, state.running, object);
    own.or_else(|| match &state.objects[object].sync {
        Sync::Atomic(atomic) => atomic.is_ahead.then_some(atomic.value),
        _ => None,
    })
}

/// The running thread has written this value to an atomic, past its buffer.
#[inline]
pub(in crate::control) fn write_through(state: &mut State, object: ObjectId, value: u64, has_buffers: bool) {
    state.step.written.note(value);
    if has_buffers {
        let atomic = atomic(&mut state.objects[object].sync);
        atomic.value = value;
        atomic.writer = Some(state.running);
    }
}

/// The running thread stores to its buffer, while another value is in memory. Returns the shadow if the
/// atomic may not know it yet.
pub(in crate::control) fn buffer_store(
    state: &mut State,
    model: MemoryModel,
    object: ObjectId,
    (value, in_memory): (u64, u64),
    promises: Promises,
) -> Option<Shadow> {
    state.step.observed = in_memory;
    state.step.written.note(value);
    let (thread, run) = (state.running, state.run);
    let slot = &mut state.threads[thread];
    let mut clock = state.buffers.spare.pop().unwrap_or_default();
    if promises == Promises::Nothing {
        clock.copy_from(slot.fences.released());
    } else {
        clock.copy_from(&slot.clock);
        slot.clock.tick(thread.index());
    }
    let atomic = atomic(&mut state.objects[object].sync);
    let shadow = atomic.begin_buffering(value, in_memory, run, &mut state.buffers.shadows);
    let (site, is_ordered) = (slot.pending.site, promises == Promises::Order);
    let store = NewStore { object, value, site, clock, is_ordered };
    state.buffers.push(thread, store, model == MemoryModel::Pso);
    shadow
}

/// Is this value of an atomic in a buffer?
pub(in crate::control) fn is_buffered(state: &State, object: ObjectId, value: u64) -> bool {
    let mut stores = state.buffers.threads.iter().flat_map(|buffer| &buffer.stores);
    stores.any(|store| store.object == object && store.value == value)
}

/// The value in memory of an atomic that is a `static`.
#[inline]
pub(in crate::control) fn static_value(state: &mut State, object: ObjectId) -> u64 {
    atomic(&mut state.objects[object].sync).value
}

/// The running thread has changed the value in memory of an atomic that is a `static`.
#[inline]
pub(in crate::control) fn set_static_value(state: &mut State, object: ObjectId, value: u64) {
    atomic(&mut state.objects[object].sync).value = value;
}

/// A release fence of the running thread: its later stores are committed after its earlier ones.
pub(in crate::control) fn fence_stores(state: &mut State) {
    state.buffers.fence(state.running);
}

/// The running thread owns an atomic alone, so that all stores to it are committed. Returns its value, if
/// that is not in the atomic.
pub(in crate::control) fn settle(state: &mut State, object: ObjectId) -> Option<u64> {
    for place in 0..state.threads.ids().len() {
        commit_all(state, state.threads.ids()[place], |store| store.object == object);
    }
    take_committed(state, object)
}
