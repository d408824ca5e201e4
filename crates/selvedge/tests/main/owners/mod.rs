//! Programs that share owners of a value by `tracked::Arc`: the outcomes of the reduction are those of a
//! naive reference and of the exhaustive strategy, with one run for each Mazurkiewicz trace.
//!
//! The destructor of the value writes a cell, adds to an atomic, or both, so that it matters which thread
//! drops the last owner, and when. A thread may access the cell, too: the reference says by definition
//! whether there is a data race.

#![cfg(feature = "check")]

mod machine;
mod program;

use crate::common::{falsely_within_bounds, lost_within_bounds};
use crate::soundness::traces::TraceCounter;
use machine::judge;
use program::{Destructor, Op, Program, Seen};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// The outcomes, with data races without their places.
type Outcomes = BTreeSet<Outcome<Seen>>;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

fn outcomes_of(report: &Report<Seen>) -> Outcomes {
    report.outcomes().keys().map(without_places).collect()
}

fn without_places(outcome: &Outcome<Seen>) -> Outcome<Seen> {
    match outcome {
        Outcome::DataRace(_) => Outcome::DataRace(String::new()),
        other => other.clone(),
    }
}

/// Compares the outcomes of the reduction with those of the reference and, if there are at most so many
/// runs, with those of exhaustive search. `Err`: the difference.
fn compare(program: &Program, memory: MemoryModel, max_runs: u64) -> Result<(), String> {
    let explorer = || Explorer::new().spin_for_ever(true).memory(memory);
    let report = explorer().explore(|| program.run());
    let reduced = outcomes_of(&report);
    check_equal("completeness", &report.is_complete(), &true)?;
    if program.is_known_to_reference(memory) {
        check_equal("outcomes, by the reduction and by the reference", &reduced, &judge(program))?;
    }
    if max_runs == 0 {
        return Ok(());
    }
    let (counting, traces) = TraceCounter::new();
    let explorer = explorer().strategy(Strategy::custom(counting));
    let all = explorer.max_executions(max_runs).explore(|| program.run());
    if all.limit().is_some() {
        return Ok(());
    }
    check_equal("outcomes, by the reduction and by brute force", &reduced, &outcomes_of(&all))?;
    if reduced.contains(&Outcome::DataRace(String::new())) {
        // A data race ends its run, and is the same race in runs of several lengths.
        return Ok(());
    }
    let figures = report.figures().expect("figures");
    let traces = traces.lock().expect("not poisoned").len();
    let runs = report.executions();
    let runs = if figures.ambiguous_reversals == 0 { runs } else { runs.min(traces) };
    check_equal("runs, one for each trace", &runs, &traces)?;
    if figures.ambiguous_reversals == 0 {
        check_equal("runs in vain", &(figures.sleep_set_blocked, figures.infeasible_reversals), &(0, 0))?;
    }
    Ok(())
}

/// Compares the reduction within bounds with all runs within the same bounds.
fn compare_bounded(program: &Program, memory: MemoryModel, bounds: Bounds) -> Result<(), String> {
    let explore = |strategy: Strategy| {
        let explorer = Explorer::new().memory(memory).strategy(strategy.bounded(bounds));
        explorer.max_executions(1_000).explore(|| program.run())
    };
    let all = explore(Strategy::exhaustive());
    if all.limit().is_some() {
        return Ok(());
    }
    let report = explore(Strategy::systematic());
    let lost = lost_within_bounds(&report, &all, without_places);
    check_equal(&format!("lost outcomes within {bounds:?}"), &lost, &Outcomes::new())?;
    let more = falsely_within_bounds(&report, &all, without_places);
    check_equal(&format!("more outcomes within {bounds:?}"), &more, &Outcomes::new())
}

fn check_equal<T: PartialEq + Debug>(what: &str, actual: &T, expected: &T) -> Result<(), String> {
    if actual == expected { Ok(()) } else { Err(format!("{what}:\n  {actual:?}\n  {expected:?}")) }
}

/// The number of programs of each test: ten times as many if `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 10 } else { usual }
}

/// Compares so many programs; a difference is shown for the smallest program that has it.
#[track_caller]
fn compare_many(
    seed: u64,
    count: usize,
    draw: impl Fn(&mut Random) -> Program,
    compare: impl Fn(&Program) -> Result<(), String>,
) {
    let shift: u64 = std::env::var("SELVEDGE_SEED").map_or(0, |text| text.parse().expect("a number"));
    let mut random = Random(seed + 1_000 * shift);
    for number in 0..count {
        let mut program = draw(&mut random);
        if compare(&program).is_ok() {
            continue;
        }
        while let Some(smaller) = program.smaller().into_iter().find(|smaller| compare(smaller).is_err()) {
            program = smaller;
        }
        panic!("program {number}: {program:?}\n{}", compare(&program).unwrap_err());
    }
}

#[test]
fn ten_thousand_programs_that_share_owners_have_the_outcomes_of_the_reference() {
    compare_many(1, count(10_000), Program::draw, |program| compare(program, MemoryModel::Sc, 0));
}

#[test]
fn the_reduction_finds_what_exhaustive_search_finds_under_every_memory_model() {
    for (seed, memory) in (2..).zip(MODELS) {
        compare_many(seed, count(300), Program::draw, |program| compare(program, memory, 1_000));
    }
}

#[test]
fn the_reduction_finds_what_exhaustive_search_finds_when_threads_wait_for_counts() {
    for (seed, memory) in (20..).zip(MODELS) {
        compare_many(seed, count(300), Program::draw_with_yields, |program| compare(program, memory, 1_000));
    }
}

#[test]
fn several_workers_find_what_the_reference_finds() {
    compare_many(8, count(300), Program::draw, |program| {
        let report = Explorer::new().memory(MemoryModel::Sc).workers(2).explore(|| program.run());
        check_equal("outcomes, by two workers and by the reference", &outcomes_of(&report), &judge(program))
    });
}

#[test]
fn the_bounded_reduction_finds_all_outcomes_of_programs_that_share_owners() {
    for (seed, memory) in (5..).zip(MODELS) {
        for preemptions in 0..3 {
            let bounds = Bounds { preemptions: Some(preemptions), ..Bounds::NONE };
            let compare = |program: &Program| compare_bounded(program, memory, bounds);
            compare_many(seed, count(100), Program::draw, compare);
        }
    }
}

#[test]
fn every_pair_of_operations_of_two_owners_is_explored_as_the_reference_says() {
    for destructor in [Destructor::WritesCell, Destructor::Adds] {
        for one in Op::ALL {
            for other in Op::ALL {
                for body_drops_first in [false, true] {
                    let threads = vec![vec![one, Op::ReadCell], vec![other, Op::WriteCell]];
                    let starts_weak = vec![false, false];
                    let program = Program { threads, starts_weak, destructor, body_drops_first };
                    assert_eq!(compare(&program, MemoryModel::Sc, 3_000), Ok(()), "{program:?}");
                }
            }
        }
    }
}

/// The number of runs of threads that drop an owner each, and of a body that drops its own first.
#[test]
fn the_last_of_n_drops_is_each_of_them_once() {
    for threads in 1..6 {
        let program = Program {
            threads: vec![vec![]; threads],
            starts_weak: vec![false; threads],
            destructor: Destructor::Adds,
            body_drops_first: true,
        };
        let report = Explorer::new().explore(|| program.run());
        assert!(report.is_complete());
        // The body is among those that drop an owner; the order of the others does not matter.
        assert_eq!(report.executions(), threads + 1, "{threads} threads");
    }
}

#[test]
fn clones_and_drops_that_are_not_the_last_make_one_run() {
    let ops = vec![Op::Clone, Op::Clone, Op::Drop, Op::Downgrade, Op::CloneWeak, Op::DropWeak];
    for threads in 1..5 {
        let program = Program {
            threads: vec![ops.clone(); threads],
            starts_weak: vec![false; threads],
            destructor: Destructor::WritesCell,
            body_drops_first: false,
        };
        let report = Explorer::new().explore(|| program.run());
        assert!(report.is_complete());
        assert_eq!(report.executions(), 1, "{threads} threads");
    }
}
