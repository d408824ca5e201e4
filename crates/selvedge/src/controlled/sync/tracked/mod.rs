//! [`Arc`] and [`Weak`] whose counts an exploration sees.
//!
//! Inside an exploration each change of a count, and each look at one, is a visible action that synchronises
//! as `std`'s does. So the exploration shows a [`Weak::upgrade`] before and after the last owner is dropped,
//! and knows that the destructor of the value happens after everything that the other owners did before they
//! were dropped. Without the feature `check` these are `std`'s types.
//!
//! The code under test switches by one line:
//!
//! ```
//! use selvedge::sync::tracked::Arc; // instead of selvedge::sync::Arc
//! ```
//!
//! The interface is `std`'s, but for what the language reserves for `std`'s own type: an `Arc<T>` of this
//! module is not coerced to `Arc<dyn Trait>` or `Arc<[T]>` (write `from_std(std::sync::Arc::new(value) as
//! std::sync::Arc<dyn Trait>)`), is no receiver (`self: Arc<Self>`), and [`std::task::Wake`] is about
//! `std`'s. [`from_std`] and [`into_std`] convert, at no cost, and in both builds.
//!
//! | action | depends on | synchronises |
//! |---|---|---|
//! | `clone`, `downgrade`, `Weak::clone` | looks at the count | with nothing |
//! | drop, `into_inner` | looks, upgrades, the last drop | releases; the last one acquires |
//! | drop of a `Weak` | looks at the weak count | releases |
//! | `upgrade` | drops, looks | acquires, if it succeeds |
//! | `try_unwrap`, `make_mut` | actions on the strong count | acquires, if it succeeds |
//! | `get_mut` | changes of the counts | acquires, if there is no `Weak` |
//! | `strong_count`, `weak_count` | changes of the count | as a `Relaxed` load; of a `Weak`: acquires |
//!
//! `std`'s clones are `Relaxed` operations that take part in the synchronisation of *fences*. Here they do
//! not, so that clones commute with each other and with drops: an `Acquire` fence after a clone acquires
//! nothing.

mod arc;
mod traits;
mod weak;

pub use arc::Arc;
pub use weak::Weak;

use super::ObjectInRun;
use crate::control::Pending;
use crate::controlled::current;
use selvedge_explore::counts::Counts;
use selvedge_explore::{Action, Kind, Site};
use std::panic::Location;

/// The `Arc` of this module that owns the same value. Its counts are visible from now on; a use of the same
/// value by `std`'s types stays invisible.
#[track_caller]
pub fn from_std<T: ?Sized>(arc: std::sync::Arc<T>) -> Arc<T> {
    // An only owner is the first to use this allocation, whatever was at its address before.
    if std::sync::Arc::strong_count(&arc) == 1 && std::sync::Arc::weak_count(&arc) == 0 {
        return Arc::allocated(arc);
    }
    Arc::of(arc)
}

/// The `Arc` of `std` that owns the same value. Its counts are not visible any more.
pub fn into_std<T: ?Sized>(arc: Arc<T>) -> std::sync::Arc<T> {
    arc.into_inner_arc()
}

/// The `Weak` of this module for the same value.
pub fn weak_from_std<T: ?Sized>(weak: std::sync::Weak<T>) -> Weak<T> {
    Weak::of(weak)
}

/// The `Weak` of `std` for the same value.
pub fn weak_into_std<T: ?Sized>(weak: Weak<T>) -> std::sync::Weak<T> {
    weak.into_inner_weak()
}

/// Announces an action on the counts of the value at this address. `None` outside of explorations.
#[track_caller]
fn announce<'e>(address: usize, kind: Kind, counts: impl FnOnce() -> Counts) -> Option<ObjectInRun<'e>> {
    announce_at(address, kind, Site::Rust(Location::caller()), counts)
}

/// The same for an action at this place: a destructor does not know where it was called.
#[track_caller]
fn announce_at<'e>(
    address: usize,
    kind: Kind,
    site: Site,
    counts: impl FnOnce() -> Counts,
) -> Option<ObjectInRun<'e>> {
    let execution = current()?;
    let object = execution.arc(address, Location::caller());
    execution.visible(Pending::new(Action::on(kind, object), site));
    let arc = ObjectInRun { execution, object };
    arc.observe_counts(counts());
    Some(arc)
}

impl ObjectInRun<'_> {
    /// The current step found these counts. The actions of an unwinding thread are no steps.
    fn observe_counts(self, counts: Counts) {
        if !std::thread::panicking() {
            self.execution.observe(counts.to_bits());
        }
    }

    /// The current step has changed no count.
    fn changed_nothing(self) {
        if !std::thread::panicking() {
            self.execution.read_only();
        }
    }
}
