//! Propositions: what holds now, for the formulas of [`check`](crate::check()).
//!
//! A proposition is a name, or a name with data: `"ready"`, a `String`, `("holds", 3, "queue")`. Each change
//! makes a state of its own.
//!
//! In an exploration a change is one step. Two changes that no formula has in common are independent, so
//! propositions that no formula mentions add no runs. A change orders no memory access.

use selvedge_monitor::Fact;
use std::panic::Location;

/// How a proposition changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Set,
    Release,
    Pulse,
}

/// The proposition holds from now on.
#[track_caller]
pub fn set(prop: impl Into<Fact>) {
    change(Change::Set, &prop.into(), Location::caller());
}

/// The proposition does not hold any more. Releasing what is not set has no effect.
#[track_caller]
pub fn release(prop: impl Into<Fact>) {
    change(Change::Release, &prop.into(), Location::caller());
}

/// The proposition holds in one state, and in the next it does not.
#[track_caller]
pub fn pulse(prop: impl Into<Fact>) {
    change(Change::Pulse, &prop.into(), Location::caller());
}

#[cfg(feature = "check")]
fn change(change: Change, fact: &Fact, place: &'static Location<'static>) {
    use selvedge_explore::Kind;
    let kind = match change {
        Change::Set => Kind::SetProp,
        Change::Release => Kind::ReleaseProp,
        Change::Pulse => Kind::PulseProp,
    };
    let is_explored = crate::control::with_current(|execution| {
        if let Some(execution) = execution {
            execution.change_proposition(kind, fact.clone(), place);
        }
        execution.is_some()
    });
    if !is_explored {
        change_globally(change, fact);
    }
}

#[cfg(not(feature = "check"))]
fn change(change: Change, fact: &Fact, _place: &'static Location<'static>) {
    change_globally(change, fact);
}

#[cfg(feature = "watch")]
fn change_globally(change: Change, fact: &Fact) {
    super::global::step(|monitor, actor| {
        match change {
            Change::Set | Change::Pulse => monitor.set(fact),
            Change::Release => monitor.release(fact),
        }
        monitor.step_by(actor);
        if change == Change::Pulse {
            monitor.release(fact);
            monitor.step_by(actor);
        }
    });
}

#[cfg(not(feature = "watch"))]
fn change_globally(_change: Change, _fact: &Fact) {}
