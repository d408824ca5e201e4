//! A transaction that is under way, as its body sees it.
//!
//! Promise: at most one on a thread. When it ends, also by unwinding, the thread is free for the next.

use super::log::Log;
use super::variable::Variable;
use super::world::Memory;
use super::{Abort, Stm};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// A transaction that is under way: what [`atomically`](super::atomically) gives to its body.
pub struct Transaction {
    pub(super) log: Box<Log>,
    pub(super) memory: Memory,
    /// Another one came between. Nothing that it does from now on counts.
    pub(super) is_doomed: bool,
}

/// What a thread has for its next transaction.
enum Spare {
    /// Nothing yet.
    None,
    /// The log of the last one, for its room.
    Log(Box<Log>),
    /// A transaction is under way.
    InUse,
}

crate::thread_local! {
    static SPARE: Cell<Spare> = const { Cell::new(Spare::None) };
}

/// Takes what the thread has. Where a thread ends and has nothing any more, that is nothing.
fn exchange(spare: Spare) -> Spare {
    SPARE.try_with(|place| place.replace(spare)).unwrap_or(Spare::None)
}

impl Transaction {
    #[cfg_attr(feature = "check", track_caller)]
    pub(super) fn begin(memory: Memory) -> Transaction {
        let log = match exchange(Spare::InUse) {
            Spare::None => Box::default(),
            Spare::Log(log) => log,
            Spare::InUse => panic!(
                "`atomically` inside of a transaction: a transaction cannot run another one; \
                 call the inner body with the same `tx`"
            ),
        };
        Transaction { log, memory, is_doomed: false }
    }

    /// Forgets the last attempt.
    pub(super) fn start_again(&mut self, is_senior: bool) {
        self.log.clear();
        self.memory.start(is_senior);
        self.is_doomed = false;
    }

    #[inline]
    pub(super) fn read<T: Clone + Send + Sync + 'static>(&mut self, variable: &Arc<Variable<T>>) -> Stm<T> {
        if self.is_doomed {
            return Err(Abort::CONFLICT);
        }
        let known = self.log.find(variable);
        if let Some(value) = known.and_then(|place| self.log.written(place)) {
            let value = value.downcast_ref::<T>().expect("a value is written by a handle of its own type");
            return Ok(value.clone());
        }
        match self.memory.fetch(&mut self.log, variable, known) {
            Some(value) => Ok(T::clone(&value)),
            None => self.doom(),
        }
    }

    pub(super) fn write<T: Send + Sync + 'static>(
        &mut self,
        variable: &Arc<Variable<T>>,
        value: T,
    ) -> Stm<()> {
        if self.is_doomed {
            return Err(Abort::CONFLICT);
        }
        let known = self.log.find(variable);
        let place = known.unwrap_or_else(|| self.memory.touch(&mut self.log, variable));
        self.log.write(place, Arc::new(value));
        Ok(())
    }

    #[cold]
    fn doom<T>(&mut self) -> Stm<T> {
        self.is_doomed = true;
        Err(Abort::CONFLICT)
    }

    /// A part of the transaction. Where it does not succeed, what it wrote is undone, and what it read is kept.
    pub(super) fn nested<T>(&mut self, body: impl FnOnce(&mut Transaction) -> Stm<T>) -> Stm<T> {
        let mark = self.log.mark();
        let result = body(self);
        if self.is_doomed {
            return Err(Abort::CONFLICT);
        }
        match &result {
            Ok(_) => self.log.unmark(),
            Err(_) => self.log.undo(mark),
        }
        result
    }

    /// Makes what was written visible to all, unless another one came between.
    pub(super) fn commit(&mut self) -> bool {
        self.memory.apply(&mut self.log)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        exchange(Spare::None);
        let mut log = std::mem::take(&mut self.log);
        // Drops values, and their destructors may run transactions of their own, now that this one is over.
        log.clear();
        exchange(Spare::Log(log));
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").finish_non_exhaustive()
    }
}
