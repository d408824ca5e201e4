//! What an exploration must survive.
#![cfg(feature = "check")]

mod again;
mod children;
mod foreign;
mod refusals;
mod scale;
#[cfg(unix)]
mod scouts;
mod teardown;
mod told;

use selvedge::{Explorer, Outcome, Report, Strategy};
use std::fmt::Debug;

/// Explores every run.
fn all<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> Report<T> {
    Explorer::new().strategy(Strategy::exhaustive()).explore(body)
}

/// The same for a body that counts: no run is made once more to be shown.
fn all_once<T: Ord + Clone + Debug + Send + 'static>(body: impl Fn() -> T + Send + Sync) -> Report<T> {
    Explorer::new().strategy(Strategy::exhaustive()).simplify(false).explore(body)
}

/// What came of it, in order.
fn outcomes<T: Ord + Clone>(report: &Report<T>) -> Vec<Outcome<T>> {
    report.outcomes().keys().cloned().collect()
}

/// The message that the work panics with.
fn panic_of<R>(work: impl FnOnce() -> R) -> String {
    let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) else {
        panic!("it should panic")
    };
    payload.downcast_ref::<String>().cloned().expect("a text")
}
