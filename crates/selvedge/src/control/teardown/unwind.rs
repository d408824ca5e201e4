//! The end of a run: threads that are left are unwound, so that destructors run and stacks can be used
//! again.
//!
//! The last in the order of paths first: a scoped thread is a descendant of the thread whose frame it
//! borrows from. Unlike the order of births, that order does not depend on the order of independent spawns.
//! A stack that cannot be unwound, because a destructor would have to wait for ever, is leaked, with all
//! values on it. If the user says so, threads are forgotten instead: their stacks are used again, and their
//! values are leaked.

#![allow(unsafe_code)]

use super::stop::MAX_STOPS;
use crate::control::diagnose::Phase;
use crate::control::execution::{Execution, Stop};
use crate::control::memory;
use crate::control::object::acquire_end;
use crate::control::schedule::resume;
use crate::control::thread::Status;
use crate::control::{ContainedPart, State};
use selvedge_explore::ThreadId;

impl Execution {
    /// Ends all threads, if that was not done before.
    pub(crate) fn tear_down(&self) {
        let mut state = self.state.borrow_mut();
        state.conditions.is_stopping = true;
        state.threads.thaw_all();
        if state.threads.have_all_ended() {
            return;
        }
        drop(state);
        if self.settings.forgets {
            self.forget_all();
        } else {
            self.unwind_all(|_| true);
        }
        self.state.borrow_mut().threads.forget_unstarted();
    }

    /// Ends all threads where they are, as the end of a process does: their values are not dropped.
    fn forget_all(&self) {
        let state = &mut *self.state.borrow_mut();
        let live: Vec<ThreadId> = state.threads.live().collect();
        for thread in live {
            // SAFETY: all threads that could borrow from this stack are threads of the run, whose scopes and
            // handles do not outlive it: they are forgotten too, or have ended.
            unsafe { state.threads.forget(thread) };
        }
    }

    /// Leaves all threads where they are, for ever.
    #[cfg(unix)]
    pub(crate) fn abandon(&self) {
        let state = &mut *self.state.borrow_mut();
        state.threads.thaw_all();
        let live: Vec<ThreadId> = state.threads.live().collect();
        live.into_iter().for_each(|thread| state.threads.leak(thread));
        state.threads.forget_unstarted();
    }

    /// The innermost contained part has ended: its threads go no further, and are returned. The running
    /// thread goes on, after all that they did.
    pub(crate) fn freeze_part(&self) -> Vec<ThreadId> {
        let state = &mut *self.state.borrow_mut();
        let Some(ContainedPart { inner, .. }) = state.parts.pop() else { return Vec::new() };
        let part: Vec<ThreadId> = state.threads.live_of_part(inner).collect();
        part.iter().for_each(|thread| state.threads.freeze(*thread));
        let running = state.running;
        acquire_all_ends(state, running);
        state.conditions.is_stale = true;
        part
    }

    /// The stores of frozen threads that are not in memory never get there.
    pub(crate) fn discard_stores(&self) {
        memory::discard_stores(&mut self.state.borrow_mut());
    }

    /// Ends these frozen threads. The running thread goes on.
    pub(crate) fn unwind_frozen(&self, frozen: &[ThreadId]) {
        let running = {
            let state = &mut *self.state.borrow_mut();
            if state.conditions.is_stopping {
                // The run is torn down, and these threads, which are descendants of this one, have ended.
                return;
            }
            state.conditions.is_stopping = true;
            frozen.iter().for_each(|thread| state.threads.thaw(*thread));
            state.running
        };
        self.unwind_all(|thread| frozen.contains(&thread));
        let broken = {
            let state = &mut *self.state.borrow_mut();
            state.running = running;
            acquire_all_ends(state, running);
            state.conditions.is_stopping = false;
            state.is_broken.then(|| state.end.lost.clone().unwrap_or_default())
        };
        if let Some(why) = broken {
            // To std, this thread of the operating system unwinds from now on, so no thread can go on here.
            self.end_run(Stop::Stuck(format!("{why}; nothing can wait there")));
        }
    }

    fn unwind_all(&self, of: impl Fn(ThreadId) -> bool) {
        loop {
            let (last, is_broken) = {
                let state = self.state.borrow();
                (state.threads.live().rfind(|thread| of(*thread)), state.is_broken)
            };
            let Some(thread) = last else { break };
            if is_broken || !self.unwind(thread) {
                self.state.borrow_mut().threads.leak(thread);
            }
        }
    }

    /// Unwinds one thread. Says whether that was possible.
    fn unwind(&self, thread: ThreadId) -> bool {
        self.state.borrow_mut().end.stops = 0;
        loop {
            resume(self, thread, Phase::Stops);
            let state = self.state.borrow();
            if state.threads[thread].status == Status::Ended {
                return true;
            }
            if state.is_broken || state.end.stops > MAX_STOPS {
                return false;
            }
        }
    }
}

/// The running thread goes on after all that the threads of the run did.
fn acquire_all_ends(state: &mut State, running: ThreadId) {
    for place in 0..state.threads.ids().len() {
        let thread = state.threads.ids()[place];
        acquire_end(&mut state.threads, running, thread);
    }
}
