//! Exceptions that threads throw to one another inside of a run: who can take one, and when.
//!
//! Walker's thesis, §2.4 and Figure 7. Throwing is one action, which waits until its target can take the exception: where that one is about
//! to do something at which it can be interrupted, and its masking state allows it. From then on all that the target does is to
//! *raise* what was thrown, a step of its own; what it was about to do is not done.
//!
//! | masking state | takes an exception |
//! |---|---|
//! | unmasked | at every interruption point |
//! | interruptible | at an interruption point where it has to wait |
//! | uninterruptible | never |
//!
//! Promise: an exception arrives at interruption points only, once, and nothing of the action there has happened.

use crate::control::execution::Execution;
use crate::control::state::State;
use crate::control::thread::{Pending, Status};
use crate::production::interrupt::Masking;
use selvedge_explore::{Action, Event, Kind, ThreadId, VectorClock};
use std::any::Any;
use std::panic::resume_unwind;

/// What was thrown to a thread and is about to be raised there.
pub(crate) struct Arriving {
    payload: Box<dyn Any + Send>,
    /// What happened before it was thrown.
    clock: VectorClock,
}

/// What exceptions mean to a thread.
#[derive(Default)]
pub(crate) struct Interrupts {
    pub(crate) masking: Masking,
    pub(crate) arriving: Option<Box<Arriving>>,
    /// Can its end be told? That of a thread that never used interrupts cannot, in production.
    pub(crate) is_known: bool,
    /// Has it been at an interruption point where it takes exceptions only if it has to wait?
    was_masked: bool,
}

impl Interrupts {
    /// Makes the slot ready for a thread that begins.
    pub(crate) fn begin(&mut self) {
        *self = Interrupts::default();
    }
}

impl Execution {
    /// The masking state of the running thread.
    pub(crate) fn masking(&self) -> Masking {
        self.with_interrupts(|interrupts| interrupts.masking)
    }

    /// Changes the masking state of the running thread. Returns what it was.
    pub(crate) fn set_masking(&self, masking: Masking) -> Masking {
        self.with_interrupts(|interrupts| std::mem::replace(&mut interrupts.masking, masking))
    }

    /// Whoever looks at its own interrupts is known.
    fn with_interrupts<R>(&self, work: impl FnOnce(&mut Interrupts) -> R) -> R {
        let mut state = self.state.borrow_mut();
        let running = state.running.index();
        let interrupts = &mut state.threads[running].interrupts;
        interrupts.is_known = true;
        work(interrupts)
    }

    /// The thread that was spawned in the step at hand is known, and has this masking state.
    pub(crate) fn inherit_masking(&self, child: ThreadId, masking: Masking) {
        let mut state = self.state.borrow_mut();
        let interrupts = &mut state.threads[child.index()].interrupts;
        (interrupts.masking, interrupts.is_known) = (masking, true);
    }

    /// The same action as an interruption point of the running thread.
    pub(crate) fn at_point(&self, pending: Pending) -> Pending {
        let masking = self.with_interrupts(|interrupts| {
            interrupts.was_masked |= interrupts.masking == Masking::Interruptible;
            interrupts.masking
        });
        let action = Action { is_interruption_point: masking == Masking::Unmasked, ..pending.action };
        Pending { action, is_point: masking != Masking::Uninterruptible, ..pending }
    }

    /// Throws to another thread of the run, or waits until that can take it. One that has ended takes nothing.
    #[track_caller]
    pub(crate) fn throw_to(&self, target: ThreadId, born: u64, payload: Box<dyn Any + Send>) {
        let pending = self.at_point(Pending::here(Action::to(Kind::Throw, target)));
        self.state.borrow_mut().unusual.has_throwers = true;
        self.visible(pending);
        self.acquire_thread(target);
        let state = &mut *self.state.borrow_mut();
        let running = state.running.index();
        let mut clock = VectorClock::new();
        clock.copy_from(&state.threads[running].clock);
        state.threads[running].clock.tick(running);
        let thread = &mut state.threads[target.index()];
        if thread.status != Status::Live || thread.born != born {
            return;
        }
        thread.interrupts.arriving = Some(Box::new(Arriving { payload, clock }));
        thread.transaction = None;
        thread.pending = Pending::new(Action::new(Kind::Raise), thread.pending.site);
        state.unusual.has_arriving = true;
    }

    /// The running thread raises what was thrown to it, if something was.
    #[cold]
    pub(in crate::control) fn raise_arriving(&self) {
        let mut state = self.state.borrow_mut();
        let running = state.running;
        let Some(arriving) = state.threads[running.index()].interrupts.arriving.take() else { return };
        let others = (0..state.thread_count).map(|index| &state.threads[index].interrupts);
        state.unusual.has_arriving = others.into_iter().any(|interrupts| interrupts.arriving.is_some());
        state.threads[running.index()].clock.join(&arriving.clock);
        if self.has_buffers() {
            state.buffers.drained(running);
        }
        drop(state);
        resume_unwind(arriving.payload);
    }
}

/// Does whoever does this wait at least for a moment? Who throws, unless the other has waited before: nobody can tell.
fn waits_always(kind: Kind) -> bool {
    matches!(kind, Kind::Throw | Kind::Sleep | Kind::Park)
}

impl State {
    /// Can somebody throw to this thread now, or tell that it has ended?
    pub(in crate::control) fn can_throw_to(&self, target: ThreadId) -> bool {
        let thread = &self.threads[target.index()];
        // What it has stored so far happens before who throws goes on.
        self.buffers.is_empty(target)
            && match thread.status {
                Status::Ended => thread.interrupts.is_known,
                Status::Lost => false,
                Status::Live => thread.interrupts.arriving.is_none() && self.is_interruptible(target),
            }
    }

    fn is_interruptible(&self, target: ThreadId) -> bool {
        let thread = &self.threads[target.index()];
        let pending = &thread.pending;
        match thread.interrupts.masking {
            Masking::Unmasked => pending.action.is_interruption_point,
            Masking::Uninterruptible => false,
            Masking::Interruptible if waits_always(pending.action.kind) => pending.is_point,
            // Letting others go first is no waiting.
            Masking::Interruptible if pending.action.kind == Kind::Yield => false,
            Masking::Interruptible => pending.is_point && !self.can_do(target, pending),
        }
    }

    /// What the target of an exception waited for, which it will not get: as of a thread that is stopped, others may have come first.
    #[cold]
    pub(in crate::control) fn list_interrupted(&self, target: Option<ThreadId>, out: &mut Vec<Event>) {
        let Some(target) = target.filter(|target| self.threads[target.index()].status == Status::Live) else {
            return;
        };
        let pending = &self.threads[target.index()].pending;
        if !self.can_do(target, pending) {
            out.push(self.stopped_event(target));
        }
    }

    /// An exception as it is listed: for a target that ever took exceptions only where it has to wait, everything may decide.
    #[cold]
    pub(in crate::control) fn throw_as_listed(&self, action: &Action) -> Action {
        let was_masked = |target: ThreadId| self.threads[target.index()].interrupts.was_masked;
        Action { waits_for_unknown: action.target.is_some_and(was_masked), ..*action }
    }
}
