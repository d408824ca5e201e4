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
    if let Some(thread) = thread.as_std() {
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

/// The masking state of the calling thread.
pub fn masking_state() -> Masking {
    match current() {
        Some(execution) => execution.masking(),
        None => production::masking_state(),
    }
}

/// Does the work with exceptions masked: they arrive only where the thread has to wait.
///
/// What is given to the work runs a part of it in the masking state from before.
pub fn mask<T>(work: impl FnOnce(&Restore) -> T) -> T {
    match current() {
        None => production::mask(|restore| work(&Restore(How::Outside(restore)))),
        Some(_) => masked(Masking::Interruptible.max(masking_state()), work),
    }
}

/// Does the work with exceptions masked wherever it has to wait, too.
///
/// What is given to the work runs a part of it in the masking state from before.
pub fn uninterruptible_mask<T>(work: impl FnOnce(&Restore) -> T) -> T {
    match current() {
        None => production::uninterruptible_mask(|restore| work(&Restore(How::Outside(restore)))),
        Some(_) => masked(Masking::Uninterruptible, work),
    }
}

fn masked<T>(masking: Masking, work: impl FnOnce(&Restore) -> T) -> T {
    let within = Within::new(masking);
    work(&Restore(How::Controlled(within.before)))
}

/// Runs a part of masked work in the masking state from before.
pub struct Restore<'m>(How<'m>);

enum How<'m> {
    Outside(&'m production::Restore),
    Controlled(Masking),
}

impl Restore<'_> {
    /// Runs this in the masking state from before.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.0 {
            How::Outside(restore) => restore.run(work),
            How::Controlled(masking) => {
                let _within = Within::new(*masking);
                work()
            }
        }
    }
}

/// The running thread has another masking state until this is dropped.
struct Within {
    before: Masking,
}

impl Within {
    fn new(masking: Masking) -> Within {
        let execution = current().expect("masked work stays inside of its run");
        Within { before: execution.set_masking(masking) }
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        if let Some(execution) = current() {
            execution.set_masking(self.before);
        }
    }
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
    at_point(Action::new(Kind::Point), production::point);
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
    let pending = Pending::here(Action::new(Kind::Park)).or_spurious(execution.settings.spurious);
    if execution.visible(execution.at_point(pending)) != crate::control::SPURIOUS {
        execution.take_token();
    }
}

/// As [`spawn`](crate::thread::spawn); the thread begins in the masking state of the one that spawns it.
#[track_caller]
pub fn spawn<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let Some(execution) = current() else { return JoinHandle::plain(production::spawn(function)) };
    let masking = execution.masking();
    let handle = crate::thread::spawn(function);
    let (_, child, _) = handle.thread().born_in_run();
    execution.inherit_masking(child, masking);
    handle
}

/// The same with a way to run a part of its work unmasked.
#[track_caller]
pub fn spawn_with_unmask<F, T>(function: F) -> JoinHandle<T>
where
    F: FnOnce(&Restore) -> T + Send + 'static,
    T: Send + 'static,
{
    match current() {
        Some(_) => spawn(move || function(&Restore(How::Controlled(Masking::Unmasked)))),
        None => JoinHandle::plain(production::spawn_with_unmask(move |restore| {
            function(&Restore(How::Outside(restore)))
        })),
    }
}
