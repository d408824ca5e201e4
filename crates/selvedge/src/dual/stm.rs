//! Transactions, controlled inside of an exploration: one visible action each. [`crate::production::stm`] outside.
//!
//! Variables, and what a transaction does with them, are production's. Inside of an exploration nobody else runs meanwhile, so
//! there are no versions and no locks ([`Alone`]); which variables a transaction reads and writes, and whether it would have to
//! wait, is found out by trying (`control/transactions`).

use crate::control::transaction::{Glance, Variable};
use crate::control::{Carries, Execution, Sort, Stop, Sync, Tag, current};
use crate::production::stm as production;
pub use production::{Abort, Stm, TVar, Transaction, catch, guard, or_else, retry, throw};
use production::{Alone, Ended};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

/// Runs a transaction. Returns when it is committed: what it read was there, and what it wrote is there now, at one moment.
///
/// Where it says [`retry`], the thread waits until a variable that it read is changed. An exception that it [`throw`]s and does not
/// [`catch`] is thrown in the calling thread, and nothing was written. An interruption point.
///
/// Inside of an exploration the transaction may be run any number of times; it should do nothing but read, write and compute.
///
/// # Panics
///
/// Inside of a transaction, and where the transaction panics.
#[track_caller]
pub fn atomically<T>(body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
    match current() {
        Some(execution) => controlled(execution, &body, true),
        None => production::atomically(body),
    }
}

/// The value of a variable, by a transaction that reads it and nothing else. Nothing outside of explorations.
#[track_caller]
pub(crate) fn load<T: Clone + Send + std::marker::Sync + 'static>(variable: &TVar<T>) -> Option<T> {
    let execution = current()?;
    Some(controlled(execution, &|tx: &mut Transaction| variable.read(tx), false))
}

#[track_caller]
fn controlled<T>(execution: &Execution, body: &dyn Fn(&mut Transaction) -> Stm<T>, is_guarded: bool) -> T {
    execution.transact(&mut || glance(execution, body), is_guarded, Location::caller());
    let (alone, ended) = execution.within_transaction(|| Alone::attempt(body));
    let does = found(execution, &alone, false);
    does.reads.iter().for_each(|read| execution.acquire(read.object));
    match ended {
        Ended::Committed(value) => {
            for written in &does.writes {
                execution.acquire(written.object);
                execution.release(written.object);
            }
            alone.apply();
            execution.variables_changed(&does.writes);
            value
        }
        Ended::Thrown(exception) => {
            drop(alone);
            exception.raise()
        }
        Ended::Retry => {
            drop(alone);
            execution.end_run(Stop::Refused(
                "a transaction retries that did not when the same variables had the same values: it must be a function of what \
                 it reads, as it may be done any number of times"
                    .to_owned(),
            ))
        }
    }
}

/// What the transaction would do now. One that panics would go on, to panic.
fn glance<T>(execution: &Execution, body: &dyn Fn(&mut Transaction) -> Stm<T>) -> Glance {
    let attempt = || {
        let (alone, ended) = Alone::attempt(body);
        found(execution, &alone, matches!(ended, Ended::Retry))
    };
    let panics = |_| Glance { would_panic: true, ..Glance::default() };
    catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(panics)
}

/// The variables that an attempt touched.
fn found(execution: &Execution, alone: &Alone, would_retry: bool) -> Glance {
    let variable = |(tag, bit): (&Tag, u32)| {
        let object = execution.object(tag, Sort::TVar, Carries::State, || Sync::TVar);
        Variable { object, bit }
    };
    Glance {
        would_retry,
        would_panic: false,
        reads: alone.read().map(variable).collect(),
        writes: alone.written().map(variable).collect(),
    }
}
