//! Software transactional memory: variables that are read and written together, all at once or not at all.
//!
//! A transaction is a closure that is given a [`Transaction`] to read and write [`TVar`]s with. [`atomically`] runs it, again if need be,
//! until its reads and writes are as if nobody else had done anything meanwhile. What it wrote before it failed is never seen.
//!
//! ```
//! use selvedge::stm::{TVar, atomically, retry};
//! use selvedge::thread;
//!
//! let (from, to) = (TVar::new(0), TVar::new(0));
//! let (mine, yours) = (from.clone(), to.clone());
//! let mover = thread::spawn(move || {
//!     atomically(|tx| {
//!         let balance = mine.read(tx)?;
//!         if balance < 30 {
//!             return retry(); // sleeps until `from` changes
//!         }
//!         mine.write(tx, balance - 30)?;
//!         yours.modify(tx, |balance| balance + 30)
//!     });
//! });
//! atomically(|tx| from.write(tx, 50));
//! mover.join().unwrap();
//! assert_eq!((from.load(), to.load()), (20, 30));
//! ```
//!
//! The semantics is that of Haskell's, as in Walker's thesis, §5.5.2 (Figures 8 to 11); Harris, Marlow, Peyton Jones and Herlihy,
//! Composable Memory Transactions, PPoPP 2005. A transaction
//!
//! - passes every [`Abort`] on to its caller, with `?`. One that is kept back does not make a failed transaction succeed: the attempt has failed;
//! - may run several times, so it should do nothing but read, write and compute. It must not wait for other threads, and runs no
//!   transaction of its own: `atomically` inside of a transaction panics, and so it does in the destructor of a value that a transaction drops;
//! - leaves no effects and no locks if it panics.

#[cfg(feature = "check")]
mod alone;
mod core;
mod log;
mod sleep;
mod transaction;
mod variable;
mod world;

#[cfg(feature = "check")]
#[doc(hidden)]
pub use alone::{Alone, Ended};
pub use transaction::Transaction;
pub use variable::TVar;
#[cfg(feature = "check")]
#[doc(hidden)]
pub use world::World;

use crate::production::interrupt::{Exception, Thrown};
use std::fmt;

/// What an action of a transaction returns.
pub type Stm<T> = Result<T, Abort>;

/// Why a transaction does not go on: it retries, it has thrown an exception, or another one came between. To be passed on with `?`.
#[must_use = "a transaction must pass it on"]
pub struct Abort(Reason);

enum Reason {
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

/// Runs a transaction. Returns when it is committed: what it read was there, and what it wrote is there now, at one moment.
///
/// Where it says [`retry`], the thread sleeps until a variable that it read is changed. An exception that it [`throw`]s and does not
/// [`catch`] is thrown in the calling thread, and nothing was written.
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
///
/// Inside of a transaction, and where the transaction panics.
pub fn atomically<T>(body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
    world::run(&world::Home::Global, world::PATIENCE, body)
}

/// Gives up what was done, and tries again when something that was read has changed; or takes the other side of an [`or_else`].
///
/// ```
/// use selvedge::stm::{Stm, TVar, Transaction, retry};
///
/// /// Waits until there is something.
/// fn take(tx: &mut Transaction, place: &TVar<Option<String>>) -> Stm<String> {
///     match place.replace(tx, None)? {
///         Some(value) => Ok(value),
///         None => retry(),
///     }
/// }
/// ```
pub fn retry<T>() -> Stm<T> {
    Err(Abort(Reason::Retry))
}

/// Goes on if the condition holds, and [`retry`]s otherwise.
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

/// Gives up what was done and throws an exception, for a [`catch`] around this part or, if there is none, for the thread that runs the
/// transaction.
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

/// Does the first, or, if that retries, the second instead. What the first one wrote is undone then; what it read counts, so that a
/// transaction in which both retry sleeps until a variable of either changes.
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

/// Does the body, and, if that throws an exception of the handler's type, the handler. What the body wrote is undone then; what it read
/// counts. Other exceptions, and panics, go on.
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
