//! The short way from one step to the next.
//!
//! Most announcements are alike: the run is told in brief, to a scheduler that is known, the announcing thread is the one that was
//! chosen or has just begun, and nothing is under way that concerns all threads. Then it lists what can be done, asks and goes on in one go, and
//! the state is borrowed once. Everything else takes the long way: [`Turn`](super::turn::Turn).
//!
//! Promise: both ways lead to the same; `turn_tests.rs` compares them.

#![allow(unsafe_code)]

use super::execution::Execution;
use super::fiber::Suspender;
use super::listed::Listed;
use super::pulse::Phase;
use super::state::State;
use super::thread::Short;
use super::turn::{Announced, List};
use selvedge_explore::{EventId, LightEvent, LightRun};

/// How far the short way leads.
pub(super) enum Quick {
    /// The thread goes on, in this way.
    GoesOn(u32),
    /// Somebody else does, or nobody.
    Waits(Suspender),
    /// What was announced is written down; what is done next is not known.
    Announced(Suspender),
    /// Nowhere: nothing was announced.
    Nowhere,
}

impl Execution {
    /// Announces something in short, if the short way leads there.
    #[inline(always)]
    pub(super) fn announce_quickly(&self, short: Short) -> Quick {
        let Some(run) = self.light_turn.decide.get() else { return Quick::Nowhere };
        let mut state = self.state.borrow_mut();
        if !self.settings.is_quick() | state.is_unusual() || std::thread::panicking() {
            return Quick::Nowhere;
        }
        let running = state.running;
        let slot = &mut state.threads[running.index()];
        short.write_light(&mut slot.pending);
        let suspender = slot.suspender;
        if state.chosen.thread != running {
            // It has just begun.
            return Quick::Waits(suspender);
        }
        if !state.fresh.is_empty() {
            drop(state);
            self.begin_in_place(running);
            state = self.state.borrow_mut();
            if state.is_unusual() {
                return Quick::Announced(suspender);
            }
        }
        let state = &mut *state;
        let list = &mut *self.light_turn.list.borrow_mut();
        // There are no stores that it could have to wait for.
        let never_waits = !short.may_wait();
        let announced = Announced { kind: short.manner.kind, is_plain: true, never_waits };
        list.announce(state, announced, |light| light.write(short));
        // SAFETY: the pointer is good while it is there, see `Turn::with`; nobody else uses it meanwhile: a scheduler that is known
        // runs no threads.
        match list.choose_next(state, unsafe { &mut *run }) {
            Some(EventId { thread, alternative }) if thread == running => {
                self.pulse.beat(thread, Phase::Does, &state.threads[thread.index()].pending);
                if short.manner.drains {
                    state.buffers.drained(running);
                }
                Quick::GoesOn(alternative)
            }
            Some(EventId { thread, .. }) => {
                self.light_turn.make_way(thread, state.ready(thread, Phase::Does, &self.pulse));
                Quick::Waits(suspender)
            }
            None => {
                self.light_turn.is_over();
                Quick::Waits(suspender)
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
