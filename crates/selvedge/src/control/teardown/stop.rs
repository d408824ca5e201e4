//! Threads that go no further: the run is over, or they unwind.
//!
//! The panic count belongs to a thread of the operating system, which all coroutines share. So there is no
//! context switch while a thread unwinds: the actions of its destructors happen at once, and if one would
//! have to wait, the run ends.

#![allow(unsafe_code)]

use crate::control::execution::{AT_ONCE, Execution, Stop};
use crate::control::memory;
use crate::control::schedule::{TIME_OUT, can_execute};
use crate::control::state::AtomicSection;
use crate::control::thread::Pending;
use selvedge_explore::{Kind, ThreadId};
use std::panic::resume_unwind;

/// How often a thread is stopped again that catches the payload and goes on.
pub(in crate::control) const MAX_STOPS: usize = 1000;

/// The payload that unwinds a stopped thread; it is no panic of the program.
pub(crate) struct Stopped;

impl Execution {
    /// A destructor of an unwinding thread announces an action: it happens at once, or never.
    #[cold]
    #[inline(never)]
    pub(in crate::control) fn while_unwinding(&self, pending: Pending) -> u32 {
        let pending = &pending;
        let mut state = self.state.borrow_mut();
        let running = state.running;
        state.conditions.is_stale = true;
        state.step.act_while_unwinding();
        // No other thread runs meanwhile, so stores go to memory at once.
        memory::flush(&mut state, running);
        let others = state.threads.live().any(|thread| thread != running);
        state.end.went_past |= others && !state.conditions.is_stopping;
        if pending.action.kind == Kind::Yield || can_execute(&state, running, pending) {
            state.objects.count_changes([pending.action.object, pending.action.second]);
            return if pending.action.is_buffered { AT_ONCE } else { 0 };
        }
        if pending.has_timeout {
            return TIME_OUT;
        }
        let name = state.threads.name(running);
        let what = state.describe(pending);
        let cause = state.end.panic_message.clone().unwrap_or_default();
        let note = format!(
            "{cause} (and then, while `{name}` unwound, a destructor had to {what}; nothing can wait there)"
        );
        if state.conditions.is_stopping {
            let note = format!("when `{name}` was stopped at the end of a run, a destructor had to {what}");
            state.end.lost.get_or_insert(note);
        } else {
            state.end.stop = Some(Stop::Stuck(note.trim_start().to_owned()));
        }
        drop(state);
        self.leave_unwinding()
    }

    /// The running thread unwinds, and must not go on: its stack is left as it is, and this thread of the
    /// operating system with it.
    fn leave_unwinding(&self) -> ! {
        let mut state = self.state.borrow_mut();
        state.is_broken = true;
        let suspender = state.threads[state.running].suspender;
        drop(state);
        // SAFETY: the suspender is of the running thread, which calls this.
        unsafe { suspender.suspend() };
        // The run is over, and fibers of broken runs are leaked, not resumed.
        std::process::abort()
    }

    /// Unwinds the running thread, because the run is over. A thread that catches this again and again is
    /// left where it is.
    #[cold]
    pub(in crate::control) fn stop_running(&self) -> ! {
        let mut state = self.state.borrow_mut();
        state.end.stops += 1;
        if state.end.stops <= MAX_STOPS {
            drop(state);
            stop_here();
        }
        let name = state.threads.name(state.running);
        let note = format!("`{name}` went on when it was stopped at the end of a run, {MAX_STOPS} times");
        state.end.lost.get_or_insert(note);
        let suspender = state.threads[state.running].suspender;
        drop(state);
        // SAFETY: the suspender is of the running thread, which calls this.
        unsafe { suspender.suspend() };
        // `unwind` does not resume a thread that was stopped too often.
        std::process::abort()
    }

    /// A destructor joins a thread that was stopped, and has no result. Whatever this returned, many
    /// programs would panic at it, and abort, because this thread unwinds.
    pub(crate) fn has_no_result(&self, joined: ThreadId) -> ! {
        let mut state = self.state.borrow_mut();
        let (name, other) = (state.threads.name(state.running), state.threads.name(joined));
        let note = format!(
            "when `{name}` was stopped at the end of a run, a destructor joined `{other}`, which had been stopped too"
        );
        state.end.lost.get_or_insert(note);
        drop(state);
        self.leave_unwinding()
    }

    /// Ends the run for this reason: the running thread goes no further.
    pub(crate) fn end_run(&self, stop: Stop) -> ! {
        let mut state = self.state.borrow_mut();
        state.end.stop.get_or_insert(stop);
        let is_stack_of_other = state.conditions.section == AtomicSection::Transaction;
        let may_hold_lock = state.conditions.section == AtomicSection::Effect;
        if is_stack_of_other || may_hold_lock && !std::thread::panicking() {
            // This may be the stack of another thread, which previews the transaction; or the effect may
            // hold a lock that destructors of other threads take when they are unwound.
            drop(state);
            stop_here();
        }
        let suspender = state.threads[state.running].suspender;
        if std::thread::panicking() {
            // It cannot be unwound from here.
            state.is_broken = true;
        }
        drop(state);
        // SAFETY: the suspender is of the running thread, which calls this.
        unsafe { suspender.suspend() };
        self.stop_running()
    }
}

/// Unwinds the thread, without the panic hook.
fn stop_here() -> ! {
    resume_unwind(Box::new(Stopped))
}
