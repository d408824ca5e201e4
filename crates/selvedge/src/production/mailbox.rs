//! Where exceptions that others throw wait for their thread.
//!
//! Asynchronous exceptions as in Marlow, Peyton Jones, Moran and Reppy, Asynchronous Exceptions in Haskell, PLDI
//! 2001, delivered at interruption points. A thread has one mailbox. A thrower leaves a letter in it and waits until
//! the letter has been taken; a thread whose wait can be interrupted says so in its mailbox, and then a thrower ends
//! that wait itself.
//!
//! A thrower that waits can be interrupted too, and takes its letter back. So a letter counts only as long as the
//! wait of its sender goes on, and who takes it ends that wait. Two threads that wait to throw to each other must not
//! both be interrupted, each by a letter that the other has taken back: so waits are interrupted by one thread at a
//! time, the one that holds `deliveries`, and a sender that is seen to wait then waits until it is told. Locks are
//! taken in this order: `deliveries`, a mailbox.
//!
//! Promise: an exception is raised once, or its thrower is interrupted, or its thread has ended; exceptions are
//! raised in the order of their arrival.

use super::interrupt::{Masking, Thrown};
use super::registry;
use super::wait::{Ended, Waiter};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use crate::thread::{self, ThreadId};
use std::cell::{Cell, OnceCell};
use std::collections::VecDeque;

/// The exceptions that wait for a thread.
pub(super) struct Mailbox {
    /// Does it look as if there were letters? Changed under the lock; looked at without.
    has_letters: AtomicBool,
    content: Mutex<Content>,
    deliveries: Arc<Mutex<()>>,
}

#[derive(Default)]
struct Content {
    /// The thread has ended.
    is_closed: bool,
    letters: VecDeque<Letter>,
    /// The wait of the thread, while it can be interrupted.
    wait: Option<Arc<Waiter>>,
    /// What that wait was interrupted by.
    interrupted_by: Option<Thrown>,
}

struct Letter {
    thrown: Thrown,
    /// Waits until the letter is taken.
    sender: Arc<Waiter>,
}

/// What a thread knows of itself.
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
        let (_, mailbox) = self.mailbox.get_or_init(Local::register);
        mailbox
    }

    #[cold]
    fn register() -> (ThreadId, Arc<Mailbox>) {
        let id = thread::current().id();
        (id, registry::mailbox(id).expect("the thread has not ended"))
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if let Some((id, mailbox)) = self.mailbox.take() {
            mailbox.close();
            registry::has_ended(id, mailbox);
        }
    }
}

/// The calling thread is known from now on: who throws to it learns when it has ended.
pub(super) fn become_known() {
    let _ = LOCAL.try_with(|local| {
        local.mailbox();
    });
}

/// The masking state of the calling thread. One whose thread-local values are gone is not interrupted any more.
pub(super) fn masking() -> Masking {
    LOCAL.try_with(|local| local.masking.get()).unwrap_or(Masking::Uninterruptible)
}

/// Changes it. Returns what it was.
pub(super) fn set_masking(masking: Masking) -> Masking {
    LOCAL.try_with(|local| local.masking.replace(masking)).unwrap_or(Masking::Uninterruptible)
}

/// An interruption point: raises the first exception that waits, if the thread is unmasked.
#[inline]
pub(super) fn point() {
    // Few instructions where nothing waits: every operation comes here.
    let waits = LOCAL.try_with(|local| {
        let mailbox = local.mailbox();
        local.masking.get() == Masking::Unmasked && mailbox.has_letters.load(Ordering::Relaxed)
    });
    if waits == Ok(true) {
        raise_first();
    }
}

#[cold]
fn raise_first() {
    // A second unwinding in the destructors of the first would abort the process.
    if !thread::panicking()
        && let Some(thrown) = LOCAL.with(|local| local.mailbox().receive())
    {
        thrown.raise();
    }
}

/// The mailbox of the calling thread, if a wait of it can be interrupted.
pub(super) fn interruptible() -> Option<Arc<Mailbox>> {
    if masking() == Masking::Uninterruptible || thread::panicking() {
        return None;
    }
    LOCAL.try_with(|local| local.mailbox().clone()).ok()
}

/// Throws to another thread, and waits until the exception is raised there, or the thread has ended.
pub(super) fn send(to: ThreadId, thrown: Thrown) {
    become_known();
    let Some(mailbox) = registry::mailbox(to) else { return };
    let Some(sender) = mailbox.interrupt_or_leave(thrown) else { return };
    if let Ended::Interrupted(by) = sender.wait() {
        let withdrawn = mailbox.withdraw(&sender);
        drop(mailbox);
        registry::forget_if_unused(to);
        drop(withdrawn);
        by.raise();
    }
}

impl Mailbox {
    pub(super) fn new(deliveries: Arc<Mutex<()>>) -> Mailbox {
        Mailbox { has_letters: AtomicBool::new(false), content: Mutex::default(), deliveries }
    }

    /// Nothing panics while it is held, so a poisoned lock is as good as another.
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_deliveries(&self) -> MutexGuard<'_, ()> {
        self.deliveries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread is about to wait. From now on it can be interrupted; if something waits for it already, it is
    /// interrupted at once.
    pub(super) fn begin_wait(&self, waiter: &Arc<Waiter>) -> Option<Thrown> {
        let mut content = self.lock();
        if content.letters.is_empty() {
            content.wait = Some(waiter.clone());
            return None;
        }
        drop(content);
        self.begin_wait_with_letters(waiter)
    }

    #[cold]
    fn begin_wait_with_letters(&self, waiter: &Arc<Waiter>) -> Option<Thrown> {
        let _deliveries = self.lock_deliveries();
        let mut content = self.lock();
        let Some(first) = content.letters.iter().position(|letter| letter.sender.is_waiting()) else {
            content.wait = Some(waiter.clone());
            return None;
        };
        // What it waits for may have come; then the letter waits for the next point.
        if !waiter.interrupt() {
            return None;
        }
        let letter = self.remove(&mut content, first);
        assert!(letter.sender.wake(), "nobody else interrupts while deliveries are locked");
        Some(letter.thrown)
    }

    /// The wait of the thread is over. Returns what interrupted it.
    pub(super) fn end_wait(&self) -> Option<Thrown> {
        let mut content = self.lock();
        content.wait = None;
        content.interrupted_by.take()
    }

    /// The thread, which does not wait, takes the first letter whose sender still waits.
    fn receive(&self) -> Option<Thrown> {
        let mut content = self.lock();
        let first = content.letters.iter().position(|letter| letter.sender.wake())?;
        Some(self.remove(&mut content, first).thrown)
    }

    /// Interrupts the thread if it waits where it can be interrupted, or leaves a letter for it and returns the wait
    /// until that is taken. A thread that has ended has no use for either.
    fn interrupt_or_leave(&self, thrown: Thrown) -> Option<Arc<Waiter>> {
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
        let sender = Waiter::new();
        content.letters.push_back(Letter { thrown, sender: sender.clone() });
        self.has_letters.store(true, Ordering::Relaxed);
        Some(sender)
    }

    /// A sender whose wait was interrupted takes its letter back. Returned, so that it is dropped where no lock is
    /// held.
    fn withdraw(&self, sender: &Arc<Waiter>) -> Option<Letter> {
        let mut content = self.lock();
        let place = content.letters.iter().position(|letter| Arc::ptr_eq(&letter.sender, sender))?;
        Some(self.remove(&mut content, place))
    }

    fn remove(&self, content: &mut Content, place: usize) -> Letter {
        let letter = content.letters.remove(place).expect("there is a letter in this place");
        self.has_letters.store(!content.letters.is_empty(), Ordering::Relaxed);
        letter
    }

    /// The thread has ended: nobody needs to wait for it.
    fn close(&self) {
        let mut content = self.lock();
        content.is_closed = true;
        let letters = std::mem::take(&mut content.letters);
        drop(content);
        for letter in &letters {
            letter.sender.wake();
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
    fn exceptions_are_raised_in_the_order_of_their_arrival_and_only_where_they_may_be() {
        let go = Arc::new(MVar::empty());
        let its_go = go.clone();
        let thread = interrupt::spawn(move || {
            interrupt::uninterruptible_mask(|restore| {
                its_go.take();
                interrupt::point();
                let caught = || interrupt::catch::<usize, ()>(|| restore.run(|| MVar::empty().take()));
                [caught(), caught(), caught()]
            })
        });
        let letters = || {
            let mailbox = registry::mailbox(thread.thread().id()).expect("it has not ended");
            mailbox.lock().letters.len()
        };
        let throw = |number: usize| {
            let target = thread.thread().clone();
            let thrower = interrupt::spawn(move || interrupt::throw_to(&target, number));
            while letters() <= number {
                thread::yield_now();
            }
            thrower
        };
        let throwers = [throw(0), throw(1), throw(2)];
        assert!(throwers.iter().all(|thrower| !thrower.is_finished()), "nothing has been delivered");
        go.put(());
        throwers.into_iter().for_each(|thrower| thrower.join().unwrap());
        assert_eq!(thread.join().unwrap(), [Err(0), Err(1), Err(2)]);
    }

    #[test]
    fn a_letter_whose_sender_is_interrupted_is_taken_back() {
        let go = Arc::new(MVar::empty());
        let its_go = go.clone();
        let thread = interrupt::spawn(move || {
            interrupt::uninterruptible_mask(|_| its_go.take());
            interrupt::point();
        });
        let target = thread.thread().clone();
        let thrower =
            interrupt::spawn(move || interrupt::catch::<u8, _>(|| interrupt::throw_to(&target, 1_u8)));
        let mailbox = registry::mailbox(thread.thread().id()).expect("it has not ended");
        while mailbox.lock().letters.is_empty() {
            thread::yield_now();
        }
        interrupt::throw_to(thrower.thread(), 2_u8);
        assert_eq!(thrower.join().unwrap(), Err(2));
        assert!(mailbox.lock().letters.is_empty());
        go.put(());
        assert!(thread.join().is_ok(), "what was taken back is not raised");
    }
}
