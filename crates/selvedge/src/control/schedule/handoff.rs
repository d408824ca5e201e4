//! Whose turn it is.
//!
//! While runs go on, somebody decides what is done next: a scheduler, behind a closure. The thread that has just announced its next
//! action asks, and where it is chosen itself it goes on at once, without a switch. Only where another one is chosen,
//! or where a thread has ended, the driver takes over. What can be done is listed in full or in brief, as the run is told; all
//! else is the same for both.
//!
//! Promise: who decides is not controlled itself, and runs on the driver's stack, unless it is a scheduler that is known to
//! need little; where it panics, the driver does, and no thread of the program. Nothing of the execution's state is
//! borrowed meanwhile.

#![allow(unsafe_code)]

use crate::control::diagnose::Phase;
use crate::control::execution::Execution;
use crate::control::fiber;
use crate::control::fiber::{Resumable, Suspender};
use crate::control::schedule::CandidateEvent;
use crate::control::schedule::ExecutedAction;
use crate::control::state::State;
use selvedge_explore::{Event, EventId, Kind, LightEvent, ThreadId, Trace};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Who decides, and what about.
pub(crate) struct Handoff<L: CandidateEvent> {
    /// There while the driver goes on.
    pub(in crate::control) decide: Cell<Option<*mut L::Decide<'static>>>,
    pub(in crate::control) list: RefCell<List<L>>,
    /// What a thread was told that is not the one to go on. The driver takes it from here.
    decision: Cell<Decision>,
    /// What the one who decides panicked with.
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// What can be done, and what is.
pub(in crate::control) struct List<L: CandidateEvent> {
    pub(in crate::control) enabled: Vec<L>,
    /// Where in the list the event at hand is.
    pub(in crate::control) place: usize,
    /// What was done last.
    pub(in crate::control) done: L::Done,
}

/// What the running thread has announced, in short.
#[derive(Clone, Copy)]
pub(in crate::control) struct Announced {
    pub(in crate::control) kind: Kind,
    /// Can it go one way only?
    pub(in crate::control) is_plain: bool,
    /// Need it not wait for anything?
    pub(in crate::control) never_waits: bool,
}

/// Has anybody asked?
#[derive(Clone, Copy)]
enum Decision {
    /// The driver has to ask.
    Open,
    /// This event is next.
    Next(EventId),
    /// This thread goes on: it is known to be the running one by now.
    Ready(ThreadId, Resumable),
    /// Nothing is.
    Over,
}

/// What the driver does next.
pub(in crate::control) enum Upcoming {
    /// Somebody is chosen, and does it.
    Chosen(EventId),
    /// The same, and all is ready for it.
    Ready(ThreadId, Resumable),
}

impl<L: CandidateEvent> List<L> {
    /// The event at hand is done.
    #[inline(always)]
    fn finish(&mut self, state: &mut State) -> ExecutedAction {
        let executed = L::finish(self, state);
        state.note(&executed);
        executed
    }

    /// The running thread, whose turn it is, has announced something: what can be done now is listed.
    ///
    /// Where it need not wait for what it does next, and what it did concerns few, its own event takes the place of the one
    /// before.
    #[inline(always)]
    pub(in crate::control) fn announce(
        &mut self,
        state: &mut State,
        announced: Announced,
        write: impl FnOnce(&mut L),
    ) {
        let Announced { kind, is_plain, never_waits } = announced;
        let running = state.running;
        let executed = self.finish(state);
        let goes_on = never_waits || is_plain && state.can_do(running, state.announced(running));
        let told = if goes_on || is_plain && state.waits_simply(kind) {
            state.tell_others(&executed, self.place, &mut self.enabled)
        } else {
            None
        };
        let place = match told {
            Some(place) if goes_on => Some(place),
            Some(place) => {
                self.enabled.remove(place);
                None
            }
            None => state.look_after(Some(running), &mut self.enabled),
        };
        if let Some(place) = place {
            let listed = &mut self.enabled[place];
            // Not copied from its slot: reading at once what was written in parts, a processor waits for all of them.
            write(listed);
            listed.is_of(running, kind, state);
        }
        self.compare(state);
        L::is_listed(self, state);
    }

    /// Panics where what is listed is not what can be done.
    #[inline(always)]
    fn compare(&self, state: &mut State) {
        if cfg!(test) {
            let (mut enabled, had_spinners) = (Vec::new(), state.unusual.has_spinners);
            state.look(&mut enabled);
            assert_eq!(self.enabled, enabled, "after the event at {}", self.place);
            assert!(
                had_spinners || !state.unusual.has_spinners,
                "nobody spun before the event at {}",
                self.place
            );
            state.unusual.has_spinners = had_spinners;
        }
    }
}

impl<L: CandidateEvent> Handoff<L> {
    pub(in crate::control) fn new() -> Handoff<L> {
        Handoff {
            decide: Cell::new(None),
            list: RefCell::new(List { enabled: Vec::new(), place: 0, done: L::NOTHING }),
            decision: Cell::new(Decision::Open),
            panic: Cell::new(None),
        }
    }

    /// Can somebody be asked?
    #[inline(always)]
    fn is_open(&self) -> bool {
        self.decide.get().is_some()
    }

    /// Threads ask this one while the work is done; these events can be done first.
    pub(in crate::control) fn with<R>(
        &self,
        decide: &mut L::Decide<'_>,
        enabled: impl IntoIterator<Item = L>,
        work: impl FnOnce() -> R,
    ) -> R {
        self.decision.set(Decision::Open);
        self.decide.set(Some(L::for_now(decide)));
        let _closes = Closes(self);
        {
            let list = &mut *self.list.borrow_mut();
            list.enabled.clear();
            list.enabled.extend(enabled);
        }
        work()
    }

    /// Asks what is done next, after the event that was done last, if there is one. Returns its place.
    #[inline]
    fn ask(&self, is_first: bool) -> Option<usize> {
        let decide = self.decide.get().expect("somebody decides while runs go on");
        let list = &mut *self.list.borrow_mut();
        // SAFETY: the pointer is good while it is there, see `with`. Nobody asks while somebody is being asked: who
        // decides does not run threads.
        let place = L::ask(unsafe { &mut *decide }, list, is_first);
        list.place = place.unwrap_or(0);
        place
    }

    /// The event at this place is about to be done.
    #[inline]
    fn begin(&self, place: usize, state: &mut State) -> EventId {
        L::choose(&mut self.list.borrow_mut(), place, state);
        state.chosen
    }

    /// The event at hand is done, and may have changed anything.
    fn look(&self, state: &mut State) {
        let list = &mut *self.list.borrow_mut();
        let executed = list.finish(state);
        if !state.update_enabled(&executed, list.place, &mut list.enabled) {
            state.look(&mut list.enabled);
        }
        list.compare(state);
        L::is_listed(list, state);
    }

    /// Asks what is done first, which is about to be done then.
    pub(in crate::control) fn ask_first(&self, execution: &Execution) -> Option<Upcoming> {
        let place = self.ask(true)?;
        Some(Upcoming::Chosen(self.begin(place, &mut execution.state.borrow_mut())))
    }

    /// The driver has let a thread do something, and those begin that began by that. Returns what is about to be done next.
    ///
    /// # Panics
    /// If the one who decides does, or did.
    #[inline]
    pub(in crate::control) fn next(
        &self,
        execution: &Execution,
        begin_fresh: impl FnOnce(),
    ) -> Option<Upcoming> {
        match self.decision.replace(Decision::Open) {
            Decision::Ready(thread, fiber) => Some(Upcoming::Ready(thread, fiber)),
            Decision::Next(event) => Some(Upcoming::Chosen(event)),
            Decision::Over => match self.panic.take() {
                Some(payload) => resume_unwind(payload),
                None => None,
            },
            Decision::Open => {
                begin_fresh();
                self.look(&mut execution.state.borrow_mut());
                let place = self.ask(false)?;
                Some(Upcoming::Chosen(self.begin(place, &mut execution.state.borrow_mut())))
            }
        }
    }

    /// Somebody else goes on, for whom all is ready; the driver sees to it.
    #[inline(always)]
    pub(in crate::control) fn make_way(&self, thread: ThreadId, fiber: Resumable) {
        self.decision.set(Decision::Ready(thread, fiber));
    }

    /// Nobody goes on.
    pub(in crate::control) fn is_over(&self) {
        self.decision.set(Decision::Over);
    }

    /// The running thread announces something. Where it is the one to ask, what can be done now is listed.
    #[inline(always)]
    pub(in crate::control) fn may_ask(
        &self,
        state: &mut State,
        announced: Announced,
        write: impl FnOnce(&mut L),
    ) -> bool {
        let is_its_turn = state.chosen.thread == state.running && state.fresh.is_empty();
        if !self.is_open() || !is_its_turn || state.stop.is_some() {
            return false;
        }
        self.list.borrow_mut().announce(state, announced, write);
        true
    }

    /// The running thread asks. Where it is the one to go on, returns the alternative that it is chosen for.
    pub(in crate::control) fn asks(&self, execution: &Execution, suspender: Suspender) -> Option<u32> {
        loop {
            match self.asks_once(execution, suspender) {
                // Nobody has to run for that, so it asks again.
                Asked::Committed => {}
                Asked::GoesOn(alternative) => return Some(alternative),
                Asked::Waits => return None,
            }
        }
    }

    /// A panic of who decides must not unwind a thread of the program; nor is it controlled.
    #[inline(never)]
    fn asks_with_care(
        &self,
        in_place: bool,
        suspender: Suspender,
    ) -> Result<Option<usize>, Box<dyn Any + Send>> {
        let ask = || catch_unwind(AssertUnwindSafe(|| self.ask(false)));
        fiber::outside(|| if in_place { ask() } else { suspender.on_driver_stack(ask) })
    }

    #[inline(always)]
    fn asks_once(&self, execution: &Execution, suspender: Suspender) -> Asked {
        let asked = match execution.settings.has_fast_path() {
            true => Ok(self.ask(false)),
            false => self.asks_with_care(execution.settings.asks_in_place, suspender),
        };
        match asked {
            Ok(Some(place)) => {
                let state = &mut *execution.state.borrow_mut();
                let list = &mut *self.list.borrow_mut();
                L::choose(list, place, state);
                let EventId { thread, alternative } = state.chosen;
                if thread.is_phantom() {
                    state.commit_chosen();
                    list.finish(state);
                    state.look(&mut list.enabled);
                    L::is_listed(list, state);
                    return Asked::Committed;
                }
                if thread == state.running {
                    execution.heartbeat.beat(thread, Phase::Does, &state.threads[thread.index()].pending);
                    return Asked::GoesOn(alternative);
                }
                self.decision.set(Decision::Next(state.chosen));
            }
            Ok(None) => self.decision.set(Decision::Over),
            Err(payload) => {
                self.panic.set(Some(payload));
                self.decision.set(Decision::Over);
            }
        }
        Asked::Waits
    }
}

/// Nobody can be asked any more.
struct Closes<'t, L: CandidateEvent>(&'t Handoff<L>);

impl<L: CandidateEvent> Drop for Closes<'_, L> {
    fn drop(&mut self) {
        self.0.decide.set(None);
    }
}

impl Handoff<LightEvent> {
    /// The run under way, with the step that is being done, while no one is being asked.
    pub(in crate::control) fn so_far(&self) -> Option<Trace> {
        // SAFETY: as in `ask`; a thread of the program runs, so nobody is being asked.
        self.decide.get().map(|run| unsafe { &*run }.so_far())
    }
}

impl Execution {
    /// Has the running thread, whose turn it is, spawned somebody who has not begun?
    #[inline(always)]
    pub(in crate::control) fn begins_in_place(&self, state: &State) -> bool {
        !state.fresh.is_empty()
            && state.chosen.thread == state.running
            && (self.handoff.is_open() || self.light_handoff.is_open())
    }

    /// Is the run under way told in brief?
    #[inline(always)]
    pub(in crate::control) fn is_light(&self) -> bool {
        self.light_handoff.is_open()
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

/// The two ways to list what can be done.
pub(crate) type FullHandoff = Handoff<Event>;
pub(crate) type LightHandoff = Handoff<LightEvent>;
