//! Checks that several test modules share.

#![cfg(feature = "check")]

use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

pub(crate) const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

pub(crate) fn outcomes<T: Ord + Clone>(report: &Report<T>) -> BTreeSet<Outcome<T>> {
    report.outcomes().keys().cloned().collect()
}

/// The formulas of a report, each with whether it held in some run, and whether some run violates it.
pub(crate) fn verdicts<T: Ord>(report: &Report<T>) -> BTreeMap<String, (bool, bool)> {
    let judged = report.formulas().iter().filter(|(_, runs)| runs.held + runs.violated > 0);
    judged.map(|(name, runs)| (name.clone(), (runs.held > 0, runs.violated > 0))).collect()
}

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

/// The outcomes that exhaustive search has within some bounds and a reduction within the same bounds has
/// not. There must be none. Outcomes are compared as `name` has them.
pub(crate) fn lost_within_bounds<T: Ord + Clone>(
    report: &Report<T>,
    all: &Report<T>,
    name: impl Fn(&Outcome<T>) -> Outcome<T>,
) -> BTreeSet<Outcome<T>> {
    let names = |report: &Report<T>| report.outcomes().keys().map(&name).collect::<BTreeSet<_>>();
    &names(all) - &names(report)
}

/// The outcomes that a reduction within bounds claims to be within them, and exhaustive search has not.
/// There must be none: a few outcomes are found by way of runs beyond the bounds, and are told as such.
pub(crate) fn falsely_within_bounds<T: Ord + Clone>(
    report: &Report<T>,
    all: &Report<T>,
    name: impl Fn(&Outcome<T>) -> Outcome<T>,
) -> BTreeSet<Outcome<T>> {
    let beyond: BTreeSet<&Outcome<T>> = report.beyond_bounds().collect();
    let claimed = report.outcomes().keys().filter(|outcome| !beyond.contains(outcome));
    let within: BTreeSet<Outcome<T>> = all.outcomes().keys().map(&name).collect();
    claimed.map(&name).filter(|outcome| !within.contains(outcome)).collect()
}
