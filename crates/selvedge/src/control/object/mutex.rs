//! A mutex: at most one thread owns it.

use super::kinds::KindSet;
use super::sync::Sync;
use super::table::Object;
use crate::control::thread::ThreadTable;
use selvedge_explore::{Enabledness, Kind, ThreadId};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Lock]);

/// These enable or disable the waiters of the mutex, and no other thread.
pub(super) const CONCERNS_ONLY_WAITERS: KindSet = KindSet::of(&[Kind::Lock, Kind::TryLock, Kind::Unlock]);

/// The owner of a mutex.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MutexState {
    owner: Option<ThreadId>,
}

impl MutexState {
    /// Can a thread lock it now?
    #[inline(always)]
    pub(crate) fn is_free(&self) -> bool {
        self.owner.is_none()
    }

    /// The enabled actions.
    #[inline(always)]
    pub(in crate::control) fn enabled_actions(&self) -> u64 {
        u64::from(self.is_free()) * Enabledness::LOCK
    }

    /// The threads that hold it.
    pub(super) fn holders(&self) -> Vec<ThreadId> {
        self.owner.into_iter().collect()
    }
}

/// The running thread locks a mutex, and acquires all that was released through it.
#[inline]
pub(in crate::control) fn lock_mutex(object: &mut Object, threads: &mut ThreadTable, running: ThreadId) {
    if let Sync::Mutex(mutex) = &mut object.sync {
        mutex.owner = Some(running);
    }
    threads[running].clock.join(&object.clock);
}

/// The running thread unlocks a mutex: the next owner acquires all that this thread has seen and done.
#[inline]
pub(in crate::control) fn unlock_mutex(object: &mut Object, threads: &mut ThreadTable, running: ThreadId) {
    if let Sync::Mutex(mutex) = &mut object.sync {
        mutex.owner = None;
    }
    let thread = &mut threads[running];
    object.clock.join(&thread.clock);
    thread.clock.tick(running.index());
}
