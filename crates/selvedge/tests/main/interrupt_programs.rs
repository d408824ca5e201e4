//! The reduction finds what the exhaustive strategy finds in programs with exceptions.

#![cfg(feature = "check")]

use crate::rich;

use rich::{Flavour, Program, Values};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy};
use selvedge_explore::Random;
use std::collections::BTreeSet;

/// No more runs than these are made by brute force.
const MOST_RUNS: u64 = 2_000;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// Few operations in each thread where there are many threads.
const SMALL: [usize; 2] = [3, 2];

fn seen(report: &Report<Values>) -> BTreeSet<Outcome<Values>> {
    report.outcomes().keys().cloned().collect()
}

/// Was the program small enough to be compared? If there was a difference, what it is.
type Compared = Result<bool, String>;

/// Compares the reduction with brute force, both within these bounds.
fn compare(program: &Program, memory: MemoryModel, bounds: Bounds) -> Compared {
    let explore = |strategy: Strategy, most: u64| {
        let strategy = if bounds == Bounds::NONE { strategy } else { strategy.bounded(bounds) };
        let explorer =
            Explorer::new().spin_for_ever(true).memory(memory).strategy(strategy).max_executions(most);
        explorer.explore(|| program.run(None))
    };
    let all = explore(Strategy::exhaustive(), MOST_RUNS);
    if all.limit().is_some() {
        return Ok(false);
    }
    // Runs that only look ahead count, too.
    let report = explore(Strategy::systematic(), 100 * MOST_RUNS);
    if seen(&report) != seen(&all) {
        let missing: Vec<_> = seen(&all).difference(&seen(&report)).cloned().collect();
        let more: Vec<_> = seen(&report).difference(&seen(&all)).cloned().collect();
        let runs = (report.executions(), all.executions());
        return Err(format!(
            "under {memory:?}, not found {missing:?}, found besides {more:?}; runs {runs:?}"
        ));
    }
    if bounds == Bounds::NONE && !report.is_complete() {
        return Err(format!("incomplete: {report}"));
    }
    Ok(true)
}

/// Drops operations while there is a difference. Returns the program that is left, and the difference.
fn smallest(mut program: Program, difference: impl Fn(&Program) -> Option<String>) -> String {
    while let Some(smaller) = program.smaller().into_iter().find(|smaller| difference(smaller).is_some()) {
        program = smaller;
    }
    format!("{program:?}\n{}", difference(&program).unwrap_or_default())
}

/// Compares so many programs.
fn compare_many(seed: u64, count: usize, flavour: Flavour, compare: impl Fn(&Program, u64) -> Compared) {
    let mut random = Random(seed);
    let (mut compared, mut drawn) = (0, 0);
    while compared < count {
        let program = Program::draw(&mut random, flavour, SMALL);
        let word = random.word();
        drawn += 1;
        match compare(&program, word) {
            Ok(is_compared) => compared += usize::from(is_compared),
            Err(_) => panic!(
                "seed {seed}, program {drawn}: {}",
                smallest(program, |program| compare(program, word).err())
            ),
        }
    }
    assert!(compared * 4 > drawn, "many programs are small enough: {compared} of {drawn}");
}

/// How many programs of each test: many more where `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 20 } else { usual }
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_of_exceptions() {
    for (seed, memory) in (1..).zip(MODELS) {
        compare_many(seed, count(600), Flavour::Exceptions, |program, _| {
            compare(program, memory, Bounds::NONE)
        });
    }
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_of_exceptions_among_all_else() {
    for (seed, memory) in (4..).zip(MODELS) {
        compare_many(seed, count(400), Flavour::Mixed, |program, _| compare(program, memory, Bounds::NONE));
    }
}

#[test]
fn the_reduction_within_bounds_finds_all_exceptions_that_are_within_them() {
    for (seed, memory) in (7..).zip(MODELS) {
        compare_many(seed, count(200), Flavour::Mixed, |program, word| {
            let bounds = Bounds { preemptions: Some((word % 3) as usize), ..Bounds::NONE };
            compare(program, memory, bounds)
        });
    }
}
