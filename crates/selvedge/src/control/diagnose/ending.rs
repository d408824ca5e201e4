//! How far each thread is when a run ends, in words.

use crate::control::exception::Unwound;
use crate::control::memory;
use crate::control::object;
use crate::control::progress;
use crate::control::schedule::can_execute;
use crate::control::thread::{Pending, Status};
use crate::control::{State, Stop};
use selvedge_explore::{Action, Ending, Kind, Site, Stall, ThreadId, Trace};

/// Gives a trace the names of threads and objects, the values of its steps, the endings of its threads, and
/// the formulas that it was judged by.
pub(in crate::control) fn describe_run(state: &State, trace: &mut Trace) {
    trace.threads.clear();
    for thread in state.threads.ids() {
        trace.threads.resize(trace.threads.len().max(thread.index() + 1), String::new());
        trace.threads[thread.index()] = state.threads.name(*thread);
    }
    trace.objects = state.objects.names().collect();
    trace.endings = state.threads.ids().iter().map(|thread| ending(state, *thread)).collect();
    trace.values = memory::value_texts(trace, &state.objects, &state.step.written);
    state.propositions.describe(trace);
    trace.racing_accesses = match &state.end.stop {
        Some(Stop::Race(_, accesses)) => accesses.iter().map(|access| access.racing_access()).collect(),
        _ => Vec::new(),
    };
}

/// How far a thread is.
pub(super) fn ending(state: &State, thread: ThreadId) -> Ending {
    let (text, site, stall) = match &state.end.stop {
        Some(Stop::Race(_, [_, last])) if last.thread() == thread => {
            let (text, site) = last.describe(&state.objects);
            (text, site, None)
        }
        _ => progress_of(state, thread),
    };
    Ending { id: thread, thread: state.threads.name(thread), state: text, site, stall }
}

/// How far a thread is that has not ended the run by a race: in words, where, and why it cannot go on.
fn progress_of(state: &State, id: ThreadId) -> (String, Site, Option<Stall>) {
    let thread = &state.threads[id];
    let Pending { action, site, .. } = thread.pending;
    match (&thread.unwound, thread.status) {
        (Some(Unwound::Panic(message)), _) => {
            let place = thread.panicked_at.as_ref().map(|place| format!(" at {place}"));
            let first = message.lines().next().unwrap_or_default();
            (format!("panicked{}: {first}", place.unwrap_or_default()), Site::Unknown, None)
        }
        (Some(unwound), _) => (unwound.to_string(), Site::Unknown, None),
        (None, Status::Ended) => ("has ended".to_owned(), Site::Unknown, None),
        (None, Status::Lost) => ("could not be unwound".to_owned(), Site::Unknown, None),
        (None, Status::Live | Status::Paused) if can_execute(state, id, &thread.pending) => {
            (format!("is about to {}", state.describe(&thread.pending)), site, None)
        }
        (None, Status::Live | Status::Paused) if action.kind == Kind::Yield => {
            let text = format!("spins at yield, waiting for {}", progress::awaited(state, id));
            (text, site, Some(Stall::Spinning))
        }
        (None, Status::Live | Status::Paused) => {
            (awaited(state, id, &thread.pending), site, Some(Stall::Blocked))
        }
    }
}

/// What a blocked thread waits for, and which threads hold it.
fn awaited(state: &State, thread: ThreadId, pending: &Pending) -> String {
    let Action { kind, object, target, .. } = pending.action;
    if pending.action.drains && !state.buffers.is_empty(thread) {
        return "waits until its stores are in memory".to_owned();
    }
    if let Some(target) = target {
        return object::awaited_thread(kind, &state.threads.name(target));
    }
    match (kind, object) {
        (Kind::Atomically, _) => state.threads[thread].transactions.awaited(&state.objects),
        (_, Some(id)) => {
            let thread_name = |thread| state.threads.name(thread);
            state.objects[id].sync.awaited(kind, &state.objects.name(id), thread_name)
        }
        (Kind::Park, None) => object::AWAITED_BY_PARK.to_owned(),
        (Kind::Return, None) => object::AWAITED_BY_RETURN.to_owned(),
        _ => format!("waits to {}", kind.text()),
    }
}
