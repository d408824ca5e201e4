//! Locks outside of explorations tell what they do.
//!
//! An acquisition tries first and blocks only if that fails, so that a wait is known before it begins: then
//! a deadlock is told as it closes. A lock that a handler of a finding or of a violation takes is not
//! watched.
//!
//! `holds` begins after the lock is taken and ends before it is given back: so in the order of the monitor's
//! states, no two threads hold a mutex at once.

use super::names;
use super::{Access, Watch};
use crate::watched::interest::{INTEREST, LockInterest};
use crate::watched::threads;
use crate::watched::{Change, global};
use selvedge_monitor::lock_order::{self, Holder, HolderId, LockTag};
use selvedge_monitor::{Fact, Value};
use std::panic::Location;

/// The holder that has taken a lock, if that was told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holding(Option<HolderId>);

impl Holding {
    /// No acquisition was told.
    #[cfg(feature = "check")]
    pub(crate) const NONE: Holding = Holding(None);

    pub(super) fn of(holder: HolderId) -> Holding {
        Holding(Some(holder))
    }
}

/// Takes a lock: `attempt` does not wait, `block` does.
#[inline]
pub(crate) fn acquire<G>(
    watch: &Watch,
    access: Access,
    at: &'static Location<'static>,
    attempt: impl FnOnce() -> Option<G>,
    block: impl FnOnce() -> G,
) -> (G, Holding) {
    let interest = INTEREST.locks();
    if interest.is_none() || !watch.is_present() {
        return (block(), Holding(None));
    }
    // Only this thread sees what it holds, so it may say that it does before it does.
    let Some(holder) = request(watch, (access, at), interest) else {
        // A handler takes the lock, or the thread is at its end.
        return (block(), Holding(None));
    };
    let guard = attempt().unwrap_or_else(|| wait(watch, (access, at), interest, block));
    if interest.includes_holds() {
        begin_to_hold(watch);
    }
    (guard, Holding(Some(holder)))
}

/// The thread is about to take a lock, and counts as its holder from now on.
#[inline]
fn request(
    watch: &Watch,
    (access, at): (Access, &'static Location<'static>),
    interest: LockInterest,
) -> Option<HolderId> {
    lock_order::with_current(|holder| {
        if interest.includes_order() {
            holder.requests_at(&watch.0, access, at);
        }
        holder.acquires_at(&watch.0, access, at);
        holder.id()
    })
}

/// Another thread has the lock: the thread waits for it, and does not hold it meanwhile.
#[cold]
fn wait<G>(
    watch: &Watch,
    (access, at): (Access, &'static Location<'static>),
    interest: LockInterest,
    block: impl FnOnce() -> G,
) -> G {
    let waiting = lock_order::with_current(|holder| {
        holder.releases(&watch.0, holder.id());
        interest.includes_order().then(|| holder.waits_for_at(&watch.0, access, at))
    });
    let guard = block();
    drop(waiting);
    lock_order::with_current(|holder| holder.acquires_at(&watch.0, access, at));
    guard
}

/// The lock was taken without waiting, as by `try_lock`.
#[inline]
pub(crate) fn acquired(watch: &Watch, access: Access, at: &'static Location<'static>) -> Holding {
    let interest = INTEREST.locks();
    if interest.is_none() || !watch.is_present() {
        return Holding(None);
    }
    acquired_with(watch, (access, at), interest)
}

fn acquired_with(
    watch: &Watch,
    (access, at): (Access, &'static Location<'static>),
    interest: LockInterest,
) -> Holding {
    let tell = |holder: &mut Holder| {
        holder.acquires_at(&watch.0, access, at);
        holder.id()
    };
    let holder = lock_order::with_current(tell);
    if holder.is_some() && interest.includes_holds() {
        begin_to_hold(watch);
    }
    Holding(holder)
}

/// The lock was taken again, at the end of a wait of a condition variable: the thread waited for it with its
/// other locks in hand.
#[inline]
pub(crate) fn reacquired(watch: &Watch, access: Access, at: &'static Location<'static>) -> Holding {
    let interest = INTEREST.locks();
    if interest.is_none() || !watch.is_present() {
        return Holding(None);
    }
    if interest.includes_order() {
        lock_order::with_current(|holder| holder.requests_at(&watch.0, access, at));
    }
    acquired_with(watch, (access, at), interest)
}

/// The lock is about to be given back.
#[inline]
pub(crate) fn release(watch: &Watch, Holding(holding): Holding) {
    if let Some(by) = holding {
        tell_release(watch, by);
    }
}

#[inline]
pub(super) fn tell_release(watch: &Watch, by: HolderId) {
    if INTEREST.locks().includes_holds() {
        end_hold(watch, by);
    }
    lock_order::with_current(|holder| holder.releases(&watch.0, by));
}

#[inline(never)]
pub(super) fn begin_to_hold(watch: &Watch) {
    global::change(Change::Set, fact(watch, threads::current_value()));
}

#[inline(never)]
fn end_hold(watch: &Watch, by: HolderId) {
    global::change(Change::Release, fact(watch, threads::value_of(by)));
}

/// `holds(thread, lock)`.
fn fact(watch: &Watch, thread: Value) -> Fact {
    let lock = names::lock_value(watch).unwrap_or_else(|| watch.number().into());
    Fact::new("holds", [thread, lock])
}

/// The lock is gone: its orders make room.
pub(super) fn forget(tag: &LockTag) {
    if INTEREST.locks().includes_order() && tag.known_id().is_some() {
        lock_order::global().forget(tag);
    }
    names::forget(tag);
}
