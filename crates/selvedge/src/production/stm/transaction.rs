//! A transaction while its body runs.
//!
//! Promise: a thread runs at most one transaction at a time. When the transaction ends, also by unwinding,
//! the thread can begin the next.

use super::log::Log;
use super::variable::Variable;
use super::{Abort, Stm};
use crate::door::TransactionMemory;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// A transaction while its body runs: the argument that [`atomically`](super::atomically) passes to the
/// body.
pub struct Transaction {
    pub(crate) log: Box<Log>,
    memory: TransactionMemory,
    /// Another transaction has committed in between. The attempt can no longer succeed.
    pub(super) has_conflict: bool,
}

/// The log of the next transaction of a thread.
enum LogCache {
    Empty,
    /// The log of the last transaction, kept for its capacity.
    Free(Box<Log>),
    /// A transaction runs and uses it.
    InUse,
}

crate::thread_local! {
    static LOG_CACHE: Cell<LogCache> = const { Cell::new(LogCache::Empty) };
}

/// Replaces the thread's cache. It is empty after the thread-local values are destroyed.
fn replace_cache(cache: LogCache) -> LogCache {
    LOG_CACHE.try_with(|cell| cell.replace(cache)).unwrap_or(LogCache::Empty)
}

impl Transaction {
    #[track_caller]
    pub(crate) fn begin(memory: TransactionMemory) -> Transaction {
        let log = match replace_cache(LogCache::InUse) {
            LogCache::Empty => Box::default(),
            LogCache::Free(log) => log,
            LogCache::InUse => panic!(
                "`atomically` inside of a transaction: a transaction cannot run another one; \
                 call the inner body with the same `tx`"
            ),
        };
        Transaction { log, memory, has_conflict: false }
    }

    /// Forgets the last attempt, and begins the next.
    pub(super) fn begin_attempt(&mut self, has_priority: bool) {
        self.log.clear();
        self.memory.begin_attempt(&self.log, has_priority);
        self.has_conflict = false;
    }

    #[inline]
    pub(super) fn read<T: Clone + Send + Sync + 'static>(&mut self, variable: &Arc<Variable<T>>) -> Stm<T> {
        if self.has_conflict {
            return Err(Abort::CONFLICT);
        }
        let entry = self.log.find(variable);
        if let Some(value) = entry.and_then(|entry| self.log.written_value(entry)) {
            let value = value.downcast_ref::<T>().expect("a value is written by a handle of its own type");
            return Ok(value.clone());
        }
        match self.memory.read(&mut self.log, variable, entry) {
            Some(value) => Ok(T::clone(&value)),
            None => self.fail_by_conflict(),
        }
    }

    pub(super) fn write<T: Send + Sync + 'static>(
        &mut self,
        variable: &Arc<Variable<T>>,
        value: T,
    ) -> Stm<()> {
        if self.has_conflict {
            return Err(Abort::CONFLICT);
        }
        let entry = self.log.find(variable);
        let entry = entry.unwrap_or_else(|| self.memory.prepare_write(&mut self.log, variable));
        self.log.record_write(entry, Arc::new(value));
        Ok(())
    }

    #[cold]
    fn fail_by_conflict<T>(&mut self) -> Stm<T> {
        self.has_conflict = true;
        Err(Abort::CONFLICT)
    }

    /// Runs a nested part of the transaction. If it does not succeed, its writes are rolled back; its reads
    /// stay in the read set.
    pub(super) fn nested<T>(&mut self, body: impl FnOnce(&mut Transaction) -> Stm<T>) -> Stm<T> {
        let savepoint = self.log.open_savepoint();
        let result = body(self);
        if self.has_conflict {
            return Err(Abort::CONFLICT);
        }
        match &result {
            Ok(_) => self.log.close_savepoint(),
            Err(_) => self.log.roll_back(savepoint),
        }
        result
    }

    /// Makes all writes visible at once, unless another transaction has committed in between.
    pub(crate) fn commit(&mut self) -> bool {
        self.memory.commit(&mut self.log)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        replace_cache(LogCache::Empty);
        let mut log = std::mem::take(&mut self.log);
        // This drops values. Their destructors may run transactions of their own, now that this one has
        // ended.
        log.clear();
        replace_cache(LogCache::Free(log));
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").finish_non_exhaustive()
    }
}
