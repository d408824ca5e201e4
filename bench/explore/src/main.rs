//! Runs per second beside loom and shuttle: the same programs, one after the other, in one process.
//!
//! `cargo run --release -p selvedge-bench-explore [PART OF A NAME | complete | large]` in `bench/`;
//! `complete` and `large` are about complete explorations, see [`complete`] and [`large`]. Each cell is the
//! best of several rounds, since machines are noisy; tools take turns within a round. Time is that of the
//! process: see [`clock`].
//!
//! Random and PCT: a round is one call for so many runs, which each tool makes. Systematic: loom explores
//! with a reduction, we without one (`exhaustive`), so what is compared is how fast runs are made, not how
//! many are needed; `runs` is how many each tool makes until it is done, if no limit ends it. `exhaust/s` is
//! one exploration of as many runs as the random ones, which begins again from the first run when all have
//! been made. `whole/s` explores again and again, each time from the start and to the end or the limit, as
//! loom does for `loom/s`: all runs over all time, with what it costs to begin an exploration.

mod again;
mod clock;
mod complete;
mod large;
mod programs;

use selvedge::{Explorer, Strategy};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How often each is measured.
const ROUNDS: usize = 5;

/// The runs of a random exploration, and the limit of a systematic one of ours.
const RUNS: usize = 10_000;

/// For so long a round of systematic explorations begins new ones; loom ends one that has taken so long.
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
        // Before loom: its coroutines end by panics, which its hook hides from shuttle's if that was there
        // before.
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

/// Explores again and again. Returns runs per second, and the runs of the last exploration.
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

/// The visible actions of one run.
fn steps(program: fn()) -> usize {
    let report = Explorer::new().strategy(Strategy::round_robin()).explore(program);
    report.outcomes().values().map(|trace| trace.len()).max().unwrap_or(0)
}
