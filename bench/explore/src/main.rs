//! Runs per second beside loom and shuttle: the same programs, one after the other, in one process.
//!
//! `cargo run --release -p selvedge-bench-explore [PART OF A NAME | complete | large]` in `bench/`;
//! `complete` and `large` measure complete explorations, see [`complete`] and [`large`]. Each cell is the
//! best of several rounds, because machines are noisy; tools take turns within a round. Time is the CPU time
//! of the process: see [`clock`].
//!
//! Random and PCT: a round is one exploration of a fixed number of runs by each tool. Systematic: loom
//! explores with a reduction, selvedge without one (`exhaustive`). So the speed of runs is compared, not
//! their number; `runs` is the number of runs of a complete exploration by each tool, or its limit.
//! `exhaust/s` is one exploration of as many runs as the random ones, restarted whenever it is complete.
//! `whole/s` repeats explorations, each from the start to the end or the limit, as loom does for `loom/s`:
//! all runs over all time, including the start of each exploration.

mod again;
mod clock;
mod complete;
mod large;

use selvedge::{Explorer, Strategy};
use selvedge_bench_explore::programs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The number of measurements of each cell.
const ROUNDS: usize = 5;

/// The number of runs of a random exploration, and the limit of a systematic one by selvedge.
const RUNS: usize = 10_000;

/// A round of systematic explorations starts new ones for this time; loom ends an exploration after this
/// time.
const SYSTEMATIC: Duration = Duration::from_millis(300);

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    match wanted.as_str() {
        "complete" => return complete::measure_all(),
        "large" => return large::measure_all(),
        _ => {}
    }
    println!(
        "{:19} {:>5} | {:>9} {:>9} {:>5} | {:>9} {:>9} {:>5} | {:>6} {:>6} {:>8} | {:>9} {:>5} | {:>9} {:>5}",
        "program",
        "steps",
        "random/s",
        "shuttle/s",
        "ratio",
        "pct/s",
        "shuttle/s",
        "ratio",
        "runs",
        "loom's",
        "loom/s",
        "exhaust/s",
        "ratio",
        "whole/s",
        "ratio"
    );
    for index in 0..programs::with_selvedge::ALL.len() {
        if programs::with_selvedge::ALL[index].0.contains(&wanted) {
            measure(index);
        }
    }
}

/// Measures one program and prints its line.
fn measure(index: usize) {
    let (name, ours) = programs::with_selvedge::ALL[index];
    let (_, theirs) = programs::with_shuttle::ALL[index];
    let (_, looms) = programs::with_loom::ALL[index];
    let (mut best, mut runs) = ([0.0_f64; 7], [0; 2]);
    for _ in 0..ROUNDS {
        let random = timed(|| explore(Strategy::random(1, RUNS as u64), ours));
        // shuttle runs before loom: loom's coroutines end by panics, and loom's panic hook hides them from
        // shuttle's hook only if that was installed before.
        let shuttle = timed(|| shuttle::check_random(theirs, RUNS));
        let pct = timed(|| explore(Strategy::pct(3, 1, RUNS as u64), ours));
        let shuttle_pct = timed(|| shuttle::check_pct(theirs, RUNS, 3));
        let again = Strategy::custom(again::Again::new(RUNS)).takes_little_stack();
        let exhaustive = timed(|| explore(again, ours));
        let (whole, our_runs) = again_and_again(|| explore(Strategy::exhaustive(), ours));
        let (loom, loom_runs) = again_and_again(|| loom(looms));
        runs = [our_runs, loom_runs];
        let rates = [random, shuttle, pct, shuttle_pct, loom, exhaustive, whole];
        for (best, rate) in best.iter_mut().zip(rates) {
            *best = best.max(rate);
        }
    }
    let [random, shuttle, pct, shuttle_pct, loom, exhaustive, whole] = best;
    println!(
        "{name:19} {:>5} | {random:>9.0} {shuttle:>9.0} {:>5.1} | {pct:>9.0} {shuttle_pct:>9.0} {:>5.1} | {:>6} {:>6} {loom:>8.0} | {exhaustive:>9.0} {:>5.1} | {whole:>9.0} {:>5.1}",
        steps(ours),
        random / shuttle,
        pct / shuttle_pct,
        runs[0],
        runs[1],
        exhaustive / loom,
        whole / loom
    );
}

/// Runs per second of work that makes [`RUNS`].
fn timed<R>(work: impl FnOnce() -> R) -> f64 {
    let start = clock::now();
    work();
    RUNS as f64 / clock::since(start).as_secs_f64()
}

/// Repeats an exploration. Returns runs per second, and the number of runs of the last exploration.
fn again_and_again(mut explore: impl FnMut() -> usize) -> (f64, usize) {
    let (start, mut runs, mut last) = (clock::now(), 0, 0);
    while clock::since(start) < SYSTEMATIC {
        last = explore();
        runs += last;
    }
    (runs as f64 / clock::since(start).as_secs_f64(), last)
}

fn explore(strategy: Strategy, program: fn()) -> usize {
    Explorer::new().strategy(strategy).max_executions(RUNS as u64).explore(program).executions()
}

fn loom(program: fn()) -> usize {
    static RUNS_MADE: AtomicUsize = AtomicUsize::new(0);
    RUNS_MADE.store(0, Ordering::Relaxed);
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(SYSTEMATIC);
    builder.check(move || {
        RUNS_MADE.fetch_add(1, Ordering::Relaxed);
        program();
    });
    RUNS_MADE.load(Ordering::Relaxed)
}

/// The number of visible actions of one run.
fn steps(program: fn()) -> usize {
    let report = Explorer::new().strategy(Strategy::round_robin()).explore(program);
    report.outcomes().values().map(|trace| trace.len()).max().unwrap_or(0)
}
