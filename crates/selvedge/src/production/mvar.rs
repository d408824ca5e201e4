//! A variable that is full or empty, with first-in-first-out queues of blocked operations.
//!
//! Haskell's `MVar` (Peyton Jones, Gordon and Finne, Concurrent Haskell, POPL 1996), with GHC's fairness: a
//! `put` hands its value to the first blocked `take`, and a `take` lets the first blocked `put` fill the
//! variable, so no later operation overtakes. A lock guards the value and the queue. A blocked operation
//! puts a [`Request`] into the queue and parks. The operation that completes it moves the value through the
//! request, so a blocked thread wakes up once, and then its operation is done.
//!
//! An exception may interrupt a wait at any moment before the request is completed. [`Waiter::claim`]
//! decides which came first, and a value that was meant for an interrupted thread goes to the next request.
//!
//! Promise: no value is lost or duplicated, no wake-up is lost, blocked operations complete in the order of
//! their arrival, and a blocked `read` gets the value of the next `put`.

// Public without the feature `check`; with it, the controlled type of the same name is public instead.
#![allow(unreachable_pub)]
#![allow(unsafe_code)]

use super::interrupt::Masking;
use super::mailbox;
use super::wait::{WaitEnd, Waiter};
use crate::cell::UnsafeCell;
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A variable that is full or empty. [`take`](MVar::take) waits until it is full and empties it,
/// [`put`](MVar::put) waits until it is empty and fills it.
///
/// Blocked operations complete in the order of their arrival; each blocked thread wakes up once, and no
/// later operation overtakes. Every operation is an interruption point: an exception interrupts it before it
/// has any effect.
///
/// ```
/// use selvedge::sync::MVar;
///
/// let (requests, answers) = (MVar::empty(), MVar::empty());
/// std::thread::scope(|scope| {
///     scope.spawn(|| answers.put(requests.take() + 1));
///     requests.put(1);
///     assert_eq!(answers.take(), 2);
/// });
/// ```
pub struct MVar<T> {
    content: Mutex<Content<T>>,
}

struct Content<T> {
    value: Option<T>,
    /// Blocked `take`s while the variable is empty; blocked `put`s while it is full.
    queue: VecDeque<Arc<Request<T>>>,
    /// Blocked `read`s, while the variable is empty.
    readers: Vec<Reader<T>>,
}

/// A blocked operation, and the value that it puts or gets.
struct Request<T> {
    waiter: Arc<Waiter>,
    slot: UnsafeCell<Option<std::thread::Result<T>>>,
}

/// A blocked `read`. The thread that puts the value clones it, so that the next operation may take it at
/// once.
struct Reader<T> {
    request: Arc<Request<T>>,
    clone: fn(&T) -> T,
}

// SAFETY: one thread at a time uses the slot. Before the request is in the queue, and after the wait has
// ended, it is the thread that created the request. While the request is in the queue, it is the holder of
// the variable's lock (`Content::fill` and `Content::refill`, the only callers of `complete` and
// `take_value` besides `wait_for_value`). The lock and `Waiter::claim` establish happens-before between
// these accesses.
unsafe impl<T: Send> Sync for Request<T> {}

impl<T> MVar<T> {
    /// A full variable.
    #[must_use]
    pub const fn new(value: T) -> MVar<T> {
        MVar::with_content(Some(value))
    }

    /// An empty variable.
    #[must_use]
    pub const fn empty() -> MVar<T> {
        MVar::with_content(None)
    }

    const fn with_content(value: Option<T>) -> MVar<T> {
        MVar { content: Mutex::new(Content { value, queue: VecDeque::new(), readers: Vec::new() }) }
    }

    /// Waits until the variable is empty, and fills it. If an exception interrupts the wait, the value is
    /// dropped.
    pub fn put(&self, value: T) {
        mailbox::interruption_point();
        self.put_past_point(value);
    }

    /// Waits until the variable is full, and empties it.
    pub fn take(&self) -> T {
        mailbox::interruption_point();
        let mut content = self.lock();
        let Some(value) = content.value.take() else {
            return self.wait_for_value(content, Content::enqueue);
        };
        let completed = content.refill();
        drop(content);
        unpark(completed.as_ref());
        value
    }

    /// Waits until the variable is full, and clones the value. All blocked `read`s get their clones of a
    /// value before any `take` can take it.
    ///
    /// The clone is made while the variable is locked, by the thread that puts the value if this one is
    /// blocked: it must not use the same variable. If it panics, this call panics.
    pub fn read(&self) -> T
    where
        T: Clone,
    {
        mailbox::interruption_point();
        let content = self.lock();
        match &content.value {
            Some(value) => value.clone(),
            None => self.wait_for_value(content, |content, request| {
                content.readers.push(Reader { request, clone: T::clone });
            }),
        }
    }

    /// Fills the variable, if it is empty.
    ///
    /// # Errors
    /// The value, if the variable is full.
    pub fn try_put(&self, value: T) -> Result<(), T> {
        mailbox::interruption_point();
        self.try_put_past_point(value)
    }

    /// Empties the variable, if it is full.
    pub fn try_take(&self) -> Option<T> {
        mailbox::interruption_point();
        self.try_take_past_point()
    }

    /// Clones the value, if the variable is full.
    pub fn try_read(&self) -> Option<T>
    where
        T: Clone,
    {
        mailbox::interruption_point();
        self.peek(|value| value.cloned())
    }

    /// Takes the value, passes it to the function, and puts it back as the function has left it, also if the
    /// function unwinds.
    ///
    /// This is not a lock: another thread can fill the variable meanwhile. Then the value is put back when
    /// the variable is empty again. No exception interrupts that wait, so the value is not lost.
    ///
    /// ```
    /// # use selvedge::sync::MVar;
    /// let names = MVar::new(vec!["one"]);
    /// let count = names.with(|names| {
    ///     names.push("two");
    ///     names.len()
    /// });
    /// assert_eq!((count, names.take()), (2, vec!["one", "two"]));
    /// ```
    pub fn with<R>(&self, function: impl FnOnce(&mut T) -> R) -> R {
        let mut value = self.take();
        let result = catch_unwind(AssertUnwindSafe(|| function(&mut value)));
        self.put_back(value);
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Takes the value, and puts the new value that the function returns; if the function unwinds, the old
    /// one. In all else as [`with`](MVar::with).
    ///
    /// ```
    /// # use selvedge::sync::MVar;
    /// let count = MVar::new(1);
    /// assert_eq!(count.modify(|old| (old + 1, *old)), 1);
    /// assert_eq!(count.take(), 2);
    /// ```
    pub fn modify<R>(&self, function: impl FnOnce(&T) -> (T, R)) -> R {
        self.with(|value| {
            let (new, result) = function(value);
            *value = new;
            result
        })
    }

    /// Consumes the variable, and returns the value, if it is full.
    pub fn into_inner(self) -> Option<T> {
        self.content.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }

    /// A clone that panics leaves the content unchanged, so a poisoned lock guards a consistent content.
    fn lock(&self) -> MutexGuard<'_, Content<T>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the function with the value, while the variable is locked.
    pub(crate) fn peek<R>(&self, function: impl FnOnce(Option<&T>) -> R) -> R {
        function(self.lock().value.as_ref())
    }

    /// [`put`](MVar::put) without the interruption point at its beginning.
    fn put_past_point(&self, value: T) {
        let mut content = self.lock();
        if content.value.is_none() {
            let completed = content.fill(value);
            drop(content);
            completed.unpark();
            return;
        }
        let request = Request::new(Some(value));
        content.enqueue(request.clone());
        drop(content);
        self.wait(request);
    }

    /// [`put`](MVar::put) that no exception interrupts.
    fn put_back(&self, value: T) {
        let before = mailbox::set_masking(Masking::Uninterruptible);
        self.put_past_point(value);
        mailbox::set_masking(before);
    }

    /// [`try_put`](MVar::try_put) without its interruption point.
    pub(crate) fn try_put_past_point(&self, value: T) -> Result<(), T> {
        let mut content = self.lock();
        if content.value.is_some() {
            return Err(value);
        }
        let completed = content.fill(value);
        drop(content);
        completed.unpark();
        Ok(())
    }

    /// [`try_take`](MVar::try_take) without its interruption point.
    pub(crate) fn try_take_past_point(&self) -> Option<T> {
        let mut content = self.lock();
        let value = content.value.take()?;
        let completed = content.refill();
        drop(content);
        unpark(completed.as_ref());
        Some(value)
    }

    #[cold]
    fn wait_for_value(
        &self,
        mut content: MutexGuard<'_, Content<T>>,
        enqueue: impl FnOnce(&mut Content<T>, Arc<Request<T>>),
    ) -> T {
        let request = Request::new(None);
        enqueue(&mut content, request.clone());
        drop(content);
        let request = self.wait(request);
        let value = request.take_value().expect("a thread is woken after its request was completed");
        value.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Waits until the request is completed. If an exception interrupts the wait, removes the request and
    /// raises it.
    fn wait(&self, request: Arc<Request<T>>) -> Arc<Request<T>> {
        match request.waiter.wait() {
            WaitEnd::Woken => request,
            WaitEnd::Interrupted(thrown) => {
                self.lock().remove(&request);
                // A value that was not put is dropped before the unwinding begins: so a panic of its
                // destructor is not a second panic.
                drop(request);
                thrown.raise()
            }
        }
    }
}

impl<T> Content<T> {
    fn enqueue(&mut self, request: Arc<Request<T>>) {
        self.queue.push_back(request);
    }

    /// Fills the empty variable: completes all blocked `read`s and the first blocked `take`.
    fn fill(&mut self, value: T) -> Completed<T> {
        let mut completed = Completed { readers: Vec::new(), taker: None };
        if self.queue.is_empty() && self.readers.is_empty() {
            self.value = Some(value);
            return completed;
        }
        completed.readers = std::mem::take(&mut self.readers);
        for reader in &completed.readers {
            let clone = catch_unwind(AssertUnwindSafe(|| (reader.clone)(&value)));
            // An interrupted reader does not get its clone.
            let _ = reader.request.complete(clone);
        }
        let mut value = Ok(value);
        while let Some(request) = self.queue.pop_front() {
            match request.complete(value) {
                Ok(()) => {
                    completed.taker = Some(request);
                    return completed;
                }
                Err(rejected) => value = rejected,
            }
        }
        self.value = value.ok();
        completed
    }

    /// Completes the first blocked `put`, after the variable was emptied.
    fn refill(&mut self) -> Option<Arc<Request<T>>> {
        while let Some(request) = self.queue.pop_front() {
            if request.waiter.claim() {
                self.value = request.take_value().and_then(Result::ok);
                return Some(request);
            }
        }
        None
    }

    /// Removes the request of an interrupted thread.
    fn remove(&mut self, interrupted: &Arc<Request<T>>) {
        self.queue.retain(|request| !Arc::ptr_eq(request, interrupted));
        self.readers.retain(|reader| !Arc::ptr_eq(&reader.request, interrupted));
    }
}

impl<T> Request<T> {
    fn new(value: Option<T>) -> Arc<Request<T>> {
        Arc::new(Request { waiter: Waiter::new(), slot: UnsafeCell::new(value.map(Ok)) })
    }

    /// Hands a value to the waiting thread; returns it if the thread was interrupted. The caller holds the
    /// lock of the variable, and has removed the request from the queue.
    fn complete(&self, value: std::thread::Result<T>) -> Result<(), std::thread::Result<T>> {
        // SAFETY: the waiting thread does not access the slot before `claim` below has succeeded, and never
        // if it was interrupted (`MVar::wait`); the lock of the variable excludes all other threads.
        self.slot.with_mut(|slot| unsafe { *slot = Some(value) });
        if self.waiter.claim() {
            return Ok(());
        }
        Err(self.take_value().expect("it was put there above"))
    }

    /// Takes the value out of the slot. The caller is the waiting thread after its request was completed, or
    /// holds the lock of the variable and has removed the request from the queue.
    fn take_value(&self) -> Option<std::thread::Result<T>> {
        // SAFETY: see `unsafe impl Sync for Request`. The thread of a blocked `put` does not access its slot
        // after its wait; the thread of a blocked `take` or `read` accesses it only after `claim` succeeded
        // in `complete`. If `claim` failed, the thread was interrupted and does not access the slot
        // (`MVar::wait`).
        self.slot.with_mut(|slot| unsafe { (*slot).take() })
    }
}

/// Completed requests. Their threads are unparked after the variable is unlocked.
struct Completed<T> {
    readers: Vec<Reader<T>>,
    taker: Option<Arc<Request<T>>>,
}

impl<T> Completed<T> {
    fn unpark(self) {
        self.readers.iter().for_each(|reader| reader.request.waiter.unpark());
        unpark(self.taker.as_ref());
    }
}

fn unpark<T>(request: Option<&Arc<Request<T>>>) {
    if let Some(request) = request {
        request.waiter.unpark();
    }
}

#[cfg(test)]
impl<T> MVar<T> {
    /// The number of requests, and the number of requests that are neither completed nor interrupted.
    pub(super) fn request_counts(&self) -> (usize, usize) {
        let content = self.lock();
        let readers = content.readers.iter().map(|reader| &reader.request);
        let open = content.queue.iter().chain(readers).filter(|request| request.waiter.is_waiting());
        (content.queue.len() + content.readers.len(), open.count())
    }
}

impl<T: fmt::Debug> fmt::Debug for MVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.content.try_lock() {
            Ok(content) => fmt_value(content.value.as_ref(), f),
            Err(TryLockError::Poisoned(content)) => fmt_value(content.get_ref().value.as_ref(), f),
            Err(TryLockError::WouldBlock) => f.debug_tuple("MVar").field(&format_args!("<locked>")).finish(),
        }
    }
}

/// Formats a variable with this value, or an empty one.
pub(crate) fn fmt_value<T: fmt::Debug>(value: Option<&T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut tuple = f.debug_tuple("MVar");
    match value {
        Some(value) => tuple.field(value),
        None => tuple.field(&format_args!("<empty>")),
    };
    tuple.finish()
}

impl<T> Default for MVar<T> {
    /// An empty variable.
    fn default() -> MVar<T> {
        MVar::empty()
    }
}

impl<T> From<T> for MVar<T> {
    /// A full variable.
    fn from(value: T) -> MVar<T> {
        MVar::new(value)
    }
}
