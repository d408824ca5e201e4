//! The end of a thread: `join` waits for one, the return of the body may wait for all.

use super::kinds::KindSet;
use crate::control::memory::Buffers;
use crate::control::thread::{Status, ThreadTable};
use selvedge_explore::{Kind, ThreadId};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Join, Kind::Contain, Kind::Return]);

/// Has the thread ended, with all its stores in memory?
#[inline]
pub(in crate::control) fn has_ended(threads: &ThreadTable, buffers: &Buffers, thread: ThreadId) -> bool {
    threads[thread].status == Status::Ended && buffers.is_empty(thread)
}

/// The running thread observes the end of another: it acquires all that the other did before it ended.
pub(in crate::control) fn acquire_end(threads: &mut ThreadTable, running: ThreadId, ended: ThreadId) {
    if let Some([thread, ended]) = threads.pair_mut(running, ended) {
        thread.clock.join(&ended.clock);
    }
}

/// What a thread waits for that has announced an action on another thread, in words.
pub(in crate::control) fn awaited_thread(kind: Kind, name: &str) -> String {
    format!("waits to {} `{name}`", kind.text().replace('_', " "))
}

/// What the body waits for before its return, in words.
pub(in crate::control) const AWAITED_BY_RETURN: &str = "waits for the end of all others";
