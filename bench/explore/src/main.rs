//! Runs per second beside loom and shuttle: the same programs, one after the other, in one process.
//!
//! `cargo run --release -p selvedge-bench-explore` in `bench/`. Each cell is the best of several rounds, since machines are noisy; tools
//! take turns within a round. loom explores its own way and is stopped after a time.

mod programs;

use selvedge::{Explorer, Strategy};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const RUNS: usize = 10_000;

fn main() {
    println!(
        "{:20} {:>6} {:>10} {:>10} {:>6} {:>10} {:>10} {:>6} {:>10} {:>10} {:>6}",
        "program",
        "steps",
        "random/s",
        "shuttle/s",
        "ratio",
        "pct/s",
        "shuttle/s",
        "ratio",
        "exhaust/s",
        "loom/s",
        "ratio"
    );
    for index in 0..programs::with_selvedge::ALL.len() {
        let (name, ours) = programs::with_selvedge::ALL[index];
        let (_, theirs) = programs::with_shuttle::ALL[index];
        let (_, looms) = programs::with_loom::ALL[index];
        let mut best = [0.0_f64; 6];
        for _ in 0..ROUNDS {
            let rates = [
                selvedge(Strategy::random(1, RUNS as u64), ours),
                timed(RUNS, || shuttle::check_random(theirs, RUNS)),
                selvedge(Strategy::pct(3, 1, RUNS as u64), ours),
                timed(RUNS, || shuttle::check_pct(theirs, RUNS, 3)),
                selvedge(Strategy::exhaustive(), ours),
                loom(looms),
            ];
            for (best, rate) in best.iter_mut().zip(rates) {
                *best = best.max(rate);
            }
        }
        let [random, shuttle, pct, shuttle_pct, exhaustive, loom] = best;
        println!(
            "{name:20} {:>6} {random:>10.0} {shuttle:>10.0} {:>6.1} {pct:>10.0} {shuttle_pct:>10.0} {:>6.1} {exhaustive:>10.0} {loom:>10.0} {:>6.1}",
            steps(ours),
            random / shuttle,
            pct / shuttle_pct,
            exhaustive / loom
        );
    }
}

/// Runs per second of work that makes so many.
fn timed(runs: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    runs as f64 / start.elapsed().as_secs_f64()
}

fn selvedge(strategy: Strategy, program: fn()) -> f64 {
    let start = Instant::now();
    let report = Explorer::new().strategy(strategy).max_executions(RUNS as u64).explore(program);
    report.executions() as f64 / start.elapsed().as_secs_f64()
}

fn loom(program: fn()) -> f64 {
    static RUNS_MADE: AtomicUsize = AtomicUsize::new(0);
    RUNS_MADE.store(0, Ordering::Relaxed);
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(Duration::from_millis(300));
    let start = Instant::now();
    builder.check(move || {
        RUNS_MADE.fetch_add(1, Ordering::Relaxed);
        program();
    });
    RUNS_MADE.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// The visible actions of one run.
fn steps(program: fn()) -> usize {
    let report = Explorer::new().strategy(Strategy::round_robin()).explore(program);
    report.outcomes().values().map(|trace| trace.len()).max().unwrap_or(0)
}
