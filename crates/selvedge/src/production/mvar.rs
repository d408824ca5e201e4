//! A variable that is full or empty, with first-in-first-out waiting.
//!
//! Haskell's `MVar` (Peyton Jones, Gordon and Finne, Concurrent Haskell, POPL 1996), with GHC's fairness: a `put`
//! hands its value to whoever waits, and a `take` lets the first waiting value in, so that nobody who comes later
//! gets between. A lock guards the value and a queue. Whoever has to wait leaves a [`Seat`] in the queue and parks;
//! who serves it moves the value by the seat, so a thread is woken once, and then it is done.
//!
//! A wait may be interrupted at any moment before it is served: [`Waiter::claim`] says which came first, and a value
//! that was meant for an interrupted thread goes to the next.
//!
//! Promise: no value is lost or doubled, no wake-up is lost, those who wait are served in the order of their coming,
//! and a `read` sees the value of the next `put`.

// Public without the feature `check`; with it, behind the controlled one of the same name.
#![cfg_attr(feature = "check", allow(unreachable_pub))]
#![allow(unsafe_code)]

use super::interrupt::Masking;
use super::mailbox;
use super::wait::{Ended, Waiter};
use crate::cell::UnsafeCell;
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A variable that is full or empty. [`take`](MVar::take) waits until it is full and empties it, [`put`](MVar::put)
/// waits until it is empty and fills it.
///
/// Threads that wait are served in the order of their coming, each is woken once, and none that comes later gets
/// between. Every operation is an interruption point: an exception that interrupts one comes before the operation has
/// any effect.
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
    /// Those who take, where there is no value; those who put, where there is one.
    queue: VecDeque<Arc<Seat<T>>>,
    /// Those who read, where there is no value.
    readers: Vec<Reader<T>>,
}

/// A thread that waits, and the value that it gives or gets.
struct Seat<T> {
    waiter: Arc<Waiter>,
    slot: UnsafeCell<Option<std::thread::Result<T>>>,
}

/// One who reads. The clone is made by who puts, so that the next may take the value at once.
struct Reader<T> {
    seat: Arc<Seat<T>>,
    clone: fn(&T) -> T,
}

// SAFETY: the slot is used by one thread at a time: by the one who made the seat before it is in the queue and after
// its wait is over, and by who holds the lock of the variable while the seat is in the queue. `Waiter::claim` and the
// lock put these in order.
unsafe impl<T: Send> Sync for Seat<T> {}

impl<T> MVar<T> {
    /// A full one.
    #[must_use]
    pub const fn new(value: T) -> MVar<T> {
        MVar::of(Some(value))
    }

    /// An empty one.
    #[must_use]
    pub const fn empty() -> MVar<T> {
        MVar::of(None)
    }

    const fn of(value: Option<T>) -> MVar<T> {
        MVar { content: Mutex::new(Content { value, queue: VecDeque::new(), readers: Vec::new() }) }
    }

    /// Waits until it is empty, and fills it. If an exception interrupts the wait, the value is dropped.
    pub fn put(&self, value: T) {
        mailbox::point();
        self.put_past_point(value);
    }

    /// Waits until it is full, and empties it.
    pub fn take(&self) -> T {
        mailbox::point();
        let mut content = self.lock();
        let Some(value) = content.value.take() else {
            return self.wait_for_value(content, Content::queue_up);
        };
        let put = content.refill();
        drop(content);
        unpark(put.as_ref());
        value
    }

    /// Waits until it is full, and clones the value. Of a value that is put, those who wait to read get their clones
    /// before anybody can take it.
    ///
    /// The clone is made while the variable is locked, and by the thread that puts if this one had to wait: it must
    /// not use the same variable. If it panics, this call does.
    pub fn read(&self) -> T
    where
        T: Clone,
    {
        mailbox::point();
        let content = self.lock();
        match &content.value {
            Some(value) => value.clone(),
            None => self.wait_for_value(content, |content, seat| {
                content.readers.push(Reader { seat, clone: T::clone });
            }),
        }
    }

    /// Fills it, if it is empty.
    ///
    /// # Errors
    /// The value, if the variable is full.
    pub fn try_put(&self, value: T) -> Result<(), T> {
        mailbox::point();
        self.put_now(value)
    }

    /// Empties it, if it is full.
    pub fn try_take(&self) -> Option<T> {
        mailbox::point();
        self.take_now()
    }

    /// Clones the value, if it is full.
    pub fn try_read(&self) -> Option<T>
    where
        T: Clone,
    {
        mailbox::point();
        self.lock().value.clone()
    }

    /// Takes the value, lends it to the function, and puts it back, also if the function unwinds: as the function has
    /// left it.
    ///
    /// It is no lock: if somebody else fills the variable in between, the value waits until it is empty again. That
    /// wait cannot be interrupted, so the value is not lost.
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

    /// Takes the value, and puts the one that the function makes of it; if the function unwinds, the old one. As
    /// [`with`](MVar::with) otherwise.
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

    /// The value, if it is full.
    pub fn into_inner(self) -> Option<T> {
        self.content.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }

    /// A clone that panics leaves the content as it was, so a poisoned lock is as good as another.
    fn lock(&self) -> MutexGuard<'_, Content<T>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`put`](MVar::put) without its interruption point. Where it has to wait, the masking state decides.
    fn put_past_point(&self, value: T) {
        let mut content = self.lock();
        if content.value.is_none() {
            let served = content.give(value);
            drop(content);
            served.unpark();
            return;
        }
        let seat = Seat::new(Some(value));
        content.queue_up(seat.clone());
        drop(content);
        self.wait(seat);
    }

    /// The same where nothing interrupts.
    fn put_back(&self, value: T) {
        let before = mailbox::set_masking(Masking::Uninterruptible);
        self.put_past_point(value);
        mailbox::set_masking(before);
    }

    /// [`try_put`](MVar::try_put) without its interruption point.
    pub(crate) fn put_now(&self, value: T) -> Result<(), T> {
        let mut content = self.lock();
        if content.value.is_some() {
            return Err(value);
        }
        let served = content.give(value);
        drop(content);
        served.unpark();
        Ok(())
    }

    /// [`try_take`](MVar::try_take) without its interruption point.
    pub(crate) fn take_now(&self) -> Option<T> {
        let mut content = self.lock();
        let value = content.value.take()?;
        let put = content.refill();
        drop(content);
        unpark(put.as_ref());
        Some(value)
    }

    #[cold]
    fn wait_for_value(
        &self,
        mut content: MutexGuard<'_, Content<T>>,
        enter: impl FnOnce(&mut Content<T>, Arc<Seat<T>>),
    ) -> T {
        let seat = Seat::new(None);
        enter(&mut content, seat.clone());
        drop(content);
        let seat = self.wait(seat);
        let value = seat.take().expect("who is woken has been served");
        value.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Waits until the seat is served; where the wait is interrupted, the seat leaves the queue first.
    fn wait(&self, seat: Arc<Seat<T>>) -> Arc<Seat<T>> {
        match seat.waiter.wait() {
            Ended::Woken => seat,
            Ended::Interrupted(thrown) => {
                self.lock().leave(&seat);
                // A value that was not put goes before the unwinding begins: if its destructor panics, that is no
                // second panic.
                drop(seat);
                thrown.raise()
            }
        }
    }
}

impl<T> Content<T> {
    fn queue_up(&mut self, seat: Arc<Seat<T>>) {
        self.queue.push_back(seat);
    }

    /// A value comes into the empty variable: to all who read, and to the first who takes.
    fn give(&mut self, value: T) -> Served<T> {
        let mut served = Served { readers: Vec::new(), taker: None };
        if self.queue.is_empty() && self.readers.is_empty() {
            self.value = Some(value);
            return served;
        }
        served.readers = std::mem::take(&mut self.readers);
        for reader in &served.readers {
            let clone = catch_unwind(AssertUnwindSafe(|| (reader.clone)(&value)));
            // One that was interrupted leaves without it.
            let _ = reader.seat.serve(clone);
        }
        let mut value = Ok(value);
        while let Some(seat) = self.queue.pop_front() {
            match seat.serve(value) {
                Ok(()) => {
                    served.taker = Some(seat);
                    return served;
                }
                Err(unserved) => value = unserved,
            }
        }
        self.value = value.ok();
        served
    }

    /// The variable was emptied: the first who puts gets its value in.
    fn refill(&mut self) -> Option<Arc<Seat<T>>> {
        while let Some(seat) = self.queue.pop_front() {
            if seat.waiter.claim() {
                self.value = seat.take().and_then(Result::ok);
                return Some(seat);
            }
        }
        None
    }

    /// An interrupted thread is not among those who wait any more.
    fn leave(&mut self, gone: &Arc<Seat<T>>) {
        self.queue.retain(|seat| !Arc::ptr_eq(seat, gone));
        self.readers.retain(|reader| !Arc::ptr_eq(&reader.seat, gone));
    }
}

impl<T> Seat<T> {
    fn new(value: Option<T>) -> Arc<Seat<T>> {
        Arc::new(Seat { waiter: Waiter::new(), slot: UnsafeCell::new(value.map(Ok)) })
    }

    /// Hands the waiting thread a value; gives it back if the thread was interrupted. For who holds the lock, and has
    /// taken the seat from the queue.
    fn serve(&self, value: std::thread::Result<T>) -> Result<(), std::thread::Result<T>> {
        // SAFETY: the waiting thread does not look before its wait has been claimed, and if it was interrupted, not
        // at all.
        self.slot.with_mut(|slot| unsafe { *slot = Some(value) });
        if self.waiter.claim() {
            return Ok(());
        }
        Err(self.take().expect("it was put there above"))
    }

    /// For who holds the lock, and has taken the seat from the queue, and for the waiting thread when it has been
    /// served.
    fn take(&self) -> Option<std::thread::Result<T>> {
        // SAFETY: one who puts does not look at its seat after its wait, one who takes is served before it is woken,
        // and a server that gives up is the only one who knows the seat but for its thread, which was interrupted and
        // does not look.
        self.slot.with_mut(|slot| unsafe { (*slot).take() })
    }
}

/// Those whose waits are over and who are to be unparked, when the variable is not locked any more.
struct Served<T> {
    readers: Vec<Reader<T>>,
    taker: Option<Arc<Seat<T>>>,
}

impl<T> Served<T> {
    fn unpark(self) {
        self.readers.iter().for_each(|reader| reader.seat.waiter.unpark());
        unpark(self.taker.as_ref());
    }
}

fn unpark<T>(seat: Option<&Arc<Seat<T>>>) {
    if let Some(seat) = seat {
        seat.waiter.unpark();
    }
}

#[cfg(test)]
impl<T> MVar<T> {
    /// How many wait now, and of these, how many nobody has ended the wait of?
    pub(super) fn waiting(&self) -> (usize, usize) {
        let content = self.lock();
        let seats = content.queue.iter().chain(content.readers.iter().map(|reader| &reader.seat));
        (content.queue.len() + content.readers.len(), seats.filter(|seat| seat.waiter.is_waiting()).count())
    }
}

#[cfg(feature = "check")]
impl<T> MVar<T> {
    /// Is it full now?
    pub(crate) fn is_full(&self) -> bool {
        self.lock().value.is_some()
    }
}

impl<T: fmt::Debug> fmt::Debug for MVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.content.try_lock() {
            Ok(content) => debug(content.value.as_ref(), f),
            Err(TryLockError::Poisoned(content)) => debug(content.get_ref().value.as_ref(), f),
            Err(TryLockError::WouldBlock) => f.debug_tuple("MVar").field(&format_args!("<locked>")).finish(),
        }
    }
}

/// How a variable with this value, or without one, is shown.
pub(crate) fn debug<T: fmt::Debug>(value: Option<&T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut tuple = f.debug_tuple("MVar");
    match value {
        Some(value) => tuple.field(value),
        None => tuple.field(&format_args!("<empty>")),
    };
    tuple.finish()
}

impl<T> Default for MVar<T> {
    /// An empty one.
    fn default() -> MVar<T> {
        MVar::empty()
    }
}

impl<T> From<T> for MVar<T> {
    /// A full one.
    fn from(value: T) -> MVar<T> {
        MVar::new(value)
    }
}
