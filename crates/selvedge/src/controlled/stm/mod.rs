//! Software transactional memory: a transaction reads and writes several variables as one atomic step.
//!
//! A transaction is a closure. It gets a [`Transaction`], with which it reads and writes [`TVar`]s.
//! [`atomically`] runs the closure, if necessary several times, until it commits: its reads and writes take
//! effect together, as if no other thread had run in between. The writes of a failed attempt are never
//! visible to other threads.
//!
//! ```
//! use selvedge::stm::{TVar, atomically, retry};
//! use selvedge::thread;
//!
//! let (current, savings) = (TVar::new(0), TVar::new(0));
//! let (from, to) = (current.clone(), savings.clone());
//! let transfer = thread::spawn(move || {
//!     atomically(|tx| {
//!         let balance = from.read(tx)?;
//!         if balance < 30 {
//!             return retry(); // sleeps until `from` changes
//!         }
//!         from.write(tx, balance - 30)?;
//!         to.modify(tx, |balance| balance + 30)
//!     });
//! });
//! atomically(|tx| current.write(tx, 50));
//! transfer.join().unwrap();
//! assert_eq!((current.load(), savings.load()), (20, 30));
//! ```
//!
//! The semantics is that of Haskell's transactions: Harris, Marlow, Peyton Jones and Herlihy, Composable
//! Memory Transactions, PPoPP 2005; Walker's thesis, §5.5.2, Figures 8 to 11. The body of a transaction
//!
//! - passes every [`Abort`] on to its caller, with `?`. A body that swallows a conflict does not succeed by
//!   that: the attempt has failed;
//! - may run several times, so it should only read, write and compute. It must not wait for other threads.
//!   It must not run a transaction of its own: `atomically` panics inside a transaction, also in the
//!   destructor of a value that a transaction drops;
//! - leaves no writes and no locks behind if it panics.
//!
//! Inside an exploration each transaction is one visible action. No other thread runs during it, so there
//! are no versions and no locks. Which variables a transaction reads and writes, and whether it retries, is
//! found by an attempt that is not committed: so the body runs more often than in production.

pub(crate) mod attempt;
pub(crate) mod memory;

pub(crate) use memory::{DomainRef, TransactionMemory};

use crate::control::transaction::{Preview, Variable};
use crate::control::{Execution, ObjectKind, Persistence, Stop, Sync, Tag};
use crate::controlled::current;
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
        let object = execution.object(tag, ObjectKind::TVar, Persistence::KeepsState, || Sync::TVar);
        Variable { object, bit }
    };
    Preview {
        would_retry,
        would_panic: false,
        reads: attempt.reads().map(variable).collect(),
        writes: attempt.writes().map(variable).collect(),
    }
}
