//! The enabled events: which announced actions can be executed without waiting.
//!
//! The rule of each primitive is in its file of [`object`](crate::control::object). Here are the rules
//! that need more than one object: yields, throws, transactions, the ends of threads.

mod incremental;

pub(super) use incremental::{is_blocked_only, update_after, update_others};

use super::candidates::CandidateEvent;
use crate::control::exception;
use crate::control::object::{Sync, has_ended};
use crate::control::progress;
use crate::control::thread::{Pending, Status};
use crate::control::{ContainedPart, State};
use selvedge_explore::{Action, Event, EventId, Kind, ObjectId, ReadsFrom, Site, ThreadId};

/// The alternative of a wait that times out. Smaller numbers are alternatives of a choice.
pub(crate) const TIME_OUT: u32 = 1 << 30;

/// The alternative of a wait that ends spuriously.
pub(crate) const SPURIOUS: u32 = TIME_OUT + 1;

/// The alternative of a yield that would wait for a change, and does not.
pub(crate) const GIVES_UP: u32 = TIME_OUT + 2;

/// The first alternative of a step that fixes a deadline. The next ones, also of a read of the clock, let
/// time pass to a deadline first.
pub(crate) const FIXES_DEADLINE: u32 = 1 << 29;

/// Some event.
pub(super) const ANY_EVENT: Event = Event::pending(
    EventId { thread: ThreadId::MAIN, alternative: 0 },
    Action::new(Kind::Yield),
    Site::Unknown,
);

/// Computes the enabled events, in the order of their threads' paths; none if the run is over.
pub(super) fn compute_enabled<L: CandidateEvent>(state: &mut State, out: &mut Vec<L>) {
    compute_enabled_after(state, None, out);
}

/// The same when this thread has just announced an action. Returns the index of its event if the action
/// has one alternative; the event itself is left to the caller, which need not read from memory what
/// was just written there.
#[inline]
pub(super) fn compute_enabled_after<L: CandidateEvent>(
    state: &mut State,
    announcer: Option<ThreadId>,
    out: &mut Vec<L>,
) -> Option<usize> {
    state.conditions.is_stale = false;
    state.threads.list_births();
    out.clear();
    if state.is_over() {
        return None;
    }
    state.conditions.has_spinners = state.has_spinner();
    list_enabled(state, announcer, out)
}

/// Lists the enabled events of all threads, in their order.
fn list_enabled<L: CandidateEvent>(
    state: &State,
    announcer: Option<ThreadId>,
    out: &mut Vec<L>,
) -> Option<usize> {
    if let Some(&ContainedPart { outer, inner }) = state.parts.last()
        && has_ended(&state.threads, &state.buffers, inner)
    {
        // The end of the part's body stops the other threads of the part.
        list_events(state, outer, state.threads.pending(outer), out);
        return None;
    }
    let mut announced_at = None;
    for (id, thread) in state.threads.all() {
        if thread.status != Status::Live {
            continue;
        }
        let pending = &thread.pending;
        if state.conditions.is_body_over && progress::is_cut_off(state, id, pending) {
            continue;
        }
        if !pending.is_plain() {
            list_events(state, id, pending, out);
        } else if can_execute(state, id, pending) {
            if Some(id) == announcer {
                announced_at = Some(out.len());
                out.push(L::from(ANY_EVENT));
            } else {
                out.push(L::plain(state, id, pending));
            }
        } else if state.conditions.spins_freely && state.is_spinning(id) {
            out.push(L::from(pending.event(id, GIVES_UP)));
        }
    }
    list_commits(state, out);
    if out.is_empty()
        && let Some(&ContainedPart { outer, .. }) = state.parts.last()
        && !progress::has_thread_at_bound(state)
    {
        // No thread of the part is enabled: that is an end of the part too.
        out.push(L::from(state.threads.pending(outer).event(outer, 0)));
    }
    announced_at
}

/// Lists the events of an action with several alternatives.
#[cold]
fn list_events<L: CandidateEvent>(state: &State, thread: ThreadId, pending: &Pending, out: &mut Vec<L>) {
    let Pending { action, site, .. } = *pending;
    let action = Action { has_alternatives: has_alternatives(state, pending), ..action };
    if pending.reads_clock() {
        let first = if action.kind == Kind::Deadline { FIXES_DEADLINE } else { 0 };
        let passes = (1..=state.environment.deadlines_ahead()).map(|index| FIXES_DEADLINE + index as u32);
        for alternative in [first].into_iter().chain(passes) {
            out.push(L::from(Event::pending(EventId { thread, alternative }, action, site)));
        }
        return;
    }
    if action.drains && !state.buffers.is_empty(thread) {
        return;
    }
    let can_execute = can_execute(state, thread, pending);
    if can_execute {
        for alternative in 0..pending.alternatives {
            out.push(L::from(Event::pending(EventId { thread, alternative }, action, site)));
        }
    }
    let mut push = |alternative, kind| {
        let action = Action { kind, ..action };
        out.push(L::from(Event::pending(EventId { thread, alternative }, action, site)));
    };
    // A thread that can receive a message does not time out.
    if pending.has_timeout && !(can_execute && action.kind == Kind::Receive) {
        push(TIME_OUT, Kind::TimeOut);
    }
    if pending.is_spurious {
        push(SPURIOUS, Kind::Spurious);
    }
}

/// Has the announced action several alternatives? A read of the clock has if time can pass before it. A
/// step that fixes a deadline always counts as such: it concerns all reads of the clock.
#[cold]
fn has_alternatives(state: &State, pending: &Pending) -> bool {
    match pending.action.kind {
        Kind::Now => pending.reads_clock() && state.environment.deadlines_ahead() > 0,
        _ => !pending.is_plain(),
    }
}

/// Lists the stores that can be committed, in the order of their buffers and threads.
#[inline]
fn list_commits<L: CandidateEvent>(state: &State, out: &mut Vec<L>) {
    if state.buffers.has_stores() {
        extend_sorted(state, out, state.buffers.committable());
    }
}

/// Lists all stores that are in buffers, as commits.
pub(in crate::control) fn list_uncommitted(state: &State, out: &mut Vec<Event>) {
    extend_sorted(state, out, state.buffers.uncommitted());
}

fn extend_sorted<L: CandidateEvent>(state: &State, out: &mut Vec<L>, commits: impl Iterator<Item = Event>) {
    let start = out.len();
    out.extend(commits.map(L::from));
    let key = |event: &L| (event.thread().buffer(), state.threads.place(event.thread().owner()));
    if !out[start..].is_sorted_by_key(key) {
        // Stable, so that stores of one buffer stay in their order.
        out[start..].sort_by_key(key);
    }
}

/// Can the thread execute the announced action without waiting?
#[inline(always)]
pub(in crate::control) fn can_execute(state: &State, thread: ThreadId, pending: &Pending) -> bool {
    if !pending.may_wait {
        return true;
    }
    if pending.action.drains && !state.buffers.is_empty(thread) {
        return false;
    }
    match (pending.action.kind, pending.action.object) {
        (Kind::Lock, Some(object)) => {
            !matches!(&state.objects[object].sync, Sync::Mutex(mutex) if !mutex.is_free())
        }
        _ => can_execute_blocking(state, thread, pending),
    }
}

#[inline(never)]
fn can_execute_blocking(state: &State, thread: ThreadId, pending: &Pending) -> bool {
    let action = &pending.action;
    match action.kind {
        Kind::Yield => {
            !progress::would_repeat(state, thread) && !progress::is_at_bound(state, thread, pending)
        }
        Kind::Sleep => !progress::is_at_bound(state, thread, pending),
        Kind::Join | Kind::Contain => {
            action.target.is_none_or(|target| has_ended(&state.threads, &state.buffers, target))
        }
        Kind::Park => state.threads[thread].token.is_there(),
        Kind::Throw => action.target.is_none_or(|target| exception::can_throw_to(state, target)),
        Kind::Atomically => state.threads[thread].transactions.would_commit(),
        Kind::Return => pending.since == 0 || !state.has_others(thread),
        kind => match action.object {
            Some(object) => state.objects[object].sync.allows(kind, thread, pending.since),
            None => true,
        },
    }
}

/// An enabled action with the parts that depend on the actions of other threads.
#[inline]
pub(super) fn with_dependent_parts(state: &State, thread: ThreadId, action: &Action) -> Action {
    // Copied as a whole, and changed then: that is cheaper than a copy of each field.
    let mut enabled = *action;
    if action.kind == Kind::Load {
        enabled.reads_from = source_of(state, thread, action.object);
    } else if action.kind == Kind::WriteLock {
        enabled.kind = write_kind(state, action.object);
    } else if action.kind == Kind::Throw {
        enabled = exception::throw_action(&state.threads, action);
    }
    enabled
}

/// Where a load of this thread would read from.
#[inline]
pub(super) fn source_of(state: &State, thread: ThreadId, object: Option<ObjectId>) -> ReadsFrom {
    object.map_or(ReadsFrom::Memory, |object| state.buffers.source(&state.objects, thread, object))
}

/// What a writer does now that has announced to take this lock: it takes the lock, or begins to wait.
#[inline(never)]
pub(super) fn write_kind(state: &State, lock: Option<ObjectId>) -> Kind {
    lock.map_or(Kind::WriteLock, |lock| state.objects[lock].sync.executed_kind(Kind::WriteLock))
}

/// Lists the announced actions of all live threads.
#[cold]
pub(in crate::control) fn list_stopped(state: &State, out: &mut Vec<Event>) {
    out.extend(state.threads.live().map(|thread| stopped_event(state, thread)));
}

/// Lists the announced actions of the live threads of a part, given by its first thread, and the stores
/// that are left.
#[cold]
pub(in crate::control) fn list_stopped_part(state: &State, inner: Option<ThreadId>, out: &mut Vec<Event>) {
    let threads = inner.into_iter().flat_map(|inner| state.threads.live_of_part(inner));
    out.extend(threads.map(|thread| stopped_event(state, thread)));
    list_uncommitted(state, out);
}

/// The announced action of a thread that is stopped.
#[cold]
pub(in crate::control) fn stopped_event(state: &State, thread: ThreadId) -> Event {
    let pending = state.threads.pending(thread);
    let action = with_dependent_parts(state, thread, &pending.action);
    let action = Action { has_alternatives: has_alternatives(state, pending), ..action };
    Event::pending(EventId { thread, alternative: 0 }, action, pending.site)
}

/// The enabled actions on the object, or the target, of an action.
#[inline]
pub(in crate::control) fn enabled_actions(state: &State, action: &Action) -> u64 {
    match (action.object, action.target) {
        (Some(object), _) => match &state.objects[object].sync {
            Sync::Atomic(_) | Sync::TVar => 0,
            Sync::Mutex(mutex) => mutex.enabled_actions(),
            sync => sync.enabled_actions(),
        },
        (None, Some(target)) if action.kind == Kind::Unpark => state.threads[target].token.enabled_actions(),
        _ => 0,
    }
}
