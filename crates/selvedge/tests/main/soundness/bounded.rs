//! Bounds never make more runs, and the reduction finds every outcome that exhaustive search has within
//! them. Every other outcome is told as one beyond the bounds.

use super::program::{Op, Program, SMALL};
use super::{
    Compared, MODELS, Outcomes, TIMES, check_equal, compare_generated, compare_many, count, explorer,
};
use crate::common::{falsely_within_bounds, lost_within_bounds};
use selvedge::{Bounds, MemoryModel, Outcome, Strategy};
use selvedge_explore::Random;
use std::sync::atomic::Ordering;

/// Compares the reduction within bounds with all runs within the same bounds, and with the reduction
/// without bounds.
pub(crate) fn compare_bounded(program: &Program, memory: MemoryModel, bounds: Bounds) -> Compared {
    let explore = |strategy: Strategy| {
        let explorer = explorer().memory(memory).strategy(strategy).simplify(false);
        explorer.deadlines(program.needs_deadlines()).max_executions(1_000).explore(|| program.run())
    };
    let all = explore(Strategy::exhaustive().bounded(bounds));
    let unbounded = explore(Strategy::systematic());
    if all.limit().is_some() || unbounded.limit().is_some() {
        return Ok(false);
    }
    let report = explore(Strategy::systematic().bounded(bounds));
    let lost = lost_within_bounds(&report, &all, Outcome::clone);
    check_equal(&format!("lost outcomes within {bounds:?}"), &lost, &Outcomes::new())?;
    check_equal("completeness within bounds", &report.is_complete_within_bounds(), &true)?;
    if bounds.yields.is_none() {
        let more = falsely_within_bounds(&report, &all, Outcome::clone);
        check_equal(&format!("more outcomes within {bounds:?}"), &more, &Outcomes::new())?;
    }
    // If it is ambiguous whether one run leads to another, some traces are run twice.
    if unbounded.figures().expect("figures").ambiguous_reversals == 0 {
        let runs = report.executions() + report.given_up();
        let most = unbounded.executions() + unbounded.given_up();
        check_equal(&format!("runs within {bounds:?}, and at most without"), &runs, &runs.min(most))?;
    }
    Ok(true)
}

#[test]
fn the_bounded_reduction_finds_all_outcomes_within_the_bounds() {
    for (number, memory) in (5..).zip(MODELS) {
        compare_many(number, count(700), SMALL, |program, random| {
            compare_bounded(program, memory, draw_bounds(random))
        });
    }
}

#[test]
fn a_bound_on_preemptions_or_length_makes_no_more_runs_and_finds_all_outcomes_within() {
    for (number, memory) in (70..).zip(MODELS) {
        compare_many(number, count(700), SMALL, |program, random| {
            let bounds = match random.below(2) {
                Some(0) => Bounds { preemptions: random.below(3), ..Bounds::NONE },
                _ => Bounds { length: random.below(40), ..Bounds::NONE },
            };
            compare_bounded(program, memory, bounds)
        });
    }
}

fn draw_bounds(random: &mut Random) -> Bounds {
    let mut bound = |most: usize| random.below(2).unwrap_or(0).checked_sub(1).and(random.below(most));
    Bounds { preemptions: bound(4), yields: bound(2), length: bound(30) }
}

#[test]
fn the_bounded_reduction_lets_the_body_return_before_the_length_bound() {
    let store = Op::Store(0, 1, Ordering::Release);
    let threads = vec![vec![store, Op::Unpark(1), Op::Choose, Op::Yield]];
    let program = Program { threads, room: 2, joins: false, uses_all_first: false };
    for (memory, length) in MODELS.into_iter().flat_map(|memory| (0..12).map(move |length| (memory, length)))
    {
        let bounds = Bounds { length: Some(length), ..Bounds::NONE };
        assert_eq!(compare_bounded(&program, memory, bounds), Ok(true), "under {memory:?}");
    }
}

#[test]
fn a_bound_on_length_that_is_shorter_than_every_run_makes_no_more_runs() {
    let initialise = |value| Op::Initialise(0, value);
    let threads = vec![
        vec![initialise(2), initialise(1)],
        vec![initialise(2), initialise(2)],
        vec![Op::Effect],
        vec![initialise(2)],
    ];
    let program = Program { threads, room: 0, joins: true, uses_all_first: false };
    for (memory, length) in MODELS.into_iter().flat_map(|memory| (0..5).map(move |length| (memory, length))) {
        let bounds = Bounds { length: Some(length), ..Bounds::NONE };
        assert_eq!(compare_bounded(&program, memory, bounds), Ok(true), "under {memory:?}");
    }
}

#[test]
fn switching_from_a_thread_that_waits_for_its_own_stores_is_no_preemption() {
    let threads = vec![
        vec![Op::LoadRef(2)],
        vec![Op::ModifyRef(2), Op::StoreRef(0, 2), Op::ExchangeRef(2, 1)],
        vec![Op::LoadRef(0), Op::StoreRef(2, 1)],
    ];
    let program = Program { threads, room: 2, joins: true, uses_all_first: false };
    for (memory, most) in MODELS.into_iter().flat_map(|memory| (0..3).map(move |most| (memory, most))) {
        let bounds = Bounds { preemptions: Some(most), ..Bounds::NONE };
        assert!(compare_bounded(&program, memory, bounds).is_ok(), "under {memory:?}");
    }
}

#[test]
fn the_bounded_reduction_finds_all_outcomes_of_programs_with_timed_waits() {
    for (number, memory) in (50..).zip(MODELS) {
        let draw = |random: &mut Random| Program::draw_of_two_threads(random, &TIMES);
        compare_generated(number, count(200), draw, |program, random| {
            compare_bounded(program, memory, draw_bounds(random))
        });
    }
}
