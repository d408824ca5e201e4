//! Tasks: functions on threads of their own, to wait for, to cancel, and to run against or along with each other.
//!
//! After Marlow's `async` (Walker's thesis, §5.8.3). A task's thread begins masked, and only its function runs as the parent does;
//! so an exception ends the function or comes too late, and how the function ended is always told. Who waits does so by a transaction, and can be interrupted.
//! All is written over this crate's own threads, transactions and exceptions: inside of an exploration it is explored with the rest.
//!
//! Promise: [`race`] and [`both`] return, or unwind, when both sides have ended, and not before.
//!
//! ```
//! use selvedge::task::{self, Either};
//! use selvedge::sync::MVar;
//!
//! assert_eq!(task::both(|| 1, || "one"), (1, "one"));
//! let never = || MVar::<()>::empty().take();
//! assert_eq!(task::race(never, || 2), Either::Right(2)); // the other one is cancelled
//! ```

use crate::interrupt::{self, Exception, Killed, Restore};
use crate::stm::{self, Stm, TVar, Transaction};
use crate::thread::{JoinHandle, Result, Thread};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A function that runs on a thread of its own.
///
/// Dropping it lets the thread go on by itself, as dropping std's `JoinHandle` does. To have it ended, [`cancel`](Task::cancel) it.
pub struct Task<T> {
    thread: JoinHandle<T>,
    phase: TVar<Phase>,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    Returned,
    /// By an exception or a panic.
    Failed,
}

/// Runs the function on a thread of its own, in the masking state of the calling thread.
///
/// It begins with an interruption point: what is cancelled before it begins does not begin, if it is not masked.
///
/// ```
/// use selvedge::task;
///
/// let pages = ["one", "two"].map(|name| task::spawn(move || format!("page {name}")));
/// assert_eq!(pages.map(task::Task::wait), ["page one", "page two"]);
/// ```
#[track_caller]
pub fn spawn<F, T>(function: F) -> Task<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    interrupt::mask(|restore| begin(restore, function))
}

/// Begins a task. The calling thread is masked, so its child is, too; the function is run in the state to restore.
#[track_caller]
fn begin<F, T>(restore: Restore, function: F) -> Task<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let phase = TVar::new(Phase::Running);
    let told = phase.clone();
    let thread = interrupt::spawn(move || {
        let begun = || {
            interrupt::point();
            function()
        };
        let result = catch_unwind(AssertUnwindSafe(|| restore.run(begun)));
        let end = if result.is_ok() { Phase::Returned } else { Phase::Failed };
        // Masked, and it never waits, so nothing interrupts it.
        stm::atomically(|tx| told.write(tx, end));
        result.unwrap_or_else(|payload| resume_unwind(payload))
    });
    Task { thread, phase }
}

impl<T> Task<T> {
    /// Waits for the end of the task. Returns what it returned, or goes on with its exception or panic, as if the function had been called here.
    ///
    /// If the wait is interrupted, the task goes on by itself. See [`finished`](Task::finished) for a wait that leaves the task in hand.
    #[track_caller]
    pub fn wait(self) -> T {
        self.join().unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Waits for the end of the task, as [`wait`](Task::wait).
    ///
    /// # Errors
    /// What the task panicked with, or the exception that ended it, as [`interrupt::Thrown`].
    #[track_caller]
    pub fn join(self) -> Result<T> {
        stm::atomically(|tx| self.finished(tx));
        self.take()
    }

    /// How the task ended, if it has.
    ///
    /// # Errors
    /// The task, if it has not.
    #[track_caller]
    pub fn try_join(self) -> std::result::Result<Result<T>, Task<T>> {
        if self.is_finished() { Ok(self.take()) } else { Err(self) }
    }

    /// Has it ended?
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.phase.load() != Phase::Running
    }

    /// A transaction that waits for the end of the task: for waits that are put together of several.
    ///
    /// ```
    /// use selvedge::{stm, task};
    ///
    /// let (one, other) = (task::spawn(|| 1), task::spawn(|| 2));
    /// let first = stm::atomically(|tx| {
    ///     stm::or_else(tx, |tx| one.finished(tx).map(|()| 1), |tx| other.finished(tx).map(|()| 2))
    /// });
    /// assert!(first == 1 || first == 2);
    /// ```
    ///
    /// # Errors
    /// Those of the transaction, for `?`.
    pub fn finished(&self, tx: &mut Transaction) -> Stm<()> {
        let phase = self.phase.read(tx)?;
        stm::guard(phase != Phase::Running)
    }

    /// Throws [`Killed`] to the task, and waits until it has ended, by that or otherwise. If it had ended before, nothing happens.
    ///
    /// Both waits can be interrupted; then the task may go on. A task takes the exception at its interruption points only.
    ///
    /// ```
    /// use selvedge::{interrupt::{Killed, Thrown}, sync::MVar, task};
    ///
    /// let never = task::spawn(|| MVar::<()>::empty().take());
    /// never.cancel();
    /// assert!(never.join().unwrap_err().downcast::<Thrown>().unwrap().is::<Killed>());
    /// ```
    #[track_caller]
    pub fn cancel(&self) {
        self.cancel_with(Killed);
    }

    /// As [`cancel`](Task::cancel), with another exception.
    #[track_caller]
    pub fn cancel_with(&self, exception: impl Exception) {
        interrupt::throw_to(self.thread(), exception);
        stm::atomically(|tx| self.finished(tx));
    }

    /// Its thread.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        self.thread.thread()
    }

    /// The result of one that has ended: what is left of its thread cannot take long.
    #[track_caller]
    fn take(self) -> Result<T> {
        self.thread.join()
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("phase", &self.phase).finish_non_exhaustive()
    }
}

/// One or the other: who won a [`race`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Either<A, B> {
    /// The first.
    Left(A),
    /// The second.
    Right(B),
}

impl<T> Either<T, T> {
    /// What is in it, whichever it is.
    pub fn into_inner(self) -> T {
        match self {
            Either::Left(value) | Either::Right(value) => value,
        }
    }
}

/// Runs both, each on a thread of its own, until one has ended, and cancels the other. Returns what the one returned, or goes on with its
/// exception or panic; how the other one ended is forgotten.
///
/// If both have ended when the calling thread looks, the first has won. It returns when both have ended: a side that
/// comes to no interruption point is waited for. If the wait for the first end is interrupted, both are cancelled; what comes after is not interrupted.
/// Both run in the masking state of the calling thread, so where that is `Uninterruptible`, nobody can be cancelled, and all are waited for.
#[track_caller]
pub fn race<A, B>(
    left: impl FnOnce() -> A + Send + 'static,
    right: impl FnOnce() -> B + Send + 'static,
) -> Either<A, B>
where
    A: Send + 'static,
    B: Send + 'static,
{
    let is_over = |left, right| left != Phase::Running || right != Phase::Running;
    let (left, right) = run(left, right, is_over);
    match (left, right) {
        (Ended { result, was_cancelled: false }, _) => Either::Left(or_fail(result)),
        (_, Ended { result, .. }) => Either::Right(or_fail(result)),
    }
}

/// Runs both, each on a thread of its own, and returns what they return. If one fails, by an exception or a panic, the other is
/// cancelled, and the failure goes on here: that of the first, if both have failed when the calling thread looks.
///
/// It waits, and is interrupted, as [`race`].
#[track_caller]
pub fn both<A, B>(
    left: impl FnOnce() -> A + Send + 'static,
    right: impl FnOnce() -> B + Send + 'static,
) -> (A, B)
where
    A: Send + 'static,
    B: Send + 'static,
{
    let is_over = |left, right| {
        left == Phase::Failed
            || right == Phase::Failed
            || (left == Phase::Returned && right == Phase::Returned)
    };
    let (left, right) = run(left, right, is_over);
    if left.was_cancelled {
        or_fail(right.result);
        unreachable!("one is cancelled where the other has failed");
    }
    (or_fail(left.result), or_fail(right.result))
}

fn or_fail<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

/// How one of two tasks ended.
struct Ended<T> {
    result: Result<T>,
    was_cancelled: bool,
}

/// Runs both until it is over, then cancels those who have not ended.
#[track_caller]
fn run<A, B>(
    left: impl FnOnce() -> A + Send + 'static,
    right: impl FnOnce() -> B + Send + 'static,
    is_over: impl Fn(Phase, Phase) -> bool,
) -> (Ended<A>, Ended<B>)
where
    A: Send + 'static,
    B: Send + 'static,
{
    interrupt::mask(|restore| {
        let left = begin(restore, left);
        // Not by a destructor: a thread that unwinds would not let the others go first.
        let right = match catch_unwind(AssertUnwindSafe(|| begin(restore, right))) {
            Ok(right) => right,
            Err(no_thread) => {
                kill(&left);
                drop(left.take());
                resume_unwind(no_thread)
            }
        };
        let wait = || {
            stm::atomically(|tx| {
                let phases = (left.phase.read(tx)?, right.phase.read(tx)?);
                stm::guard(is_over(phases.0, phases.1))?;
                Ok(phases)
            })
        };
        let waited = catch_unwind(AssertUnwindSafe(|| restore.run(wait)));
        let phases = *waited.as_ref().unwrap_or(&(Phase::Running, Phase::Running));
        let ended = end(left, right, phases);
        waited.unwrap_or_else(|interrupted| resume_unwind(interrupted));
        ended
    })
}

/// Ends two tasks that were in these phases when somebody looked. Both are told before either is waited for.
#[track_caller]
fn end<A, B>(left: Task<A>, right: Task<B>, phases: (Phase, Phase)) -> (Ended<A>, Ended<B>) {
    let cancelled = (phases.0 == Phase::Running, phases.1 == Phase::Running);
    if cancelled.0 {
        kill(&left);
    }
    if cancelled.1 {
        kill(&right);
    }
    (
        Ended { result: left.take(), was_cancelled: cancelled.0 },
        Ended { result: right.take(), was_cancelled: cancelled.1 },
    )
}

#[track_caller]
fn kill<T>(task: &Task<T>) {
    interrupt::uninterruptible_mask(|_| interrupt::kill(task.thread()));
}
