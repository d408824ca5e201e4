//! Asynchronous exceptions: a thread interrupts another, at points that are known and can be masked.
//!
//! Haskell's (Marlow, Peyton Jones, Moran and Reppy, Asynchronous Exceptions in Haskell, PLDI 2001), with delivery at
//! interruption points only: the operations of `MVar` and of transactions, and [`sleep`], [`yield_now`], [`park`] and
//! [`point`] of this module. std's own calls are none. An exception unwinds its thread as a panic does, without the
//! panic hook: destructors run, and joining the thread gives an `Err` with [`Thrown`] in it. The document
//! `docs/interrupts.md` has all the rules.
//!
//! ```
//! use selvedge::interrupt::{self, Killed};
//! use selvedge::sync::{Arc, MVar};
//!
//! let never = Arc::new(MVar::<()>::empty());
//! let (mine, started) = (never.clone(), Arc::new(MVar::empty()));
//! let begun = started.clone();
//! let thread = interrupt::spawn(move || interrupt::catch::<Killed, _>(|| {
//!     begun.put(());
//!     mine.take();
//! }));
//! started.take();
//! interrupt::kill(thread.thread()); // returns when the exception has been raised there
//! assert_eq!(thread.join().unwrap(), Err(Killed));
//! ```

mod types;

pub use types::{Exception, Killed, Masking, Thrown};

use super::mailbox;
use super::wait::{Ended, Waiter};
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

/// Throws an exception in another thread, and waits until it has been raised there. To the calling thread itself it
/// throws at once; to a thread that has ended it returns.
///
/// While it waits, it can be interrupted as any operation that waits: then nothing was thrown. Of two threads that
/// wait to throw to each other exactly one is interrupted.
///
/// A thread is known from its first interruption point on, or from its beginning if [`spawn`] began it. To one that
/// ends without ever being known, this waits for ever.
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
    let to = thread.id();
    if to == thread::current().id() {
        throw(exception);
    }
    mailbox::send(to, Thrown::new(exception));
}

/// Throws [`Killed`] in another thread: see [`throw_to`].
pub fn kill(thread: &Thread) {
    throw_to(thread, Killed);
}

/// Runs the function, and catches an exception of type `E`. Others, and panics, go on.
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

/// Runs the function where only operations that wait can be interrupted. What it runs by [`Restore::run`] is in the
/// state that was before.
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

/// Runs the function where nothing can be interrupted, so that whatever it waits for must come. What it runs by
/// [`Restore::run`] is in the state that was before.
pub fn uninterruptible_mask<R>(function: impl FnOnce(Restore) -> R) -> R {
    let before = masking_state();
    in_state(Masking::Uninterruptible, || function(Restore(before)))
}

/// Where the calling thread can be interrupted.
#[must_use]
pub fn masking_state() -> Masking {
    mailbox::masking()
}

/// A masking state to go back to: see [`mask`], [`uninterruptible_mask`] and [`spawn_with_unmask`].
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

/// Runs the function in this masking state; however it ends, the state is then as before.
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

/// An interruption point and nothing else: for long computations. Raises an exception that waits, if the thread is
/// unmasked.
pub fn point() {
    mailbox::point();
}

/// As [`std::thread::sleep`], but can be interrupted.
pub fn sleep(duration: Duration) {
    mailbox::point();
    let Some(deadline) = Instant::now().checked_add(duration) else { return raise(Waiter::new().wait()) };
    raise(Waiter::new().wait_until(deadline));
}

/// As [`std::thread::yield_now`], and an interruption point.
pub fn yield_now() {
    mailbox::point();
    thread::yield_now();
}

/// As [`std::thread::park`], but can be interrupted.
pub fn park() {
    mailbox::point();
    raise(Waiter::new().wait_for_token());
}

fn raise(ended: Ended) {
    if let Ended::Interrupted(thrown) = ended {
        thrown.raise();
    }
}

/// As [`std::thread::spawn`]. The thread inherits the masking state, and can be thrown to from its beginning.
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let state = masking_state();
    thread::spawn(move || {
        mailbox::become_known();
        in_state(state, function)
    })
}

/// As [`spawn`]; the function gets a way to run something unmasked, whatever state it inherits.
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
