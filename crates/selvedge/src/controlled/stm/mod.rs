//! Transactions. Inside an exploration each transaction is one visible action; outside,
//! [`crate::production::stm`].
//!
//! Variables and operations are production's. Inside an exploration no other thread runs during a
//! transaction, so there are no versions and no locks ([`Attempt`]). Which variables a transaction reads and
//! writes, and whether it retries, is found by an attempt that is not committed (`control/transaction`).

pub(crate) mod attempt;
pub(crate) mod memory;

pub(crate) use memory::{DomainRef, TransactionMemory};

use crate::control::transaction::{Preview, Variable};
use crate::control::{Carries, Execution, Sort, Stop, Sync, Tag, current};
use crate::production::stm as production;
use attempt::{Attempt, AttemptEnd};
pub use production::{Abort, Stm, TVar, Transaction, catch, guard, or_else, retry, throw};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

/// Runs a transaction, and returns when it has committed: all its reads and writes took effect at one
/// moment.
///
/// If the transaction calls [`retry`], the thread sleeps until a variable of the read set changes. If it
/// [`throw`]s an exception and does not [`catch`] it, nothing is written and the exception is thrown in the
/// calling thread. The beginning of a transaction and its sleep are interruption points.
///
/// Inside an exploration the body may run any number of times; it should only read, write and compute.
///
/// ```
/// use selvedge::stm::{TVar, atomically};
///
/// let (a, b) = (TVar::new(1), TVar::new(2));
/// let sum = atomically(|tx| {
///     let sum = a.read(tx)? + b.read(tx)?;
///     a.write(tx, sum)?;
///     Ok(sum)
/// });
/// assert_eq!((sum, a.load()), (3, 3));
/// ```
///
/// # Panics
/// Inside a transaction, and if the transaction panics.
#[track_caller]
pub fn atomically<T>(body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
    match current() {
        Some(execution) => run_as_step(execution, &body, true),
        None => production::atomically(body),
    }
}

/// The value of a variable, by a transaction that only reads this variable. `None` outside of explorations.
#[track_caller]
pub(crate) fn load_as_step<T: Clone + Send + std::marker::Sync + 'static>(variable: &TVar<T>) -> Option<T> {
    let execution = current()?;
    Some(run_as_step(execution, &|tx: &mut Transaction| variable.read(tx), false))
}

#[track_caller]
fn run_as_step<T>(execution: &Execution, body: &dyn Fn(&mut Transaction) -> Stm<T>, is_guarded: bool) -> T {
    execution.transact(&mut || dry_run(execution, body), is_guarded, Location::caller());
    let (attempt, end) = execution.within_transaction(|| Attempt::run(body));
    let effect = effect_of(execution, &attempt, false);
    effect.reads.iter().for_each(|read| execution.acquire(read.object));
    match end {
        AttemptEnd::Returned(value) => {
            for written in &effect.writes {
                execution.acquire(written.object);
                execution.release(written.object);
            }
            attempt.commit();
            execution.variables_changed(&effect.writes);
            value
        }
        AttemptEnd::Thrown(exception) => {
            drop(attempt);
            exception.raise()
        }
        AttemptEnd::Retry => {
            drop(attempt);
            execution.end_run(Stop::Refused(
                "a transaction retries that did not when the same variables had the same values: it must be a \
                 function of what it reads, as it may be done any number of times"
                    .to_owned(),
            ))
        }
    }
}

/// The effect that the transaction would have now. A transaction that panics would not wait.
fn dry_run<T>(execution: &Execution, body: &dyn Fn(&mut Transaction) -> Stm<T>) -> Preview {
    let run = || {
        let (attempt, end) = Attempt::run(body);
        effect_of(execution, &attempt, matches!(end, AttemptEnd::Retry))
    };
    let panics = |_| Preview { would_panic: true, ..Preview::default() };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panics)
}

fn effect_of(execution: &Execution, attempt: &Attempt, would_retry: bool) -> Preview {
    let variable = |(tag, bit): (&Tag, u32)| {
        let object = execution.object(tag, Sort::TVar, Carries::State, || Sync::TVar);
        Variable { object, bit }
    };
    Preview {
        would_retry,
        would_panic: false,
        reads: attempt.reads().map(variable).collect(),
        writes: attempt.writes().map(variable).collect(),
    }
}
