//! Futures on threads: one future, one thread, which parks while the future is not ready.
//!
//! A waker unparks the thread. Inside of an exploration the threads are explored ones, so every order of wake-ups and polls is
//! found; outside they are std's.
//!
#![cfg_attr(feature = "check", doc = "```")]
#![cfg_attr(not(feature = "check"), doc = "```ignore")]
//! use selvedge::future;
//!
//! let report = selvedge::explore(|| {
//!     let one = future::spawn(async { 1 });
//!     future::block_on(async { one.await.unwrap() + 1 })
//! });
//! assert_eq!(report.values().collect::<Vec<_>>(), [&2]);
//! ```

use crate::sync::{Arc, Mutex};
use crate::thread::{self, Thread};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Runs a future on this thread until it is ready.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let parker = Arc::new(Parker { thread: thread::current(), was_woken: AtomicBool::new(false) });
    let waker = Waker::from(parker.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        parker.wait();
    }
}

/// Runs a future on a thread of its own.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let end = Arc::new(Mutex::new(End::default()));
    let its_end = end.clone();
    let thread = thread::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| block_on(future)));
        its_end.reached();
        result.unwrap_or_else(|payload| resume_unwind(payload))
    });
    JoinHandle { thread: Some(thread), end }
}

/// A future that runs on a thread of its own. Is itself a future: of what the thread returns, or panicked with.
pub struct JoinHandle<T> {
    /// There until the result has been taken.
    thread: Option<thread::JoinHandle<T>>,
    end: Arc<Mutex<End>>,
}

/// Is the future at its end, and who wants to know?
#[derive(Debug, Default)]
struct End {
    is_reached: bool,
    waker: Option<Waker>,
}

trait Reached {
    fn reached(&self);
}

impl Reached for Mutex<End> {
    /// The future is at its end.
    fn reached(&self) {
        let mut end = self.lock().unwrap_or_else(PoisonError::into_inner);
        end.is_reached = true;
        let waker = end.waker.take();
        drop(end);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> JoinHandle<T> {
    /// Waits on this thread until the future is ready.
    ///
    /// # Errors
    /// What it panicked with.
    ///
    /// # Panics
    /// If the handle has been polled to its end before.
    #[track_caller]
    pub fn join(mut self) -> thread::Result<T> {
        self.thread.take().expect("a result is taken once").join()
    }

    /// Is the future ready?
    ///
    /// # Panics
    /// If the handle has been polled to its end before.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().expect("a result is taken once").is_finished()
    }

    /// The thread that it runs on.
    ///
    /// # Panics
    /// If the handle has been polled to its end before.
    pub fn thread(&self) -> &Thread {
        self.thread.as_ref().expect("a result is taken once").thread()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<thread::Result<T>> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if !end.is_reached {
            end.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        drop(end);
        let thread = self.thread.take().expect("a future is not polled after its end");
        Poll::Ready(thread.join())
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Wakes a thread. The token alone does not suffice: the future may park the thread itself, and take it.
struct Parker {
    thread: Thread,
    was_woken: AtomicBool,
}

impl Parker {
    /// Until somebody has called the waker since the last time.
    #[track_caller]
    fn wait(&self) {
        while !self.was_woken.swap(false, Ordering::AcqRel) {
            thread::park();
        }
        #[cfg(feature = "check")]
        if let Some(execution) = crate::control::current() {
            execution.see_unpark();
        }
    }
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        // What is shared with other threads changes when the step is made, not when it is announced.
        #[cfg(feature = "check")]
        if crate::control::current().is_some() {
            self.thread.unpark();
            self.was_woken.store(true, Ordering::Release);
            return;
        }
        self.was_woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
