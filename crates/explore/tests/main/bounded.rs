//! The reduction within a bound on pre-emptions, on tiny programs: every trace that has an interleaving
//! within the bound is explored, and no trace twice.

use crate::reduction::{Run, action, trace_of};
use crate::toy::{Toy, runs};
use selvedge_explore::schedulers::{Bounded, Bounds, Dpor, Exhaustive};
use selvedge_explore::{Action, Random};
use selvedge_testkit::validated::Validated;
use std::collections::{BTreeMap, BTreeSet};

type Threads = Vec<Vec<(Action, u32)>>;

/// The number of pre-emptions of a run: nothing blocks, so each switch from a thread with steps left is one.
fn preemptions(run: &Run, threads: &Threads) -> usize {
    let mut left: Vec<usize> = threads.iter().map(Vec::len).collect();
    let (mut last, mut count) = (None, 0);
    for thread in run.iter().map(|(thread, _)| *thread as usize) {
        count += usize::from(last.is_some_and(|last: usize| last != thread && left[last] > 0));
        left[thread] -= 1;
        last = Some(thread);
    }
    count
}

fn draw(random: &mut Random, steps: usize, most_threads: usize) -> Threads {
    let mut below = |bound: usize| random.below(bound).unwrap_or(0);
    let count = 2 + below(most_threads - 1);
    let mut threads = vec![Vec::new(); count];
    for _ in 0..steps {
        let writes = if below(3) > 0 { 1 << below(3) } else { 0 };
        let reads = if below(2) > 0 { 1 << below(3) } else { 0 };
        threads[below(count)].push(action(reads, writes, 1));
    }
    threads
}

/// The numbers of traces: all, within bounds of 0 to 2 pre-emptions, and explored within these bounds.
#[derive(Debug, Default)]
struct Tally {
    all: usize,
    within: [usize; 3],
    explored: [usize; 3],
}

fn check(threads: &Threads, tally: &mut Tally) {
    let mut toy = Toy::new(threads.clone());
    let mut traces = BTreeMap::new();
    for run in runs(&mut toy, &mut Exhaustive::new()) {
        let count = preemptions(&run, threads);
        let least = traces.entry(trace_of(&run, threads)).or_insert(count);
        *least = count.min(*least);
    }
    tally.all += traces.len();
    for most in 0..3 {
        let bounds = Bounds { preemptions: Some(most), ..Bounds::NONE };
        let explored = runs(&mut toy, &mut Validated(Dpor::bounded(bounds)));
        let found: BTreeSet<_> = explored.iter().map(|run| trace_of(run, threads)).collect();
        assert_eq!(found.len(), explored.len(), "a trace is explored twice: {threads:?}");
        let expected: BTreeSet<_> =
            traces.iter().filter(|(_, least)| **least <= most).map(|(trace, _)| trace.clone()).collect();
        assert!(expected.is_subset(&found), "a trace with {most} pre-emptions is lost: {threads:?}");
        tally.within[most] += expected.len();
        tally.explored[most] += explored.len();
        let all = runs(&mut toy, &mut Validated(Bounded::new(bounds)));
        assert!(all.iter().all(|run| preemptions(run, threads) <= most), "{threads:?}");
        let all: BTreeSet<_> = all.iter().map(|run| trace_of(run, threads)).collect();
        assert_eq!(all, expected, "{threads:?}");
    }
}

#[test]
fn every_trace_within_a_bound_on_preemptions_is_explored_once() {
    let mut tally = Tally::default();
    for (seed, count, steps, most_threads) in [(1, 200, 8, 2), (2, 200, 8, 3), (3, 100, 8, 4), (4, 60, 7, 5)]
    {
        let mut random = Random(seed);
        for _ in 0..count {
            check(&draw(&mut random, steps, most_threads), &mut tally);
        }
    }
    let Tally { all, within, explored } = tally;
    assert_eq!((all, within, explored), (8910, [2142, 5451, 7851], [7241, 8554, 8865]));
}

#[test]
fn a_bound_on_preemptions_leaves_out_most_orders_of_two_long_threads() {
    let threads = vec![vec![action(0, 1, 1); 6]; 2];
    let mut tally = Tally::default();
    check(&threads, &mut tally);
    assert_eq!((tally.all, tally.within, tally.explored), (924, [2, 12, 62], [12, 62, 162]));
}
