//! A lock for one writer or many readers, in which a waiting writer keeps new readers out.
//!
//! | the lock is | a reader | a writer |
//! |---|---|---|
//! | free | takes it | takes it, in one step |
//! | held by readers, and no writer waits | takes it | begins to wait: a step |
//! | held by readers, and writers wait | waits | begins to wait, if it has not yet |
//! | held by a writer | waits | waits |
//!
//! When the lock becomes free, no writer waits any more: a reader may come first then, and a writer that
//! finds readers once more begins to wait again. That is how the lock of `std` on futexes works: a release
//! removes the mark of waiting writers and wakes one, which has no claim to the lock before it runs.
//!
//! No run is lost. A reader that overtakes a writer which has called `write` comes before the step by which
//! that writer begins to wait: until this step nothing distinguishes the writer from one that comes later.
//! While a writer holds the lock, no other writer need begin to wait: readers are kept out anyway, and if
//! the lock is downgraded, the others can begin to wait just after that.

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
    Kind::WaitToWrite,
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
    /// The writers that have begun to wait since the lock was free.
    waiting: Vec<ThreadId>,
    /// All that happened before readers gave the lock back: only writers acquire it.
    read: VectorClock,
}

impl RwLockState {
    /// Can a thread take it in this role now?
    #[inline(always)]
    pub(super) fn is_free_for(&self, role: Role) -> bool {
        let others = if role == Role::Reader { &self.waiting } else { &self.readers };
        self.writer.is_none() && others.is_empty()
    }

    /// Can this thread take it for writing, or begin to wait for readers?
    pub(super) fn admits_writer(&self, thread: ThreadId) -> bool {
        self.is_free_for(Role::Writer) || self.writer.is_none() && !self.waiting.contains(&thread)
    }

    /// What a writer does that goes on now.
    pub(in crate::control) fn write_kind(&self) -> Kind {
        if self.readers.is_empty() { Kind::WriteLock } else { Kind::WaitToWrite }
    }

    /// This writer begins to wait.
    pub(crate) fn begin_to_wait(&mut self, writer: ThreadId) {
        self.waiting.push(writer);
    }

    /// This writer waits no longer.
    pub(crate) fn stop_waiting(&mut self, writer: ThreadId) {
        self.waiting.retain(|other| *other != writer);
    }

    /// The enabled actions.
    pub(super) fn enabled_actions(&self) -> u64 {
        enabled_bits([
            (self.is_free_for(Role::Reader), Enabledness::READ_LOCK),
            (self.is_free_for(Role::Writer), Enabledness::WRITE_LOCK),
            (!self.readers.is_empty(), Enabledness::WAIT_TO_WRITE),
            (!self.waiting.is_empty(), Enabledness::WRITER_WAITS),
        ])
    }

    /// The threads that hold it.
    pub(super) fn holders(&self) -> Vec<ThreadId> {
        match self.writer {
            Some(writer) => vec![writer],
            None => self.readers.clone(),
        }
    }

    /// What a thread waits for that is blocked at an action of this kind, in words; `holders` names the
    /// threads that hold the lock.
    pub(super) fn awaited(
        &self,
        kind: Kind,
        name: &str,
        holders: &str,
        thread_name: impl Fn(ThreadId) -> String,
    ) -> String {
        if kind != Kind::ReadLock || self.waiting.is_empty() {
            return format!("waits for {name}, held by {holders}");
        }
        let writers: Vec<String> =
            self.waiting.iter().map(|writer| format!("`{}`", thread_name(*writer))).collect();
        let verb = if let [_] = writers.as_slice() { "waits" } else { "wait" };
        format!("waits for {name}, which {} {verb} to write; held by {holders}", writers.join(", "))
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
            if lock.readers.is_empty() {
                lock.waiting.clear();
            }
        }
        Role::Writer => {
            object.clock.join(clock);
            lock.writer = None;
        }
    }
    clock.tick(running.index());
}
