//! Runs a transaction: attempts, until one commits.
//!
//! Promise: every transaction with a terminating body commits after finitely many attempts, once it has
//! priority.

use super::{Abort, Reason, Stm, Transaction, retry};
use crate::door::{DomainRef, TransactionMemory};
use crate::production::interrupt::Thrown;
use crate::production::mailbox;

/// A transaction that has failed this many times gets priority.
pub(super) const MAX_FAILURES: u32 = 8;

/// Runs a transaction until it commits or throws. It gets priority after `max_failures` failed attempts.
pub(crate) fn run<T>(domain: &DomainRef, max_failures: u32, body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
    mailbox::interruption_point();
    let mut tx = Transaction::begin(TransactionMemory::new(domain.clone()));
    let mut failures = 0;
    loop {
        let priority = (failures >= max_failures).then(|| domain.acquire_priority());
        let end = attempt(&mut tx, priority.is_some(), &body);
        drop(priority);
        match end {
            AttemptEnd::Committed(value) => return value,
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
            AttemptEnd::Conflict => failures += 1,
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
