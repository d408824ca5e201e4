//! Runs a transaction: attempts, until one commits.
//!
//! Promise: every transaction with a terminating body commits after finitely many attempts, once it has
//! priority.

use super::contention;
use super::{Abort, Reason, Stm, Transaction, retry};
use crate::door::{DomainRef, TransactionMemory};
use crate::production::interrupt::Thrown;
use crate::production::mailbox;

/// When a transaction waits for others before an attempt.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// From this contention intensity of its thread on it takes turns.
    pub(crate) contention: u32,
    /// After so many failures it gets priority.
    pub(crate) failures: u32,
}

impl Patience {
    pub(crate) const DEFAULT: Patience = Patience { contention: contention::HIGH, failures: 8 };
}

/// Runs a transaction until it commits or throws.
pub(crate) fn run<T>(domain: &DomainRef, patience: Patience, body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
    mailbox::interruption_point();
    let mut tx = Transaction::begin(TransactionMemory::new(domain.clone()));
    let mut failures = 0;
    loop {
        let is_contended = tx.log.memory.contention.is_at_least(patience.contention);
        let turn = is_contended.then(|| domain.acquire_turn());
        let priority = (failures >= patience.failures).then(|| domain.acquire_priority());
        let end = attempt(&mut tx, priority.is_some(), &body);
        drop(priority);
        drop(turn);
        match end {
            AttemptEnd::Committed(value) => {
                tx.log.memory.contention.commit();
                return value;
            }
            AttemptEnd::Thrown(exception) => {
                drop(tx);
                exception.raise()
            }
            AttemptEnd::Retry => {
                if let Some(exception) = retry::sleep_until_changed(&tx.log) {
                    drop(tx);
                    exception.raise();
                }
                failures = 0;
            }
            AttemptEnd::Conflict => {
                tx.log.memory.contention.fail();
                failures += 1;
            }
        }
    }
}

/// How an attempt ended.
enum AttemptEnd<T> {
    Committed(T),
    Retry,
    Thrown(Thrown),
    Conflict,
}

/// Runs the body once, and commits what it wrote.
fn attempt<T>(
    tx: &mut Transaction,
    has_priority: bool,
    body: impl Fn(&mut Transaction) -> Stm<T>,
) -> AttemptEnd<T> {
    tx.begin_attempt(has_priority);
    let mut reservations = Reservations { tx, has_priority, is_committed: false };
    let result = body(reservations.tx);
    if reservations.tx.has_conflict {
        return AttemptEnd::Conflict;
    }
    match result {
        Ok(value) if reservations.tx.commit() => {
            reservations.is_committed = true;
            AttemptEnd::Committed(value)
        }
        Ok(_) | Err(Abort(Reason::Conflict)) => AttemptEnd::Conflict,
        Err(Abort(Reason::Retry)) => AttemptEnd::Retry,
        Err(Abort(Reason::Thrown(exception))) => AttemptEnd::Thrown(exception),
    }
}

/// Ends the reservations of the priority transaction when its attempt ends, also by unwinding.
struct Reservations<'t> {
    tx: &'t mut Transaction,
    has_priority: bool,
    is_committed: bool,
}

impl Drop for Reservations<'_> {
    fn drop(&mut self) {
        if self.has_priority {
            self.tx.log.cancel_reservations(self.is_committed);
        }
    }
}
