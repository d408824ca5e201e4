//! Futures on threads: each future has a thread, which parks while the future is pending.
//!
//! A waker unparks the thread. Inside an exploration the threads are controlled, so every order of wake-ups
//! and polls is explored; outside, they are `std`'s.
//!
//! ```
//! use selvedge::future;
//!
//! let one = future::spawn(async { 1 });
//! let two = future::block_on(async { one.await.unwrap() + 1 });
//! assert_eq!(two, 2);
//! ```

use crate::door;
use crate::sync::{Arc, Mutex};
use crate::thread::{self, Thread};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Runs a future on the calling thread until it is ready.
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
    let completion = Arc::new(door::mutex(Completion::default()));
    let shared = completion.clone();
    let thread = thread::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| block_on(future)));
        complete(&shared);
        result.unwrap_or_else(|payload| resume_unwind(payload))
    });
    JoinHandle { thread: Some(thread), completion }
}

/// A handle to a future that runs on a thread of its own. The handle is itself a future: its output is the
/// output of that future, or the payload of its panic.
pub struct JoinHandle<T> {
    /// `None` after the result was taken.
    thread: Option<thread::JoinHandle<T>>,
    completion: Arc<Mutex<Completion>>,
}

/// Is the future complete, and which task polls its handle?
#[derive(Debug, Default)]
struct Completion {
    is_complete: bool,
    waker: Option<Waker>,
}

/// Marks the future as complete, and wakes the task that polls its handle.
fn complete(completion: &Mutex<Completion>) {
    let mut completion = completion.lock().unwrap_or_else(PoisonError::into_inner);
    completion.is_complete = true;
    let waker = completion.waker.take();
    drop(completion);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl<T> JoinHandle<T> {
    /// Blocks the calling thread until the future is ready.
    ///
    /// # Errors
    /// The payload, if the future panicked.
    ///
    /// # Panics
    /// If the handle has already returned its result to a poll.
    #[track_caller]
    pub fn join(mut self) -> thread::Result<T> {
        self.thread.take().expect("a result is taken once").join()
    }

    /// Is the future ready?
    ///
    /// # Panics
    /// If the handle has already returned its result to a poll.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().expect("a result is taken once").is_finished()
    }

    /// The thread of the future.
    ///
    /// # Panics
    /// If the handle has already returned its result to a poll.
    pub fn thread(&self) -> &Thread {
        self.thread.as_ref().expect("a result is taken once").thread()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<thread::Result<T>> {
        let mut completion = self.completion.lock().unwrap_or_else(PoisonError::into_inner);
        if !completion.is_complete {
            completion.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        drop(completion);
        let thread = self.thread.take().expect("a future is not polled after its end");
        Poll::Ready(thread.join())
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Wakes a thread. The park token alone does not suffice: the future itself may park the thread and consume
/// the token.
struct Parker {
    thread: Thread,
    was_woken: AtomicBool,
}

impl Parker {
    /// Waits until the waker was called since the last wait.
    #[track_caller]
    fn wait(&self) {
        while !self.was_woken.swap(false, Ordering::AcqRel) {
            thread::park();
        }
        door::acquire_unpark();
    }
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        if door::is_exploring() {
            // `unpark` announces a step and returns when the step is executed. The flag is not controlled,
            // so it must change with the step and not with its announcement.
            self.thread.unpark();
            self.was_woken.store(true, Ordering::Release);
            return;
        }
        self.was_woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
