//! The values of one moment, which an attempt of a transaction reads; and the commit.
//!
//! The algorithm is TL2 (Dice, Shalev and Shavit, Transactional Locking II, DISC 2006). An attempt reads the
//! values of one moment, its *time*, and writes into its log. The commit locks the write set, advances the
//! version clock, validates the read set and publishes the write set. If an attempt meets a version that is
//! newer than its time, it tries to move its time to the present (Riegel, Felber and Fetzer, A Lazy Snapshot
//! Algorithm with Eager Validation, DISC 2006).
//!
//! We differ in two places. An attempt begins at the last time that its thread has seen, not at the present
//! ([`Snapshot::begin_attempt`]). And a transaction that has failed too often gets *priority*; one at a time
//! has it. The priority transaction reserves each variable when it first touches it, and then no other
//! transaction can commit to that variable. (Compare the irrevocable transactions of Welc, Saha and
//! Adl-Tabatabai, SPAA 2008.)
//!
//! Promise: all values that an attempt reads were current together at one moment, even if the attempt fails
//! later. The commit of the priority transaction never fails.

use super::log::{EntryIndex, Log};
use super::variable::Variable;
use super::versioned_lock::{LockError, Version};
use crate::door::DomainRef;
use std::sync::Arc;

/// A moment in the history of a domain, as an attempt sees it.
pub(crate) struct Snapshot {
    domain: DomainRef,
    time: Version,
    has_priority: bool,
}

impl Snapshot {
    pub(crate) fn new(domain: DomainRef) -> Snapshot {
        Snapshot { domain, time: Version::INITIAL, has_priority: false }
    }

    /// Begins an attempt, at the last time that the thread has seen: the clock is where all cores meet, so
    /// it is read only when a newer value asks for it. An earlier time than the present makes no difference
    /// to what is read. A commit locks its write set before it advances the clock; so a variable that is
    /// unlocked, and has a version up to this time, has had its value without a break until it is read.
    pub(crate) fn begin_attempt(&mut self, log: &Log, has_priority: bool) {
        self.has_priority = has_priority;
        let (domain, time) = log.memory.seen;
        self.time = if domain == self.domain.id { time } else { Version::INITIAL };
    }

    /// Advances the clock.
    fn tick(&self, log: &mut Log) -> Version {
        let time = self.domain.tick();
        log.memory.seen = (self.domain.id, time);
        time
    }

    /// Reads a variable that the transaction has not written. `entry` is its entry in the log, if it has
    /// one.
    ///
    /// Returns `None` if no moment exists at which this value and the read set were current together.
    #[inline]
    pub(crate) fn read<T: Send + Sync + 'static>(
        &mut self,
        log: &mut Log,
        variable: &Arc<Variable<T>>,
        entry: Option<EntryIndex>,
    ) -> Option<Arc<T>> {
        if self.has_priority {
            return Some(Snapshot::read_reserved(log, variable, entry));
        }
        loop {
            let (version, value) = variable.read();
            if version > self.time {
                self.extend(log)?;
                continue;
            }
            let entry = entry.unwrap_or_else(|| log.add(variable));
            match log.read_version(entry) {
                None => log.record_read(entry, version),
                Some(first) if first == version => {}
                Some(_) => return None,
            }
            return Some(value);
        }
    }

    /// Reads a variable for the priority transaction, which reserves it: so its value does not change.
    fn read_reserved<T: Send + Sync + 'static>(
        log: &mut Log,
        variable: &Arc<Variable<T>>,
        entry: Option<EntryIndex>,
    ) -> Arc<T> {
        let entry = entry.unwrap_or_else(|| {
            variable.lock.reserve();
            log.add(variable)
        });
        let (version, value) = variable.read_unvalidated();
        log.record_read(entry, version);
        value
    }

    /// Adds an entry for a variable that the transaction is about to write and has not touched before.
    pub(crate) fn prepare_write<T: Send + Sync + 'static>(
        &self,
        log: &mut Log,
        variable: &Arc<Variable<T>>,
    ) -> EntryIndex {
        if self.has_priority {
            variable.lock.reserve();
        }
        log.add(variable)
    }

    /// Moves the time of the attempt to the present, if the read set is still valid.
    #[cold]
    fn extend(&mut self, log: &mut Log) -> Option<()> {
        let now = self.domain.now();
        log.memory.seen = (self.domain.id, now);
        log.is_valid().then(|| self.time = now)
    }

    /// Publishes the write set, if the read set is still valid. Returns whether it is.
    pub(crate) fn commit(&mut self, log: &mut Log) -> bool {
        if log.is_read_only() {
            // All values of the read set were current at `time`.
            return true;
        }
        if self.has_priority {
            log.lock_reserved();
            let version = self.tick(log);
            log.publish(version);
            return true;
        }
        if let Err((error, lock)) = log.lock() {
            match error {
                LockError::Changed => {}
                LockError::Locked => lock.wait_until_unlocked(),
                LockError::Reserved => drop(self.domain.acquire_priority()),
            }
            return false;
        }
        if log.has_locked_nothing() {
            return true;
        }
        let version = self.tick(log);
        // If no other transaction has committed since `time`, no variable can have changed.
        let is_valid = version == Version(self.time.0 + 1) || log.is_valid_except_locked();
        if is_valid {
            log.publish(version);
        } else {
            log.unlock();
        }
        is_valid
    }
}
