//! A variable that is full or empty, with first-in-first-out queues of blocked operations.
//!
//! Haskell's `MVar` (Peyton Jones, Gordon and Finne, Concurrent Haskell, POPL 1996), with GHC's fairness: a
//! `put` hands its value to the first blocked `take`, and a `take` lets the first blocked `put` fill the
//! variable, so no later operation overtakes. A lock guards the value and the queue. A blocked operation
//! puts a [`Request`] into the queue and parks. The operation that completes it moves the value through the
//! request, so a blocked thread wakes up once, and then its operation is done.
//!
//! Promise: no value is lost or duplicated, no wake-up is lost, blocked operations complete in the order of
//! their arrival, and a blocked `read` gets the value of the next `put`.

// Public without the feature `check`; with it, the controlled type of the same name is public instead.
#![allow(unreachable_pub)]

mod queue;
#[cfg(test)]
mod tests;

use super::interrupt::Masking;
use super::mailbox;
use super::wait::WaitEnd;
use crate::door;
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use queue::{Content, Reader, Request, unpark};
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
        MVar { content: door::mutex(Content::new(value)) }
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
        // SAFETY: this thread created the request, and `wait` returns after a wake-up.
        #[allow(unsafe_code)]
        let value = unsafe { request.take_value() };
        let value = value.expect("a thread is woken after its request was completed");
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
