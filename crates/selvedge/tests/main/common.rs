//! Checks that several test modules share.

#![cfg(feature = "check")]

use selvedge::{Explorer, Outcome, Strategy};
use std::fmt::Debug;

/// Explores all runs exhaustively, and compares the outcomes with the expected outcomes.
#[track_caller]
pub(crate) fn check_by<T: Ord + Clone + Debug + Send + 'static>(
    explorer: Explorer,
    body: impl Fn() -> T + Send + Sync,
    expected: &[Outcome<T>],
) {
    let report = explorer.strategy(Strategy::exhaustive()).explore(body);
    let actual: Vec<&Outcome<T>> = report.outcomes().keys().collect();
    let mut expected: Vec<&Outcome<T>> = expected.iter().collect();
    expected.sort();
    assert_eq!(actual, expected, "after {} runs", report.executions());
    assert!(report.is_complete());
}

/// The same with default settings.
#[track_caller]
pub(crate) fn check<T: Ord + Clone + Debug + Send + 'static>(
    body: impl Fn() -> T + Send + Sync,
    expected: &[Outcome<T>],
) {
    check_by(Explorer::new(), body, expected);
}

/// The same for a body that returns in every run.
#[track_caller]
pub(crate) fn check_values<T: Ord + Clone + Debug + Send + 'static>(
    body: impl Fn() -> T + Send + Sync,
    expected: &[T],
) {
    let expected: Vec<Outcome<T>> = expected.iter().cloned().map(Outcome::Returned).collect();
    check(body, &expected);
}
