//! Which events matter to the monitor of the process. An event that no formula asks for costs one load.
//!
//! A formula is judged from the present state on, so the monitor must know what was set before. It keeps
//! propositions from its first use on: the first [`check`](crate::check()) outside of explorations, or the
//! first [`global`](super::global()). A change before that costs a load and a branch, and is not known
//! later; the report has a note if there was one.
//!
//! `holds(thread, lock)` is set by the locks themselves, not by calls of the user, so it is kept only if a
//! property mentions it, or a path is recorded. A lock that is held when that begins is not known to be
//! held: it is known from when it is taken next, and giving back a lock that is not known to be held changes
//! nothing.
//!
//! Promise: what was asked for once is asked for until the process ends, so that no proposition stays set
//! because its release was not asked for. The flags order no memory: all accesses are relaxed. An event that
//! happens after a `check` sees the flag that the `check` has set.

use selvedge_monitor::{Fact, Monitor, Property, Recording};
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

/// What is asked of the monitor of the process.
pub(crate) static INTEREST: Interest = Interest(AtomicU8::new(0));

/// What is asked of a monitor: some flags.
pub(crate) struct Interest(AtomicU8);

/// What matters of locks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockInterest(u8);

impl LockInterest {
    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The propositions `holds(thread, lock)`.
    #[inline]
    pub(crate) fn includes_holds(self) -> bool {
        self.0 & HOLDS != 0
    }

    /// The orders in which locks are taken.
    #[inline]
    pub(crate) fn includes_order(self) -> bool {
        self.0 & LOCK_ORDER != 0
    }
}

/// A proposition was changed before the first use of the monitor.
const EARLY: u8 = 1;
/// The monitor is in use.
const IN_USE: u8 = 2;
/// `holds` matters.
const HOLDS: u8 = 4;
/// No path is recorded.
const UNRECORDED: u8 = 8;
/// The orders in which locks are taken matter.
const LOCK_ORDER: u8 = 16;

/// The name of the propositions that locks set.
const HOLDS_NAME: &str = "holds";

impl Interest {
    /// Does a change of a proposition by the user matter?
    #[inline]
    pub(crate) fn props(&self) -> bool {
        let flags = self.flags();
        if flags & (EARLY | IN_USE) == 0 {
            self.note_early_change();
        }
        flags & IN_USE != 0
    }

    /// What matters of locks.
    #[inline]
    pub(crate) fn locks(&self) -> LockInterest {
        LockInterest(self.flags() & (HOLDS | LOCK_ORDER))
    }

    /// The orders in which locks are taken matter from now on.
    pub(super) fn add_lock_order(&self) {
        self.0.fetch_or(LOCK_ORDER, Relaxed);
    }

    /// Does it matter which thread holds which lock?
    fn holds(&self) -> bool {
        self.locks().includes_holds()
    }

    /// Does a step matter that changes no proposition? It is seen in a recorded path alone.
    #[inline]
    pub(crate) fn steps(&self) -> bool {
        self.flags() & (IN_USE | UNRECORDED) == IN_USE
    }

    /// The monitor is used. Returns whether this is its first use, and changes came before.
    pub(super) fn begin(&self) -> bool {
        self.flags() & IN_USE == 0 && self.0.fetch_or(IN_USE, Relaxed) & (IN_USE | EARLY) == EARLY
    }

    /// A property will be checked.
    pub(super) fn add(&self, property: &Property<Fact>) {
        let flags = self.flags();
        if flags & HOLDS == 0 && (flags & UNRECORDED == 0 || property.may_mention(HOLDS_NAME)) {
            self.0.fetch_or(HOLDS, Relaxed);
        }
    }

    /// The monitor may have changed.
    pub(super) fn update(&self, monitor: &Monitor<Fact>) {
        let is_recorded = monitor.recording() != Recording::Off;
        if is_recorded {
            self.0.fetch_and(!UNRECORDED, Relaxed);
        } else {
            self.0.fetch_or(UNRECORDED, Relaxed);
        }
        if !self.holds() && (is_recorded || monitor.may_mention(HOLDS_NAME)) {
            self.0.fetch_or(HOLDS, Relaxed);
        }
    }

    #[cold]
    fn note_early_change(&self) {
        self.0.fetch_or(EARLY, Relaxed);
    }

    #[inline]
    fn flags(&self) -> u8 {
        self.0.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_monitor::{Instantiation, IntoProperty, Template};

    fn unused() -> Interest {
        Interest(AtomicU8::new(0))
    }

    /// A monitor that records no path, after a first use.
    fn unrecorded(interest: &Interest) -> Monitor<Fact> {
        let mut monitor = Monitor::new();
        interest.begin();
        monitor.record(Recording::Off);
        interest.update(&monitor);
        monitor
    }

    #[test]
    fn a_change_before_the_first_use_is_noted() {
        let interest = unused();
        assert!(!interest.props());
        assert!(interest.begin(), "a change was missed");
        assert!(interest.props());
        assert!(!interest.begin(), "the first use is over");
        assert!(!unused().begin(), "no change was missed");
    }

    #[track_caller]
    fn check(property: impl IntoProperty<Fact>, expected: bool) {
        let property = property.into_property().expect("a property");
        let interest = unused();
        let mut monitor = unrecorded(&interest);
        assert!(!interest.holds());
        interest.add(&property);
        assert_eq!(interest.holds(), expected, "before it is checked");
        let interest = unused();
        monitor.check("", property).expect("a property");
        interest.begin();
        interest.update(&monitor);
        assert_eq!(interest.holds(), expected, "once it is checked");
    }

    #[test]
    fn holds_matters_to_properties_that_mention_it() {
        check("G !p", false);
        check("forall r: G (request(r) -> F answer(r))", false);
        check("G !(holds(1, a) & holds(2, a))", true);
        check("forall t1 != t2, l: G !(holds(t1, l) & holds(t2, l))", true);
        check(Template::new(1, |_: &[&Fact]| Instantiation::Unsuitable), true);
    }

    #[test]
    fn holds_and_steps_matter_to_a_recorded_path() {
        let interest = unused();
        let mut monitor = unrecorded(&interest);
        assert!(!interest.steps());
        monitor.record(Recording::Last(10));
        interest.update(&monitor);
        assert!(interest.holds() && interest.steps());
        monitor.record(Recording::Off);
        interest.update(&monitor);
        assert!(!interest.steps());
        assert!(interest.holds(), "a release must be seen");
        let interest = unused();
        interest.begin();
        interest.add(&"G !p".into_property().expect("a formula"));
        assert!(interest.holds(), "a path is recorded, unless it is said otherwise");
    }
}
