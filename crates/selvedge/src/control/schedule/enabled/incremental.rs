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
        Kind::Load | Kind::Fence | Kind::Join | Kind::Pass => Some(index),
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
    if executed.kind == Kind::Arrive && object::is_barrier_closed(&state.objects, executed.object) {
        return Some(index);
    }
    if state.threads.waits.has_notes() {
        return update_noted_waiters(state, executed, index, list);
    }
    for id in state.threads.ids() {
        if let Some(pending) = waiter(state, executed, *id) {
            index = update_waiter(state, *id, pending, index, list)?;
        }
    }
    Some(index)
}

/// The same where threads are many, and notes tell which of them wait.
#[inline(never)]
fn update_noted_waiters<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    index: usize,
    list: &mut Vec<L>,
) -> Option<usize> {
    let waiters = state.threads.waits.others(executed.thread, (executed.object?, executed.second));
    match (waiters.count, waiters.single()) {
        (0, _) => Some(index),
        (_, Some(id)) => match waiter(state, executed, id) {
            Some(pending) => update_waiter(state, id, pending, index, list),
            None => Some(index),
        },
        (count, None) => update_many_waiters(state, executed, count as usize, index, list),
    }
}

/// The same for one waiter.
#[inline(always)]
fn update_waiter<L: CandidateEvent>(
    state: &State,
    id: ThreadId,
    pending: &Pending,
    mut index: usize,
    list: &mut Vec<L>,
) -> Option<usize> {
    if !has_one_event(pending) {
        return None;
    }
    match (index_of(state, list, id), can_execute(state, id, pending)) {
        (Some(at), false) => {
            list.remove(at);
            index -= usize::from(at < index);
        }
        (None, true) => {
            let (at, _) = find(state, list, id);
            list.insert(at, L::plain(state, id, pending));
            index += usize::from(at <= index);
        }
        // A writer that would have taken the lock begins to wait now, or the other way round.
        (Some(at), true) if pending.action.kind == Kind::WriteLock => {
            list[at] = L::plain(state, id, pending);
        }
        _ => {}
    }
    Some(index)
}

/// The same for so many, which are changed all at once: a lock may have a hundred waiters, and each
/// insertion or removal by itself would move the rest of the list.
#[inline(never)]
fn update_many_waiters<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    waiters: usize,
    index: usize,
    list: &mut Vec<L>,
) -> Option<usize> {
    let (index, listed) = remove_blocked(state, executed, index, list)?;
    if listed == waiters {
        return Some(index);
    }
    insert_enabled(state, executed, index, list, waiters - listed)
}

/// Removes the events of waiters that are blocked now. Returns the index of the executed event then, and how
/// many waiters were listed; or nothing if the list has to be computed anew.
fn remove_blocked<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    mut index: usize,
    list: &mut Vec<L>,
) -> Option<(usize, usize)> {
    let (mut kept, mut listed) = (0, 0);
    for at in 0..list.len() {
        let id = list[at].thread();
        if id == executed.thread {
            index = kept;
        } else if let Some(pending) = waiter(state, executed, id) {
            if !has_one_event(pending) {
                return None;
            }
            listed += 1;
            if !can_execute(state, id, pending) {
                continue;
            }
            // A writer that would have taken the lock begins to wait now, or the other way round.
            if pending.action.kind == Kind::WriteLock {
                list[at] = L::plain(state, id, pending);
            }
        }
        if kept != at {
            list[kept] = list[at];
        }
        kept += 1;
    }
    list.truncate(kept);
    Some((index, listed))
}

/// Inserts the events of waiters that are enabled and not listed, at most so many. Returns the index of the
/// executed event then; or nothing if the list has to be computed anew.
fn insert_enabled<L: CandidateEvent>(
    state: &State,
    executed: &ExecutedAction,
    mut index: usize,
    list: &mut Vec<L>,
    most: usize,
) -> Option<usize> {
    // From the end, so that each event is moved once: the threads come in the order of the list.
    let (mut from, mut gap, filler) = (list.len(), most, list[index]);
    list.resize(from + gap, filler);
    for id in state.threads.ids().iter().rev() {
        if gap == 0 {
            break;
        }
        if from > 0 && list[from - 1].thread() == *id {
            while from > 0 && list[from - 1].thread() == *id {
                from -= 1;
                list[from + gap] = list[from];
            }
            if *id == executed.thread {
                index = from + gap;
            }
        } else if let Some(pending) = waiter(state, executed, *id) {
            if !has_one_event(pending) {
                return None;
            }
            if can_execute(state, *id, pending) {
                gap -= 1;
                list[from + gap] = L::plain(state, *id, pending);
            }
        }
    }
    // Others are still blocked.
    list.drain(from..from + gap);
    Some(index - gap)
}

/// The announced action of a thread, which is another one, if it waits for something that the executed
/// action changed.
#[inline(always)]
fn waiter<'s>(state: &'s State, executed: &ExecutedAction, id: ThreadId) -> Option<&'s Pending> {
    let thread = &state.threads[id];
    let waits = is_waiter(&thread.pending, executed) && thread.status == Status::Live;
    (waits && id != executed.thread).then_some(&thread.pending)
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

/// The index of a thread's event, if it is listed.
#[inline]
fn index_of<L: CandidateEvent>(state: &State, list: &[L], thread: ThreadId) -> Option<usize> {
    if list.len() <= SHORT {
        return list.iter().position(|event| event.thread() == thread);
    }
    let (at, is_listed) = find(state, list, thread);
    is_listed.then_some(at)
}

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
