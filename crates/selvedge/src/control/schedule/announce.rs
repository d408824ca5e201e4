//! A thread announces its next action, and waits until it is chosen.

#![allow(unsafe_code)]

use super::candidates::CandidateEvent;
use super::driver::begin_in_place;
use super::fast_path::FastPath;
use super::handoff::Announcement;
use crate::control::exception;
use crate::control::fiber::Suspender;
use crate::control::memory;
use crate::control::progress;
use crate::control::state::AtomicSection;
use crate::control::thread::{ActionSpec, Pending, SimpleAction};
use crate::control::{Execution, State, Stop};
use selvedge_explore::{Action, Kind, ObjectId, Site, ThreadId};
use std::cell::RefMut;
use std::panic::Location;

impl Execution {
    /// The running thread announces an action, and waits until it is chosen. Returns the chosen alternative.
    #[inline(always)]
    pub(crate) fn visible(&self, pending: Pending) -> u32 {
        // Most actions fit into registers: written to memory and read back at once, they cost more than a
        // switch.
        match pending.site {
            Site::Rust(place)
                if pending.is_simple() && !(progress::can_time_out(&pending) && self.has_unroll_bound()) =>
            {
                let Action { kind, object, target, .. } = pending.action;
                self.visible_simple(ActionSpec::of(kind), object, target, place)
            }
            _ => self.visible_in_full(pending),
        }
    }

    /// The same for a simple action.
    pub(crate) fn visible_simple(
        &self,
        spec: ActionSpec,
        object: Option<ObjectId>,
        target: Option<ThreadId>,
        place: &'static Location<'static>,
    ) -> u32 {
        self.announce_simple(SimpleAction { spec, object, target, place, expected: None })
    }

    /// The same for a compare-and-exchange, which expects a value.
    pub(crate) fn visible_exchange(
        &self,
        object: ObjectId,
        expected: u64,
        place: &'static Location<'static>,
    ) -> u32 {
        let (spec, expected) = (ActionSpec::at_once(Kind::Update), Some(expected));
        self.announce_simple(SimpleAction { spec, object: Some(object), target: None, place, expected })
    }

    #[inline(always)]
    fn announce_simple(&self, mut simple: SimpleAction) -> u32 {
        simple.spec.drains |= self.has_buffers() && memory::drains(simple.spec.kind);
        match self.announce_fast(simple) {
            FastPath::GoesOn(alternative) => alternative,
            FastPath::Waits(suspender) => self.go_on_after_waiting(suspender, simple.spec.drains),
            FastPath::Announced(suspender) => self.ask_on_slow_path(simple, suspender),
            FastPath::Unavailable => {
                let SimpleAction { spec, object, target, place, expected } = simple;
                self.announce_on_slow_path(spec, object, target, place, expected)
            }
        }
    }

    /// The parts of the action stay in registers until they are needed in memory.
    #[inline(never)]
    fn announce_on_slow_path(
        &self,
        spec: ActionSpec,
        object: Option<ObjectId>,
        target: Option<ThreadId>,
        place: &'static Location<'static>,
        expected: Option<u64>,
    ) -> u32 {
        let simple = SimpleAction { spec, object, target, place, expected };
        if std::thread::panicking() {
            return self.while_unwinding(simple.pending());
        }
        let (state, suspender) = self.begin_announcing(|| simple.pending(), |slot| simple.write(slot));
        drop(state);
        self.ask_on_slow_path(simple, suspender)
    }

    /// The running thread has announced this action; the next event is not chosen.
    #[inline(never)]
    fn ask_on_slow_path(&self, simple: SimpleAction, suspender: Suspender) -> u32 {
        let ActionSpec { kind, drains, .. } = simple.spec;
        let may_ask = {
            let state = &mut *self.state.borrow_mut();
            let never_waits = !simple.may_wait();
            let must_drain = drains && state.buffers.has_stores();
            let announcement = Announcement { kind, is_plain: true, never_waits: never_waits && !must_drain };
            match self.is_light() {
                true => self.light_handoff.may_ask(state, announcement, |light| light.write(simple)),
                false => self.handoff.may_ask(state, announcement, |event| event.write(simple)),
            }
        };
        self.go_on_when_chosen(suspender, may_ask, drains)
    }

    #[inline(never)]
    fn visible_in_full(&self, mut pending: Pending) -> u32 {
        if self.has_buffers() {
            pending.action.drains |= memory::drains(pending.action.kind);
            pending.may_wait |= pending.action.drains;
        }
        if std::thread::panicking() {
            return self.while_unwinding(pending);
        }
        let may_time_out = self.has_unroll_bound() && progress::can_time_out(&pending);
        if may_time_out {
            let bound = self.unroll_bound.get();
            progress::block_at_bound(&mut self.state.borrow_mut(), bound, &mut pending);
        }
        let (suspender, may_ask) = {
            let (mut state, suspender) = self.begin_announcing(|| pending, |slot| *slot = pending);
            let state = &mut *state;
            let (kind, is_plain) = (pending.action.kind, pending.is_plain());
            let announcement = Announcement { kind, is_plain, never_waits: false };
            let write_light = |light: &mut selvedge_explore::LightEvent| light.write_pending(&pending);
            let may_ask = match self.is_light() {
                true => self.light_handoff.may_ask(state, announcement, write_light),
                false => self.handoff.may_ask(state, announcement, |event| event.write_pending(&pending)),
            };
            (suspender, may_ask)
        };
        let alternative = self.go_on_when_chosen(suspender, may_ask, pending.action.drains);
        if may_time_out {
            let state = &mut *self.state.borrow_mut();
            progress::count_timeout(&mut state.threads[state.running], &pending, alternative);
        }
        alternative
    }

    /// Has the running thread, which was chosen, spawned a thread that has not begun?
    #[inline(always)]
    fn begins_in_place(&self, state: &State) -> bool {
        state.threads.has_unstarted()
            && state.step.chosen.thread == state.running
            && (self.handoff.is_open() || self.light_handoff.is_open())
    }

    /// Is the run under way a light one?
    #[inline(always)]
    fn is_light(&self) -> bool {
        self.light_handoff.is_open()
    }

    /// The running thread announces the action that is written to its slot; threads that it has spawned
    /// begin before.
    #[inline(always)]
    fn begin_announcing(
        &self,
        pending: impl Fn() -> Pending,
        write: impl FnOnce(&mut Pending),
    ) -> (RefMut<'_, State>, Suspender) {
        let mut state = self.state_for(pending);
        let running = state.running;
        let slot = &mut state.threads[running];
        write(&mut slot.pending);
        let suspender = slot.suspender;
        let object = slot.pending.action.object.filter(|_| slot.pending.may_wait);
        if state.threads.waits.has_notes() {
            state.threads.waits.note(running, object);
        }
        if self.begins_in_place(&state) {
            drop(state);
            begin_in_place(self, running);
            state = self.state.borrow_mut();
        }
        (state, suspender)
    }

    /// The state of a run that goes on, for a thread that announces this action. If the run is over, unwinds
    /// the thread.
    #[inline(always)]
    fn state_for(&self, pending: impl Fn() -> Pending) -> RefMut<'_, State> {
        let state = self.state.borrow_mut();
        if state.conditions.is_stopping || state.conditions.section != AtomicSection::None {
            drop(state);
            self.refuse(&pending());
        }
        state
    }

    /// Returns when the running thread is chosen, which has announced an action, and may be the thread that
    /// asks.
    #[inline(always)]
    fn go_on_when_chosen(&self, suspender: Suspender, may_ask: bool, drains: bool) -> u32 {
        let answer = match (may_ask, self.is_light()) {
            (false, _) => None,
            (true, true) => self.light_handoff.ask_in_place(self, suspender),
            (true, false) => self.handoff.ask_in_place(self, suspender),
        };
        match answer {
            Some(alternative) => self.go_on(alternative, drains),
            None => self.go_on_after_waiting(suspender, drains),
        }
    }

    /// Returns when the running thread is chosen, after other threads went on.
    #[inline(always)]
    fn go_on_after_waiting(&self, suspender: Suspender, drains: bool) -> u32 {
        let alternative = self.wait(suspender);
        self.go_on(alternative, drains)
    }

    #[inline(always)]
    fn go_on(&self, alternative: u32, drains: bool) -> u32 {
        if drains {
            let state = &mut *self.state.borrow_mut();
            state.buffers.drained(state.running);
        }
        alternative
    }

    /// Waits until the running thread is chosen.
    fn wait(&self, suspender: Suspender) -> u32 {
        // SAFETY: the suspender is of the running thread, which calls this.
        unsafe { suspender.suspend() };
        let state = self.state.borrow();
        if state.conditions.is_stopping {
            drop(state);
            self.stop_running();
        }
        let alternative = state.step.chosen.alternative;
        if state.conditions.has_arriving {
            drop(state);
            exception::raise_arriving(self);
        }
        alternative
    }

    /// The run is over, or a transaction or an effect tries to execute a visible action.
    #[cold]
    fn refuse(&self, pending: &Pending) -> ! {
        let state = self.state.borrow();
        if state.conditions.is_stopping {
            drop(state);
            self.stop_running();
        }
        let (what, section) = (state.describe(pending), state.conditions.section);
        drop(state);
        let message = match section {
            AtomicSection::Effect => format!(
                "an effect had to {what} at {}: `selvedge::effect` is one step, in which no other thread goes on, so \
                 there is nothing in it that explored threads wait for or take turns at; do that before or after it",
                pending.site
            ),
            _ => format!(
                "a transaction had to {what}: inside of `atomically` there is nothing that other threads can notice but \
                 its variables, since it may be done any number of times; do that before or after it"
            ),
        };
        self.end_run(Stop::Refused(message))
    }
}
