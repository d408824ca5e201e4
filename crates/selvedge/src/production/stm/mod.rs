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

mod contention;
pub(crate) mod domain;
pub(crate) mod log;
mod retry;
pub(crate) mod run;
pub(crate) mod snapshot;
mod transaction;
pub(crate) mod variable;
pub(crate) mod versioned_lock;

pub use transaction::Transaction;
pub use variable::TVar;

use crate::door::DomainRef;
use crate::production::interrupt::{Exception, Thrown};
use std::fmt;

/// The result of an operation of a transaction.
pub type Stm<T> = Result<T, Abort>;

/// Why a transaction does not continue: it retries, it has thrown an exception, or it is in conflict with
/// another transaction. The body passes it on with `?`.
#[must_use = "a transaction must pass it on"]
pub struct Abort(pub(crate) Reason);

pub(crate) enum Reason {
    Retry,
    Thrown(Thrown),
    Conflict,
}

impl Abort {
    const CONFLICT: Abort = Abort(Reason::Conflict);
}

impl fmt::Debug for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Retry => f.write_str("Retry"),
            Reason::Thrown(exception) => f.debug_tuple("Thrown").field(exception).finish(),
            Reason::Conflict => f.write_str("Conflict"),
        }
    }
}

/// Runs a transaction, and returns when it has committed: all its reads and writes took effect at one
/// moment.
///
/// If the transaction calls [`retry`], the thread sleeps until a variable of the read set changes. If it
/// [`throw`]s an exception and does not [`catch`] it, nothing is written and the exception is thrown in the
/// calling thread.
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
pub fn atomically<T>(body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
    run::run(&DomainRef::global(), run::Patience::DEFAULT, body)
}

/// Abandons the attempt. The transaction runs again when a variable of its read set has changed. Inside the
/// first part of an [`or_else`], the second part runs instead.
///
/// ```
/// use selvedge::stm::{Stm, TVar, Transaction, retry};
///
/// /// Waits until the slot has a value, and takes it.
/// fn take(tx: &mut Transaction, slot: &TVar<Option<String>>) -> Stm<String> {
///     match slot.replace(tx, None)? {
///         Some(value) => Ok(value),
///         None => retry(),
///     }
/// }
/// ```
pub fn retry<T>() -> Stm<T> {
    Err(Abort(Reason::Retry))
}

/// Continues if the condition holds, and [`retry`]s otherwise.
///
/// ```
/// use selvedge::stm::{TVar, atomically, guard};
///
/// let count = TVar::new(3);
/// atomically(|tx| {
///     guard(count.read(tx)? > 0)?;
///     count.modify(tx, |count| count - 1)
/// });
/// assert_eq!(count.load(), 2);
/// ```
pub fn guard(condition: bool) -> Stm<()> {
    if condition { Ok(()) } else { retry() }
}

/// Throws an exception inside the transaction. A surrounding [`catch`] handles it and undoes the writes of
/// its body; without one, the whole transaction is abandoned and the exception is thrown in the calling
/// thread.
///
/// ```
/// use selvedge::stm::{TVar, atomically, catch, throw};
///
/// #[derive(Debug)]
/// struct Overdrawn;
///
/// let account = TVar::new(20);
/// let paid = atomically(|tx| {
///     let pay = |tx: &mut _| {
///         account.modify(tx, |balance| balance - 30)?;
///         if account.read(tx)? < 0 { throw(Overdrawn) } else { Ok(true) }
///     };
///     catch(tx, pay, |_, Overdrawn| Ok(false))
/// });
/// assert!(!paid);
/// assert_eq!(account.load(), 20);
/// ```
pub fn throw<T>(exception: impl Exception) -> Stm<T> {
    Err(Abort(Reason::Thrown(Thrown::new(exception))))
}

/// Runs the first part or, if that retries, the second part instead. The writes of the abandoned first part
/// are undone. Its reads stay in the read set: if both parts retry, the transaction sleeps until a variable
/// of either changes.
///
/// ```
/// use selvedge::stm::{TVar, atomically, guard, or_else};
///
/// let queues = [TVar::new(0), TVar::new(5)];
/// let take = |tx: &mut _, queue: usize| {
///     guard(queues[queue].read(tx)? > 0)?;
///     queues[queue].modify(tx, |length| length - 1)?;
///     Ok(queue)
/// };
/// let taken = atomically(|tx| or_else(tx, |tx| take(tx, 0), |tx| take(tx, 1)));
/// assert_eq!((taken, queues[1].load()), (1, 4));
/// ```
pub fn or_else<T>(
    tx: &mut Transaction,
    first: impl FnOnce(&mut Transaction) -> Stm<T>,
    second: impl FnOnce(&mut Transaction) -> Stm<T>,
) -> Stm<T> {
    match tx.nested(first) {
        Err(Abort(Reason::Retry)) => tx.nested(second),
        result => result,
    }
}

/// Runs the body and, if that throws an exception of the handler's type, the handler. The writes of the
/// abandoned body are undone; its reads stay in the read set. Other exceptions and panics pass through.
///
/// ```
/// use selvedge::stm::{atomically, catch, throw};
///
/// let caught = atomically(|tx| {
///     catch(tx, |_| throw("too much"), |_, text: &'static str| Ok(text.len()))
/// });
/// assert_eq!(caught, 8);
/// ```
pub fn catch<T, E: Exception>(
    tx: &mut Transaction,
    body: impl FnOnce(&mut Transaction) -> Stm<T>,
    handler: impl FnOnce(&mut Transaction, E) -> Stm<T>,
) -> Stm<T> {
    match tx.nested(body) {
        Err(Abort(Reason::Thrown(exception))) => match exception.downcast() {
            Ok(exception) => handler(tx, exception),
            Err(other) => Err(Abort(Reason::Thrown(other))),
        },
        result => result,
    }
}
