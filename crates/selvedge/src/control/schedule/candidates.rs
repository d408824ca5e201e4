//! What is listed of what can be done: all that is known, or in light.
//!
//! Promise: both list the same, in the same order; see `turn_tests.rs`.

#![allow(unsafe_code)]

use super::enabled::ANYTHING;
use super::handoff::List;
use crate::control::schedule::ExecutedAction;
use crate::control::state::State;
use crate::control::thread::{Pending, SimpleAction};
use selvedge_explore::run::{Decide, ExecutedStep};
use selvedge_explore::{
    Action, Event, EventId, Kind, LightEvent, LightRun, ObjectId, ReadsFrom, Site, ThreadId,
};
use std::fmt::Debug;
use std::mem::transmute;

/// What is listed of something that can be done.
pub(crate) trait CandidateEvent: Copy + Debug + PartialEq + From<Event> {
    /// Who is asked.
    type Decide<'d>: ?Sized;

    /// What is kept of what was done last.
    type Done;

    /// Before the first event of a run.
    const NOTHING: Self::Done;

    /// The same, for as long as the caller sees to it that it is not used beyond its time.
    fn for_now(decide: &mut Self::Decide<'_>) -> *mut Self::Decide<'static>;

    /// Asks.
    fn ask(decide: &mut Self::Decide<'static>, list: &mut List<Self>, is_first: bool) -> Option<usize>;

    /// The event at this place is about to be done.
    fn choose(list: &mut List<Self>, place: usize, state: &mut State);

    /// The event at hand is done. Returns what it was.
    fn finish(list: &mut List<Self>, state: &mut State) -> ExecutedAction;

    /// What can be done is listed.
    fn is_listed(_list: &mut List<Self>, _state: &State) {}

    /// A plain action that can be done.
    fn plain(state: &State, thread: ThreadId, pending: &Pending) -> Self;

    /// What was written here is this thread's, which has just announced something of this kind.
    fn is_of(&mut self, thread: ThreadId, kind: Kind, state: &State);

    /// Writes here what was announced in few words, but for whose it is.
    fn write(&mut self, short: SimpleAction);

    /// The same for what took more.
    fn write_pending(&mut self, pending: &Pending);

    /// The thread whose it is.
    fn thread(&self) -> ThreadId;

    /// An atomic is written: who would have read its own store does not any more.
    fn is_overwritten(_object: Option<ObjectId>, _list: &mut [Self]) {}
}

/// An event that was done, and what threads were about to do that it stopped.
pub(crate) struct DoneInFull {
    event: Event,
    stopped: Vec<Event>,
}

impl CandidateEvent for Event {
    type Decide<'d> = Decide<'d>;
    type Done = DoneInFull;

    const NOTHING: DoneInFull = DoneInFull { event: ANYTHING, stopped: Vec::new() };

    fn for_now(decide: &mut Decide<'_>) -> *mut Decide<'static> {
        let decide: *mut Decide<'_> = decide;
        // SAFETY: only the lifetime changes. `Handoff::with` takes the pointer away when it is left, however that is, so it is
        // not used after the reference that it is made of; and that is not used while the pointer is.
        unsafe { transmute::<*mut Decide<'_>, *mut Decide<'static>>(decide) }
    }

    #[inline(always)]
    fn ask(decide: &mut Decide<'static>, list: &mut List<Event>, is_first: bool) -> Option<usize> {
        let DoneInFull { event, stopped } = &list.done;
        let done = (!is_first).then_some(ExecutedStep { event, stopped });
        decide(done, &list.enabled)
    }

    #[inline(always)]
    fn choose(list: &mut List<Event>, place: usize, state: &mut State) {
        state.choose(&list.enabled[place], &mut list.done.stopped);
    }

    #[inline(always)]
    fn finish(list: &mut List<Event>, state: &mut State) -> ExecutedAction {
        let done = &mut list.done.event;
        *done = list.enabled[list.place];
        state.turned_out(done);
        ExecutedAction::from(done)
    }

    #[inline(always)]
    fn is_listed(list: &mut List<Event>, state: &State) {
        if list.enabled.is_empty() {
            state.was_last(&mut list.done.event, &mut list.done.stopped);
        }
    }

    #[inline(always)]
    fn plain(state: &State, thread: ThreadId, pending: &Pending) -> Event {
        let id = EventId { thread, alternative: 0 };
        Event::pending(id, state.as_listed(thread, &pending.action), pending.site)
    }

    #[inline(always)]
    fn is_of(&mut self, thread: ThreadId, kind: Kind, state: &State) {
        self.id = EventId { thread, alternative: 0 };
        match kind {
            Kind::Load => self.action.reads_from = state.source_of(thread, self.action.object),
            // What it waits for was written there just now.
            Kind::Yield => self.action = state.announced(thread).action,
            Kind::Throw => self.action = state.throw_as_listed(&self.action),
            _ => {}
        }
    }

    #[inline(always)]
    fn write(&mut self, short: SimpleAction) {
        short.write_event(self);
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
    fn is_overwritten(object: Option<ObjectId>, list: &mut [Event]) {
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
    /// What is being done: known before it is, and the same after it.
    type Done = Option<ExecutedAction>;

    const NOTHING: Option<ExecutedAction> = None;

    fn for_now(decide: &mut LightRun<'_>) -> *mut LightRun<'static> {
        let decide: *mut LightRun<'_> = decide;
        // SAFETY: as for events in full.
        unsafe { transmute::<*mut LightRun<'_>, *mut LightRun<'static>>(decide) }
    }

    #[inline(always)]
    fn ask(decide: &mut LightRun<'static>, list: &mut List<LightEvent>, _is_first: bool) -> Option<usize> {
        if list.enabled.is_empty() { None } else { decide.decide(&list.enabled) }
    }

    #[inline(always)]
    fn choose(list: &mut List<LightEvent>, place: usize, state: &mut State) {
        let LightEvent { id, kind, .. } = list.enabled[place];
        state.begin_step(id);
        let announced = match id.thread.is_phantom() {
            true => Action::new(Kind::Commit),
            false => state.announced(id.thread).action,
        };
        list.done = Some(ExecutedAction::of(id.thread, kind, &announced));
    }

    #[inline(always)]
    fn finish(list: &mut List<LightEvent>, _state: &mut State) -> ExecutedAction {
        list.done.expect("something was chosen")
    }

    #[inline(always)]
    fn plain(_state: &State, thread: ThreadId, pending: &Pending) -> LightEvent {
        let Action { kind, object, target, .. } = pending.action;
        LightEvent { id: EventId { thread, alternative: 0 }, site: pending.site, target, object, kind }
    }

    #[inline(always)]
    fn is_of(&mut self, thread: ThreadId, kind: Kind, state: &State) {
        self.id = EventId { thread, alternative: 0 };
        if kind == Kind::Yield {
            self.write_pending(state.announced(thread));
        }
    }

    #[inline(always)]
    fn write(&mut self, short: SimpleAction) {
        self.site = Site::Rust(short.place);
        self.target = short.target;
        self.object = short.object;
        self.kind = short.spec.kind;
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
