//! The end of a run: threads that are left are unwound, so that destructors run and stacks can be used again.
//!
//! The youngest first: a scoped thread is born after the one whose frame it borrows from. Where a stack cannot be unwound, because
//! a destructor would have to wait for ever, it is leaked, with all that is on it. Where the user says so, threads are forgotten
//! instead: their stacks are used again, and what they own is leaked.

use super::stop::MAX_STOPS;
use crate::control::diagnose::Phase;
use crate::control::execution::{Execution, Stop};
use crate::control::fiber::Fiber;
use crate::control::schedule::resume;
use crate::control::thread::Status;
use selvedge_explore::ThreadId;

impl Execution {
    /// Ends all threads, if that was not done before.
    pub(crate) fn tear_down(&self) {
        let mut state = self.state.borrow_mut();
        state.unusual.is_stopping = true;
        if state.live_count == 0 {
            return;
        }
        drop(state);
        if self.settings.forgets {
            self.forget_all();
        } else {
            self.unwind_all_but(None);
        }
        self.state.borrow_mut().fresh.clear();
    }

    /// Ends all threads where they are, as the end of a process does: nothing of theirs is dropped.
    fn forget_all(&self) {
        let state = &mut *self.state.borrow_mut();
        let live: Vec<ThreadId> = state.live().collect();
        for thread in live {
            let slot = &mut state.threads[thread.index()];
            slot.status = Status::Ended;
            std::mem::forget(std::mem::take(&mut slot.locals));
            state.live_count -= 1;
            state.stacks.extend(slot.fiber.take().map(Fiber::forget));
        }
    }

    /// Leaves all threads where they are, for ever.
    #[cfg(unix)]
    pub(crate) fn abandon(&self) {
        let live: Vec<ThreadId> = self.state.borrow().live().collect();
        live.into_iter().for_each(|thread| self.leak(thread));
        self.state.borrow_mut().fresh.clear();
    }

    /// Ends all threads but the running one, which goes on.
    pub(crate) fn stop_others(&self) {
        let running = self.state.borrow().running;
        self.state.borrow_mut().unusual.is_stopping = true;
        self.unwind_all_but(Some(running));
        {
            let mut state = self.state.borrow_mut();
            state.running = running;
            state.discard_stores();
        }
        let count = self.state.borrow().thread_count as u32;
        (0..count).for_each(|thread| self.acquire_thread(ThreadId(thread)));
        let is_broken = {
            let mut state = self.state.borrow_mut();
            state.unusual.is_stopping = false;
            state.is_broken
        };
        if is_broken {
            // This thread of the operating system seems to unwind for ever now, so nobody can go on here.
            let why = self.state.borrow().lost.clone().unwrap_or_default();
            self.end_run(Stop::Stuck(format!("{why}; nothing can wait there")));
        }
    }

    fn unwind_all_but(&self, spared: Option<ThreadId>) {
        loop {
            let (youngest, is_broken) = {
                let state = self.state.borrow();
                let others = state.live().filter(|thread| Some(*thread) != spared);
                (others.max_by_key(|thread| state.threads[thread.index()].born), state.is_broken)
            };
            let Some(thread) = youngest else { break };
            if is_broken || !self.unwind(thread) {
                self.leak(thread);
            }
        }
    }

    /// Unwinds one thread. Says whether that was possible.
    fn unwind(&self, thread: ThreadId) -> bool {
        self.state.borrow_mut().stops = 0;
        loop {
            resume(self, thread, Phase::Stops);
            let state = self.state.borrow();
            if state.threads[thread.index()].status == Status::Ended {
                return true;
            }
            if state.is_broken || state.stops > MAX_STOPS {
                return false;
            }
        }
    }

    fn leak(&self, thread: ThreadId) {
        let mut state = self.state.borrow_mut();
        state.live_count -= 1;
        let slot = &mut state.threads[thread.index()];
        slot.status = Status::Lost;
        std::mem::forget(std::mem::take(&mut slot.locals));
        if let Some(fiber) = slot.fiber.take() {
            fiber.leak();
        }
    }
}
