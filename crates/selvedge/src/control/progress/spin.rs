//! Spin loops: threads that wait by looking again and again.
//!
//! A thread whose round of looks repeats an earlier one ([`super::rounds`]) is back where it was. If it is
//! deterministic, and its local state shows in its looks, it does the same again for as long as it observes
//! the same. So its yield waits until an object of these looks changes. That makes the runs of such a loop
//! finite, which otherwise has runs of any length (as in stateless model checkers: Kokologiannakis, Ren and
//! Vafeiadis, Dynamic Partial Order Reductions for Spinloops, FMCAD 2021, which find loops by analysis; here
//! the program says where it waits). If no object ever changes, the run is a livelock.
//!
//! | since its last yield, the thread | its next yield |
//! |---|---|
//! | has repeated a round of looks, and would repeat it again | waits until an object of the looks changes |
//! | has looked for the first time, or observed something new | does not wait: the thread makes progress |
//! | has changed an object or its own buffer, slept, chosen, or read the clock | does not wait |
//! | has not looked | does not wait |
//!
//! No outcome is lost. Take the shortest run to an outcome. No thread in it repeats a round since its last
//! lasting change: without the rounds in between, the thread would be in the same state, and no other thread
//! would notice, as looks change nothing; so that run would be shorter. Hence no yield in it waits. The
//! exception is a thread that counts its rounds in a local variable, and gives up: its state does not show
//! in its looks.
//!
//! A thread that has read a store in its own buffer reads nothing else before that store is committed, and
//! the same then: only later stores of other threads are a change to it.
//!
//! Promise: what a yield waits for depends on the actions of its own thread alone, so that it is the same in
//! all equivalent runs.

use super::rounds::{Look, Observed, Rounds, Target};
use crate::control::State;
use crate::control::object::{ObjectTable, Sync, has_ended};
use crate::control::schedule::ExecutedAction;
use selvedge_explore::dependency::kind_is_read_only;
use selvedge_explore::event::Footprint;
use selvedge_explore::{Action, Kind, ObjectId, Site, ThreadId};

/// So many hints in a row belong to one back-off.
const MAX_BACKOFF: usize = 128;

/// The rounds of a thread, and what its announced yield waits for.
#[derive(Debug, Default)]
pub(crate) struct SpinState {
    rounds: Rounds,
    /// Each object once, as it was at its first look in the last round that looks at it.
    awaited: Vec<Awaited>,
    /// The place of the yield.
    yields_at: Site,
}

/// What a yield waits for.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    target: Target,
    /// For an object: how often it had been changed.
    changes: u32,
}

impl Awaited {
    /// Its bit in a footprint of the first objects, if it is one of them; no bit at all for a final state.
    fn bit(self) -> Option<u64> {
        match self.target {
            Target::Object(object) => 1_u64.checked_shl(object.index() as u32),
            Target::Alive(_) => None,
            Target::Final => Some(0),
        }
    }
}

impl SpinState {
    /// Another thread has this slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        let SpinState { rounds, awaited, yields_at } = self;
        rounds.clear();
        awaited.clear();
        *yields_at = Site::Unknown;
    }

    /// A store of the thread itself is committed; the object has changed so often now. Since the store, the
    /// thread has read no other value of it.
    pub(in crate::control) fn own_store_committed(&mut self, of: ObjectId, changes_now: u32) {
        self.rounds.own_store_committed(of, changes_now);
        for awaited in self.awaited.iter_mut().filter(|awaited| awaited.target == Target::Object(of)) {
            awaited.changes = changes_now;
        }
    }

    /// Is the next yield neither the end of a round of looks, nor a part of its back-off? A loop with such
    /// yields need not repeat a round.
    pub(in crate::control) fn yields_freely(&self) -> bool {
        self.rounds.has_changed() || self.rounds.is_endless() || self.rounds.is_idle(MAX_BACKOFF)
    }

    /// The thread announces a yield at this place. Returns the action of a yield that waits for what the
    /// thread would look at again.
    fn announce_yield(&mut self, at: Site, action: &Action) -> Action {
        let SpinState { rounds, awaited, yields_at } = self;
        *yields_at = at;
        awaited.clear();
        let repeated = rounds.repetition(at);
        for Look { target, changes, .. } in repeated.iter().copied().flatten() {
            if !awaited.iter().any(|known| known.target == *target) {
                awaited.push(Awaited { target: *target, changes: *changes });
            }
        }
        let has_several_rounds = repeated.len() > 1;
        let yields = self.yield_action(action);
        // A reduction finds the looks of several rounds by the objects that the action names.
        if has_several_rounds && (yields.waits_for_unknown || yields.target.is_some()) {
            self.awaited.clear();
            return self.yield_action(action);
        }
        yields
    }

    /// The yield is executed.
    fn end_round(&mut self) {
        self.awaited.clear();
        self.rounds.end(self.yields_at);
    }

    /// The action of a yield that waits.
    fn yield_action(&self, action: &Action) -> Action {
        let footprint = Footprint { reads: 0, writes: 0 };
        let waits = Action { object: None, target: None, waits_for_unknown: false, footprint, ..*action };
        match self.awaited.as_slice() {
            [] => waits,
            [Awaited { target: Target::Object(only), .. }] => Action { object: Some(*only), ..waits },
            [Awaited { target: Target::Alive(only), .. }] => Action { target: Some(*only), ..waits },
            all => match all.iter().map(|awaited| awaited.bit()).try_fold(0, |bits, bit| Some(bits | bit?)) {
                Some(reads) if reads != 0 => Action { footprint: Footprint { reads, writes: 0 }, ..waits },
                _ => Action { waits_for_unknown: true, ..waits },
            },
        }
    }
}

/// A step is done: notes the looks and changes that spinning threads depend on.
#[inline(always)]
pub(in crate::control) fn record_step(state: &mut State, executed: &ExecutedAction) {
    if executed.thread.is_phantom() {
        return;
    }
    let has_changed = state.threads[executed.thread].spin.rounds.has_changed();
    match executed.kind {
        // A thread that has changed something need not remember its looks: its next yield does not wait.
        Kind::Load if has_changed => {}
        Kind::Store if has_changed && !executed.is_buffered => {
            state.objects.count_changes([executed.object, None]);
        }
        kind if kind != Kind::Yield && has_changed => {
            if !executed.is_buffered && !only_reads(state, executed) && !leaves_other_senders(state, executed)
            {
                state.objects.count_changes([executed.object, executed.second]);
            }
        }
        _ => record_look(state, executed),
    }
}

#[inline(never)]
fn record_look(state: &mut State, executed: &ExecutedAction) {
    let only_reads = only_reads(state, executed);
    if !only_reads && !executed.is_buffered && !leaves_other_senders(state, executed) {
        state.objects.count_changes([executed.object, executed.second]);
    }
    let has_ended = |target: Option<ThreadId>| {
        target.is_none_or(|target| has_ended(&state.threads, &state.buffers, target))
    };
    let target = match (executed.kind, executed.object, executed.target) {
        (Kind::Yield | Kind::Fence, ..) => None,
        (Kind::IsFinished, _, target) if has_ended(target) => Some(Target::Final),
        (Kind::IsFinished, _, Some(target)) => Some(Target::Alive(target)),
        (_, Some(object), _) if only_reads => Some(Target::Object(object)),
        _ => None,
    };
    let look = target.map(|target| look(state, executed.kind, target));
    let slot = &mut state.threads[executed.thread];
    match (look, executed.kind) {
        (Some(look), _) => slot.spin.rounds.look(look),
        (None, Kind::Yield) => slot.spin.end_round(),
        (None, Kind::Fence) => {}
        (None, _) => slot.spin.rounds.change(),
    }
    if slot.pending.action.kind == Kind::Yield {
        slot.pending.action = slot.spin.announce_yield(slot.pending.site, &slot.pending.action);
    }
}

/// What the current step, an action of this kind, has observed.
fn look(state: &State, kind: Kind, target: Target) -> Look {
    let Target::Object(object) = target else {
        return Look { kind, target, operands: None, observed: Observed::Nothing, changes: 0 };
    };
    let changes = state.objects[object].changes;
    let is_atomic = matches!(state.objects[object].sync, Sync::Atomic(_));
    // A load from the thread's own buffer has noted the value there.
    let value = state.step.written.of_current_step().unwrap_or(state.step.observed);
    let observed = if is_atomic { Observed::Value(value) } else { Observed::State(changes) };
    let is_failed_exchange = kind == Kind::Update && state.step.read_only;
    let operands = is_failed_exchange.then_some(state.step.operands);
    Look { kind, target, operands, observed, changes }
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

/// Would the thread repeat its round if its yield returned now?
#[inline]
pub(in crate::control) fn would_repeat(state: &State, thread: ThreadId) -> bool {
    let awaited = &state.threads[thread].spin.awaited;
    !awaited.is_empty() && !awaited.iter().any(|awaited| has_changed(state, thread, *awaited))
}

fn has_changed(state: &State, thread: ThreadId, awaited: Awaited) -> bool {
    match awaited.target {
        Target::Object(object) => {
            state.objects[object].changes != awaited.changes
                && state.buffers.own_store(&state.objects, thread, object).is_none()
        }
        Target::Alive(thread) => has_ended(&state.threads, &state.buffers, thread),
        Target::Final => false,
    }
}

/// What a spinning thread waits for, in words.
pub(in crate::control) fn awaited(state: &State, thread: ThreadId) -> String {
    let names = state.threads[thread].spin.awaited.iter().filter_map(|awaited| match awaited.target {
        Target::Object(object) => Some(format!("{} to be written", state.objects.name(object))),
        Target::Alive(thread) => Some(format!("the end of `{}`", state.threads.name(thread))),
        Target::Final => None,
    });
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => "what it saw to change".to_owned(),
        names => names.join(" or "),
    }
}
