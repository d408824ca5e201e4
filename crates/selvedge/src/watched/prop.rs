//! Propositions: what holds now, for the formulas of [`check`](crate::check()).
//!
//! A proposition is a name, or a name with data: `"ready"`, a `String`, `("holds", 3, "queue")`. Each change
//! makes a state of its own.
//!
//! In an exploration a change is one step. Two changes that no formula has in common are independent, so
//! propositions that no formula mentions add no runs. A change orders no memory access.
//!
//! Outside of explorations, with the feature `watch`, changes go to the monitor of the process. As long as
//! that monitor is not used, by [`check`](crate::check()) or by `monitor::global`, a change costs one load,
//! and is not known later.

use super::Change;
pub use super::locks::Lock;
use selvedge_monitor::Fact;
use std::panic::Location;

/// The proposition holds from now on.
#[track_caller]
pub fn set(prop: impl Into<Fact>) {
    if is_asked_for() {
        change(Change::Set, prop.into(), Location::caller());
    }
}

/// The proposition does not hold any more. Releasing what is not set has no effect.
#[track_caller]
pub fn release(prop: impl Into<Fact>) {
    if is_asked_for() {
        change(Change::Release, prop.into(), Location::caller());
    }
}

/// The proposition holds in one state, and in the next it does not.
#[track_caller]
pub fn pulse(prop: impl Into<Fact>) {
    if is_asked_for() {
        change(Change::Pulse, prop.into(), Location::caller());
    }
}

/// Does a change by the calling thread matter?
#[inline]
fn is_asked_for() -> bool {
    #[cfg(feature = "watch")]
    let is_in_use = || super::interest::INTEREST.props();
    #[cfg(not(feature = "watch"))]
    let is_in_use = || false;
    crate::door::is_exploring() || is_in_use()
}

/// Gives a lock a name, for `holds(thread, lock)` and for lock orders. Without a name, a lock is a number.
///
/// ```
/// use selvedge::{prop, sync::Mutex};
/// let queue = Mutex::new(Vec::from([1]));
/// prop::name_lock(&queue, "queue");
/// ```
pub fn name_lock(lock: &impl Lock, name: &str) {
    lock.set_name(name);
}

#[cfg(feature = "check")]
fn change(change: Change, fact: Fact, place: &'static Location<'static>) {
    use selvedge_explore::Kind;
    let kind = match change {
        Change::Set => Kind::SetProp,
        Change::Release => Kind::ReleaseProp,
        Change::Pulse => Kind::PulseProp,
    };
    crate::control::with_current(|execution| match execution {
        Some(execution) => execution.change_proposition(kind, fact, place),
        None => change_globally(change, fact),
    });
}

#[cfg(not(feature = "check"))]
fn change(change: Change, fact: Fact, _place: &'static Location<'static>) {
    change_globally(change, fact);
}

#[cfg(feature = "watch")]
fn change_globally(change: Change, fact: Fact) {
    super::global::change(change, fact);
}

#[cfg(not(feature = "watch"))]
fn change_globally(_change: Change, _fact: Fact) {}
