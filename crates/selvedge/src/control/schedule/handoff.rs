//! The handoff from one thread to the next.
//!
//! While a run goes on, a scheduler behind a closure decides which event is next. The thread that has just
//! announced its next action asks it; if the thread itself is chosen, it goes on at once, without a context
//! switch. Only if another thread is chosen, or a thread has ended, the driver takes over. The candidates
//! are listed in full or light; all else is the same for both.
//!
//! Promise: the scheduler is not controlled itself, and runs on the driver's stack, unless it is known to
//! need little; if it panics, the driver does, and no thread of the program. No state of the execution is
//! borrowed meanwhile.

#![allow(unsafe_code)]

use super::candidates::CandidateEvent;
use super::enabled::{
    can_execute, compute_enabled, compute_enabled_after, is_blocked_only, update_after, update_others,
};
use super::executed_action::ExecutedAction;
use crate::control::diagnose::Phase;
use crate::control::fiber::{self, Resumable, Suspender};
use crate::control::progress;
use crate::control::{Execution, State};
use selvedge_explore::{Event, EventId, Kind, LightEvent, LightRun, ThreadId, Trace};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The scheduler that decides, and its candidates.
pub(in crate::control) struct Handoff<L: CandidateEvent> {
    /// There while the driver goes on.
    pub(super) decide: Cell<Option<*mut L::Decide<'static>>>,
    pub(super) candidates: RefCell<Candidates<L>>,
    /// The decision for another thread than the asking one. The driver takes it from here.
    decision: Cell<Decision>,
    /// The payload of a panic of the scheduler.
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// The enabled events, and the chosen one.
pub(in crate::control) struct Candidates<L: CandidateEvent> {
    pub(super) enabled: Vec<L>,
    /// The index of the chosen event in the list.
    pub(super) index: usize,
    /// The last executed event.
    pub(super) done: L::Done,
}

/// The announcement of the running thread, in short.
#[derive(Clone, Copy)]
pub(super) struct Announcement {
    pub(super) kind: Kind,
    /// Has it one alternative only?
    pub(super) is_plain: bool,
    /// Is it certain that the thread need not wait?
    pub(super) never_waits: bool,
}

/// What the scheduler has decided.
#[derive(Clone, Copy)]
enum Decision {
    /// The driver has to ask.
    Open,
    /// This event is next.
    Next(EventId),
    /// This thread goes on: it is the running thread by now.
    Ready(ThreadId, Resumable),
    /// No event is next.
    Over,
}

/// What the driver does next.
pub(super) enum Upcoming {
    /// It executes this event.
    Chosen(EventId),
    /// It resumes this thread, which is the running thread by now.
    Ready(ThreadId, Resumable),
}

impl<L: CandidateEvent> Candidates<L> {
    /// The chosen event is executed.
    #[inline(always)]
    fn finish(&mut self, state: &mut State) -> ExecutedAction {
        let executed = L::finish(self, state);
        progress::record_step(state, &executed);
        executed
    }

    /// The running thread, which was chosen, has announced its next action: lists the enabled events.
    ///
    /// If it need not wait for that action, and its last one concerns few threads, its new event replaces
    /// the old one.
    #[inline(always)]
    pub(super) fn announce(
        &mut self,
        state: &mut State,
        announcement: Announcement,
        write: impl FnOnce(&mut L),
    ) {
        let Announcement { kind, is_plain, never_waits } = announcement;
        let running = state.running;
        let executed = self.finish(state);
        let is_enabled =
            never_waits || is_plain && can_execute(state, running, state.threads.pending(running));
        let updated = if is_enabled || is_plain && is_blocked_only(state, kind) {
            update_others(state, &executed, self.index, &mut self.enabled)
        } else {
            None
        };
        let index = match updated {
            Some(index) if is_enabled => Some(index),
            Some(index) => {
                self.enabled.remove(index);
                None
            }
            None => compute_enabled_after(state, Some(running), &mut self.enabled),
        };
        if let Some(index) = index {
            let event = &mut self.enabled[index];
            // Not copied from its slot: reading at once what was written in parts, a processor waits for all
            // of them.
            write(event);
            event.assign(running, kind, state);
        }
        self.compare(state);
        L::complete_list(self, state);
    }

    /// In tests: panics if the list differs from the list that is computed anew.
    #[inline(always)]
    fn compare(&self, state: &mut State) {
        if cfg!(test) {
            let (mut enabled, had_spinners) = (Vec::new(), state.conditions.has_spinners);
            compute_enabled(state, &mut enabled);
            assert_eq!(self.enabled, enabled, "after the event at {}", self.index);
            assert!(
                had_spinners || !state.conditions.has_spinners,
                "no thread spun before the event at {}",
                self.index
            );
            state.conditions.has_spinners = had_spinners;
        }
    }
}

impl<L: CandidateEvent> Handoff<L> {
    pub(in crate::control) fn new() -> Handoff<L> {
        Handoff {
            decide: Cell::new(None),
            candidates: RefCell::new(Candidates { enabled: Vec::new(), index: 0, done: L::NOTHING }),
            decision: Cell::new(Decision::Open),
            panic: Cell::new(None),
        }
    }

    /// Is there a scheduler to ask?
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        self.decide.get().is_some()
    }

    /// Threads ask this scheduler during the work; these events are enabled first.
    pub(super) fn with<R>(
        &self,
        decide: &mut L::Decide<'_>,
        enabled: impl IntoIterator<Item = L>,
        work: impl FnOnce() -> R,
    ) -> R {
        self.decision.set(Decision::Open);
        self.decide.set(Some(L::without_lifetime(decide)));
        let _closes = Closes(self);
        {
            let candidates = &mut *self.candidates.borrow_mut();
            candidates.enabled.clear();
            candidates.enabled.extend(enabled);
        }
        work()
    }

    /// Asks for the next event, after the last executed one, if there is one. Returns its index.
    #[inline]
    fn ask(&self, is_first: bool) -> Option<usize> {
        let decide = self.decide.get().expect("a scheduler decides while a run goes on");
        let candidates = &mut *self.candidates.borrow_mut();
        // SAFETY: the pointer is valid while it is there, see `with`. There is no second reference: a
        // scheduler runs no threads, so that no thread asks while it decides.
        let index = L::ask(unsafe { &mut *decide }, candidates, is_first);
        candidates.index = index.unwrap_or(0);
        index
    }

    /// The event at this index is about to be executed.
    #[inline]
    fn choose(&self, index: usize, state: &mut State) -> EventId {
        L::choose(&mut self.candidates.borrow_mut(), index, state);
        state.step.chosen
    }

    /// The chosen event is executed: updates the candidates.
    fn update(&self, state: &mut State) {
        let candidates = &mut *self.candidates.borrow_mut();
        let executed = candidates.finish(state);
        if !update_after(state, &executed, candidates.index, &mut candidates.enabled) {
            compute_enabled(state, &mut candidates.enabled);
        }
        candidates.compare(state);
        L::complete_list(candidates, state);
    }

    /// Asks for the first event, which is about to be executed then.
    pub(super) fn ask_first(&self, execution: &Execution) -> Option<Upcoming> {
        let index = self.ask(true)?;
        Some(Upcoming::Chosen(self.choose(index, &mut execution.state.borrow_mut())))
    }

    /// The driver has let a thread execute its event, and spawned threads begin. Returns what is about to be
    /// executed.
    ///
    /// # Panics
    /// If the scheduler does, or did.
    #[inline]
    pub(super) fn next(&self, execution: &Execution, begin_spawned: impl FnOnce()) -> Option<Upcoming> {
        match self.decision.replace(Decision::Open) {
            Decision::Ready(thread, fiber) => Some(Upcoming::Ready(thread, fiber)),
            Decision::Next(event) => Some(Upcoming::Chosen(event)),
            Decision::Over => match self.panic.take() {
                Some(payload) => resume_unwind(payload),
                None => None,
            },
            Decision::Open => {
                begin_spawned();
                self.update(&mut execution.state.borrow_mut());
                let index = self.ask(false)?;
                Some(Upcoming::Chosen(self.choose(index, &mut execution.state.borrow_mut())))
            }
        }
    }

    /// Another thread goes on, which is the running thread by now; the driver resumes it.
    #[inline(always)]
    pub(super) fn hand_to(&self, thread: ThreadId, fiber: Resumable) {
        self.decision.set(Decision::Ready(thread, fiber));
    }

    /// No thread goes on.
    pub(super) fn end(&self) {
        self.decision.set(Decision::Over);
    }

    /// The running thread announces an action. If it is the thread that asks, lists the enabled events.
    #[inline(always)]
    pub(super) fn may_ask(
        &self,
        state: &mut State,
        announcement: Announcement,
        write: impl FnOnce(&mut L),
    ) -> bool {
        let was_chosen = state.step.chosen.thread == state.running && !state.threads.has_unstarted();
        if !self.is_open() || !was_chosen || state.end.stop.is_some() {
            return false;
        }
        self.candidates.borrow_mut().announce(state, announcement, write);
        true
    }

    /// The running thread asks. If it is chosen itself, returns its alternative.
    pub(super) fn ask_in_place(&self, execution: &Execution, suspender: Suspender) -> Option<u32> {
        loop {
            match self.ask_in_place_once(execution, suspender) {
                // A commit needs no thread, so this thread asks again.
                Answer::Committed => {}
                Answer::GoesOn(alternative) => return Some(alternative),
                Answer::Waits => return None,
            }
        }
    }

    /// A panic of the scheduler must not unwind a thread of the program; nor is the scheduler controlled.
    #[inline(never)]
    fn ask_with_care(
        &self,
        in_place: bool,
        suspender: Suspender,
    ) -> Result<Option<usize>, Box<dyn Any + Send>> {
        let ask = || catch_unwind(AssertUnwindSafe(|| self.ask(false)));
        fiber::outside(|| {
            if in_place {
                return ask();
            }
            // SAFETY: the suspender is of the running thread, which calls this, and a scheduler suspends no
            // thread.
            unsafe { suspender.on_driver_stack(ask) }
        })
    }

    #[inline(always)]
    fn ask_in_place_once(&self, execution: &Execution, suspender: Suspender) -> Answer {
        let answer = match execution.settings.has_fast_path() {
            true => Ok(self.ask(false)),
            false => self.ask_with_care(execution.settings.asks_in_place, suspender),
        };
        match answer {
            Ok(Some(index)) => {
                let state = &mut *execution.state.borrow_mut();
                let candidates = &mut *self.candidates.borrow_mut();
                L::choose(candidates, index, state);
                let EventId { thread, alternative } = state.step.chosen;
                if thread.is_phantom() {
                    state.commit_chosen();
                    candidates.finish(state);
                    compute_enabled(state, &mut candidates.enabled);
                    L::complete_list(candidates, state);
                    return Answer::Committed;
                }
                if thread == state.running {
                    execution.heartbeat.beat(thread, Phase::Does, state.threads.pending(thread));
                    return Answer::GoesOn(alternative);
                }
                self.decision.set(Decision::Next(state.step.chosen));
            }
            Ok(None) => self.end(),
            Err(payload) => {
                self.panic.set(Some(payload));
                self.end();
            }
        }
        Answer::Waits
    }
}

/// Removes the scheduler when it is dropped.
struct Closes<'t, L: CandidateEvent>(&'t Handoff<L>);

impl<L: CandidateEvent> Drop for Closes<'_, L> {
    fn drop(&mut self) {
        self.0.decide.set(None);
    }
}

/// The answer to a thread that has asked.
enum Answer {
    /// It goes on, with this alternative.
    GoesOn(u32),
    /// A store was committed.
    Committed,
    /// Another thread goes on, or none.
    Waits,
}

impl Handoff<LightEvent> {
    /// The run under way, with the step that is being executed, while the scheduler is not deciding.
    pub(in crate::control) fn trace_so_far(&self) -> Option<Trace> {
        // SAFETY: as in `ask`; a thread of the program runs, so the scheduler is not deciding.
        self.decide.get().map(|run| unsafe { &*run }.so_far())
    }

    /// The run under way, if there is one and its scheduler is not deciding. A signal handler may ask.
    #[cfg(unix)]
    pub(in crate::control) fn run_under_way(&self) -> Option<&LightRun<'static>> {
        let is_deciding = self.candidates.try_borrow().is_err();
        // SAFETY: the pointer is valid while it is there, see `with`. A scheduler decides only while the
        // candidates are borrowed, so there is no second reference.
        self.decide.get().filter(|_| !is_deciding).map(|run| unsafe { &*run })
    }
}

/// The two kinds of candidate lists.
pub(in crate::control) type FullHandoff = Handoff<Event>;
pub(in crate::control) type LightHandoff = Handoff<LightEvent>;
