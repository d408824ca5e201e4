//! Tasks: functions on threads of their own, with waiting, cancellation, [`race`] and [`both`].
//!
//! After Marlow's `async` (Walker's thesis, §5.8.3). The thread of a task begins masked; only its function
//! runs in the masking state of the parent. So an exception either ends the function or comes too late, and
//! the end of the function is always recorded. A wait for a task is a transaction, and can be interrupted.
//! Everything here is written over the threads, transactions and exceptions of this crate, so inside an
//! exploration it is explored like the rest of the program.
//!
//! Promise: [`race`] and [`both`] return or unwind when both sides have ended, and not before.
//!
//! ```
//! use selvedge::task::{self, Either};
//! use selvedge::sync::MVar;
//!
//! assert_eq!(task::both(|| 1, || "one"), (1, "one"));
//! let never = || MVar::<()>::empty().take();
//! assert_eq!(task::race(never, || 2), Either::Right(2)); // the first side is cancelled
//! ```

use crate::interrupt::{self, Exception, Killed, Restore};
use crate::stm::{self, Stm, TVar, Transaction};
use crate::thread::{JoinHandle, Result, Thread};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A function that runs on a thread of its own.
///
/// A dropped task continues on its thread, like the thread of a dropped `JoinHandle`.
/// [`cancel`](Task::cancel) ends it.
pub struct Task<T> {
    thread: JoinHandle<T>,
    phase: TVar<Phase>,
}

/// The progress of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    Returned,
    /// Ended by an exception or a panic.
    Failed,
}

/// Runs the function on a thread of its own, in the masking state of the calling thread.
///
/// The function begins with an interruption point: unless masked, a task that is cancelled early does not
/// begin.
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
    interrupt::mask(|restore| spawn_masked(restore, function))
}

/// Begins a task. The calling thread is masked, so its child is, too; the function runs in the state of
/// `restore`.
#[track_caller]
fn spawn_masked<F, T>(restore: Restore, function: F) -> Task<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let phase = TVar::new(Phase::Running);
    let shared = phase.clone();
    let thread = interrupt::spawn(move || {
        let function = || {
            interrupt::point();
            function()
        };
        let result = catch_unwind(AssertUnwindSafe(|| restore.run(function)));
        let end = if result.is_ok() { Phase::Returned } else { Phase::Failed };
        // The thread is masked and this transaction never waits, so no exception interrupts it.
        stm::atomically(|tx| shared.write(tx, end));
        result.unwrap_or_else(|payload| resume_unwind(payload))
    });
    Task { thread, phase }
}

impl<T> Task<T> {
    /// Waits for the end of the task. Returns its value, or raises its exception or panic in the calling
    /// thread, as a call of the function would.
    ///
    /// If the wait is interrupted, the task continues. [`finished`](Task::finished) waits without consuming
    /// the task.
    #[track_caller]
    pub fn wait(self) -> T {
        self.join().unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Waits for the end of the task, as [`wait`](Task::wait).
    ///
    /// # Errors
    /// The payload of the panic that ended the task, or the exception, as [`interrupt::Thrown`].
    #[track_caller]
    pub fn join(self) -> Result<T> {
        stm::atomically(|tx| self.finished(tx));
        self.take_result()
    }

    /// The result of the task, if it has ended.
    ///
    /// # Errors
    /// The task, if it has not ended.
    #[track_caller]
    pub fn try_join(self) -> std::result::Result<Result<T>, Task<T>> {
        if self.is_finished() { Ok(self.take_result()) } else { Err(self) }
    }

    /// Has the task ended?
    #[track_caller]
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.phase.load() != Phase::Running
    }

    /// A transaction that waits for the end of the task. Transactions compose, so a thread can wait for
    /// several tasks.
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
    /// Retries while the task runs; to be passed on with `?`.
    pub fn finished(&self, tx: &mut Transaction) -> Stm<()> {
        let phase = self.phase.read(tx)?;
        stm::guard(phase != Phase::Running)
    }

    /// Throws [`Killed`] to the task, and waits until the task has ended, by the exception or otherwise.
    /// Returns at once if it has already ended.
    ///
    /// Both waits can be interrupted; then the task may continue. The exception is raised at an interruption
    /// point of the task.
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

    /// The thread of the task.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        self.thread.thread()
    }

    /// The result of a task that has ended. Its thread has only its last steps left, so `join` waits
    /// briefly.
    #[track_caller]
    fn take_result(self) -> Result<T> {
        self.thread.join()
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("phase", &self.phase).finish_non_exhaustive()
    }
}

/// The result of a [`race`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Either<A, B> {
    /// The first side has won.
    Left(A),
    /// The second side has won.
    Right(B),
}

impl<T> Either<T, T> {
    /// The value of the side that has won.
    pub fn into_inner(self) -> T {
        match self {
            Either::Left(value) | Either::Right(value) => value,
        }
    }
}

/// Runs two functions, each on a thread of its own, until one side has ended, and cancels the other side.
/// Returns the value of the side that ended, or raises its exception or panic; the result of the cancelled
/// side is dropped.
///
/// If both sides have ended when the calling thread wakes up, the first side wins. The function returns
/// after both sides have ended: it waits for a cancelled side that reaches no interruption point. If an
/// exception interrupts the wait for the first end, both sides are cancelled; the waits after that are not
/// interruptible. Both sides run in the masking state of the calling thread. If that is `Uninterruptible`,
/// neither side can be cancelled, and the function waits for both.
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
    let (left, right) = run_both(left, right, is_over);
    match (left, right) {
        (Side { result, was_cancelled: false }, _) => Either::Left(value_or_raise(result)),
        (_, Side { result, .. }) => Either::Right(value_or_raise(result)),
    }
}

/// Runs two functions, each on a thread of its own, and returns both values. If one side fails by an
/// exception or a panic, the other side is cancelled, and the failure is raised in the calling thread; if
/// both sides have failed when it wakes up, that of the first side.
///
/// It waits, and can be interrupted, like [`race`].
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
    let (left, right) = run_both(left, right, is_over);
    if left.was_cancelled {
        value_or_raise(right.result);
        unreachable!("a side is cancelled only if the other side has failed");
    }
    (value_or_raise(left.result), value_or_raise(right.result))
}

fn value_or_raise<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

/// The end of one of two tasks.
struct Side<T> {
    result: Result<T>,
    was_cancelled: bool,
}

/// Runs two tasks until their phases satisfy `is_over`, then cancels the sides that still run.
#[track_caller]
fn run_both<A, B>(
    left: impl FnOnce() -> A + Send + 'static,
    right: impl FnOnce() -> B + Send + 'static,
    is_over: impl Fn(Phase, Phase) -> bool,
) -> (Side<A>, Side<B>)
where
    A: Send + 'static,
    B: Send + 'static,
{
    interrupt::mask(|restore| {
        let left = spawn_masked(restore, left);
        // Not by a destructor: a thread that unwinds cannot let other threads run first.
        let right = match catch_unwind(AssertUnwindSafe(|| spawn_masked(restore, right))) {
            Ok(right) => right,
            Err(payload) => {
                kill(&left);
                drop(left.take_result());
                resume_unwind(payload)
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
        let sides = end_both(left, right, phases);
        waited.unwrap_or_else(|interrupted| resume_unwind(interrupted));
        sides
    })
}

/// Ends two tasks, which were in these phases when the wait ended. Both are killed before the first is
/// joined.
#[track_caller]
fn end_both<A, B>(left: Task<A>, right: Task<B>, phases: (Phase, Phase)) -> (Side<A>, Side<B>) {
    let cancelled = (phases.0 == Phase::Running, phases.1 == Phase::Running);
    if cancelled.0 {
        kill(&left);
    }
    if cancelled.1 {
        kill(&right);
    }
    (
        Side { result: left.take_result(), was_cancelled: cancelled.0 },
        Side { result: right.take_result(), was_cancelled: cancelled.1 },
    )
}

#[track_caller]
fn kill<T>(task: &Task<T>) {
    interrupt::uninterruptible_mask(|_| interrupt::kill(task.thread()));
}
