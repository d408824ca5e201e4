//! Spin loops: threads that wait by reading again and again.
//!
//! A thread that has only read since its last yield would read the same again if no object of these has
//! changed. So its next yield waits until one has. That makes the runs of such a loop finite, which
//! otherwise has runs of any length (as in stateless model checkers: Kokologiannakis, Ren and Vafeiadis,
//! Dynamic Partial Order Reductions for Spinloops, FMCAD 2021, which find loops by analysis; here the
//! program says where it waits). If no object ever changes, the run is a livelock.
//!
//! | since its last yield, the thread | its next yield |
//! |---|---|
//! | has only read, or stored old values | waits until a read object has changed since its first read |
//! | has changed an object or its own buffer, slept, chosen, or read the clock | does not wait |
//! | has read nothing | does not wait |
//!
//! A thread that has read a store in its own buffer reads nothing else before that store is committed, and
//! the same then: only later stores of other threads are a change to it.
//!
//! Promise: what a yield waits for depends on the actions of its own thread alone, so that it is the same in
//! all equivalent runs.

use crate::control::State;
use crate::control::object::{ObjectTable, Sync, has_ended};
use crate::control::schedule::ExecutedAction;
use selvedge_explore::dependency::kind_is_read_only;
use selvedge_explore::event::Footprint;
use selvedge_explore::{Action, Kind, ObjectId, ThreadId};

/// A thread that reads more objects than these between two yields does not wait for them.
const MAX_READS: usize = 256;

/// What a thread has read since its last yield.
#[derive(Debug, Default)]
pub(crate) struct SpinState {
    /// Each object once, as it was at the first read.
    reads: Vec<ReadState>,
    /// The thread has also executed another action: its next yield does not wait.
    is_busy: bool,
}

/// What a thread has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadState {
    /// An object, and how often it had been changed.
    Object(ObjectId, u32),
    /// A thread, which had not ended.
    Alive(ThreadId),
    /// A state that cannot change any more.
    Final,
}

impl ReadState {
    /// Its bit in a footprint of the first objects, if it is one of them; no bit at all for a final state.
    fn bit(self) -> Option<u64> {
        match self {
            ReadState::Object(object, _) => 1_u64.checked_shl(object.index() as u32),
            ReadState::Alive(_) => None,
            ReadState::Final => Some(0),
        }
    }

    fn is_of_same(self, other: ReadState) -> bool {
        match (self, other) {
            (ReadState::Object(one, _), ReadState::Object(other, _)) => one == other,
            (one, other) => one == other,
        }
    }
}

impl SpinState {
    /// The thread yields, or another thread has its slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        let SpinState { reads, is_busy } = self;
        reads.clear();
        *is_busy = false;
    }

    fn add(&mut self, read: ReadState) {
        if self.reads.iter().any(|known| known.is_of_same(read)) {
            return;
        }
        if self.reads.len() == MAX_READS {
            self.is_busy = true;
        } else {
            self.reads.push(read);
        }
    }

    /// A store of the thread itself is committed; the object has changed so often now. Since the store, the
    /// thread has read no other value of it.
    pub(in crate::control) fn own_store_committed(&mut self, of: ObjectId, changes_now: u32) {
        for read in &mut self.reads {
            if let ReadState::Object(object, changes) = read
                && *object == of
            {
                *changes = changes_now;
            }
        }
    }

    /// The next yield waits for a change of one of these.
    fn awaited(&self) -> &[ReadState] {
        if self.is_busy { &[] } else { &self.reads }
    }

    /// Does the next yield wait for nothing?
    pub(in crate::control) fn yields_freely(&self) -> bool {
        self.awaited().is_empty()
    }

    /// The action of a yield that waits for the reads.
    fn yield_action(&self, action: &Action) -> Action {
        let footprint = Footprint { reads: 0, writes: 0 };
        let waits = Action { object: None, target: None, waits_for_unknown: false, footprint, ..*action };
        match self.awaited() {
            [] => waits,
            [ReadState::Object(only, _)] => Action { object: Some(*only), ..waits },
            [ReadState::Alive(only)] => Action { target: Some(*only), ..waits },
            reads => match reads.iter().map(|read| read.bit()).try_fold(0, |all, bit| Some(all | bit?)) {
                Some(reads) if reads != 0 => Action { footprint: Footprint { reads, writes: 0 }, ..waits },
                _ => Action { waits_for_unknown: true, ..waits },
            },
        }
    }
}

/// A step is done: notes the reads and changes that spinning threads depend on.
#[inline(always)]
pub(in crate::control) fn record_step(state: &mut State, executed: &ExecutedAction) {
    if executed.thread.is_phantom() {
        return;
    }
    let spin = &mut state.threads[executed.thread].spin;
    match executed.kind {
        // A busy thread need not remember its reads: its next yield does not wait.
        Kind::Load if spin.is_busy => {}
        Kind::Store if !executed.is_buffered => {
            spin.is_busy = true;
            state.objects.count_changes([executed.object, None]);
        }
        kind if kind != Kind::Yield && spin.is_busy => {
            if !executed.is_buffered && !only_reads(state, executed) && !leaves_other_senders(state, executed)
            {
                state.objects.count_changes([executed.object, executed.second]);
            }
        }
        _ => record_reads(state, executed),
    }
}

#[inline(never)]
fn record_reads(state: &mut State, executed: &ExecutedAction) {
    let only_reads = only_reads(state, executed);
    if !only_reads && !executed.is_buffered && !leaves_other_senders(state, executed) {
        state.objects.count_changes([executed.object, executed.second]);
    }
    let has_ended = |target: Option<ThreadId>| {
        target.is_none_or(|target| has_ended(&state.threads, &state.buffers, target))
    };
    let read = match (executed.kind, executed.object, executed.target) {
        (Kind::Yield, ..) => {
            state.threads[executed.thread].spin.clear();
            None
        }
        (Kind::Fence, ..) => None,
        (Kind::IsFinished, _, target) if has_ended(target) => Some(ReadState::Final),
        (Kind::IsFinished, _, Some(target)) => Some(ReadState::Alive(target)),
        (_, Some(object), _) if only_reads => Some(ReadState::Object(object, state.objects[object].changes)),
        _ => {
            state.threads[executed.thread].spin.is_busy = true;
            None
        }
    };
    let slot = &mut state.threads[executed.thread];
    if let Some(read) = read
        && !slot.spin.is_busy
    {
        slot.spin.add(read);
    }
    if slot.pending.action.kind == Kind::Yield {
        slot.pending.action = slot.spin.yield_action(&slot.pending.action);
    }
}

/// Has the current step changed nothing? Also true of an update that stores the old value: a lock that is
/// tried by `swap`.
#[inline]
fn only_reads(state: &State, executed: &ExecutedAction) -> bool {
    kind_is_read_only(executed.kind, state.step.read_only)
        || executed.kind == Kind::Update && state.step.stores_old_value()
}

/// Does a sender of a channel leave that is not the last? No thread observes that, except by what may still
/// come.
fn leaves_other_senders(state: &State, executed: &ExecutedAction) -> bool {
    executed.kind == Kind::Leave
        && executed.object.is_some_and(|channel| has_senders(&state.objects, channel))
}

fn has_senders(objects: &ObjectTable, channel: ObjectId) -> bool {
    matches!(&objects[channel].sync, Sync::Channel(channel) if channel.senders > 0)
}

/// Does the current step change its object, and yet wake no thread that waits for a change?
#[inline]
pub(in crate::control) fn wakes_no_waiter(state: &State, action: &Action) -> bool {
    match (action.kind, action.object) {
        (Kind::Update, _) => state.step.stores_old_value(),
        (Kind::Leave, Some(channel)) => has_senders(&state.objects, channel),
        _ => false,
    }
}

/// Would the thread read the same again if its yield returned now?
#[inline]
pub(in crate::control) fn would_repeat(state: &State, thread: ThreadId) -> bool {
    let awaited = state.threads[thread].spin.awaited();
    !awaited.is_empty() && !awaited.iter().any(|read| has_changed(state, thread, *read))
}

fn has_changed(state: &State, thread: ThreadId, read: ReadState) -> bool {
    match read {
        ReadState::Object(object, changes) => {
            state.objects[object].changes != changes
                && state.buffers.own_store(&state.objects, thread, object).is_none()
        }
        ReadState::Alive(thread) => has_ended(&state.threads, &state.buffers, thread),
        ReadState::Final => false,
    }
}

/// What a spinning thread waits for, in words.
pub(in crate::control) fn awaited(state: &State, thread: ThreadId) -> String {
    let names = state.threads[thread].spin.awaited().iter().filter_map(|read| match read {
        ReadState::Object(object, _) => Some(format!("{} to be written", state.objects.name(*object))),
        ReadState::Alive(thread) => Some(format!("the end of `{}`", state.threads.name(*thread))),
        ReadState::Final => None,
    });
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => "what it saw to change".to_owned(),
        names => names.join(" or "),
    }
}
