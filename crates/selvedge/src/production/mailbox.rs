//! The mailbox of a thread: exceptions that other threads have thrown to it.
//!
//! Marlow, Peyton Jones, Moran and Reppy, Asynchronous Exceptions in Haskell, PLDI 2001, with delivery at
//! interruption points. Each thread has one mailbox. A thrower puts its exception into it and waits until
//! the exception is delivered. A thread records its interruptible wait in its mailbox; then a thrower ends
//! the wait itself.
//!
//! A waiting thrower can be interrupted, too, and then withdraws its exception. So an exception is
//! deliverable only while its thrower waits, and its delivery ends that wait. If two threads wait to throw
//! to each other, they must not interrupt each other with exceptions that both have withdrawn. So only the
//! holder of `delivery_lock` interrupts waits: a thrower that still waits at that time waits until the
//! delivery. The lock order is: `delivery_lock`, then a mailbox.
//!
//! Promise: an exception is raised once, or its thrower is interrupted, or the target has ended. Exceptions
//! are raised in the order of their arrival.

use super::interrupt::{Masking, Thrown};
use super::registry;
use super::wait::{WaitEnd, Waiter};
use crate::door;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use crate::thread::{self, ThreadId};
use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;

/// The pending exceptions of a thread.
pub(super) struct Mailbox {
    /// Written under the lock, read without it: a hint that saves the thread the lock.
    has_pending: AtomicBool,
    content: Mutex<Content>,
    delivery_lock: Arc<Mutex<()>>,
}

#[derive(Default)]
struct Content {
    /// The thread has ended.
    is_closed: bool,
    pending: VecDeque<PendingException>,
    /// The wait of the thread, while it can be interrupted.
    wait: Option<Arc<Waiter>>,
    /// The exception that interrupted that wait.
    interrupted_by: Option<Thrown>,
}

struct PendingException {
    thrown: Thrown,
    /// The wait of the thrower for the delivery.
    thrower: Arc<Waiter>,
}

/// The thread-local part: the masking state and the thread's own mailbox.
struct Local {
    masking: Cell<Masking>,
    mailbox: OnceCell<(ThreadId, Arc<Mailbox>)>,
}

crate::thread_local! {
    static LOCAL: Local = const { Local { masking: Cell::new(Masking::Unmasked), mailbox: OnceCell::new() } };
}

impl Local {
    #[inline]
    fn mailbox(&self) -> &Arc<Mailbox> {
        let (_, mailbox) = self.mailbox.get_or_init(Local::find_mailbox);
        mailbox
    }

    #[cold]
    fn find_mailbox() -> (ThreadId, Arc<Mailbox>) {
        let id = thread::current().id();
        (id, registry::mailbox(id).expect("the thread has not ended"))
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if let Some((id, mailbox)) = self.mailbox.take() {
            mailbox.close();
            registry::record_end(id, mailbox);
        }
    }
}

/// Registers the calling thread: from now on throwers learn when it ends.
pub(super) fn register() {
    let _ = LOCAL.try_with(|local| {
        local.mailbox();
    });
}

/// The masking state of the calling thread. After its thread-local values are destroyed it is
/// uninterruptible.
pub(super) fn masking() -> Masking {
    LOCAL.try_with(|local| local.masking.get()).unwrap_or(Masking::Uninterruptible)
}

/// Sets the masking state of the calling thread. Returns the state before.
pub(super) fn set_masking(masking: Masking) -> Masking {
    LOCAL.try_with(|local| local.masking.replace(masking)).unwrap_or(Masking::Uninterruptible)
}

/// An interruption point: raises the first pending exception, if the thread is unmasked.
#[inline]
pub(super) fn interruption_point() {
    // Every operation calls this, so it takes few instructions if no exception is pending.
    let must_raise = LOCAL.try_with(|local| {
        let mailbox = local.mailbox();
        local.masking.get() == Masking::Unmasked && mailbox.has_pending.load(Ordering::Relaxed)
    });
    if must_raise == Ok(true) {
        raise_first();
    }
}

#[cold]
fn raise_first() {
    // A second unwinding inside a destructor of the first would abort the process.
    if !thread::panicking()
        && let Some(thrown) = LOCAL.with(|local| local.mailbox().receive())
    {
        thrown.raise();
    }
}

/// The mailbox of the calling thread, if an exception can interrupt a wait of it.
pub(super) fn if_interruptible() -> Option<Arc<Mailbox>> {
    if masking() == Masking::Uninterruptible || thread::panicking() {
        return None;
    }
    LOCAL.try_with(|local| local.mailbox().clone()).ok()
}

/// Throws to another thread, and waits until the exception is raised there or the thread has ended.
pub(super) fn throw_to(target: ThreadId, thrown: Thrown) {
    register();
    let Some(mailbox) = registry::mailbox(target) else { return };
    let Some(thrower) = mailbox.interrupt_or_enqueue(thrown) else { return };
    if let WaitEnd::Interrupted(by) = thrower.wait() {
        let withdrawn = mailbox.withdraw(&thrower);
        drop(mailbox);
        registry::remove_if_unused(target);
        drop(withdrawn);
        by.raise();
    }
}

impl Mailbox {
    pub(super) fn new(delivery_lock: Arc<Mutex<()>>) -> Mailbox {
        Mailbox {
            has_pending: AtomicBool::new(false),
            content: door::mutex(Content::default()),
            delivery_lock,
        }
    }

    /// No thread panics while it holds this lock, so a poisoned lock guards a consistent content.
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_deliveries(&self) -> MutexGuard<'_, ()> {
        self.delivery_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a wait of the thread, so that throwers can interrupt it. If an exception is already pending,
    /// it interrupts the wait at once and is returned.
    pub(super) fn begin_wait(&self, waiter: &Arc<Waiter>) -> Option<Thrown> {
        let mut content = self.lock();
        if content.pending.is_empty() {
            content.wait = Some(waiter.clone());
            return None;
        }
        drop(content);
        self.begin_wait_with_pending(waiter)
    }

    #[cold]
    fn begin_wait_with_pending(&self, waiter: &Arc<Waiter>) -> Option<Thrown> {
        let _deliveries = self.lock_deliveries();
        let mut content = self.lock();
        let Some(first) = content.pending.iter().position(|pending| pending.thrower.is_waiting()) else {
            content.wait = Some(waiter.clone());
            return None;
        };
        // The wait may be over already; then the exception stays pending until the next interruption point.
        if !waiter.interrupt() {
            return None;
        }
        let delivered = self.remove(&mut content, first);
        assert!(delivered.thrower.wake(), "only the holder of the delivery lock interrupts a thrower");
        Some(delivered.thrown)
    }

    /// Records that the wait of the thread is over. Returns the exception that interrupted it.
    pub(super) fn end_wait(&self) -> Option<Thrown> {
        let mut content = self.lock();
        content.wait = None;
        content.interrupted_by.take()
    }

    /// Delivers the first exception with a waiting thrower. Called by the thread itself, while it does
    /// not wait.
    fn receive(&self) -> Option<Thrown> {
        let mut content = self.lock();
        let first = content.pending.iter().position(|pending| pending.thrower.wake())?;
        Some(self.remove(&mut content, first).thrown)
    }

    /// Interrupts the thread, if it waits and can be interrupted. Otherwise enqueues the exception and
    /// returns the wait for its delivery. Does neither if the thread has ended.
    fn interrupt_or_enqueue(&self, thrown: Thrown) -> Option<Arc<Waiter>> {
        let deliveries = self.lock_deliveries();
        let mut content = self.lock();
        if content.is_closed {
            drop((content, deliveries));
            drop(thrown);
            return None;
        }
        if content.wait.take_if(|wait| wait.interrupt()).is_some() {
            content.interrupted_by = Some(thrown);
            return None;
        }
        let thrower = Waiter::new();
        content.pending.push_back(PendingException { thrown, thrower: thrower.clone() });
        self.has_pending.store(true, Ordering::Relaxed);
        Some(thrower)
    }

    /// Withdraws the exception of an interrupted thrower. Returns it, so that the caller drops it without a
    /// lock.
    fn withdraw(&self, thrower: &Arc<Waiter>) -> Option<PendingException> {
        let mut content = self.lock();
        let position = content.pending.iter().position(|pending| Arc::ptr_eq(&pending.thrower, thrower))?;
        Some(self.remove(&mut content, position))
    }

    fn remove(&self, content: &mut Content, position: usize) -> PendingException {
        let removed = content.pending.remove(position).expect("the position is valid");
        self.has_pending.store(!content.pending.is_empty(), Ordering::Relaxed);
        removed
    }

    /// Closes the mailbox of a thread that has ended, and wakes all throwers.
    fn close(&self) {
        let mut content = self.lock();
        content.is_closed = true;
        let undelivered = std::mem::take(&mut content.pending);
        drop(content);
        for pending in &undelivered {
            pending.thrower.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::registry;
    use crate::production::interrupt;
    use crate::production::mvar::MVar;
    use crate::sync::Arc;
    use crate::thread;

    #[test]
    fn exceptions_are_raised_in_the_order_of_their_arrival_at_permitted_points_only() {
        let go = Arc::new(MVar::empty());
        let target_go = go.clone();
        let thread = interrupt::spawn(move || {
            interrupt::uninterruptible_mask(|restore| {
                target_go.take();
                interrupt::point();
                let caught = || interrupt::catch::<usize, ()>(|| restore.run(|| MVar::empty().take()));
                [caught(), caught(), caught()]
            })
        });
        let pending_count = || {
            let mailbox = registry::mailbox(thread.thread().id()).expect("it has not ended");
            mailbox.lock().pending.len()
        };
        let throw = |number: usize| {
            let target = thread.thread().clone();
            let thrower = interrupt::spawn(move || interrupt::throw_to(&target, number));
            while pending_count() <= number {
                thread::yield_now();
            }
            thrower
        };
        let throwers = [throw(0), throw(1), throw(2)];
        assert!(throwers.iter().all(|thrower| !thrower.is_finished()), "no exception is delivered yet");
        go.put(());
        throwers.into_iter().for_each(|thrower| thrower.join().unwrap());
        assert_eq!(thread.join().unwrap(), [Err(0), Err(1), Err(2)]);
    }

    #[test]
    fn an_interrupted_thrower_withdraws_its_exception() {
        let go = Arc::new(MVar::empty());
        let target_go = go.clone();
        let thread = interrupt::spawn(move || {
            interrupt::uninterruptible_mask(|_| target_go.take());
            interrupt::point();
        });
        let target = thread.thread().clone();
        let thrower =
            interrupt::spawn(move || interrupt::catch::<u8, _>(|| interrupt::throw_to(&target, 1_u8)));
        let mailbox = registry::mailbox(thread.thread().id()).expect("it has not ended");
        while mailbox.lock().pending.is_empty() {
            thread::yield_now();
        }
        interrupt::throw_to(thrower.thread(), 2_u8);
        assert_eq!(thrower.join().unwrap(), Err(2));
        assert!(mailbox.lock().pending.is_empty());
        go.put(());
        assert!(thread.join().is_ok(), "a withdrawn exception is not raised");
    }
}
