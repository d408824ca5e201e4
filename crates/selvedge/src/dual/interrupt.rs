//! Exceptions that threads throw to one another, controlled inside of an exploration: [`crate::production::interrupt`] outside.
//!
//! Throwing to another thread is one visible action, which waits until the exception can arrive; raising it there is another.
//! Masking is nobody else's business, and no action: others notice it by what they can throw.

use crate::control::{Pending, current};
use crate::production::interrupt as production;
use crate::thread::{JoinHandle, Thread};
pub use production::{Exception, Killed, Masking, Thrown, catch, throw};
use selvedge_explore::{Action, Kind};
use std::time::Duration;

/// Throws an exception to a thread, and waits until it arrives there. To itself a thread throws at once; one that has ended takes
/// nothing.
///
/// While it waits, the thread can itself be interrupted, unless its masking state is [`Masking::Uninterruptible`].
#[track_caller]
pub fn throw_to(thread: &Thread, exception: impl Exception) {
    if thread.is_of_std() {
        return production::throw_to(thread, exception);
    }
    let (execution, target, born) = thread.born_in_run();
    if execution.state.borrow().running == target {
        throw(exception);
    }
    execution.throw_to(target, born, Box::new(Thrown::new(exception)));
}

/// Throws [`Killed`] to a thread.
#[track_caller]
pub fn kill(thread: &Thread) {
    throw_to(thread, Killed);
}

/// Where the calling thread can be interrupted.
#[must_use]
pub fn masking_state() -> Masking {
    match current() {
        Some(execution) => execution.masking(),
        None => production::masking_state(),
    }
}

/// Runs the function where only operations that wait can be interrupted. What it runs by [`Restore::run`] is in the state that was before.
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

/// Runs the function where nothing can be interrupted, so that whatever it waits for must come. What it runs by [`Restore::run`] is in the
/// state that was before.
pub fn uninterruptible_mask<R>(function: impl FnOnce(Restore) -> R) -> R {
    let before = masking_state();
    in_state(Masking::Uninterruptible, || function(Restore(before)))
}

/// A masking state to go back to: see [`mask`], [`uninterruptible_mask`] and [`spawn_with_unmask`].
#[derive(Clone, Copy, Debug)]
pub struct Restore(Masking);

impl Restore {
    /// Runs the function in that state.
    pub fn run<R>(&self, function: impl FnOnce() -> R) -> R {
        in_state(self.0, function)
    }
}

/// Runs the function in this masking state; however it ends, the state is then as before.
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

/// Announces an interruption point; outside of explorations, does the other thing.
#[track_caller]
fn at_point(action: Action, outside: impl FnOnce()) {
    match current() {
        None => outside(),
        Some(execution) => {
            execution.visible(execution.at_point(Pending::here(action)));
        }
    }
}

/// An interruption point: raises what others have thrown to the thread, if it takes exceptions here.
#[track_caller]
pub fn point() {
    at_point(Action::new(Kind::InterruptionPoint), production::point);
}

/// As [`yield_now`](crate::thread::yield_now), and an interruption point.
#[track_caller]
pub fn yield_now() {
    at_point(Action::new(Kind::Yield), production::yield_now);
}

/// As [`sleep`](crate::thread::sleep), and an interruption point.
#[track_caller]
pub fn sleep(duration: Duration) {
    at_point(Action::new(Kind::Sleep), || production::sleep(duration));
    if let Some(execution) = current() {
        execution.time_passes(duration);
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

/// As [`spawn`](crate::thread::spawn). The thread inherits the masking state, and can be thrown to from its beginning.
#[track_caller]
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let Some(execution) = current() else { return production::spawn(function) };
    let masking = execution.masking();
    let handle = crate::thread::spawn(function);
    let (_, child, _) = handle.thread().born_in_run();
    // It begins when the step at hand is done.
    execution.inherit_masking(child, masking);
    handle
}

/// As [`spawn`]; the function gets a way to run something unmasked, whatever state it inherits.
#[track_caller]
pub fn spawn_with_unmask<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce(Restore) -> T + Send + 'static,
    T: Send + 'static,
{
    spawn(move || function(Restore(Masking::Unmasked)))
}
