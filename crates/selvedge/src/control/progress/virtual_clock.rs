//! Tokens for `park`, waits that end for no reason, and the virtual clock.
//!
//! Where waits may end for no reason, whether the next one can is a choice of its own, before it begins. Otherwise nobody who waits would ever be
//! stuck.
//!
//! Time passes where a thread sleeps or a wait's time is up, by that duration, and nowhere else. So the order of two
//! sleeps does not matter, and what the clock says depends only on which of them came before.

use crate::control::execution::Execution;
use crate::control::state::State;
use crate::control::thread::{Pending, Thread};
use selvedge_explore::{Action, Kind, ThreadId};
use std::time::Duration;

impl Execution {
    /// Can the wait that the running thread is about to begin end for no reason?
    #[track_caller]
    pub(crate) fn may_be_spurious(&self) -> bool {
        let choice = || Pending { alternatives: 2, ..Pending::here(Action::new(Kind::Choose)) };
        self.settings.spurious && self.visible(choice()) == 1
    }

    /// So much time has passed.
    pub(crate) fn time_passes(&self, duration: Duration) {
        let mut state = self.state.borrow_mut();
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        state.now = state.now.saturating_add(nanos);
    }

    /// The running thread gives a thread its token, if that is still the one that was meant.
    pub(crate) fn unpark(&self, thread: ThreadId, born: u64) {
        let state = &mut *self.state.borrow_mut();
        if state.threads[thread.index()].born != born {
            return;
        }
        let running = state.running.index();
        let mut unparked = std::mem::take(&mut state.threads[thread.index()].unparked);
        unparked.join(&state.threads[running].clock);
        state.threads[running].clock.tick(running);
        let thread = &mut state.threads[thread.index()];
        thread.unparked = unparked;
        thread.has_token = true;
    }

    /// The running thread takes its token, if it has one. It happens after what happened before all its tokens.
    pub(crate) fn take_token(&self) {
        let mut state = self.state.borrow_mut();
        let thread = state.running_thread();
        if std::mem::take(&mut thread.has_token) {
            thread.clock.join(&thread.unparked);
        }
    }

    /// The running thread finds out that it was unparked, and leaves the token.
    pub(crate) fn see_unpark(&self) {
        let mut state = self.state.borrow_mut();
        let thread = state.running_thread();
        thread.clock.join(&thread.unparked);
    }
}

impl State {
    fn running_thread(&mut self) -> &mut Thread {
        let running = self.running.index();
        &mut self.threads[running]
    }
}
