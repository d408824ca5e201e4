//! Whose turn it is.
//!
//! While runs go on, somebody decides what is done next: a scheduler, behind a closure. The thread that has just announced its next
//! action asks, and where it is chosen itself it goes on at once, without a switch. Only where another one is chosen,
//! or where a thread has ended, the driver takes over.
//!
//! Promise: who decides is not controlled itself, and runs on the driver's stack, unless it is a scheduler that is known to
//! need little; where it panics, the driver does, and no thread of the program. Nothing of the execution's state is
//! borrowed meanwhile.

#![allow(unsafe_code)]

use super::context;
use super::enabled::ANYTHING;
use super::execution::Execution;
use super::fiber::Suspender;
use super::pulse::Phase;
use super::state::State;
use selvedge_explore::run::{Decide, Done};
use selvedge_explore::{Event, EventId, Kind};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Who decides, and what about.
pub(crate) struct Turn {
    /// There while the driver goes on.
    decide: Cell<Option<*mut Decide<'static>>>,
    list: RefCell<List>,
    /// What a thread was told that is not the one to go on. The driver takes it from here.
    decision: Cell<Decision>,
    /// What the one who decides panicked with.
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// What can be done, and what is.
struct List {
    enabled: Vec<Event>,
    /// Where in the list the event at hand is.
    place: usize,
    /// The event that was done last.
    done: Event,
    /// What threads were about to do that it stopped.
    stopped: Vec<Event>,
}

/// What the running thread has announced, in short.
#[derive(Clone, Copy)]
pub(super) struct Announced {
    pub(super) kind: Kind,
    /// Can it go one way only?
    pub(super) is_plain: bool,
    /// Need it not wait for anything?
    pub(super) never_waits: bool,
}

/// Has anybody asked?
#[derive(Clone, Copy)]
enum Decision {
    /// The driver has to ask.
    Open,
    /// This event is next.
    Next(EventId),
    /// Nothing is.
    Over,
}

impl List {
    /// The event at hand is done.
    #[inline(always)]
    fn finish(&mut self, state: &mut State) {
        self.done = self.enabled[self.place];
        state.turned_out(&mut self.done);
    }

    /// Panics where what is listed is not what can be done.
    #[inline(always)]
    fn compare(&self, state: &mut State) {
        if cfg!(test) {
            let (mut enabled, had_spinners) = (Vec::new(), state.has_spinners);
            state.look(&mut enabled);
            assert_eq!(self.enabled, enabled, "after {:?}", self.done);
            assert!(had_spinners || !state.has_spinners, "nobody spun before {:?}", self.done);
            state.has_spinners = had_spinners;
        }
    }

    /// What can be done is listed.
    #[inline(always)]
    fn is_listed(&mut self, state: &State) {
        if self.enabled.is_empty() {
            state.was_last(&mut self.done, &mut self.stopped);
        }
    }
}

impl Turn {
    pub(super) fn new() -> Turn {
        Turn {
            decide: Cell::new(None),
            list: RefCell::new(List { enabled: Vec::new(), place: 0, done: ANYTHING, stopped: Vec::new() }),
            decision: Cell::new(Decision::Open),
            panic: Cell::new(None),
        }
    }

    /// Threads ask this one while the work is done; these events can be done first.
    pub(super) fn with<R>(
        &self,
        decide: &mut Decide<'_>,
        enabled: &mut Vec<Event>,
        work: impl FnOnce() -> R,
    ) -> R {
        let decide: *mut Decide<'_> = decide;
        // SAFETY: only the lifetime changes. `_closes` takes the pointer away when this function is left, however that is, so
        // it is not used after the reference that it is made of; and that is not used while the pointer is.
        let decide = unsafe { std::mem::transmute::<*mut Decide<'_>, *mut Decide<'static>>(decide) };
        self.decision.set(Decision::Open);
        self.decide.set(Some(decide));
        let _closes = Closes(self);
        std::mem::swap(enabled, &mut self.list.borrow_mut().enabled);
        let result = work();
        std::mem::swap(enabled, &mut self.list.borrow_mut().enabled);
        result
    }

    /// Asks what is done next, after the event that was done last, if there is one. Returns its place.
    #[inline]
    fn ask(&self, is_first: bool) -> Option<usize> {
        let decide = self.decide.get().expect("somebody decides while runs go on");
        let list = &mut *self.list.borrow_mut();
        let done = (!is_first).then_some(Done { event: &list.done, stopped: &list.stopped });
        // SAFETY: the pointer is good while it is there, see `with`. Nobody asks while somebody is being asked: who
        // decides does not run threads.
        let place = unsafe { (*decide)(done, &list.enabled) };
        list.place = place.unwrap_or(0);
        place
    }

    /// The event at this place is about to be done.
    #[inline]
    fn begin(&self, place: usize, state: &mut State) -> EventId {
        let list = &mut *self.list.borrow_mut();
        state.choose(&list.enabled[place], &mut list.stopped);
        state.chosen
    }

    /// The event at hand is done, and may have changed anything.
    fn look(&self, state: &mut State) {
        let list = &mut *self.list.borrow_mut();
        list.finish(state);
        if !state.relist(&list.done, list.place, &mut list.enabled) {
            state.look(&mut list.enabled);
        }
        list.compare(state);
        list.is_listed(state);
    }

    /// Asks what is done first, which is about to be done then.
    pub(super) fn ask_first(&self, execution: &Execution) -> Option<EventId> {
        self.ask(true).map(|place| self.begin(place, &mut execution.state.borrow_mut()))
    }

    /// The driver has let a thread do something, and those begin that began by that. Returns what is about to be done next.
    ///
    /// # Panics
    /// If the one who decides does, or did.
    #[inline]
    pub(super) fn next(&self, execution: &Execution, begin_fresh: impl FnOnce()) -> Option<EventId> {
        match self.decision.replace(Decision::Open) {
            Decision::Next(event) => Some(event),
            Decision::Over => match self.panic.take() {
                Some(payload) => resume_unwind(payload),
                None => None,
            },
            Decision::Open => {
                begin_fresh();
                self.look(&mut execution.state.borrow_mut());
                self.ask(false).map(|place| self.begin(place, &mut execution.state.borrow_mut()))
            }
        }
    }
}

/// Nobody can be asked any more.
struct Closes<'t>(&'t Turn);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.decide.set(None);
    }
}

impl Execution {
    /// The running thread announces something: what can be done now is listed, if it is the one to ask.
    ///
    /// Where it need not wait for what it does next, and what it did concerns few, its own event takes the place of the one
    /// before.
    #[inline(always)]
    pub(super) fn may_ask(
        &self,
        state: &mut State,
        announced: Announced,
        write: impl FnOnce(&mut Event),
    ) -> bool {
        let Announced { kind, is_plain, never_waits } = announced;
        let running = state.running;
        let is_its_turn = state.chosen.thread == running && state.fresh.is_empty();
        if self.turn.decide.get().is_none() || !is_its_turn || state.stop.is_some() {
            return false;
        }
        let list = &mut *self.turn.list.borrow_mut();
        list.finish(state);
        let goes_on = never_waits || is_plain && state.can_do(running, state.announced(running));
        let told = if goes_on || is_plain && state.waits_simply(kind) {
            state.tell_others(&list.done, list.place, &mut list.enabled)
        } else {
            None
        };
        let place = match told {
            Some(place) if goes_on => Some(place),
            Some(place) => {
                list.enabled.remove(place);
                None
            }
            None => state.look_after(Some(running), &mut list.enabled),
        };
        if let Some(place) = place {
            let listed = &mut list.enabled[place];
            // Not copied from its slot: reading at once what was written in parts, a processor waits for all of them.
            write(listed);
            listed.id = EventId { thread: running, alternative: 0 };
            match kind {
                Kind::Load => listed.action.source = state.source_of(running, listed.action.object),
                // What it waits for was written there just now.
                Kind::Yield => listed.action = state.announced(running).action,
                Kind::Throw => listed.action = state.throw_as_listed(&listed.action),
                _ => {}
            }
        }
        list.compare(state);
        list.is_listed(state);
        true
    }

    /// Has the running thread, whose turn it is, spawned somebody who has not begun?
    #[inline(always)]
    pub(super) fn begins_in_place(&self, state: &State) -> bool {
        !state.fresh.is_empty() && state.chosen.thread == state.running && self.turn.decide.get().is_some()
    }

    /// The running thread asks. Where it is the one to go on, returns the alternative that it is chosen for.
    pub(super) fn asks(&self, suspender: Suspender) -> Option<u32> {
        loop {
            match self.asks_once(suspender) {
                // Nobody has to run for that, so it asks again.
                Asked::Committed => {}
                Asked::GoesOn(alternative) => return Some(alternative),
                Asked::Waits => return None,
            }
        }
    }

    fn asks_once(&self, suspender: Suspender) -> Asked {
        let turn = &self.turn;
        // A panic of who decides must not unwind a thread of the program.
        let ask = || catch_unwind(AssertUnwindSafe(|| turn.ask(false)));
        let in_place = self.settings.asks_in_place;
        let asked = context::outside(|| if in_place { ask() } else { suspender.on_driver_stack(ask) });
        match asked {
            Ok(Some(place)) => {
                let state = &mut *self.state.borrow_mut();
                let list = &mut *turn.list.borrow_mut();
                state.choose(&list.enabled[place], &mut list.stopped);
                let EventId { thread, alternative } = state.chosen;
                if thread.is_phantom() {
                    state.commit_chosen();
                    list.finish(state);
                    state.look(&mut list.enabled);
                    list.is_listed(state);
                    return Asked::Committed;
                }
                if thread == state.running {
                    self.pulse.beat(thread, Phase::Does, &state.threads[thread.index()].pending);
                    return Asked::GoesOn(alternative);
                }
                turn.decision.set(Decision::Next(state.chosen));
            }
            Ok(None) => turn.decision.set(Decision::Over),
            Err(payload) => {
                turn.panic.set(Some(payload));
                turn.decision.set(Decision::Over);
            }
        }
        Asked::Waits
    }
}

/// What a thread is told.
enum Asked {
    /// It goes on, in this way.
    GoesOn(u32),
    /// A store was committed.
    Committed,
    /// Somebody else goes on, or nobody.
    Waits,
}
