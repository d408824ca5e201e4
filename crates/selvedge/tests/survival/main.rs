//! Crashes, panics, refusals and overload that an exploration must survive.
#![cfg(feature = "check")]

mod blocked;
#[cfg(unix)]
mod child_process;
mod children;
mod messages;
mod refusals;
mod repeated_explorations;
mod scale;
#[cfg(unix)]
mod signals;
mod teardown;
mod uncontrolled;

use selvedge::{Explorer, Outcome, Report, Strategy};
use std::fmt::Debug;

/// Explores every run.
fn all<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> Report<T> {
    Explorer::new().strategy(Strategy::exhaustive()).explore(body)
}

/// The same for a body that counts its runs: no run is repeated to be shown.
fn all_once<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> Report<T> {
    Explorer::new().strategy(Strategy::exhaustive()).simplify(false).explore(body)
}

/// The outcomes in order.
fn outcomes<T: Ord + Clone>(report: &Report<T>) -> Vec<Outcome<T>> {
    report.outcomes().keys().cloned().collect()
}

/// The panic message of the function.
fn panic_of<R>(work: impl FnOnce() -> R) -> String {
    let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) else {
        panic!("it should panic")
    };
    payload.downcast_ref::<String>().cloned().expect("a text")
}
