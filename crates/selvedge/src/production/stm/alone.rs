//! A transaction as one step, where nobody else is there: the ground that controlled transactions stand on.
//!
//! Inside of an exploration a transaction is one visible action over plain values. Nobody else runs meanwhile, so there are no versions
//! and no locks, and the production types' own actions are not seen.
//!
//! Promise: nothing is changed before [`Alone::apply`].

use super::world::Memory;
use super::{Abort, Reason, Stm, Transaction};
use crate::control::Tag;
use crate::production::interrupt::Thrown;

/// An attempt that has been made, and changed nothing yet.
pub struct Alone {
    tx: Transaction,
}

/// How an attempt has ended.
#[derive(Debug)]
pub enum Ended<T> {
    /// It wants to be committed.
    Committed(T),
    /// It waits until something that it read is changed.
    Retry,
    /// It has thrown an exception.
    Thrown(Thrown),
}

impl Alone {
    /// Runs the body once.
    pub fn attempt<T>(body: impl Fn(&mut Transaction) -> Stm<T>) -> (Alone, Ended<T>) {
        let mut tx = Transaction::begin(Memory::Alone);
        let ended = match body(&mut tx) {
            Ok(value) => Ended::Committed(value),
            Err(Abort(Reason::Retry)) => Ended::Retry,
            Err(Abort(Reason::Thrown(exception))) => Ended::Thrown(exception),
            Err(Abort(Reason::Conflict)) => unreachable!("where nobody else is, nobody comes between"),
        };
        (Alone { tx }, ended)
    }

    /// The variables that were read, those of abandoned parts too.
    pub(crate) fn read(&self) -> impl Iterator<Item = (&Tag, u32)> {
        self.tx.log.reads().map(|(core, _)| (&core.tag, core.bit))
    }

    /// The variables that are to be written.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&Tag, u32)> {
        self.tx.log.writes().map(|core| (&core.tag, core.bit))
    }

    /// How many variables were read, and how many are to be written.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize) {
        (self.tx.log.reads().count(), self.tx.log.writes().count())
    }

    /// Writes what is to be written.
    pub fn apply(mut self) {
        let applied = self.tx.commit();
        debug_assert!(applied, "where nobody else is, nobody comes between");
    }
}
