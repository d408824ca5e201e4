//! The log of a transaction: its read set and its write set.
//!
//! There is one entry for each variable that the transaction has touched. Reads are kept when writes are
//! rolled back: if a transaction abandons a nested part, what that part has read still decided what happens
//! next (Walker's thesis, §5.5.2, Figure 10). A short log is searched linearly, a long one has an index.
//!
//! Promise: after [`Log::roll_back`] the write set is that of the savepoint; the read set keeps all reads
//! since.

use super::contention::Contention;
use super::domain::DomainId;
use super::variable::{AnyVariable, Value, Variable};
use super::versioned_lock::{LockError, LockWord, Version, VersionedLock};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// A log with more entries than this has an index.
const MAX_UNINDEXED: usize = 16;

/// A log with a larger capacity than this is not kept for the next transaction.
const MAX_KEPT_CAPACITY: usize = 1024;

/// The read set and the write set of a transaction.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) entries: Vec<Entry>,
    /// From the address of a variable to the index of its entry. Empty while the log is short.
    index: HashMap<usize, usize, BuildHasherDefault<AddressHasher>>,
    /// The undo log: for each write since the first savepoint, the index of the entry and its written value
    /// before.
    undo: Vec<(usize, Option<Value>)>,
    /// The number of open savepoints.
    savepoints: usize,
    /// The entries that a commit has locked, with their lock words before.
    locked: Vec<(usize, LockWord)>,
    has_written: bool,
    /// What the thread keeps from one transaction to the next.
    pub(super) memory: ThreadMemory,
}

/// What a thread keeps from one transaction to the next.
#[derive(Clone, Copy, Default)]
pub(crate) struct ThreadMemory {
    pub(super) contention: Contention,
    /// The last time that the thread has seen by the clock of this domain.
    pub(super) seen: (DomainId, Version),
}

/// A variable that the transaction has touched.
pub(crate) struct Entry {
    variable: Arc<dyn AnyVariable>,
    /// The version that the transaction has read, if it has.
    pub(crate) read: Option<Version>,
    /// The value that the transaction has written, if it has. After the commit: the value before.
    written: Option<Value>,
}

impl Entry {
    #[inline]
    fn address(&self) -> usize {
        address(&self.variable)
    }

    #[inline]
    pub(crate) fn lock(&self) -> &VersionedLock {
        self.variable.lock()
    }

    #[inline]
    pub(crate) fn is_written(&self) -> bool {
        self.written.is_some()
    }

    /// Exchanges the written value with the value of the variable.
    pub(crate) fn publish(&mut self, version: Version) {
        self.written = self.written.take().map(|value| self.variable.replace(version, value));
    }
}

/// The identity of a variable within the log.
#[inline]
fn address<V: AnyVariable + ?Sized>(variable: &Arc<V>) -> usize {
    Arc::as_ptr(variable).cast::<()>().addr()
}

/// A moment to which the write set can be rolled back.
#[derive(Clone, Copy)]
pub(super) struct Savepoint {
    undo_length: usize,
}

/// The index of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryIndex(usize);

impl Log {
    /// The entry of a variable, if the transaction has touched it.
    #[inline]
    pub(super) fn find<T: Send + Sync + 'static>(&self, variable: &Arc<Variable<T>>) -> Option<EntryIndex> {
        let address = address(variable);
        if self.index.is_empty() {
            self.entries.iter().position(|entry| entry.address() == address).map(EntryIndex)
        } else {
            self.index.get(&address).copied().map(EntryIndex)
        }
    }

    /// Adds an entry for a variable that has none.
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, variable: &Arc<Variable<T>>) -> EntryIndex {
        let new = self.entries.len();
        self.entries.push(Entry { variable: variable.clone(), read: None, written: None });
        if new > MAX_UNINDEXED {
            self.index.insert(address(variable), new);
        } else if new == MAX_UNINDEXED {
            let entries = self.entries.iter().enumerate();
            self.index.extend(entries.map(|(index, entry)| (entry.address(), index)));
        }
        EntryIndex(new)
    }

    /// The version that the transaction has read.
    #[inline]
    pub(super) fn read_version(&self, entry: EntryIndex) -> Option<Version> {
        self.entries[entry.0].read
    }

    pub(crate) fn record_read(&mut self, entry: EntryIndex, version: Version) {
        self.entries[entry.0].read = Some(version);
    }

    /// The value that the transaction has written.
    #[inline]
    pub(super) fn written_value(&self, entry: EntryIndex) -> Option<&Value> {
        self.entries[entry.0].written.as_ref()
    }

    pub(super) fn record_write(&mut self, entry: EntryIndex, value: Value) {
        let before = self.entries[entry.0].written.replace(value);
        self.has_written = true;
        if self.savepoints > 0 {
            self.undo.push((entry.0, before));
        }
    }

    /// Opens a savepoint. Savepoints nest.
    pub(super) fn open_savepoint(&mut self) -> Savepoint {
        self.savepoints += 1;
        Savepoint { undo_length: self.undo.len() }
    }

    /// Undoes all writes since the savepoint, and closes it.
    pub(super) fn roll_back(&mut self, savepoint: Savepoint) {
        for (index, before) in self.undo.drain(savepoint.undo_length..).rev() {
            self.entries[index].written = before;
        }
        self.close_savepoint();
    }

    /// Closes the innermost savepoint. The writes since then stay; a surrounding savepoint can still undo
    /// them.
    pub(super) fn close_savepoint(&mut self) {
        self.savepoints -= 1;
        if self.savepoints == 0 {
            self.undo.clear();
        }
    }

    /// Has the transaction written nothing, not even in a part that was rolled back?
    pub(super) fn is_read_only(&self) -> bool {
        !self.has_written
    }

    /// Validates the read set: is every version that the transaction has read still the current one?
    pub(super) fn is_valid(&self) -> bool {
        self.reads().all(|(lock, version)| lock.word().is_valid_for(version))
    }

    /// Validates the read set after [`Log::lock`], which has already compared the versions of the write set.
    pub(super) fn is_valid_except_locked(&self) -> bool {
        let unlocked = self.entries.iter().filter(|entry| !entry.is_written());
        let mut reads = unlocked.filter_map(|entry| Some((entry, entry.read?)));
        reads.all(|(entry, version)| entry.lock().word().is_valid_for(version))
    }

    /// Locks the write set. If a variable cannot be locked, returns the reason and that variable, and leaves
    /// nothing locked.
    ///
    /// A transaction that holds locks waits for no lock, so any order is free of deadlocks. The order of
    /// addresses would make one run of an exploration differ from the next.
    pub(super) fn lock(&mut self) -> Result<(), (LockError, &VersionedLock)> {
        self.collect_written();
        for position in 0..self.locked.len() {
            let entry = &self.entries[self.locked[position].0];
            match entry.lock().try_lock(entry.read) {
                Ok(before) => self.locked[position].1 = before,
                Err(error) => {
                    let index = self.locked[position].0;
                    self.locked.truncate(position);
                    self.unlock();
                    return Err((error, self.entries[index].lock()));
                }
            }
        }
        Ok(())
    }

    /// Locks the write set of the priority transaction, which has reserved every variable that it touched.
    pub(super) fn lock_reserved(&mut self) {
        self.collect_written();
        for (index, before) in &mut self.locked {
            *before = self.entries[*index].lock().lock_reserved();
        }
    }

    /// Is the write set empty because all writes were rolled back?
    pub(super) fn has_locked_nothing(&self) -> bool {
        self.locked.is_empty()
    }

    fn collect_written(&mut self) {
        let written = self.entries.iter().enumerate().filter(|(_, entry)| entry.is_written());
        self.locked.clear();
        self.locked.extend(written.map(|(index, _)| (index, LockWord::unlocked(Version::INITIAL))));
    }

    /// Unlocks the write set without publishing it.
    pub(super) fn unlock(&mut self) {
        for (index, before) in self.locked.drain(..) {
            self.entries[index].lock().unlock_unchanged(before);
        }
    }

    /// Publishes the write set, which is locked, and unlocks it. The old values stay in the log: their
    /// destructors are code of the program, and run after the transaction.
    pub(super) fn publish(&mut self, version: Version) {
        for (index, _) in &self.locked {
            let entry = &mut self.entries[*index];
            entry.publish(version);
            entry.lock().unlock_with(version);
        }
        for (index, before) in self.locked.drain(..) {
            if before.is_awaited() {
                self.entries[index].lock().wake_waiters();
            }
        }
    }

    /// Ends the reservations of the priority transaction. A commit has already ended the reservations of the
    /// write set.
    pub(super) fn cancel_reservations(&self, is_committed: bool) {
        let reserved = self.entries.iter().filter(|entry| !is_committed || !entry.is_written());
        reserved.for_each(|entry| entry.lock().cancel_reservation());
    }

    /// The read set: each variable with the version that the transaction has read.
    pub(super) fn reads(&self) -> impl Iterator<Item = (&VersionedLock, Version)> {
        self.entries.iter().filter_map(|entry| Some((entry.lock(), entry.read?)))
    }

    /// Empties the log. This drops values, so it runs code of the program.
    pub(super) fn clear(&mut self) {
        self.undo.clear();
        self.entries.clear();
        self.index.clear();
        self.locked.clear();
        self.savepoints = 0;
        self.has_written = false;
        if self.entries.capacity() > MAX_KEPT_CAPACITY {
            *self = Log { memory: self.memory, ..Log::default() };
        }
    }
}

/// Hashes an address by one multiplication: Knuth's multiplicative hash, with the golden ratio.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0.rotate_left(5) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
