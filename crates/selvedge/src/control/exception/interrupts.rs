//! Exceptions that threads throw to each other inside of a run: which thread can take one, and when.
//!
//! Walker's thesis, §2.4 and Figure 7. A throw is one action, which waits until its target can take the
//! exception: the target is about to execute an action at which it can be interrupted, and its masking state
//! allows it. From then on the target only *raises* the exception, a step of its own; the action that it had
//! announced is not executed.
//!
//! | masking state | takes an exception |
//! |---|---|
//! | unmasked | at every interruption point |
//! | interruptible | at an interruption point where it has to wait |
//! | uninterruptible | never |
//!
//! Promise: an exception arrives at interruption points only, once, and the action there has not happened.

use crate::control::schedule::{can_execute, stopped_event};
use crate::control::thread::{Pending, Status, Thread, ThreadTable};
use crate::control::{Execution, State};
use crate::production::interrupt::Masking;
use selvedge_explore::{Action, Event, Kind, ThreadId, VectorClock};
use std::any::Any;
use std::panic::resume_unwind;

/// An exception that was thrown to a thread and is about to be raised there.
struct Arriving {
    payload: Box<dyn Any + Send>,
    /// All that happened before the throw.
    clock: VectorClock,
}

/// The exceptions of a thread.
#[derive(Default)]
pub(in crate::control) struct Interrupts {
    masking: Masking,
    arriving: Option<Box<Arriving>>,
    /// Can a throwing thread observe this thread's end? In production, not of a thread that never used
    /// interrupts.
    is_known: bool,
    /// Has it been at an interruption point where it takes exceptions only if it has to wait?
    was_masked: bool,
}

impl Interrupts {
    /// Another thread has this slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        *self = Interrupts::default();
    }

    /// The masking state, of a thread that is known from now on.
    pub(in crate::control) fn masking(&mut self) -> Masking {
        self.is_known = true;
        self.masking
    }

    /// Changes the masking state, of a thread that is known from now on. Returns the old state.
    pub(in crate::control) fn set_masking(&mut self, masking: Masking) -> Masking {
        self.is_known = true;
        std::mem::replace(&mut self.masking, masking)
    }
}

/// The same action as an interruption point of the thread.
pub(in crate::control) fn at_point(thread: &mut Thread, pending: Pending) -> Pending {
    let masking = thread.interrupts.masking();
    thread.interrupts.was_masked |= masking == Masking::Interruptible;
    let action = Action { is_interruption_point: masking == Masking::Unmasked, ..pending.action };
    Pending { action, is_point: masking != Masking::Uninterruptible, ..pending }
}

/// Throws to another thread of the run, or waits until that thread can take it. A thread that has ended
/// takes nothing.
#[track_caller]
pub(in crate::control) fn throw_to(
    execution: &Execution,
    target: ThreadId,
    birth: u64,
    payload: Box<dyn Any + Send>,
) {
    let pending = execution.at_point(Pending::here(Action::to(Kind::Throw, target)));
    execution.state.borrow_mut().conditions.has_throwers = true;
    execution.visible(pending);
    execution.acquire_thread(target);
    let state = &mut *execution.state.borrow_mut();
    let (running, mut clock) = (state.running, VectorClock::new());
    clock.copy_from(&state.threads[running].clock);
    state.threads[running].clock.tick(running.index());
    let thread = &mut state.threads[target];
    if thread.status != Status::Live || thread.birth != birth {
        return;
    }
    thread.interrupts.arriving = Some(Box::new(Arriving { payload, clock }));
    thread.transactions.withdraw();
    thread.pending = Pending::new(Action::new(Kind::Raise), thread.pending.site);
    state.conditions.has_arriving = true;
}

/// The running thread raises an exception that was thrown to it, if there is one.
#[cold]
pub(in crate::control) fn raise_arriving(execution: &Execution) {
    let mut state = execution.state.borrow_mut();
    let running = state.running;
    let Some(arriving) = state.threads[running].interrupts.arriving.take() else { return };
    let is_arriving = |thread: &Thread| thread.interrupts.arriving.is_some();
    let has_arriving = state.threads.all().any(|(_, thread)| is_arriving(thread));
    state.conditions.has_arriving = has_arriving;
    state.threads[running].clock.join(&arriving.clock);
    if execution.has_buffers() {
        state.buffers.drained(running);
    }
    drop(state);
    resume_unwind(arriving.payload);
}

/// Does an action of this kind always wait for a moment? A throw does, unless the target has waited before:
/// no thread observes the difference.
fn waits_always(kind: Kind) -> bool {
    matches!(kind, Kind::Throw | Kind::Sleep | Kind::Park)
}

/// Can a thread throw to this target now, or observe that it has ended?
pub(in crate::control) fn can_throw_to(state: &State, target: ThreadId) -> bool {
    let thread = &state.threads[target];
    // The stores of the target so far happen before the throwing thread goes on.
    state.buffers.is_empty(target)
        && match thread.status {
            Status::Ended => thread.interrupts.is_known,
            Status::Paused | Status::Lost => false,
            Status::Live => thread.interrupts.arriving.is_none() && is_interruptible(state, target),
        }
}

fn is_interruptible(state: &State, target: ThreadId) -> bool {
    let thread = &state.threads[target];
    let pending = &thread.pending;
    match thread.interrupts.masking {
        Masking::Unmasked => pending.action.is_interruption_point,
        Masking::Uninterruptible => false,
        Masking::Interruptible if waits_always(pending.action.kind) => pending.is_point,
        // A yield does not wait.
        Masking::Interruptible if pending.action.kind == Kind::Yield => false,
        Masking::Interruptible => pending.is_point && !can_execute(state, target, pending),
    }
}

/// The action that the target of an exception was blocked at, and will not execute: as for a thread that is
/// stopped, other threads may have come first.
#[cold]
pub(in crate::control) fn interrupted_event(state: &State, target: Option<ThreadId>) -> Option<Event> {
    let target = target.filter(|target| state.threads[*target].status == Status::Live)?;
    let is_blocked = !can_execute(state, target, state.threads.pending(target));
    is_blocked.then(|| stopped_event(state, target))
}

/// A throw as an enabled event: if the target ever took exceptions only when it has to wait, every action
/// may matter.
#[cold]
pub(in crate::control) fn throw_action(threads: &ThreadTable, action: &Action) -> Action {
    let was_masked = |target: ThreadId| threads[target].interrupts.was_masked;
    Action { waits_for_unknown: action.target.is_some_and(was_masked), ..*action }
}
