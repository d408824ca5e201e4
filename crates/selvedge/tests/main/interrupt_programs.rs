//! The reduction finds the same outcomes as the exhaustive strategy in programs with exceptions.

#![cfg(feature = "check")]

use crate::common::{falsely_within_bounds, lost_within_bounds};
use crate::rich;

use rich::{Flavour, Program};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Strategy};
use selvedge_explore::Random;

/// The limit of runs by brute force.
const MAX_RUNS: u64 = 2_000;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// Programs with more threads have fewer operations in each thread.
const SMALL: [usize; 2] = [3, 2];

/// Was the program small enough to be compared? The error describes a difference.
type Comparison = Result<bool, String>;

/// Compares the reduction with brute force, both within these bounds.
fn compare(program: &Program, memory: MemoryModel, bounds: Bounds) -> Comparison {
    let explore = |strategy: Strategy, max_runs: u64| {
        let strategy = if bounds == Bounds::NONE { strategy } else { strategy.bounded(bounds) };
        let explorer =
            Explorer::new().spin_for_ever(true).memory(memory).strategy(strategy).max_executions(max_runs);
        explorer.explore(|| program.run(None))
    };
    let all = explore(Strategy::exhaustive(), MAX_RUNS);
    if all.limit().is_some() {
        return Ok(false);
    }
    // The limit counts look-ahead runs too.
    let report = explore(Strategy::systematic(), 100 * MAX_RUNS);
    let missing = lost_within_bounds(&report, &all, Outcome::clone);
    let more = falsely_within_bounds(&report, &all, Outcome::clone);
    if !missing.is_empty() || !more.is_empty() {
        let runs = (report.executions(), all.executions());
        return Err(format!(
            "under {memory:?}, missing outcomes {missing:?}, additional outcomes {more:?}; runs {runs:?}"
        ));
    }
    if bounds == Bounds::NONE && !report.is_complete() {
        return Err(format!("incomplete: {report}"));
    }
    Ok(true)
}

/// Removes operations while a difference remains. Returns the smallest program and its difference as text.
fn minimise(mut program: Program, difference: impl Fn(&Program) -> Option<String>) -> String {
    while let Some(smaller) = program.smaller().into_iter().find(|smaller| difference(smaller).is_some()) {
        program = smaller;
    }
    format!("{program:?}\n{}", difference(&program).unwrap_or_default())
}

/// Compares `count` programs that are small enough.
fn compare_many(seed: u64, count: usize, flavour: Flavour, compare: impl Fn(&Program, u64) -> Comparison) {
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
                minimise(program, |program| compare(program, word).err())
            ),
        }
    }
    assert!(compared * 4 > drawn, "many programs are small enough: {compared} of {drawn}");
}

/// The number of programs of each test: many more if `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 20 } else { usual }
}

#[test]
fn the_reduction_finds_every_outcome_of_exceptions() {
    for (seed, memory) in (1..).zip(MODELS) {
        compare_many(seed, count(600), Flavour::Exceptions, |program, _| {
            compare(program, memory, Bounds::NONE)
        });
    }
}

#[test]
fn the_reduction_finds_every_outcome_of_exceptions_among_other_operations() {
    for (seed, memory) in (4..).zip(MODELS) {
        compare_many(seed, count(400), Flavour::Mixed, |program, _| compare(program, memory, Bounds::NONE));
    }
}

#[test]
fn the_reduction_within_bounds_finds_every_outcome_of_exceptions_within_them() {
    for (seed, memory) in (7..).zip(MODELS) {
        compare_many(seed, count(200), Flavour::Mixed, |program, word| {
            let bounds = Bounds { preemptions: Some((word % 3) as usize), ..Bounds::NONE };
            compare(program, memory, bounds)
        });
    }
}
