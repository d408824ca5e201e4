//! Park tokens: `unpark` gives a thread its token, `park` waits for it and takes it.

use super::kinds::KindSet;
use crate::control::thread::{Thread, ThreadTable};
use selvedge_explore::{Enabledness, Kind, ThreadId, VectorClock};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Park]);

/// What a parked thread waits for, in words.
pub(in crate::control) const AWAITED_BY_PARK: &str = "waits to be unparked";

/// The token of a thread.
#[derive(Debug, Default)]
pub(in crate::control) struct ParkToken {
    is_there: bool,
    /// All that happened before it was unparked, by any token so far.
    clock: VectorClock,
}

impl ParkToken {
    /// Can the thread be parked without waiting?
    pub(in crate::control) fn is_there(&self) -> bool {
        self.is_there
    }

    /// The enabled actions on the thread.
    pub(in crate::control) fn enabled_actions(&self) -> u64 {
        u64::from(self.is_there) * Enabledness::TOKEN
    }

    /// Another thread has this slot from now on.
    pub(in crate::control) fn clear(&mut self) {
        let ParkToken { is_there, clock } = self;
        *is_there = false;
        clock.clear();
    }
}

/// The running thread gives a thread its token, if the slot still has the thread that is meant.
pub(in crate::control) fn put_token(
    threads: &mut ThreadTable,
    running: ThreadId,
    thread: ThreadId,
    birth: u64,
) {
    if threads[thread].birth != birth {
        return;
    }
    let mut token = std::mem::take(&mut threads[thread].token);
    let clock = &mut threads[running].clock;
    token.clock.join(clock);
    clock.tick(running.index());
    token.is_there = true;
    threads[thread].token = token;
}

/// The thread takes its token, if there is one, and acquires all that happened before any of its tokens.
pub(in crate::control) fn take_token(thread: &mut Thread) {
    if std::mem::take(&mut thread.token.is_there) {
        thread.clock.join(&thread.token.clock);
    }
}

/// The thread observes that it was unparked, and leaves the token.
pub(in crate::control) fn observe_token(thread: &mut Thread) {
    thread.clock.join(&thread.token.clock);
}
