//! A lock for one writer or many readers.

use super::kinds::{KindSet, enabled_bits};
use super::sync::Sync;
use super::table::Object;
use crate::control::thread::ThreadTable;
use selvedge_explore::{Enabledness, Kind, ThreadId, VectorClock};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::ReadLock, Kind::WriteLock]);

/// These enable or disable the waiters of the lock, and no other thread.
pub(super) const CONCERNS_ONLY_WAITERS: KindSet = KindSet::of(&[
    Kind::ReadLock,
    Kind::TryReadLock,
    Kind::WriteLock,
    Kind::TryWriteLock,
    Kind::UnlockRead,
    Kind::UnlockWrite,
]);

/// How a thread holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Reader,
    Writer,
}

/// The threads that hold a lock.
#[derive(Clone, Debug, Default)]
pub(crate) struct RwLockState {
    writer: Option<ThreadId>,
    readers: Vec<ThreadId>,
    /// All that happened before readers gave the lock back: only writers acquire it.
    read: VectorClock,
}

impl RwLockState {
    /// Can a thread take it in this role now?
    #[inline(always)]
    pub(super) fn is_free_for(&self, role: Role) -> bool {
        self.writer.is_none() && (role == Role::Reader || self.readers.is_empty())
    }

    /// The enabled actions.
    pub(super) fn enabled_actions(&self) -> u64 {
        enabled_bits([
            (self.is_free_for(Role::Reader), Enabledness::READ_LOCK),
            (self.is_free_for(Role::Writer), Enabledness::WRITE_LOCK),
        ])
    }

    /// The threads that hold it.
    pub(super) fn holders(&self) -> Vec<ThreadId> {
        match self.writer {
            Some(writer) => vec![writer],
            None => self.readers.clone(),
        }
    }
}

/// The running thread takes the lock in this role, if it is free for that.
pub(in crate::control) fn take_rwlock(
    object: &mut Object,
    threads: &mut ThreadTable,
    running: ThreadId,
    role: Role,
) -> bool {
    let Sync::RwLock(lock) = &mut object.sync else { return false };
    if !lock.is_free_for(role) {
        return false;
    }
    let clock = &mut threads[running].clock;
    clock.join(&object.clock);
    match role {
        Role::Reader => lock.readers.push(running),
        Role::Writer => {
            lock.writer = Some(running);
            clock.join(&lock.read);
        }
    }
    true
}

/// The running thread gives the lock back. Later writers acquire all that it has seen and done; after a
/// writer, readers do too.
pub(in crate::control) fn give_back_rwlock(
    object: &mut Object,
    threads: &mut ThreadTable,
    running: ThreadId,
    role: Role,
) {
    let Sync::RwLock(lock) = &mut object.sync else { return };
    let clock = &mut threads[running].clock;
    match role {
        Role::Reader => {
            lock.read.join(clock);
            if let Some(place) = lock.readers.iter().position(|reader| *reader == running) {
                lock.readers.swap_remove(place);
            }
        }
        Role::Writer => {
            object.clock.join(clock);
            lock.writer = None;
        }
    }
    clock.tick(running.index());
}
