//! Tasks that hold locks.

use selvedge_monitor::lock_order::{self, Holder};
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::task::JoinHandle;

thread_local! {
    /// Is the holder of this thread that of a task?
    static IS_IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// Calls the function with the holder of the task that is polled, if lock orders are watched and the task
/// has one.
pub(crate) fn with_task<R>(function: impl FnOnce(&mut Holder) -> R) -> Option<R> {
    if lock_order::is_watched() && IS_IN_TASK.get() { lock_order::with_current(function) } else { None }
}

/// As [`tokio::spawn`], for a task whose locks are recorded. What the spawning task or thread did before
/// comes before all that the new task does.
#[track_caller]
pub fn spawn<F>(name: &str, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(watch_task(name, future))
}

/// The same future, with a holder for the locks that it takes; the name is for messages. What the caller did
/// before comes before all that the task does.
pub fn watch_task<F: Future>(name: &str, future: F) -> Watched<F> {
    let holder =
        if lock_order::is_watched() { lock_order::with_current(|parent| parent.spawns(name)) } else { None };
    Watched { holder, future: Box::pin(future) }
}

/// A future whose locks are recorded.
#[derive(Debug)]
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct Watched<F> {
    /// Elsewhere while the task is polled. It ends with the task.
    holder: Option<Holder>,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for Watched<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Watched { holder, future } = &mut *self;
        if holder.is_none() {
            return future.as_mut().poll(context);
        }
        let _installed = Installed::new(holder);
        future.as_mut().poll(context)
    }
}

/// The holder of a task in the place of the thread's, until this is dropped.
struct Installed<'a> {
    own: &'a mut Option<Holder>,
    thread: Option<Holder>,
    was_in_task: bool,
}

impl<'a> Installed<'a> {
    fn new(own: &'a mut Option<Holder>) -> Installed<'a> {
        let thread = lock_order::install(own.take());
        Installed { own, thread, was_in_task: IS_IN_TASK.replace(true) }
    }
}

impl Drop for Installed<'_> {
    fn drop(&mut self) {
        *self.own = lock_order::install(self.thread.take());
        IS_IN_TASK.set(self.was_in_task);
    }
}
