//! The reduction finds what the exhaustive strategy finds, with one run for each trace.

#![cfg(feature = "check")]

mod machine;
mod program;
mod reference;
mod steps;
mod traces;

use program::Program;
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Strategy};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use traces::Counting;

/// No more runs than these are made by brute force, and no more traces than these has a program that is compared.
#[derive(Clone, Copy)]
struct Most {
    runs: u64,
    traces: u64,
}

/// For random programs, of which there are many.
const RANDOM: Most = Most { runs: 1_000, traces: 100 };

/// For the smallest programs, none of which is left out.
const SMALLEST: Most = Most { runs: 20_000, traces: 20_000 };

type Seen = BTreeSet<Outcome<Vec<Vec<u32>>>>;

/// All outcomes, and how many traces there are; nothing if there are too many runs.
fn by_brute_force(program: &Program, memory: MemoryModel, most: Most) -> Option<(Seen, usize)> {
    let (counting, traces) = Counting::new();
    let explorer = Explorer::new().memory(memory).strategy(Strategy::own(counting)).max_executions(most.runs);
    let report = explorer.explore(|| program.run());
    if report.limit().is_some() {
        return None;
    }
    let traces = traces.lock().expect("whole").len();
    Some((report.outcomes().keys().cloned().collect(), traces))
}

/// Compares the reduction with brute force. Says whether the program was small enough.
fn compare(program: &Program, memory: MemoryModel, most: Most, name: &str) -> bool {
    let explorer = Explorer::new().memory(memory).strategy(Strategy::systematic());
    let report = explorer.max_executions(most.traces).explore(|| program.run());
    if report.limit().is_some() {
        return false;
    }
    let Some((expected, traces)) = by_brute_force(program, memory, most) else { return false };
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
        let report = explorer.max_executions(RANDOM.runs).explore(|| program.run());
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

/// Compares the reduction, and all runs if there are few, with the reference. Says whether the program was small enough.
fn compare_with_reference(
    program: &Program,
    memory: MemoryModel,
    strategy: Strategy,
    max_runs: u64,
    name: &str,
) -> bool {
    let explorer = Explorer::new().memory(memory).strategy(strategy).max_executions(max_runs);
    let report = explorer.explore(|| program.run());
    if report.limit().is_some() {
        return false;
    }
    let Some(expected) = reference::outcomes(program, memory, 1_000_000) else { return false };
    let found: Seen = report.outcomes().keys().cloned().collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&expected).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "{name} under {memory:?}: {program:#?}\nmissing: {missing:?}\nwrong: {wrong:?}\n{report}"
    );
    true
}

#[test]
fn tmp_exhaustive() {
    for (seed, memory) in (100..).zip(MODELS) {
        compare_many(seed, count(3000), |program, name, _| {
            compare_with_reference(program, memory, Strategy::exhaustive(), 1000, name)
        });
    }
}

#[test]
fn tmp_reduction() {
    for (seed, memory) in (200..).zip(MODELS) {
        compare_many(seed, count(3000), |program, name, _| {
            compare_with_reference(program, memory, Strategy::systematic(), 1000, name)
        });
    }
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

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

#[test]
fn the_reduction_finds_all_in_every_program_of_two_threads_with_one_operation_each() {
    let ops = program::all_ops();
    for one in &ops {
        for other in &ops {
            let threads = vec![vec![one.clone()], vec![other.clone()]];
            let program = Program { threads, room: 1, joins: true };
            for memory in MODELS {
                assert!(compare(&program, memory, SMALLEST, "the smallest"), "too large: {program:?}");
            }
        }
    }
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_sc() {
    compare_many(1, count(7000), |program, name, _| compare(program, MemoryModel::Sc, RANDOM, name));
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_tso() {
    compare_many(3, count(7000), |program, name, _| compare(program, MemoryModel::Tso, RANDOM, name));
}

#[test]
fn the_reduction_finds_all_that_brute_force_finds_under_pso() {
    compare_many(4, count(6000), |program, name, _| compare(program, MemoryModel::Pso, RANDOM, name));
}

#[test]
fn the_reduction_within_bounds_finds_all_that_is_within_them() {
    for (seed, memory) in (5..).zip(MODELS) {
        compare_many(seed, count(700), |program, name, random| {
            let mut bound = |most: usize| random.below(2).unwrap_or(0).checked_sub(1).and(random.below(most));
            let bounds = Bounds { preemptions: bound(4), yields: bound(2), length: bound(30) };
            compare_bounded(program, memory, bounds, name)
        });
    }
}

#[test]
fn what_can_happen_under_a_stronger_model_can_happen_under_a_weaker_one() {
    compare_many(8, count(1000), |program, name, _| {
        let outcomes = MODELS.map(|memory| {
            let explorer = Explorer::new().memory(memory).max_executions(RANDOM.traces);
            let report = explorer.explore(|| program.run());
            report.limit().is_none().then(|| report.outcomes().keys().cloned().collect::<Seen>())
        });
        let [Some(sc), Some(tso), Some(pso)] = outcomes else { return false };
        assert!(sc.is_subset(&tso) && tso.is_subset(&pso), "{name}: {program:#?}\n{sc:?}\n{tso:?}\n{pso:?}");
        true
    });
}
