//! Partial-order reduction on tiny programs, against the exhaustive exploration. The invariants of the
//! schedulers are checked after every step.

use crate::toy::{Toy, runs};
use selvedge_explore::event::Footprint;
use selvedge_explore::schedulers::{Bounds, Dpor, Exhaustive};
use selvedge_explore::{Action, Random};
use selvedge_testkit::validated::Validated;
use std::collections::BTreeSet;

/// The programs of a random draw are at most this long, so that all their interleavings are few.
const MAX_STEPS: usize = 7;

/// A run: threads and their alternatives.
pub(crate) type Run = Vec<(u32, u32)>;

/// An executed event: its thread, its number in the thread, and its alternative.
pub(crate) type Executed = (u32, usize, u32);

pub(crate) fn action(reads: u64, writes: u64, alternatives: u32) -> (Action, u32) {
    let action = Action::step(Footprint { reads, writes });
    (Action { has_alternatives: alternatives > 1, ..action }, alternatives)
}

/// The Mazurkiewicz trace of a run, by definition: its events, and the order of each dependent pair.
pub(crate) fn trace_of(
    run: &Run,
    threads: &[Vec<(Action, u32)>],
) -> (BTreeSet<Executed>, BTreeSet<(Executed, Executed)>) {
    let mut executed: Vec<(Executed, Footprint)> = Vec::new();
    for (thread, alternative) in run {
        let number = executed.iter().filter(|((other, ..), _)| other == thread).count();
        let footprint = threads[*thread as usize][number].0.footprint;
        executed.push(((*thread, number, *alternative), footprint));
    }
    let mut order = BTreeSet::new();
    for (index, (second, b)) in executed.iter().enumerate() {
        for (first, a) in &executed[..index] {
            let is_conflict = a.writes & (b.reads | b.writes) != 0 || a.reads & b.writes != 0;
            if first.0 == second.0 || is_conflict {
                order.insert((*first, *second));
            }
        }
    }
    (executed.into_iter().map(|(event, _)| event).collect(), order)
}

/// Every trace is explored, by exactly one run of the optimal reduction, and all invariants hold. Returns
/// the number of traces.
#[track_caller]
fn check(threads: &[Vec<(Action, u32)>]) -> usize {
    let mut toy = Toy::new(threads.to_vec());
    let interleavings = runs(&mut toy, &mut Validated(Exhaustive::new()));
    let traces: BTreeSet<_> = interleavings.iter().map(|run| trace_of(run, threads)).collect();
    let mut validated = Validated(Dpor::new());
    let explored = runs(&mut toy, &mut validated);
    let reduced: BTreeSet<_> = explored.iter().map(|run| trace_of(run, threads)).collect();
    assert_eq!(reduced, traces, "{threads:?}");
    assert_eq!(explored.len(), traces.len(), "a trace is explored twice: {threads:?}");
    let bounded = runs(&mut toy, &mut Validated(Dpor::bounded(Bounds::NONE)));
    let bounded: BTreeSet<_> = bounded.iter().map(|run| trace_of(run, threads)).collect();
    assert_eq!(bounded, traces, "{threads:?}");
    traces.len()
}

#[test]
fn independent_threads_have_one_trace() {
    assert_eq!(check(&[vec![action(0, 1, 1); 3], vec![action(0, 2, 1); 3]]), 1);
}

#[test]
fn writers_of_one_variable_have_as_many_traces_as_interleavings() {
    assert_eq!(check(&[vec![action(0, 1, 1); 2], vec![action(0, 1, 1); 2]]), 6);
    assert_eq!(check(&[vec![action(0, 1, 1)], vec![action(0, 1, 1)], vec![action(0, 1, 1)]]), 6);
}

#[test]
fn readers_of_one_writer_have_as_many_traces_as_the_writer_has_positions() {
    let reader = vec![action(1, 0, 1)];
    assert_eq!(check(&[vec![action(0, 1, 1)], reader.clone(), reader.clone(), reader]), 8);
}

#[test]
fn every_trace_of_a_random_program_is_explored_once() {
    let mut random = Random(3);
    let mut traces = 0;
    for _ in 0..1_000 {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let mut left = MAX_STEPS;
        let mut threads = Vec::new();
        for _ in 0..2 + below(2) {
            let length = below(4).min(left);
            left -= length;
            let mut draw = || {
                let (reads, writes) = (1 << below(3), if below(2) == 0 { 1 << below(3) } else { 0 });
                action(reads, writes, 1 + below(8) as u32 / 7)
            };
            threads.push((0..length).map(|_| draw()).collect());
        }
        traces += check(&threads);
    }
    assert!(traces > 5_000, "{traces} traces are too few to show anything");
}
