//! The reduction finds what the exhaustive strategy finds, with one run for each trace.

#![cfg(feature = "check")]

mod program;
mod traces;

use program::Program;
use selvedge::{Explorer, MemoryModel, Outcome, Strategy};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use traces::Counting;

/// No more runs than these are made by brute force.
const MOST: u64 = 5_000;

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
    let Some((expected, traces)) = by_brute_force(program, memory) else { return false };
    let report = Explorer::new().memory(memory).strategy(Strategy::systematic()).explore(|| program.run());
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

/// Compares so many random programs.
fn compare_many(seed: u64, count: usize, memory: MemoryModel) {
    let mut random = Random(seed);
    let (mut compared, mut drawn) = (0, 0);
    while compared < count {
        let program = Program::draw(&mut random);
        drawn += 1;
        compared += usize::from(compare(&program, memory, &format!("seed {seed}, program {drawn}")));
    }
    println!("{compared} programs of {drawn} compared under {memory:?}");
}

/// How many programs of each test: many more where `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 50 } else { usual }
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_sc() {
    compare_many(1, count(2000), MemoryModel::Sc);
}
