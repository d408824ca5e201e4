//! The thread that holds an `MVar`: the last one that has taken its value. A `put` ends the hold.
//!
//! In lock orders a variable counts as a lock if it was made full, as a lock is, until a thread puts a value
//! that another has taken: then it is a channel, and its orders are forgotten.
//!
//! The bookkeeping is no part of the operation itself. If a variable is used as a channel, a hold may be
//! told late; the next operation on the variable ends it.

use super::{Access, Watch};
use crate::watched::interest::{INTEREST, LockInterest};
use crate::watched::threads;
use selvedge_monitor::lock_order::{self, HolderId};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The thread that has taken the value of an `MVar`.
#[derive(Debug)]
pub(crate) struct Taker {
    /// The number of the holder; 0 if there is none.
    holder: AtomicU64,
    /// Is the variable used as a lock?
    is_lock: AtomicBool,
}

impl Taker {
    /// For a variable that is full at first, or not.
    pub(crate) const fn new(is_full: bool) -> Taker {
        Taker { holder: AtomicU64::new(0), is_lock: AtomicBool::new(is_full) }
    }

    fn is_order_told(&self, watch: &Watch, interest: LockInterest) -> bool {
        interest.includes_order() && self.is_lock.load(Ordering::Relaxed) && watch.is_present()
    }

    /// The calling thread is about to take the value, and to wait for it.
    #[inline]
    pub(crate) fn begin_to_take(&self, watch: &Watch, at: &'static Location<'static>) {
        let interest = INTEREST.locks();
        if !interest.is_none() && self.is_order_told(watch, interest) {
            lock_order::with_current(|holder| {
                // A thread that takes twice receives from another.
                if self.holder.load(Ordering::Relaxed) != holder.id().number() {
                    holder.requests_at(&watch.0, Access::Lock, at);
                }
            });
        }
    }

    /// The calling thread has taken the value.
    #[inline]
    pub(crate) fn take(&self, watch: &Watch, at: &'static Location<'static>) {
        let interest = INTEREST.locks();
        if !interest.is_none() && watch.is_present() {
            self.tell_take(watch, interest, at);
        }
    }

    fn tell_take(&self, watch: &Watch, interest: LockInterest, at: &'static Location<'static>) {
        let is_lock = self.is_order_told(watch, interest);
        let own = lock_order::with_current(|holder| {
            if is_lock {
                holder.acquires_at(&watch.0, Access::Lock, at);
            }
            holder.id()
        });
        let Some(own) = own else { return };
        threads::introduce(own);
        let before = self.holder.swap(own.number(), Ordering::Relaxed);
        if let Some(before) = HolderId::of_number(before) {
            super::recorded::tell_release(watch, before);
        }
        if interest.includes_holds() {
            super::recorded::begin_to_hold(watch);
        }
    }

    /// The calling thread is about to put a value.
    #[inline]
    pub(crate) fn put(&self, watch: &Watch) {
        if self.holder.load(Ordering::Relaxed) != 0 {
            self.tell_put(watch);
        }
    }

    fn tell_put(&self, watch: &Watch) {
        let Some(taker) = HolderId::of_number(self.holder.swap(0, Ordering::Relaxed)) else { return };
        super::recorded::tell_release(watch, taker);
        let is_own = lock_order::with_current(|holder| holder.id() == taker);
        if is_own == Some(false) && self.is_lock.swap(false, Ordering::Relaxed) {
            lock_order::global().forget(&watch.0);
        }
    }
}
