//! The value of an `MVar`, and the queue of its blocked operations.
//!
//! A blocked operation is a [`Request`] in the queue. The operation that completes it moves the value
//! through the request's slot. An exception may interrupt the wait at any moment before that:
//! [`Waiter::claim`] decides which came first, and a value that was meant for an interrupted thread goes to
//! the next request.

#![allow(unsafe_code)]

use crate::cell::UnsafeCell;
use crate::production::wait::Waiter;
use crate::sync::Arc;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The content of an `MVar`, guarded by its lock.
pub(super) struct Content<T> {
    pub(super) value: Option<T>,
    /// Blocked `take`s while the variable is empty; blocked `put`s while it is full.
    pub(super) queue: VecDeque<Arc<Request<T>>>,
    /// Blocked `read`s, while the variable is empty.
    pub(super) readers: Vec<Reader<T>>,
}

/// A blocked operation, and the value that it puts or gets.
pub(super) struct Request<T> {
    pub(super) waiter: Arc<Waiter>,
    slot: UnsafeCell<Option<std::thread::Result<T>>>,
}

/// A blocked `read`. The thread that puts the value clones it, so that the next operation may take it at
/// once.
pub(super) struct Reader<T> {
    pub(super) request: Arc<Request<T>>,
    pub(super) clone: fn(&T) -> T,
}

// SAFETY: one thread at a time uses the slot. Before the request is in the queue, it is the thread that
// created the request (`Request::new`); afterwards, the contracts of `complete` and `take_value` ensure it.
// The lock of the variable and `Waiter::claim` establish happens-before between these accesses.
unsafe impl<T: Send> Sync for Request<T> {}

impl<T> Content<T> {
    pub(super) const fn new(value: Option<T>) -> Content<T> {
        Content { value, queue: VecDeque::new(), readers: Vec::new() }
    }

    pub(super) fn enqueue(&mut self, request: Arc<Request<T>>) {
        self.queue.push_back(request);
    }

    /// Fills the empty variable: completes all blocked `read`s and the first blocked `take`.
    pub(super) fn fill(&mut self, value: T) -> Completed<T> {
        let mut completed = Completed { readers: Vec::new(), taker: None };
        if self.queue.is_empty() && self.readers.is_empty() {
            self.value = Some(value);
            return completed;
        }
        completed.readers = std::mem::take(&mut self.readers);
        for reader in &completed.readers {
            let clone = catch_unwind(AssertUnwindSafe(|| (reader.clone)(&value)));
            // An interrupted reader does not get its clone. SAFETY: the caller holds the lock that guards
            // this content, and the reader was taken out of it.
            let _ = unsafe { reader.request.complete(clone) };
        }
        let mut value = Ok(value);
        while let Some(request) = self.queue.pop_front() {
            // SAFETY: the caller holds the lock that guards this content, and the request was taken out of
            // it.
            match unsafe { request.complete(value) } {
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
    pub(super) fn refill(&mut self) -> Option<Arc<Request<T>>> {
        while let Some(request) = self.queue.pop_front() {
            if request.waiter.claim() {
                // SAFETY: the caller holds the lock that guards this content, and the request was taken out
                // of it.
                self.value = unsafe { request.take_value() }.and_then(Result::ok);
                return Some(request);
            }
        }
        None
    }

    /// Removes the request of an interrupted thread.
    pub(super) fn remove(&mut self, interrupted: &Arc<Request<T>>) {
        self.queue.retain(|request| !Arc::ptr_eq(request, interrupted));
        self.readers.retain(|reader| !Arc::ptr_eq(&reader.request, interrupted));
    }
}

impl<T> Request<T> {
    pub(super) fn new(value: Option<T>) -> Arc<Request<T>> {
        Arc::new(Request { waiter: Waiter::new(), slot: UnsafeCell::new(value.map(Ok)) })
    }

    /// Hands a value to the waiting thread; returns it if the thread was interrupted.
    ///
    /// # Safety
    /// The caller holds the lock of the variable, and has taken the request out of its content.
    unsafe fn complete(&self, value: std::thread::Result<T>) -> Result<(), std::thread::Result<T>> {
        // SAFETY: by the contract of `take_value`, the waiting thread does not access the slot before
        // `claim` below has succeeded. The lock of the variable excludes all other threads.
        self.slot.with_mut(|slot| unsafe { *slot = Some(value) });
        if self.waiter.claim() {
            return Ok(());
        }
        // SAFETY: by the contract of this function.
        Err(unsafe { self.take_value() }.expect("it was put there above"))
    }

    /// Takes the value out of the slot.
    ///
    /// # Safety
    /// Either the caller created the request, and its wait has ended by a wake-up; or the caller holds the
    /// lock of the variable, and has taken the request out of its content. The creator of a `put` request
    /// never calls this.
    pub(super) unsafe fn take_value(&self) -> Option<std::thread::Result<T>> {
        // SAFETY: a request is taken out of the content once, so at most one holder of the lock accesses the
        // slot. It does so before `Waiter::claim` succeeds, or instead of the creator: the creator of a
        // `put` request does not access the slot, nor does an interrupted one.
        self.slot.with_mut(|slot| unsafe { (*slot).take() })
    }
}

/// Completed requests. Their threads are unparked after the variable is unlocked.
pub(super) struct Completed<T> {
    readers: Vec<Reader<T>>,
    taker: Option<Arc<Request<T>>>,
}

impl<T> Completed<T> {
    pub(super) fn unpark(self) {
        self.readers.iter().for_each(|reader| reader.request.waiter.unpark());
        unpark(self.taker.as_ref());
    }
}

pub(super) fn unpark<T>(request: Option<&Arc<Request<T>>>) {
    if let Some(request) = request {
        request.waiter.unpark();
    }
}
