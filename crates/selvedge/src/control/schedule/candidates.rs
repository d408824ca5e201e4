//! The candidates of a choice: the enabled events, in full for a scheduler that reads them, or light.
//!
//! Promise: both list the same events in the same order; `handoff_tests.rs` compares them.

#![allow(unsafe_code)]

use super::enabled::{ANY_EVENT, source_of, with_dependent_parts, write_kind};
use super::executed_action::ExecutedAction;
use super::handoff::Candidates;
use crate::control::State;
use crate::control::exception;
use crate::control::thread::{Pending, SimpleAction};
use selvedge_explore::run::{Decide, ExecutedStep};
use selvedge_explore::{
    Action, Event, EventId, Kind, LightEvent, LightRun, ObjectId, ReadsFrom, Site, ThreadId,
};
use std::fmt::Debug;
use std::mem::transmute;

/// An enabled event in the list of candidates.
pub(in crate::control) trait CandidateEvent:
    Copy + Debug + PartialEq + From<Event>
{
    /// What chooses: a scheduler behind a closure, or a light run.
    type Decide<'d>: ?Sized;

    /// What is kept of the last executed event.
    type Done;

    /// Before the first event of a run.
    const NOTHING: Self::Done;

    /// The same pointer without its lifetime. The caller must not use it beyond that.
    fn without_lifetime(decide: &mut Self::Decide<'_>) -> *mut Self::Decide<'static>;

    /// Asks for the index of the next event.
    fn ask(decide: &mut Self::Decide<'static>, list: &mut Candidates<Self>, is_first: bool) -> Option<usize>;

    /// The event at this index is about to be executed.
    fn choose(list: &mut Candidates<Self>, index: usize, state: &mut State);

    /// The chosen event is executed. Returns its action.
    fn finish(list: &mut Candidates<Self>, state: &mut State) -> ExecutedAction;

    /// The list is complete.
    fn complete_list(_list: &mut Candidates<Self>, _state: &State) {}

    /// The event of an enabled action with one alternative.
    fn plain(state: &State, thread: ThreadId, pending: &Pending) -> Self;

    /// The event, which was just written, is of this thread, which has announced an action of this kind.
    fn assign(&mut self, thread: ThreadId, kind: Kind, state: &State);

    /// Writes a simple action, but for its thread.
    fn write(&mut self, simple: SimpleAction);

    /// Writes a pending action, but for its thread.
    fn write_pending(&mut self, pending: &Pending);

    /// The thread of the event.
    fn thread(&self) -> ThreadId;

    /// An atomic is written: loads that would have read the own store of their thread do not any more.
    fn overwrite(_object: Option<ObjectId>, _list: &mut [Self]) {}
}

/// An executed event, and the announced actions of threads that it stopped.
pub(in crate::control) struct DoneInFull {
    event: Event,
    stopped: Vec<Event>,
}

impl CandidateEvent for Event {
    type Decide<'d> = Decide<'d>;
    type Done = DoneInFull;

    const NOTHING: DoneInFull = DoneInFull { event: ANY_EVENT, stopped: Vec::new() };

    fn without_lifetime(decide: &mut Decide<'_>) -> *mut Decide<'static> {
        let decide: *mut Decide<'_> = decide;
        // SAFETY: only the lifetime changes, of a pointer, which is not used here. `Handoff::with` removes
        // the pointer when it is left, so that it is not used after the reference that it is made from.
        unsafe { transmute::<*mut Decide<'_>, *mut Decide<'static>>(decide) }
    }

    #[inline(always)]
    fn ask(decide: &mut Decide<'static>, list: &mut Candidates<Event>, is_first: bool) -> Option<usize> {
        let DoneInFull { event, stopped } = &list.done;
        let done = (!is_first).then_some(ExecutedStep { event, stopped });
        decide(done, &list.enabled)
    }

    #[inline(always)]
    fn choose(list: &mut Candidates<Event>, index: usize, state: &mut State) {
        state.choose(&list.enabled[index], &mut list.done.stopped);
    }

    #[inline(always)]
    fn finish(list: &mut Candidates<Event>, state: &mut State) -> ExecutedAction {
        let done = &mut list.done.event;
        *done = list.enabled[list.index];
        state.complete(done);
        ExecutedAction::from(done)
    }

    #[inline(always)]
    fn complete_list(list: &mut Candidates<Event>, state: &State) {
        if list.enabled.is_empty() {
            state.complete_last(&mut list.done.event, &mut list.done.stopped);
        }
    }

    #[inline(always)]
    fn plain(state: &State, thread: ThreadId, pending: &Pending) -> Event {
        let id = EventId { thread, alternative: 0 };
        Event::pending(id, with_dependent_parts(state, thread, &pending.action), pending.site)
    }

    #[inline(always)]
    fn assign(&mut self, thread: ThreadId, kind: Kind, state: &State) {
        self.id = EventId { thread, alternative: 0 };
        match kind {
            Kind::Load => self.action.reads_from = source_of(state, thread, self.action.object),
            // The objects that the yield waits for were just written to the thread's slot.
            Kind::Yield => self.action = state.threads.pending(thread).action,
            Kind::Throw => self.action = exception::throw_action(&state.threads, &self.action),
            Kind::WriteLock => self.action.kind = write_kind(state, self.action.object),
            _ => {}
        }
    }

    #[inline(always)]
    fn write(&mut self, simple: SimpleAction) {
        simple.write_event(self);
    }

    #[inline(always)]
    fn write_pending(&mut self, pending: &Pending) {
        (self.action, self.site) = (pending.action, pending.site);
    }

    #[inline(always)]
    fn thread(&self) -> ThreadId {
        self.id.thread
    }

    #[inline]
    fn overwrite(object: Option<ObjectId>, list: &mut [Event]) {
        for event in list {
            let action = &mut event.action;
            if action.kind == Kind::Load && action.reads_from == ReadsFrom::Own && action.object == object {
                action.reads_from = ReadsFrom::Memory;
            }
        }
    }
}

impl CandidateEvent for LightEvent {
    type Decide<'d> = LightRun<'d>;
    /// The action that is being executed: known before, and the same after.
    type Done = Option<ExecutedAction>;

    const NOTHING: Option<ExecutedAction> = None;

    fn without_lifetime(decide: &mut LightRun<'_>) -> *mut LightRun<'static> {
        let decide: *mut LightRun<'_> = decide;
        // SAFETY: as for events in full.
        unsafe { transmute::<*mut LightRun<'_>, *mut LightRun<'static>>(decide) }
    }

    #[inline(always)]
    fn ask(
        decide: &mut LightRun<'static>,
        list: &mut Candidates<LightEvent>,
        _is_first: bool,
    ) -> Option<usize> {
        if list.enabled.is_empty() { None } else { decide.decide(&list.enabled) }
    }

    #[inline(always)]
    fn choose(list: &mut Candidates<LightEvent>, index: usize, state: &mut State) {
        let LightEvent { id, kind, .. } = list.enabled[index];
        state.step.begin(id);
        let announced = match id.thread.is_phantom() {
            true => Action::new(Kind::Commit),
            false => state.threads.pending(id.thread).action,
        };
        list.done = Some(ExecutedAction::of(id.thread, kind, &announced));
    }

    #[inline(always)]
    fn finish(list: &mut Candidates<LightEvent>, _state: &mut State) -> ExecutedAction {
        list.done.expect("an event was chosen")
    }

    #[inline(always)]
    fn plain(state: &State, thread: ThreadId, pending: &Pending) -> LightEvent {
        let Action { mut kind, object, target, .. } = pending.action;
        if kind == Kind::WriteLock {
            kind = write_kind(state, object);
        }
        LightEvent { id: EventId { thread, alternative: 0 }, site: pending.site, target, object, kind }
    }

    #[inline(always)]
    fn assign(&mut self, thread: ThreadId, kind: Kind, state: &State) {
        self.id = EventId { thread, alternative: 0 };
        match kind {
            Kind::Yield => self.write_pending(state.threads.pending(thread)),
            Kind::WriteLock => self.kind = write_kind(state, self.object),
            _ => {}
        }
    }

    #[inline(always)]
    fn write(&mut self, simple: SimpleAction) {
        self.site = Site::Rust(simple.place);
        self.target = simple.target;
        self.object = simple.object;
        self.kind = simple.spec.kind;
    }

    #[inline(always)]
    fn write_pending(&mut self, pending: &Pending) {
        let Action { kind, object, target, .. } = pending.action;
        *self = LightEvent { id: self.id, site: pending.site, target, object, kind };
    }

    #[inline(always)]
    fn thread(&self) -> ThreadId {
        self.id.thread
    }
}
