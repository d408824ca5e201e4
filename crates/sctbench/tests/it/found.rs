//! A test for each program: an exploration finds the bug, and none in the program without it.

#![allow(non_snake_case)] // Tests have the names of SCTBench.

use super::{all, explorer, failure};
use sctbench::{Failure, Program};
use selvedge::{Bounds, Strategy};

/// How the bug is found.
enum Search {
    /// All runs with at most two pre-emptions, the fewest first; so many of them suffice.
    Systematic(u64),
    /// PCT for depth 3 with this seed and SCTBench's number of steps; so many runs suffice.
    Pct(u64, u64),
    /// The mixture of schedulers with this seed; so many runs suffice.
    Mixed(u64, u64),
    /// A random walk with this seed; so many runs suffice.
    Random(u64, u64),
}

/// How the program without the bug is explored.
#[derive(Clone, Copy, PartialEq)]
enum Without {
    /// Completely.
    Complete,
    /// By 10,000 random runs: a complete exploration takes too long.
    Sampled,
}

const SAMPLES: u64 = 10_000;

/// More runs than any complete exploration here makes.
const COMPLETE_RUNS: u64 = 20_000;

const SYSTEMATIC: Search = Search::Systematic(6_000);

fn check(name: &str, search: &Search, without: Without) {
    let program = all().find(|program| program.name == name).expect("a program of this name");
    check_found(&program, search);
    match without {
        Without::Complete => {
            let report =
                explorer(Strategy::systematic()).max_executions(COMPLETE_RUNS).explore(program.correct);
            assert!(report.outcomes().keys().all(|outcome| outcome.is_returned()), "{name}: {report}");
            assert!(report.is_complete(), "{name}: {report}");
        }
        Without::Sampled => {
            let report = explorer(Strategy::random(0, SAMPLES)).explore(program.correct);
            assert!(report.outcomes().keys().all(|outcome| outcome.is_returned()), "{name}: {report}");
            assert_eq!(report.executions() as u64, SAMPLES);
        }
    }
}

fn check_found(program: &Program, search: &Search) {
    let (strategy, runs) = match search {
        Search::Systematic(runs) => {
            let bounds = Bounds { preemptions: Some(2), ..Bounds::NONE };
            (Strategy::systematic().deepening(bounds), *runs)
        }
        Search::Pct(seed, runs) => (Strategy::pct(3, *seed, *runs).expected_steps(program.steps), *runs),
        Search::Mixed(seed, runs) => (Strategy::mixed(*seed, *runs), *runs),
        Search::Random(seed, runs) => (Strategy::random(*seed, *runs), *runs),
    };
    let report = explorer(strategy).max_executions(runs).stop_at_failure(true).explore(program.buggy);
    let found: Vec<Failure> = report.outcomes().keys().filter_map(failure).collect();
    // The first failure of a damaged data structure is a crash or a failed assertion.
    let is_panic = |failure: Failure| failure != Failure::Deadlock;
    assert!(
        found.len() == 1 && is_panic(found[0]) == is_panic(program.failure),
        "{}: {found:?}, expected {}: {report}",
        program.name,
        program.failure,
    );
}

macro_rules! programs {
    ($($name:ident: $search:expr, $without:ident;)*) => {
        $(
            #[test]
            #[cfg_attr(debug_assertions, ignore = "long: cargo test --release -p sctbench")]
            fn $name() {
                check(stringify!($name), &$search, Without::$without);
            }
        )*

        #[test]
        fn every_program_has_a_test() {
            let tested = [$(stringify!($name)),*];
            assert!(all().map(|program| program.name).eq(tested));
        }
    };
}

programs! {
    account: SYSTEMATIC, Complete;
    arithmetic_prog: SYSTEMATIC, Complete;
    bluetooth_driver: SYSTEMATIC, Complete;
    carter01: SYSTEMATIC, Complete;
    circular_buffer: SYSTEMATIC, Sampled;
    deadlock01: SYSTEMATIC, Complete;
    din_phil2: SYSTEMATIC, Complete;
    din_phil3: SYSTEMATIC, Complete;
    din_phil4: SYSTEMATIC, Sampled;
    din_phil5: SYSTEMATIC, Complete;
    din_phil6: SYSTEMATIC, Complete;
    din_phil7: SYSTEMATIC, Complete;
    fsbench: SYSTEMATIC, Sampled;
    lazy01: SYSTEMATIC, Complete;
    phase01: SYSTEMATIC, Complete;
    queue: SYSTEMATIC, Sampled;
    reorder_3: SYSTEMATIC, Complete;
    reorder_4: SYSTEMATIC, Complete;
    reorder_5: SYSTEMATIC, Complete;
    reorder_10: Search::Pct(0, 10_000), Sampled;
    reorder_20: Search::Pct(0, 10_000), Sampled;
    stack: SYSTEMATIC, Sampled;
    sync01: SYSTEMATIC, Complete;
    sync02: SYSTEMATIC, Complete;
    token_ring: SYSTEMATIC, Complete;
    twostage: SYSTEMATIC, Complete;
    twostage_100: Search::Mixed(0, 10_000), Sampled;
    wronglock: SYSTEMATIC, Sampled;
    wronglock_3: SYSTEMATIC, Complete;
    WSQ: SYSTEMATIC, Sampled;
    SWSQ: SYSTEMATIC, Sampled;
    IWSQ: SYSTEMATIC, Sampled;
    IWSQWS: SYSTEMATIC, Sampled;
    aget: SYSTEMATIC, Complete;
    pbzip2: SYSTEMATIC, Sampled;
    stringbuffer: SYSTEMATIC, Complete;
    ctrace: SYSTEMATIC, Complete;
    qsort_mt: SYSTEMATIC, Complete;
    ferret: Search::Pct(0, 10_000), Sampled;
    streamcluster: SYSTEMATIC, Sampled;
    streamcluster2: SYSTEMATIC, Sampled;
    streamcluster3: SYSTEMATIC, Sampled;
    bug1: SYSTEMATIC, Complete;
    bug2: SYSTEMATIC, Complete;
    bug6: SYSTEMATIC, Complete;
    safestack: Search::Random(0, 400_000), Sampled;
    barnes: SYSTEMATIC, Sampled;
    fft: SYSTEMATIC, Complete;
    lu: SYSTEMATIC, Sampled;
    auto_update: SYSTEMATIC, Complete;
    monad_par: SYSTEMATIC, Complete;
    crossbeam_channel: SYSTEMATIC, Complete;
    tokio_oneshot: SYSTEMATIC, Complete;
    shuttle_bounded_buffer: SYSTEMATIC, Sampled;
    spin_once: SYSTEMATIC, Complete;
    loom_buggy_inc: SYSTEMATIC, Complete;
    dashmap_refs: SYSTEMATIC, Complete;
    arc_get_mut: SYSTEMATIC, Complete;
    crossbeam_deque: SYSTEMATIC, Complete;
    treiber_aba: SYSTEMATIC, Complete;
    threadpool_join: SYSTEMATIC, Complete;
    std_unpark: SYSTEMATIC, Complete;
    futures_waker: SYSTEMATIC, Complete;
}
