//! One attempt of a transaction, as one step of a run.
//!
//! No other thread runs meanwhile, so an attempt reads plain values, and the locks inside production's types
//! are no steps of the run.
//!
//! Promise: an attempt changes no variable before [`Attempt::commit`].

use super::memory::TransactionMemory;
use crate::control::Tag;
use crate::production::interrupt::Thrown;
use crate::production::stm::log::Entry;
use crate::production::stm::{Abort, Reason, Stm, Transaction};

/// An attempt that has run and is not committed.
pub struct Attempt {
    tx: Transaction,
}

/// How the body of a transaction ended.
#[derive(Debug)]
pub enum AttemptEnd<T> {
    /// It returned a value, and can be committed.
    Returned(T),
    /// It called `retry`.
    Retry,
    /// It threw an exception.
    Thrown(Thrown),
}

impl Attempt {
    /// Runs the body once.
    pub fn run<T>(body: impl Fn(&mut Transaction) -> Stm<T>) -> (Attempt, AttemptEnd<T>) {
        let mut tx = Transaction::begin(TransactionMemory::SingleStep);
        let end = match body(&mut tx) {
            Ok(value) => AttemptEnd::Returned(value),
            Err(Abort(Reason::Retry)) => AttemptEnd::Retry,
            Err(Abort(Reason::Thrown(exception))) => AttemptEnd::Thrown(exception),
            Err(Abort(Reason::Conflict)) => unreachable!("no other transaction runs meanwhile"),
        };
        (Attempt { tx }, end)
    }

    /// The read set, including the reads of abandoned parts: the tag of each variable, and its bit in
    /// footprints.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (&Tag, u32)> {
        self.tx.log.entries.iter().filter(|entry| entry.read.is_some()).map(identity)
    }

    /// The write set, likewise.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (&Tag, u32)> {
        self.tx.log.entries.iter().filter(|entry| entry.is_written()).map(identity)
    }

    /// The sizes of the read set and of the write set.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize) {
        (self.reads().count(), self.writes().count())
    }

    /// Writes the write set to the variables.
    pub fn commit(mut self) {
        let is_committed = self.tx.commit();
        debug_assert!(is_committed, "no other transaction runs meanwhile");
    }
}

fn identity(entry: &Entry) -> (&Tag, u32) {
    let identity = &entry.lock().identity;
    (&identity.tag, identity.bit)
}
