//! A thread announces what it does next, and waits until it is chosen.

use super::fast_path::FastPath;
use super::handoff::Announced;
use crate::control::execution::{Execution, Stop};
use crate::control::fiber::Suspender;
use crate::control::memory;
use crate::control::schedule::CandidateEvent;
use crate::control::state::State;
use crate::control::thread::{ActionSpec, Pending, SimpleAction};
use selvedge_explore::{Action, Kind, ObjectId, Site, ThreadId};
use std::cell::RefMut;
use std::panic::Location;

impl Execution {
    /// A thread announces what it is about to do, and waits until it is chosen. Returns the alternative that it was
    /// chosen for.
    #[inline(always)]
    pub(crate) fn visible(&self, pending: Pending) -> u32 {
        // What most actions consist of fits into registers: written to memory and read back at once, it costs more than a switch.
        match pending.site {
            Site::Rust(place)
                if pending.is_simple() && !(pending.can_time_out() && self.has_unroll_bound()) =>
            {
                let Action { kind, object, target, .. } = pending.action;
                self.visible_simple(ActionSpec::of(kind), object, target, place)
            }
            _ => self.visible_in_full(pending),
        }
    }

    /// The same for an action that goes one way and is told in few words.
    pub(crate) fn visible_simple(
        &self,
        spec: ActionSpec,
        object: Option<ObjectId>,
        target: Option<ThreadId>,
        place: &'static Location<'static>,
    ) -> u32 {
        self.announce_simple(SimpleAction { spec, object, target, place, expected: None })
    }

    /// The same for an exchange, which looks for a value.
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
    fn announce_simple(&self, mut short: SimpleAction) -> u32 {
        short.spec.drains |= self.has_buffers() && memory::drains(short.spec.kind);
        match self.announce_fast(short) {
            FastPath::GoesOn(alternative) => alternative,
            FastPath::Waits(suspender) => self.go_on_after_waiting(suspender, short.spec.drains),
            FastPath::Announced(suspender) => self.ask_on_slow_path(short, suspender),
            FastPath::Unavailable => {
                let SimpleAction { spec, object, target, place, expected } = short;
                self.announce_on_slow_path(spec, object, target, place, expected)
            }
        }
    }

    /// The parts of what is announced stay in registers until they are needed in memory.
    #[inline(never)]
    fn announce_on_slow_path(
        &self,
        spec: ActionSpec,
        object: Option<ObjectId>,
        target: Option<ThreadId>,
        place: &'static Location<'static>,
        expected: Option<u64>,
    ) -> u32 {
        let short = SimpleAction { spec, object, target, place, expected };
        if std::thread::panicking() {
            return self.while_unwinding(short.pending());
        }
        let (state, suspender) = self.begin_announcing(|| short.pending(), |slot| short.write(slot));
        drop(state);
        self.ask_on_slow_path(short, suspender)
    }

    /// The running thread has announced this; what is done next is not known.
    #[inline(never)]
    fn ask_on_slow_path(&self, short: SimpleAction, suspender: Suspender) -> u32 {
        let ActionSpec { kind, drains, .. } = short.spec;
        let may_ask = {
            let state = &mut *self.state.borrow_mut();
            let never_waits = !short.may_wait();
            let must_drain = drains && state.buffers.has_stores();
            let announced = Announced { kind, is_plain: true, never_waits: never_waits && !must_drain };
            match self.is_light() {
                true => self.light_handoff.may_ask(state, announced, |light| light.write(short)),
                false => self.handoff.may_ask(state, announced, |event| event.write(short)),
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
        let may_time_out = self.has_unroll_bound() && pending.can_time_out();
        if may_time_out {
            self.block_by_bound(&mut pending);
        }
        let (suspender, may_ask) = {
            let (mut state, suspender) = self.begin_announcing(|| pending, |slot| *slot = pending);
            let state = &mut *state;
            let (kind, is_plain) = (pending.action.kind, pending.is_plain());
            let announced = Announced { kind, is_plain, never_waits: false };
            let may_ask = match self.is_light() {
                true => self.light_handoff.may_ask(state, announced, |light| light.write_pending(&pending)),
                false => self.handoff.may_ask(state, announced, |event| event.write_pending(&pending)),
            };
            (suspender, may_ask)
        };
        let alternative = self.go_on_when_chosen(suspender, may_ask, pending.action.drains);
        if may_time_out {
            self.count_timeout(&pending, alternative);
        }
        alternative
    }

    /// The running thread announces what is written to its slot; whom it has spawned begin before that.
    #[inline(always)]
    fn begin_announcing(
        &self,
        pending: impl Fn() -> Pending,
        write: impl FnOnce(&mut Pending),
    ) -> (RefMut<'_, State>, Suspender) {
        let mut state = self.state(pending);
        let running = state.running;
        let slot = &mut state.threads[running.index()];
        write(&mut slot.pending);
        let suspender = slot.suspender;
        if self.begins_in_place(&state) {
            drop(state);
            self.begin_in_place(running);
            state = self.state.borrow_mut();
        }
        (state, suspender)
    }

    /// The state of a run that goes on, for a thread that is about to do this. Where the run is over, the thread is unwound.
    #[inline(always)]
    fn state(&self, pending: impl Fn() -> Pending) -> RefMut<'_, State> {
        let state = self.state.borrow_mut();
        if state.unusual.is_stopping || state.unusual.in_transaction {
            drop(state);
            self.goes_no_further(&pending());
        }
        state
    }

    /// Returns when the running thread is chosen, which has announced something, and may be the one to ask.
    #[inline(always)]
    fn go_on_when_chosen(&self, suspender: Suspender, may_ask: bool, drains: bool) -> u32 {
        let asked = match (may_ask, self.is_light()) {
            (false, _) => None,
            (true, true) => self.light_handoff.asks(self, suspender),
            (true, false) => self.handoff.asks(self, suspender),
        };
        match asked {
            Some(alternative) => self.goes_on(alternative, drains),
            None => self.go_on_after_waiting(suspender, drains),
        }
    }

    /// Returns when the running thread is chosen, after somebody else went on.
    #[inline(always)]
    fn go_on_after_waiting(&self, suspender: Suspender, drains: bool) -> u32 {
        let alternative = self.wait(suspender);
        self.goes_on(alternative, drains)
    }

    #[inline(always)]
    fn goes_on(&self, alternative: u32, drains: bool) -> u32 {
        if drains {
            let state = &mut *self.state.borrow_mut();
            state.buffers.drained(state.running);
        }
        alternative
    }

    /// Waits until the running thread is chosen.
    fn wait(&self, suspender: Suspender) -> u32 {
        suspender.suspend();
        let state = self.state.borrow();
        if state.unusual.is_stopping {
            drop(state);
            self.stop_running();
        }
        let alternative = state.chosen.alternative;
        if state.unusual.has_arriving {
            drop(state);
            self.raise_arriving();
        }
        alternative
    }

    /// The run is over, or this is no place for something that others can notice.
    #[cold]
    fn goes_no_further(&self, pending: &Pending) -> ! {
        let state = self.state.borrow();
        if state.unusual.is_stopping {
            drop(state);
            self.stop_running();
        }
        let what = state.describe(pending);
        drop(state);
        self.end_run(Stop::Refused(format!(
            "a transaction had to {what}: inside of `atomically` there is nothing that other threads can notice but \
             its variables, since it may be done any number of times; do that before or after it"
        )))
    }
}
