//! The types of `std::sync`, controlled: the outcomes of small programs are worked out by hand, and the
//! exhaustive strategy finds exactly these. And the same types outside explorations, with threads of the
//! operating system.
#![cfg(feature = "check")]

mod arc;
mod atomic;
mod atomic_ref;
mod barrier;
mod channel;
mod condvar;
mod lock;
mod mvar;
mod once;
mod outside;
mod race;
mod real;
mod real_ref;
mod rendezvous;
mod statics;

use selvedge::{Explorer, Outcome, Report, Strategy};
use std::collections::BTreeSet;
use std::fmt::Debug;

fn explore<T>(body: impl Fn() -> T + Send + Sync) -> Report<T>
where
    T: Ord + Clone + Debug + Send + 'static,
{
    Explorer::new().strategy(Strategy::exhaustive()).explore(body)
}

/// The outcomes of the body are exactly these.
#[track_caller]
fn check<T: Debug>(body: impl Fn() -> T + Send + Sync, expected: &[Outcome<T>]) {
    // Values are compared by their text, so that the engine is compiled once, not for every type of value.
    let report = explore(move || format!("{:?}", body()));
    let text = |outcome: &Outcome<String>| match outcome {
        Outcome::Returned(value) => format!("returned {value}"),
        other => other.to_string(),
    };
    let actual: BTreeSet<String> = report.outcomes().keys().map(text).collect();
    assert_eq!(actual, expected.iter().map(Outcome::to_string).collect());
    assert!(report.is_complete(), "something was cut off: {:?}", report.notes());
}

/// The body returns each of these values in some run, and has no other outcome.
#[track_caller]
fn returns<T: Debug>(body: impl Fn() -> T + Send + Sync, expected: impl IntoIterator<Item = T>) {
    check(body, &expected.into_iter().map(Outcome::Returned).collect::<Vec<_>>());
}

/// The panic message of a function.
fn panic_of<T>(function: impl FnOnce() -> T) -> Option<String> {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(function)).err()?;
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
}
