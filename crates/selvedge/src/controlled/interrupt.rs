//! Asynchronous exceptions: a thread interrupts another thread, at known points that can be masked.
//!
//! These are Haskell's (Marlow, Peyton Jones, Moran and Reppy, Asynchronous Exceptions in Haskell, PLDI
//! 2001), with delivery at interruption points only: the operations of `MVar` and of transactions, and
//! [`sleep`], [`yield_now`], [`park`] and [`point`] of this module. `std`'s own calls are no interruption
//! points. An exception unwinds its thread as a panic does, but without the panic hook: destructors run, and
//! `join` returns an `Err` with [`Thrown`] in it. `docs/interrupts.md` has all the rules.
//!
//! Inside an exploration a throw to another thread is one visible action, which is enabled when the
//! exception can be delivered; raising it is an action of the target. A change of the masking state is no
//! visible action: other threads observe it only by whether their throws are enabled.
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

use crate::control::Pending;
use crate::controlled::current;
use crate::production::interrupt as production;
use crate::thread::{JoinHandle, Thread};
pub use production::{Exception, Killed, Masking, Thrown, catch, throw};
use selvedge_explore::{Action, Kind};
use std::time::Duration;

/// Throws an exception in another thread, and waits until it is raised there. Returns at once if the target
/// has ended. If the target is the calling thread, this is [`throw`].
///
/// Like every operation that waits, this one can be interrupted while it waits, unless the masking state is
/// [`Masking::Uninterruptible`]: then its own exception is not thrown. If two threads wait to throw to each
/// other, exactly one of them is interrupted.
///
/// Outside of explorations a thread is registered at its first interruption point, or from the beginning if
/// [`spawn`] began it. If the target ends without ever having been registered, this waits for ever.
#[track_caller]
pub fn throw_to(thread: &Thread, exception: impl Exception) {
    if thread.is_std() {
        return production::throw_to(thread, exception);
    }
    let (execution, target, born) = thread.in_run_with_birth();
    if execution.state.borrow().running == target {
        throw(exception);
    }
    execution.throw_to(target, born, Box::new(Thrown::new(exception)));
}

/// Throws [`Killed`] in another thread: see [`throw_to`].
#[track_caller]
pub fn kill(thread: &Thread) {
    throw_to(thread, Killed);
}

/// The masking state of the calling thread.
#[must_use]
pub fn masking_state() -> Masking {
    match current() {
        Some(execution) => execution.masking(),
        None => production::masking_state(),
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

/// A masking state to return to: see [`mask`], [`uninterruptible_mask`] and [`spawn_with_unmask`].
#[derive(Clone, Copy, Debug)]
pub struct Restore(Masking);

impl Restore {
    /// Runs the function in that state.
    pub fn run<R>(&self, function: impl FnOnce() -> R) -> R {
        in_state(self.0, function)
    }
}

/// Runs the function in this masking state, and restores the state before, also if the function unwinds.
fn in_state<R>(state: Masking, function: impl FnOnce() -> R) -> R {
    struct Reset(Masking);
    impl Drop for Reset {
        fn drop(&mut self) {
            if let Some(execution) = current() {
                execution.set_masking(self.0);
            }
        }
    }
    let Some(execution) = current() else { return production::in_state(state, function) };
    let _reset = Reset(execution.set_masking(state));
    function()
}

/// Announces an action that is an interruption point; outside of explorations, calls the function.
#[track_caller]
fn announce_point(action: Action, outside: impl FnOnce()) {
    match current() {
        None => outside(),
        Some(execution) => {
            execution.visible(execution.at_point(Pending::here(action)));
        }
    }
}

/// An interruption point and nothing else, for long computations: raises a pending exception, if the thread
/// is unmasked.
#[track_caller]
pub fn point() {
    announce_point(Action::new(Kind::InterruptionPoint), production::point);
}

/// As [`yield_now`](crate::thread::yield_now), and an interruption point.
#[track_caller]
pub fn yield_now() {
    announce_point(Action::new(Kind::Yield), production::yield_now);
}

/// As [`sleep`](crate::thread::sleep), and an interruption point.
#[track_caller]
pub fn sleep(duration: Duration) {
    let deadline = current().map(|execution| execution.fix_deadline(duration));
    announce_point(Action::new(Kind::Sleep), || production::sleep(duration));
    if let (Some(execution), Some(deadline)) = (current(), deadline) {
        execution.reach(deadline);
    }
}

/// As [`park`](crate::thread::park), and an interruption point.
#[track_caller]
pub fn park() {
    let Some(execution) = current() else { return production::park() };
    let is_spurious = execution.may_be_spurious();
    let pending = Pending::here(Action::new(Kind::Park)).or_spurious(is_spurious);
    if execution.visible(execution.at_point(pending)) != crate::control::SPURIOUS {
        execution.take_token();
    }
}

/// As [`spawn`](crate::thread::spawn). The new thread inherits the masking state, and is registered from its
/// beginning: see [`throw_to`].
#[track_caller]
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let Some(execution) = current() else { return production::spawn(function) };
    let masking = execution.masking();
    let handle = crate::thread::spawn(function);
    let (_, child) = handle.thread().in_run();
    // The child begins after the current step, so it begins in this state.
    execution.inherit_masking(child, masking);
    handle
}

/// As [`spawn`]. The function gets a [`Restore`] that runs a part of it unmasked, whatever state it
/// inherits.
#[track_caller]
pub fn spawn_with_unmask<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce(Restore) -> T + Send + 'static,
    T: Send + 'static,
{
    spawn(move || function(Restore(Masking::Unmasked)))
}
