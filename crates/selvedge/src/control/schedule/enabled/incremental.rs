//! The enabled events after a step, from the enabled events before it.
//!
//! A step concerns few threads: its own, the waiters of the objects that it changed, the joiners of a thread
//! that it ended, and a thread that it spawned or unparked. After such a step the list is changed in these
//! places; after all other steps it is computed anew.
//!
//! Promise: the list is the one that [`compute_enabled`](super::compute_enabled) makes; the tests of this
//! crate compare the two at every step.

use super::super::candidates::CandidateEvent;
use super::super::executed_action::ExecutedAction;
use super::can_execute;
use crate::control::State;
use crate::control::object;
use crate::control::thread::{Pending, Status};
use selvedge_explore::{Kind, ThreadId};

/// The event at this index of the list is executed. Changes the events of other threads. Returns the index
/// of the event then, or nothing if the list has to be computed anew.
#[inline(always)]
pub(in crate::control::schedule) fn update_others<L: CandidateEvent>(
    state: &mut State,
    executed: &ExecutedAction,
    index: usize,
    list: &mut Vec<L>,
) -> Option<usize> {
    let conditions = &state.conditions;
    match executed.kind {
        _ if conditions.is_stale || conditions.has_throwers || conditions.spins_freely => None,
        _ if conditions.is_body_over => None,
        Kind::Load | Kind::Fence | Kind::Join => Some(index),
        // A store to a buffer can be committed; a store to memory wakes spinning threads.
        Kind::Store | Kind::Update if executed.is_buffered || conditions.has_spinners => None,
        Kind::Store | Kind::Update => {
            if !state.step.read_only {
                L::overwrite(executed.object, list);
            }
            Some(index)
        }
        kind if object::concerns_only_waiters(kind) => update_waiters(state, executed, index, list),
        Kind::Spawn => insert_child(state, index, list),
        Kind::Park if is_simple(state) && !has_other_events(list, index) => Some(index),
        Kind::Unpark => insert_unparked(state, executed, index, list),
        _ => None,
    }
}

/// Does the list have other events of the thread whose event is at this index: was its action a wait that
/// could time out?
#[inline(always)]
fn has_other_events<L: CandidateEvent>(list: &[L], index: usize) -> bool {
    let is_same = |other: &L| other.thread() == list[index].thread();
    list.get(index + 1).is_some_and(is_same) || index > 0 && is_same(&list[index - 1])
}

/// Does an action with this object wait for something that the executed action changed?
#[inline(always)]
fn is_waiter(pending: &Pending, executed: &ExecutedAction) -> bool {
    let object = pending.action.object;
    pending.may_wait && object.is_some() && (object == executed.object || object == executed.second)
}

/// Does no condition hold by which a step concerns threads other than the waiters of its object?
#[inline(always)]
fn is_simple(state: &State) -> bool {
    !state.conditions.is_stale
        && !state.conditions.has_throwers
        && !state.conditions.has_spinners
        && !state.conditions.spins_freely
        && !state.conditions.is_body_over
        && state.parts.is_empty()
        && !state.buffers.has_stores()
}

/// If an action of this kind with one alternative is blocked: is its absence from the list the only
/// consequence?
#[inline(always)]
pub(in crate::control::schedule) fn is_blocked_only(state: &State, kind: Kind) -> bool {
    kind != Kind::Yield && kind != Kind::Return && is_simple(state)
}

/// If more waiters of an object change than this, they are changed all at once.
const FEW: usize = 4;

/// The waiters of the objects of an event are enabled now, or are not any more.
#[inline]
fn update_waiters<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    mut index: usize,
    list: &mut Vec<L>,
) -> Option<usize> {
    if !is_simple(state) || executed.object.is_none() || has_other_events(list, index) {
        return None;
    }
    let mut changes = 0;
    for (id, thread) in state.threads.all() {
        let pending = &thread.pending;
        if !is_waiter(pending, executed) || thread.status != Status::Live || id == executed.thread {
            continue;
        }
        if !has_one_event(pending) {
            return None;
        }
        let (at, is_listed) = find(state, list, id);
        match (is_listed, can_execute(state, id, pending)) {
            (true, false) => {
                list.remove(at);
                index -= usize::from(at < index);
                changes += 1;
            }
            (false, true) => {
                list.insert(at, L::plain(state, id, pending));
                index += usize::from(at <= index);
                changes += 1;
            }
            // A writer that would have taken the lock begins to wait now, or the other way round.
            (true, true) if pending.action.kind == Kind::WriteLock => {
                list[at] = L::plain(state, id, pending);
            }
            _ => {}
        }
        if changes > FEW {
            return update_many_waiters(state, executed, index, list);
        }
    }
    Some(index)
}

/// The same, for a lock with a hundred waiters: each insertion or removal by itself would move the rest of
/// the list. Some of the changes may have been made.
#[inline(never)]
fn update_many_waiters<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    mut index: usize,
    list: &mut Vec<L>,
) -> Option<usize> {
    let own_place = state.threads.place(executed.thread);
    index -= remove_blocked(state, executed, index, list);
    let kept = list.len();
    for (id, thread) in state.threads.all() {
        let pending = &thread.pending;
        if !is_waiter(pending, executed) || thread.status != Status::Live || id == executed.thread {
            continue;
        }
        if !has_one_event(pending) {
            return None;
        }
        if can_execute(state, id, pending) && !find(state, &list[..kept], id).1 {
            list.push(L::plain(state, id, pending));
            index += usize::from(state.threads.place(id) < own_place);
        }
    }
    // Stable: two sorted runs are merged.
    list.sort_by_key(|event| state.threads.place(event.thread()));
    Some(index)
}

/// Removes the events of waiters that are blocked now. Returns how many were before the index.
fn remove_blocked<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    index: usize,
    list: &mut Vec<L>,
) -> usize {
    let (mut at, mut removed_before) = (0, 0);
    list.retain_mut(|event| {
        at += 1;
        let id = event.thread();
        let pending = state.threads.pending(id);
        if id == executed.thread || !is_waiter(pending, executed) {
            return true;
        }
        if !can_execute(state, id, pending) {
            removed_before += usize::from(at <= index);
            return false;
        }
        // A writer that would have taken the lock begins to wait now, or the other way round.
        if pending.action.kind == Kind::WriteLock {
            *event = L::plain(state, id, pending);
        }
        true
    });
    removed_before
}

/// Lists a thread that has just been spawned, and has begun, if it is enabled.
fn insert_child<L: CandidateEvent>(state: &mut State, index: usize, list: &mut Vec<L>) -> Option<usize> {
    let child = state.step.spawned?;
    if !is_simple(state) || state.threads.unlisted_births() != 1 {
        return None;
    }
    state.threads.list_births();
    let (at, count) = (find(state, list, child).0, list.len());
    let has_ended = state.threads[child].status == Status::Ended;
    if !has_ended && !insert_at(state, at, child, list) {
        return None;
    }
    let comes_before = at <= index && list.len() > count;
    Some(index + usize::from(comes_before))
}

/// Lists a thread that has just been unparked, if it waited for that.
fn insert_unparked<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    index: usize,
    list: &mut Vec<L>,
) -> Option<usize> {
    let target = executed.target?;
    if !is_simple(state) {
        return None;
    }
    let thread = &state.threads[target];
    let waits = thread.status == Status::Live && thread.pending.action.kind == Kind::Park;
    if !waits || target == executed.thread {
        return Some(index);
    }
    if !has_one_event(&thread.pending) {
        return None;
    }
    let (at, is_listed) = find(state, list, target);
    if is_listed || !can_execute(state, target, &thread.pending) {
        return Some(index);
    }
    list.insert(at, L::plain(state, target, &thread.pending));
    Some(index + usize::from(at <= index))
}

/// The event at this index is executed; its thread has announced another action, or ended; spawned threads
/// have begun. Says whether the list is up to date; if not, it has to be computed anew.
pub(in crate::control::schedule) fn update_after<L: CandidateEvent>(
    state: &mut State,
    executed: &ExecutedAction,
    index: usize,
    list: &mut Vec<L>,
) -> bool {
    if !is_simple(state) || state.is_over() {
        return false;
    }
    let Some(index) = update_others(state, executed, index, list) else { return false };
    if state.threads.unlisted_births() != 0 {
        return false;
    }
    let thread = executed.thread;
    let slot = &state.threads[thread];
    if slot.status == Status::Live
        && has_one_event(&slot.pending)
        && can_execute(state, thread, &slot.pending)
    {
        list[index] = L::plain(state, thread, &slot.pending);
        return true;
    }
    list.remove(index);
    match slot.status {
        Status::Live => has_one_event(&slot.pending),
        Status::Ended => insert_joiners(state, thread, list),
        Status::Paused | Status::Lost => false,
    }
}

/// Lists a thread at this index that is not in the list, if it is enabled.
#[inline]
fn insert_at<L: CandidateEvent>(state: &State, index: usize, thread: ThreadId, list: &mut Vec<L>) -> bool {
    let pending = state.threads.pending(thread);
    if !has_one_event(pending) {
        return false;
    }
    if can_execute(state, thread, pending) {
        list.insert(index, L::plain(state, thread, pending));
    }
    true
}

/// A thread has ended: lists the threads that waited for its end.
fn insert_joiners<L: CandidateEvent>(state: &State, ended: ThreadId, list: &mut Vec<L>) -> bool {
    for (id, thread) in state.threads.all() {
        let action = &thread.pending.action;
        match action.kind {
            _ if thread.status != Status::Live => {}
            Kind::Join if action.target != Some(ended) => {}
            Kind::Join if !insert_at(state, find(state, list, id).0, id, list) => return false,
            Kind::Contain | Kind::Return => return false,
            _ => {}
        }
    }
    true
}

/// Has the action at most one event, whatever other threads do, and no effect on a condition?
#[inline(always)]
fn has_one_event(pending: &Pending) -> bool {
    pending.is_plain() && pending.action.kind != Kind::Yield
}

/// A list of so many events is searched from its beginning.
const SHORT: usize = 8;

/// The index of a thread's event, or where it would be.
#[inline]
fn find<L: CandidateEvent>(state: &State, list: &[L], thread: ThreadId) -> (usize, bool) {
    let place = state.threads.place(thread);
    let is_behind = |event: &L| event.thread().is_phantom() || state.threads.place(event.thread()) >= place;
    let at = match list.len() {
        0..=SHORT => list.iter().position(is_behind).unwrap_or(list.len()),
        _ => list.partition_point(|event| !is_behind(event)),
    };
    (at, list.get(at).is_some_and(|event| event.thread() == thread))
}
