//! The state of a run between two steps, for the debugger: how far each thread is, the values of objects and
//! the threads that hold them, uncommitted stores, and the propositions that hold.
//!
//! The value of an atomic is in the atomic itself, to which a run has no pointer. With store buffers the run
//! knows it; without, it is what the last step on the atomic read or wrote, and before the first such step
//! the value that the atomic was made with.
//!
//! Promise: taking a snapshot changes nothing.

use super::ending::ending;
use crate::control::memory::{self, Values};
use crate::control::object::Sync;
use crate::control::thread::Status;
use crate::control::{Execution, State};
use selvedge_explore::{Ending, Event, ObjectId, Site, ThreadId};
use selvedge_monitor::Fact;
use std::collections::HashMap;

/// The state of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    /// In the order of their paths.
    pub(crate) threads: Vec<ThreadSnapshot>,
    /// By number.
    pub(crate) objects: Vec<ObjectSnapshot>,
    /// The propositions that hold, in order.
    pub(crate) facts: Vec<Fact>,
}

/// How far a thread is.
#[derive(Clone, Debug)]
pub(crate) struct ThreadSnapshot {
    pub(crate) id: ThreadId,
    /// `0` for main, `1.2` for the second child of main's first child.
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) state: ThreadState,
    /// The announced action, what the thread waits for, or how it ended, in words.
    pub(crate) text: String,
    /// The place of the announced action.
    pub(crate) site: Site,
    /// The object of the announced action.
    pub(crate) object: Option<ObjectId>,
    /// A thread that has what this one waits for.
    pub(crate) holder: Option<ThreadId>,
    /// Its uncommitted stores, in words: `atomic#1 = 1`.
    pub(crate) stores: Vec<String>,
}

/// Whether a thread can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadState {
    Ready,
    Waiting,
    /// The run has ended before the thread has.
    Stopped,
    Ended,
}

/// An object and its state.
#[derive(Clone, Debug)]
pub(crate) struct ObjectSnapshot {
    /// `mutex#1`.
    pub(crate) name: String,
    /// The name that the program gave it.
    pub(crate) own_name: Option<String>,
    /// `mutex#1 (lib.rs:6)`.
    pub(crate) full_name: String,
    /// The value or the state, in words; empty if it has none.
    pub(crate) value: String,
    /// The threads that hold it.
    pub(crate) holders: Vec<ThreadId>,
}

/// The bits of atomics, as steps have shown them.
pub(crate) type ShownBits = HashMap<ObjectId, u64>;

impl Execution {
    /// The state of the run, in which these events are enabled.
    pub(crate) fn snapshot(&self, enabled: &[Event], shown: &ShownBits) -> Snapshot {
        let state = &*self.state.borrow();
        let threads = state.threads.ids().iter().map(|id| thread(state, *id, enabled));
        let shown = (!self.has_buffers()).then_some(shown);
        let objects = (0..state.objects.count()).map(|index| object(state, ObjectId::at(index), shown));
        Snapshot {
            threads: threads.collect(),
            objects: objects.collect(),
            facts: state.propositions.holding(),
        }
    }

    /// Before a step of the debugger: what held for one state holds no longer.
    pub(crate) fn end_pulse(&self) {
        self.state.borrow_mut().propositions.end_pulse();
    }

    /// After a step: notes the bits that the step shows.
    pub(crate) fn note_bits(&self, event: &Event, shown: &mut ShownBits) {
        let bits = memory::bits_after(event, &self.state.borrow().step.written);
        if let (Some(object), Some(bits)) = (event.action.object, bits) {
            shown.insert(object, bits);
        }
    }

    /// The last executed step in words, without its thread: `store atomic#1 = 1`.
    pub(crate) fn describe_step(&self, event: &Event) -> String {
        let state = &*self.state.borrow();
        let mut text = event.action.kind.text().replace('_', " ");
        if event.action.kind.concerns_formulas() {
            return format!("{text} {}", state.propositions.last_name());
        }
        if let Some(object) = event.action.object {
            text = format!("{text} {}", state.objects.short_name(object));
        }
        if let Some(target) = event.action.target {
            text = format!("{text} {}", state.threads.name(target));
        }
        let value = memory::last_value_text(event, &state.objects, &state.step.written);
        match value.as_str() {
            "" => text,
            value if value.contains("->") => format!("{text} {value}"),
            value => format!("{text} = {value}"),
        }
    }

    /// The name of an object without its place.
    pub(crate) fn object_name(&self, object: ObjectId) -> String {
        self.state.borrow().objects.short_name(object)
    }
}

fn thread(state: &State, id: ThreadId, enabled: &[Event]) -> ThreadSnapshot {
    let thread = &state.threads[id];
    let Ending { state: words, site, .. } = ending(state, id);
    let has_ended = matches!(thread.status, Status::Ended | Status::Lost);
    let is_enabled = enabled.iter().any(|event| event.thread() == id);
    let progress = match (has_ended, is_enabled) {
        (true, _) => ThreadState::Ended,
        (false, true) => ThreadState::Ready,
        (false, false) if state.is_over() => ThreadState::Stopped,
        (false, false) => ThreadState::Waiting,
    };
    let text = if progress == ThreadState::Ready { state.describe(&thread.pending) } else { words };
    let action = Some(thread.pending.action).filter(|_| !has_ended);
    let object = action.and_then(|action| action.object);
    let holders = object.map(|object| state.objects[object].sync.holders()).unwrap_or_default();
    let target = action.and_then(|action| action.target);
    let holder = holders.into_iter().next().or(target).filter(|_| progress == ThreadState::Waiting);
    let store = |(object, bits): (ObjectId, u64)| {
        format!("{} = {}", state.objects.short_name(object), atomic_values(state, object).show(bits))
    };
    ThreadSnapshot {
        id,
        path: state.threads.path(id).to_owned(),
        name: state.threads.name(id),
        state: progress,
        text,
        site: if has_ended { Site::Unknown } else { site },
        object,
        holder,
        stores: state.buffers.stores_of(id).map(store).collect(),
    }
}

fn atomic_values(state: &State, object: ObjectId) -> Values {
    match &state.objects[object].sync {
        Sync::Atomic(atomic) => atomic.values(),
        _ => Values::Hidden,
    }
}

fn object(state: &State, id: ObjectId, shown: Option<&ShownBits>) -> ObjectSnapshot {
    let sync = &state.objects[id].sync;
    let holders = sync.holders();
    let value = match sync {
        Sync::Atomic(atomic) => {
            let bits = shown.and_then(|shown| shown.get(&id)).copied().unwrap_or(atomic.bits());
            atomic.values().show(bits)
        }
        Sync::Mutex(_) | Sync::RwLock(_) => held_by(state, &holders),
        Sync::Once(once) if once.is_complete => "complete".to_owned(),
        Sync::Once(_) => held_by(state, &holders),
        Sync::Channel(channel) => match channel.messages {
            1 => "1 message".to_owned(),
            messages => format!("{messages} messages"),
        },
        Sync::MVar(mvar) => if mvar.is_full { "full" } else { "empty" }.to_owned(),
        Sync::Condvar(_) | Sync::Barrier(_) | Sync::TVar | Sync::Arc(_) | Sync::Cell(_) => String::new(),
    };
    ObjectSnapshot {
        name: state.objects.short_name(id),
        own_name: state.propositions.lock_name(id).map(|name| name.to_string()),
        full_name: full_name(state, id),
        value,
        holders,
    }
}

/// The name with the place where the object was made, without folders.
fn full_name(state: &State, id: ObjectId) -> String {
    let place = state.objects[id].created_at();
    let file = place.file().rsplit(['/', '\\']).next().unwrap_or_default();
    format!("{} ({file}:{})", state.objects.short_name(id), place.line())
}

fn held_by(state: &State, holders: &[ThreadId]) -> String {
    if holders.is_empty() {
        return "free".to_owned();
    }
    let names: Vec<String> = holders.iter().map(|thread| state.threads.name(*thread)).collect();
    format!("held by {}", names.join(", "))
}
