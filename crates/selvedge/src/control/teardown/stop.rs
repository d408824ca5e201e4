//! Threads that go no further: the run is over, or they unwind.
//!
//! A panic count belongs to a thread of the operating system, which all coroutines share. So nothing switches while
//! a thread unwinds: what a destructor does then happens at once, and where it would have to wait, the run ends.

use crate::control::execution::{AT_ONCE, Execution, Stop};
use crate::control::thread::{Pending, display_name};
use selvedge_explore::{Kind, ThreadId};
use std::panic::resume_unwind;

/// A thread that catches what stops it and goes on is stopped again, so often at most.
pub(in crate::control) const MAX_STOPS: usize = 1000;

/// Thrown through a thread that is stopped; nobody's panic.
pub(crate) struct Stopped;

impl Execution {
    /// What a destructor does that runs while its thread unwinds: at once, or never.
    #[cold]
    #[inline(never)]
    pub(in crate::control) fn while_unwinding(&self, pending: Pending) -> u32 {
        let pending = &pending;
        let mut state = self.state.borrow_mut();
        let running = state.running;
        state.unusual.is_stale = true;
        // Nobody can come between here, so stores go to memory at once.
        state.flush(running);
        let others = state.live().any(|thread| thread != running);
        state.went_past |= others && !state.unusual.is_stopping;
        if pending.action.kind == Kind::Yield || state.can_do(running, pending) {
            state.touch([pending.action.object, pending.action.second]);
            return if pending.action.is_buffered { AT_ONCE } else { 0 };
        }
        if pending.has_timeout {
            return crate::control::schedule::TIME_OUT;
        }
        let name = display_name(state.threads[running.index()].name.as_deref(), running);
        let what = state.describe(pending);
        let cause = state.message.clone().unwrap_or_default();
        let note = format!(
            "{cause} (and then, while `{name}` unwound, a destructor had to {what}; nothing can wait there)"
        );
        if state.unusual.is_stopping {
            let note = format!("when `{name}` was stopped at the end of a run, a destructor had to {what}");
            state.lost.get_or_insert(note);
        } else {
            state.stop = Some(Stop::Stuck(note.trim_start().to_owned()));
        }
        drop(state);
        self.stay_here()
    }

    /// The running thread unwinds, and must not go on: its stack is left as it is, and this thread of the operating
    /// system with it.
    fn stay_here(&self) -> ! {
        let mut state = self.state.borrow_mut();
        state.is_broken = true;
        let suspender = state.threads[state.running.index()].suspender;
        drop(state);
        suspender.suspend();
        // The run is over, and fibers of broken runs are leaked, not resumed.
        std::process::abort()
    }

    /// Unwinds the running thread, because the run is over. One that catches this again and again is left where it is.
    #[cold]
    pub(in crate::control) fn stop_running(&self) -> ! {
        let mut state = self.state.borrow_mut();
        state.stops += 1;
        if state.stops <= MAX_STOPS {
            drop(state);
            stop_here();
        }
        let name = state.thread_name(state.running);
        let note = format!("`{name}` went on when it was stopped at the end of a run, {MAX_STOPS} times");
        state.lost.get_or_insert(note);
        let suspender = state.threads[state.running.index()].suspender;
        drop(state);
        suspender.suspend();
        // `teardown` does not resume who was stopped too often.
        std::process::abort()
    }

    /// A destructor waits for a thread that was stopped, and has no result. Whatever is returned, many a program would
    /// panic, and abort, because this thread unwinds.
    pub(crate) fn has_no_result(&self, joined: ThreadId) -> ! {
        let mut state = self.state.borrow_mut();
        let (name, other) = (state.thread_name(state.running), state.thread_name(joined));
        let note = format!(
            "when `{name}` was stopped at the end of a run, a destructor joined `{other}`, which had been stopped too"
        );
        state.lost.get_or_insert(note);
        drop(state);
        self.stay_here()
    }

    /// Ends the run here: the thread that finds out something final goes no further.
    pub(crate) fn end_run(&self, stop: Stop) -> ! {
        let mut state = self.state.borrow_mut();
        state.stop.get_or_insert(stop);
        if state.unusual.in_transaction {
            // This may be the stack of another thread, which tries the transaction.
            drop(state);
            stop_here();
        }
        let suspender = state.threads[state.running.index()].suspender;
        if std::thread::panicking() {
            // It cannot be unwound from here.
            state.is_broken = true;
        }
        drop(state);
        suspender.suspend();
        self.stop_running()
    }
}

/// Unwinds the thread, quietly.
fn stop_here() -> ! {
    resume_unwind(Box::new(Stopped))
}
