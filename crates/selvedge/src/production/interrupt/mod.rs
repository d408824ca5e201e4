//! Asynchronous exceptions: a thread interrupts another thread, at known points that can be masked.
//!
//! These are Haskell's (Marlow, Peyton Jones, Moran and Reppy, Asynchronous Exceptions in Haskell, PLDI
//! 2001), with delivery at interruption points only: the operations of `MVar` and of transactions, and
//! [`sleep`], [`yield_now`], [`park`] and [`point`] of this module. `std`'s own calls are no interruption
//! points. An exception unwinds its thread as a panic does, but without the panic hook: destructors run, and
//! `join` returns an `Err` with [`Thrown`] in it. `docs/interrupts.md` has all the rules.
//!
//! ```
//! use selvedge::interrupt::{self, Killed};
//! use selvedge::sync::{Arc, MVar};
//!
//! let (empty, started) = (Arc::new(MVar::<()>::empty()), Arc::new(MVar::empty()));
//! let (blocker, signal) = (empty.clone(), started.clone());
//! let thread = interrupt::spawn(move || interrupt::catch::<Killed, _>(|| {
//!     signal.put(());
//!     blocker.take(); // waits for ever
//! }));
//! started.take();
//! interrupt::kill(thread.thread()); // returns when the exception has been raised
//! assert_eq!(thread.join().unwrap(), Err(Killed));
//! ```

mod types;

pub use types::{Exception, Killed, Masking, Thrown};

use super::mailbox;
use super::wait::{WaitEnd, Waiter};
use crate::thread::{self, JoinHandle, Thread};
use crate::time::Instant;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

/// Throws an exception in the calling thread, whatever its masking state.
///
/// ```
/// use selvedge::interrupt;
///
/// assert_eq!(interrupt::catch::<&str, ()>(|| interrupt::throw("no")), Err("no"));
/// ```
pub fn throw(exception: impl Exception) -> ! {
    Thrown::new(exception).raise()
}

/// Throws an exception in another thread, and waits until it is raised there. Returns at once if the target
/// has ended. If the target is the calling thread, this is [`throw`].
///
/// Like every operation that waits, this one can be interrupted while it waits: then its own exception is
/// not thrown. If two threads wait to throw to each other, exactly one of them is interrupted.
///
/// A thread is registered at its first interruption point, or from the beginning if [`spawn`] began it. If
/// the target ends without ever having been registered, this waits for ever.
///
/// ```
/// use selvedge::interrupt;
///
/// let sleeper = interrupt::spawn(|| {
///     interrupt::catch::<&str, _>(|| interrupt::sleep(std::time::Duration::MAX))
/// });
/// interrupt::throw_to(sleeper.thread(), "the night is over");
/// assert_eq!(sleeper.join().unwrap(), Err("the night is over"));
/// ```
pub fn throw_to(thread: &Thread, exception: impl Exception) {
    let target = thread.id();
    if target == thread::current().id() {
        throw(exception);
    }
    mailbox::throw_to(target, Thrown::new(exception));
}

/// Throws [`Killed`] in another thread: see [`throw_to`].
pub fn kill(thread: &Thread) {
    throw_to(thread, Killed);
}

/// Runs the function, and catches an exception of type `E`. Other exceptions and panics pass through.
///
/// # Errors
/// The exception.
///
/// ```
/// use selvedge::interrupt;
///
/// let outer = interrupt::catch::<u8, _>(|| {
///     let inner = interrupt::catch::<&str, ()>(|| interrupt::throw(7_u8));
///     inner.is_err() // never: it has another type
/// });
/// assert_eq!(outer, Err(7));
/// ```
pub fn catch<E: Exception, T>(function: impl FnOnce() -> T) -> Result<T, E> {
    let payload = match catch_unwind(AssertUnwindSafe(function)) {
        Ok(value) => return Ok(value),
        Err(payload) => payload,
    };
    match payload.downcast::<Thrown>() {
        Ok(thrown) => thrown.downcast::<E>().map_or_else(|other| other.raise(), Err),
        Err(panic) => resume_unwind(panic),
    }
}

/// Runs the function in the state [`Masking::Interruptible`]: only operations that wait can be interrupted.
/// A part that the function runs by [`Restore::run`] is in the masking state before.
///
/// ```
/// use selvedge::interrupt::{self, Masking};
///
/// interrupt::mask(|restore| {
///     assert_eq!(interrupt::masking_state(), Masking::Interruptible);
///     restore.run(|| assert_eq!(interrupt::masking_state(), Masking::Unmasked));
/// });
/// assert_eq!(interrupt::masking_state(), Masking::Unmasked);
/// ```
pub fn mask<R>(function: impl FnOnce(Restore) -> R) -> R {
    let before = masking_state();
    in_state(before.max(Masking::Interruptible), || function(Restore(before)))
}

/// Runs the function in the state [`Masking::Uninterruptible`]: no exception ends its waits. A part that the
/// function runs by [`Restore::run`] is in the masking state before.
pub fn uninterruptible_mask<R>(function: impl FnOnce(Restore) -> R) -> R {
    let before = masking_state();
    in_state(Masking::Uninterruptible, || function(Restore(before)))
}

/// The masking state of the calling thread.
#[must_use]
pub fn masking_state() -> Masking {
    mailbox::masking()
}

/// A masking state to return to: see [`mask`], [`uninterruptible_mask`] and [`spawn_with_unmask`].
#[derive(Clone, Copy)]
pub struct Restore(Masking);

impl Restore {
    /// Runs the function in that state.
    pub fn run<R>(&self, function: impl FnOnce() -> R) -> R {
        in_state(self.0, function)
    }
}

impl fmt::Debug for Restore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Restore").field(&self.0).finish()
    }
}

/// Runs the function in this masking state, and restores the state before, also if the function unwinds.
pub(crate) fn in_state<R>(state: Masking, function: impl FnOnce() -> R) -> R {
    struct Reset(Masking);
    impl Drop for Reset {
        fn drop(&mut self) {
            mailbox::set_masking(self.0);
        }
    }
    let _reset = Reset(mailbox::set_masking(state));
    function()
}

/// An interruption point and nothing else, for long computations: raises a pending exception, if the thread
/// is unmasked.
pub fn point() {
    mailbox::interruption_point();
}

/// As [`std::thread::sleep`], but an exception can interrupt it.
pub fn sleep(duration: Duration) {
    mailbox::interruption_point();
    let end = match Instant::now().checked_add(duration) {
        Some(deadline) => Waiter::new().wait_until(deadline),
        None => Waiter::new().wait(),
    };
    raise(end);
}

/// As [`std::thread::yield_now`], and an interruption point.
pub fn yield_now() {
    mailbox::interruption_point();
    thread::yield_now();
}

/// As [`std::thread::park`], but an exception can interrupt it.
pub fn park() {
    mailbox::interruption_point();
    raise(Waiter::new().wait_for_token());
}

fn raise(end: WaitEnd) {
    if let WaitEnd::Interrupted(thrown) = end {
        thrown.raise();
    }
}

/// As [`std::thread::spawn`]. The new thread inherits the masking state, and is registered from its
/// beginning: see [`throw_to`].
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let state = masking_state();
    thread::spawn(move || {
        mailbox::register();
        in_state(state, function)
    })
}

/// As [`spawn`]. The function gets a [`Restore`] that runs a part of it unmasked, whatever state it
/// inherits.
///
/// ```
/// use selvedge::interrupt::{self, Masking};
///
/// let thread = interrupt::mask(|_| {
///     interrupt::spawn_with_unmask(|unmask| {
///         (interrupt::masking_state(), unmask.run(interrupt::masking_state))
///     })
/// });
/// assert_eq!(thread.join().unwrap(), (Masking::Interruptible, Masking::Unmasked));
/// ```
pub fn spawn_with_unmask<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce(Restore) -> T + Send + 'static,
    T: Send + 'static,
{
    spawn(move || function(Restore(Masking::Unmasked)))
}
