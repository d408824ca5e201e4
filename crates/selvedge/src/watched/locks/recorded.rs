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
use selvedge_monitor::lock_order::{self, HolderId, LockTag};
use selvedge_monitor::{Fact, Value};
use std::panic::Location;

/// The holder that has taken a lock, if that was told: its number, or 0. If the monitor was told as well,
/// the bit [`TOLD`] is set, so that the number is not that of the thread's holder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holding(u64);

/// No holder has so great a number.
const TOLD: u64 = 1 << 63;

impl Holding {
    /// No acquisition was told.
    #[cfg(feature = "check")]
    pub(crate) const NONE: Holding = Holding(0);

    #[inline]
    fn untold(holder: Option<HolderId>) -> Holding {
        Holding(holder.map_or(0, HolderId::number))
    }

    #[inline]
    fn new(holder: Option<HolderId>, interest: LockInterest) -> Holding {
        let Holding(number) = Holding::untold(holder);
        Holding(if number != 0 && interest.includes_holds() { number | TOLD } else { number })
    }
}

/// Takes a lock: `attempt` does not wait, `block` does.
#[inline]
pub(crate) fn acquire<G>(
    watch: &Watch,
    access: Access,
    at: &'static Location<'static>,
    attempt: impl Fn() -> Option<G>,
    block: impl FnOnce() -> G,
) -> (G, Holding) {
    let interest = INTEREST.locks();
    // Only this thread sees what it holds, so it may say that it does before it does. There is no holder if
    // the lock is not watched, if a handler takes it, or if the thread is at its end.
    let is_checked = interest.includes_order();
    let holder = if interest.is_none() { None } else { lock_order::takes(&watch.0, access, at, is_checked) };
    if !interest.includes_holds()
        && let Some(guard) = attempt()
    {
        return (guard, Holding::untold(holder));
    }
    let guard = acquire_slowly(watch, (access, at), (holder, interest), attempt, block);
    (guard, Holding::new(holder, interest))
}

/// Takes the lock, if another thread has it, or if the monitor is to be told.
#[cold]
fn acquire_slowly<G>(
    watch: &Watch,
    (access, at): (Access, &'static Location<'static>),
    (holder, interest): (Option<HolderId>, LockInterest),
    attempt: impl Fn() -> Option<G>,
    block: impl FnOnce() -> G,
) -> G {
    let Some(own) = holder else { return block() };
    let guard = attempt().unwrap_or_else(|| {
        // The thread waits for the lock, and does not hold it meanwhile.
        lock_order::releases(&watch.0, own);
        let wait = || lock_order::with_current(|holder| holder.waits_for_at(&watch.0, access, at));
        let waiting = interest.includes_order().then(wait);
        let guard = block();
        drop(waiting);
        lock_order::acquires(&watch.0, access, at);
        guard
    });
    if interest.includes_holds() {
        begin_to_hold(watch);
    }
    guard
}

/// The lock was taken without waiting, as by `try_lock`.
#[inline]
pub(crate) fn acquired(watch: &Watch, access: Access, at: &'static Location<'static>) -> Holding {
    let interest = INTEREST.locks();
    if interest.is_none() {
        return Holding(0);
    }
    let holder = lock_order::acquires(&watch.0, access, at);
    if holder.is_some() && interest.includes_holds() {
        begin_to_hold(watch);
    }
    Holding::new(holder, interest)
}

/// The lock was taken again, at the end of a wait of a condition variable: the thread waited for it with its
/// other locks in hand.
#[inline]
pub(crate) fn reacquired(watch: &Watch, access: Access, at: &'static Location<'static>) -> Holding {
    let interest = INTEREST.locks();
    if interest.is_none() || !watch.is_present() {
        return Holding(0);
    }
    if interest.includes_order() {
        lock_order::with_current(|holder| holder.requests_at(&watch.0, access, at));
    }
    acquired(watch, access, at)
}

/// The lock is about to be given back.
#[inline]
pub(crate) fn release(watch: &Watch, Holding(number): Holding) {
    if let Some(by) = HolderId::of_number(number)
        && !lock_order::releases_last(&watch.0, by)
    {
        release_slowly(watch, number);
    }
}

/// Gives the lock back, if the monitor is to be told, or if the thread's holder has taken other locks since,
/// or if another holder has taken this one.
#[cold]
fn release_slowly(watch: &Watch, number: u64) {
    let Some(by) = HolderId::of_number(number & !TOLD) else { return };
    if number & TOLD != 0 {
        end_hold(watch, by);
    }
    lock_order::releases(&watch.0, by);
}

/// The hold of this holder ends, if there was one.
pub(super) fn tell_release(watch: &Watch, by: HolderId) {
    if INTEREST.locks().includes_holds() {
        end_hold(watch, by);
    }
    lock_order::releases(&watch.0, by);
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
