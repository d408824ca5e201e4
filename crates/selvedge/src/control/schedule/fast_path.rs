//! The fast path from one step to the next.
//!
//! Most announcements are alike: the run is light, its scheduler is known, the announcing thread is the
//! chosen one or has just begun, and no condition concerns all threads. Then the thread lists the enabled
//! events, asks and goes on in one go, and the state is borrowed once. All other announcements take the slow
//! path: [`Handoff`](super::handoff::Handoff).
//!
//! Promise: both paths lead to the same choices and runs; `handoff_tests.rs` compares them.

#![allow(unsafe_code)]

use super::candidates::CandidateEvent;
use super::driver::{begin_in_place, make_running};
use super::handoff::{Announcement, Candidates};
use crate::control::diagnose::Phase;
use crate::control::fiber::Suspender;
use crate::control::thread::SimpleAction;
use crate::control::{Execution, State};
use selvedge_explore::{EventId, LightEvent, LightRun};

/// How far the fast path leads.
pub(super) enum FastPath {
    /// The thread goes on, with this alternative.
    GoesOn(u32),
    /// Another thread goes on, or none.
    Waits(Suspender),
    /// The action is announced; the next event is not chosen.
    Announced(Suspender),
    /// The fast path does not apply: nothing is announced.
    Unavailable,
}

impl Execution {
    /// Announces a simple action, if the fast path applies.
    #[inline(always)]
    pub(super) fn announce_fast(&self, simple: SimpleAction) -> FastPath {
        let Some(run) = self.light_handoff.decide.get() else { return FastPath::Unavailable };
        let mut state = self.state.borrow_mut();
        if !self.settings.has_fast_path() | needs_slow_path(&state) || std::thread::panicking() {
            return FastPath::Unavailable;
        }
        let running = state.running;
        let slot = &mut state.threads[running];
        let (suspender, was_noted) = (slot.suspender, slot.pending.may_wait);
        simple.write_light(&mut slot.pending);
        // A thread without a note that announces no wait needs none.
        let may_wait = simple.spec.drains || simple.may_wait();
        if (may_wait || was_noted) && state.threads.waits.has_notes() {
            state.threads.waits.note(running, simple.object.filter(|_| may_wait));
        }
        if state.step.chosen.thread != running {
            // The thread has just begun.
            return FastPath::Waits(suspender);
        }
        if state.threads.has_unstarted() {
            drop(state);
            begin_in_place(self, running);
            state = self.state.borrow_mut();
            if needs_slow_path(&state) {
                return FastPath::Announced(suspender);
            }
        }
        let state = &mut *state;
        let candidates = &mut *self.light_handoff.candidates.borrow_mut();
        // There are no stores that the thread could have to wait for.
        let never_waits = !simple.may_wait();
        let announcement = Announcement { kind: simple.spec.kind, is_plain: true, never_waits };
        candidates.announce(state, announcement, |light| light.write(simple));
        // SAFETY: the pointer is valid while it is there, see `Handoff::with`; there is no second reference:
        // a scheduler that is known runs no threads.
        match candidates.choose_next(state, unsafe { &mut *run }) {
            Some(EventId { thread, alternative }) if thread == running => {
                self.heartbeat.beat(thread, Phase::Does, state.threads.pending(thread));
                if simple.spec.drains {
                    state.buffers.drained(running);
                }
                FastPath::GoesOn(alternative)
            }
            Some(EventId { thread, .. }) => {
                let fiber = make_running(state, thread, Phase::Does, &self.heartbeat);
                self.light_handoff.hand_to(thread, fiber);
                FastPath::Waits(suspender)
            }
            None => {
                self.light_handoff.end();
                FastPath::Waits(suspender)
            }
        }
    }
}

impl Candidates<LightEvent> {
    /// Asks, and begins the step of the chosen event. There are no stores that could be committed.
    #[inline(always)]
    fn choose_next(&mut self, state: &mut State, run: &mut LightRun<'static>) -> Option<EventId> {
        self.index = LightEvent::ask(run, self, false)?;
        LightEvent::choose(self, self.index, state);
        Some(state.step.chosen)
    }
}

/// Does a condition hold that concerns all threads?
#[inline(always)]
fn needs_slow_path(state: &State) -> bool {
    state.conditions.has_any()
        || !state.parts.is_empty()
        || state.end.stop.is_some()
        || state.buffers.has_stores()
}
