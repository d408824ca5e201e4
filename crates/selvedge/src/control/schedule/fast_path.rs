//! The short way from one step to the next.
//!
//! Most announcements are alike: the run is told in brief, to a scheduler that is known, the announcing thread is the one that was
//! chosen or has just begun, and nothing is under way that concerns all threads. Then it lists what can be done, asks and goes on in one go, and
//! the state is borrowed once. Everything else takes the long way: [`Handoff`](super::handoff::Handoff).
//!
//! Promise: both ways lead to the same; `turn_tests.rs` compares them.

#![allow(unsafe_code)]

use super::handoff::{Announced, List};
use crate::control::diagnose::Phase;
use crate::control::execution::Execution;
use crate::control::fiber::Suspender;
use crate::control::schedule::CandidateEvent;
use crate::control::state::State;
use crate::control::thread::SimpleAction;
use selvedge_explore::{EventId, LightEvent, LightRun};

/// How far the short way leads.
pub(in crate::control) enum FastPath {
    /// The thread goes on, in this way.
    GoesOn(u32),
    /// Somebody else does, or nobody.
    Waits(Suspender),
    /// What was announced is written down; what is done next is not known.
    Announced(Suspender),
    /// Unavailable: nothing was announced.
    Unavailable,
}

impl Execution {
    /// Announces something in short, if the short way leads there.
    #[inline(always)]
    pub(in crate::control) fn announce_fast(&self, short: SimpleAction) -> FastPath {
        let Some(run) = self.light_handoff.decide.get() else { return FastPath::Unavailable };
        let mut state = self.state.borrow_mut();
        if !self.settings.has_fast_path() | state.is_unusual() || std::thread::panicking() {
            return FastPath::Unavailable;
        }
        let running = state.running;
        let slot = &mut state.threads[running.index()];
        short.write_light(&mut slot.pending);
        let suspender = slot.suspender;
        if state.chosen.thread != running {
            // It has just begun.
            return FastPath::Waits(suspender);
        }
        if !state.fresh.is_empty() {
            drop(state);
            self.begin_in_place(running);
            state = self.state.borrow_mut();
            if state.is_unusual() {
                return FastPath::Announced(suspender);
            }
        }
        let state = &mut *state;
        let list = &mut *self.light_handoff.list.borrow_mut();
        // There are no stores that it could have to wait for.
        let never_waits = !short.may_wait();
        let announced = Announced { kind: short.spec.kind, is_plain: true, never_waits };
        list.announce(state, announced, |light| light.write(short));
        // SAFETY: the pointer is good while it is there, see `Handoff::with`; nobody else uses it meanwhile: a scheduler that is known
        // runs no threads.
        match list.choose_next(state, unsafe { &mut *run }) {
            Some(EventId { thread, alternative }) if thread == running => {
                self.heartbeat.beat(thread, Phase::Does, &state.threads[thread.index()].pending);
                if short.spec.drains {
                    state.buffers.drained(running);
                }
                FastPath::GoesOn(alternative)
            }
            Some(EventId { thread, .. }) => {
                self.light_handoff.make_way(thread, state.ready(thread, Phase::Does, &self.heartbeat));
                FastPath::Waits(suspender)
            }
            None => {
                self.light_handoff.is_over();
                FastPath::Waits(suspender)
            }
        }
    }
}

impl List<LightEvent> {
    /// Asks, and begins with what is chosen. There are no stores that could be committed.
    #[inline(always)]
    fn choose_next(&mut self, state: &mut State, run: &mut LightRun<'static>) -> Option<EventId> {
        self.place = LightEvent::ask(run, self, false)?;
        LightEvent::choose(self, self.place, state);
        Some(state.chosen)
    }
}

impl State {
    /// Is anything under way that concerns all threads?
    #[inline(always)]
    fn is_unusual(&self) -> bool {
        self.unusual.is_any() || self.contained.is_some() || self.stop.is_some() || self.buffers.has_stores()
    }
}
