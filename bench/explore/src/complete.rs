//! Complete explorations beside loom: the number of runs and the time of each tool.
//!
//! selvedge explores by optimal partial-order reduction, under sequential consistency (`Sc`) and under the
//! default model (`Tso`). loom explores by its own reduction under the memory model of C11, which allows
//! more outcomes, so the numbers of runs are not comparable; both are shown. Whole explorations are repeated
//! for a while, and the best of several rounds counts. An exploration that takes loom too long is given up.

use crate::clock;
use selvedge::{Explorer, MemoryModel};
use selvedge_bench_explore::programs::{with_loom, with_selvedge};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;

/// A round starts new explorations for this time.
const ROUND: Duration = Duration::from_millis(200);

/// loom gives up an exploration after this time.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn measure_all() {
    println!(
        "{:19} | {:>6} {:>9} {:>10} | {:>6} {:>9} | {:>7} {:>8} {:>10} | {:>7} {:>8}",
        "program", "runs", "runs/s", "time", "Tso", "runs/s", "loom's", "runs/s", "time", "rate", "time"
    );
    for ((name, ours), (_, looms)) in with_selvedge::ALL.into_iter().zip(with_loom::ALL) {
        let sc = best(|| explore(MemoryModel::Sc, ours), ROUNDS);
        let tso = best(|| explore(MemoryModel::Tso, ours), ROUNDS);
        let loom = best(|| explore_with_loom(looms), 1);
        println!(
            "{name:19} | {:>6} {:>9.0} {:>10} | {:>6} {:>9.0} | {:>7} {:>8.0} {:>10} | {:>6.1}x {:>7.1}x",
            sc.runs,
            sc.rate(),
            time(sc.each),
            tso.runs,
            tso.rate(),
            format!("{}{}", loom.runs, if GIVEN_UP.load(Ordering::Relaxed) { "+" } else { "" }),
            loom.rate(),
            time(loom.each),
            sc.rate() / loom.rate(),
            loom.each.as_secs_f64() / sc.each.as_secs_f64()
        );
    }
}

/// A whole exploration: the number of its runs, and its time.
#[derive(Clone, Copy)]
struct Whole {
    runs: usize,
    each: Duration,
}

impl Whole {
    fn rate(self) -> f64 {
        self.runs as f64 / self.each.as_secs_f64()
    }
}

fn time(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn best(explore: impl Fn() -> usize, rounds: usize) -> Whole {
    let round = || {
        let (start, mut times, mut runs) = (clock::now(), 0, 0);
        while times == 0 || clock::since(start) < ROUND {
            runs = explore();
            times += 1;
        }
        Whole { runs, each: clock::since(start) / times }
    };
    (0..rounds).map(|_| round()).min_by_key(|whole| whole.each).expect("a round")
}

fn explore(memory: MemoryModel, program: fn()) -> usize {
    let report = Explorer::new().memory(memory).explore(program);
    assert!(report.is_complete(), "{report}");
    report.executions()
}

/// Did loom give up its last exploration?
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

fn explore_with_loom(program: fn()) -> usize {
    static RUNS_MADE: AtomicUsize = AtomicUsize::new(0);
    let start = Instant::now();
    RUNS_MADE.store(0, Ordering::Relaxed);
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(PATIENCE);
    builder.check(move || {
        RUNS_MADE.fetch_add(1, Ordering::Relaxed);
        program();
    });
    // By wall-clock time, as in loom.
    GIVEN_UP.store(start.elapsed() >= PATIENCE, Ordering::Relaxed);
    RUNS_MADE.load(Ordering::Relaxed)
}
