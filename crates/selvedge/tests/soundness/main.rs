//! The reduction finds what the exhaustive strategy finds, with one run for each trace.

#![cfg(feature = "check")]

mod program;
mod traces;

use program::Program;
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Strategy};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use traces::Counting;

/// No more runs than these are made by brute force.
const MOST: u64 = 1_000;

/// No more traces than these has a program that is compared.
const MOST_TRACES: u64 = 100;

type Seen = BTreeSet<Outcome<Vec<Vec<u32>>>>;

/// All outcomes, and how many traces there are; nothing if there are too many runs.
fn by_brute_force(program: &Program, memory: MemoryModel) -> Option<(Seen, usize)> {
    let (counting, traces) = Counting::new();
    let explorer = Explorer::new().memory(memory).strategy(Strategy::own(counting)).max_executions(MOST);
    let report = explorer.explore(|| program.run());
    if report.limit().is_some() {
        return None;
    }
    let traces = traces.lock().expect("whole").len();
    Some((report.outcomes().keys().cloned().collect(), traces))
}

/// Compares the reduction with brute force. Says whether the program was small enough.
fn compare(program: &Program, memory: MemoryModel, name: &str) -> bool {
    let explorer = Explorer::new().memory(memory).strategy(Strategy::systematic());
    let report = explorer.max_executions(MOST_TRACES).explore(|| program.run());
    if report.limit().is_some() {
        return false;
    }
    let Some((expected, traces)) = by_brute_force(program, memory) else { return false };
    let found: Seen = report.outcomes().keys().cloned().collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&expected).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "{name} under {memory:?}: {program:#?}\nmissing: {missing:?}\nwrong: {wrong:?}\n{report}"
    );
    assert!(report.is_complete(), "{name}: {program:#?}\n{report}");
    if program.joins {
        let figures = report.figures().expect("figures");
        assert_eq!(
            (report.executions(), figures.asleep, figures.astray),
            (traces, 0, 0),
            "{name} under {memory:?}: runs, runs in vain: {program:#?}"
        );
    }
    true
}

/// Compares the reduction within bounds with all runs within the same bounds.
fn compare_bounded(program: &Program, memory: MemoryModel, bounds: Bounds, name: &str) -> bool {
    let explore = |strategy: Strategy| {
        let explorer = Explorer::new().memory(memory).strategy(strategy.bounded(bounds));
        let report = explorer.max_executions(MOST).explore(|| program.run());
        (report.limit().is_none(), report.outcomes().keys().cloned().collect::<Seen>(), report)
    };
    let (is_small, expected, all) = explore(Strategy::exhaustive());
    if !is_small {
        return false;
    }
    let (_, found, report) = explore(Strategy::systematic());
    assert_eq!(found, expected, "{name} under {memory:?} within {bounds:?}: {program:#?}\n{report}");
    assert!(report.executions() <= all.executions(), "{name}: reduced {report}, not reduced {all}");
    true
}

/// Compares so many random programs.
fn compare_many(seed: u64, count: usize, compare: impl Fn(&Program, &str, &mut Random) -> bool) {
    let mut random = Random(seed);
    let (mut compared, mut drawn) = (0, 0);
    while compared < count {
        let program = Program::draw(&mut random);
        drawn += 1;
        compared += usize::from(compare(&program, &format!("seed {seed}, program {drawn}"), &mut random));
    }
    assert!(compared * 4 > drawn, "most programs are small enough: {compared} of {drawn}");
}

/// How many programs of each test: many more where `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 50 } else { usual }
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_sc() {
    compare_many(1, count(700), |program, name, _| compare(program, MemoryModel::Sc, name));
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_tso() {
    compare_many(3, count(700), |program, name, _| compare(program, MemoryModel::Tso, name));
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_pso() {
    compare_many(4, count(700), |program, name, _| compare(program, MemoryModel::Pso, name));
}

#[test]
fn the_reduction_within_bounds_finds_all_that_is_within_them_under_sc() {
    compare_many(2, count(700), |program, name, random| {
        let mut bound = |most: usize| random.below(2).unwrap_or(0).checked_sub(1).and(random.below(most));
        let bounds = Bounds { preemptions: bound(4), yields: bound(2), length: bound(30) };
        compare_bounded(program, MemoryModel::Sc, bounds, name)
    });
}
