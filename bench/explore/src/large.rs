//! Complete explorations of programs with many threads or many traces: the number of runs, and the time.
//!
//! `cargo run --release -p selvedge-bench-explore large` in `bench/`. The tests explore the same programs
//! (`crates/selvedge/tests/main/optimal.rs`) and pin the numbers of their traces. Time is wall-clock time,
//! because several workers run in parallel: the best of several rounds. `in vain` counts runs that were
//! given up; `memory` is the greatest memory of the process so far.

use selvedge::{Explorer, MemoryModel};
use selvedge_testkit::scaling::{filesystem, indexer, lastzero, readers_of_one};
use std::time::{Duration, Instant};

/// Each program is measured for this time, at least once.
const ROUND: Duration = Duration::from_secs(1);

const PROGRAMS: [(&str, fn()); 6] = [
    ("readers(13)", || readers_of_one(13)),
    ("indexer(15)", || indexer(15, true)),
    ("indexer(15), used late", || indexer(15, false)),
    ("filesystem(18)", || filesystem(18, true)),
    ("filesystem(18), used late", || filesystem(18, false)),
    ("lastzero(15)", || lastzero(15)),
];

pub(crate) fn measure_all() {
    println!(
        "{:25} | {:>7} {:>8} {:>9} | {:>9} {:>6} | {:>9}",
        "program", "runs", "in vain", "time", "2 workers", "faster", "memory"
    );
    for (name, program) in PROGRAMS {
        let (runs, in_vain, one) = best(program, 1);
        let (_, _, two) = best(program, 2);
        let faster = one.as_secs_f64() / two.as_secs_f64();
        println!(
            "{name:25} | {runs:>7} {in_vain:>8} {:>7.3} s | {:>7.3} s {faster:>5.2}x | {:>5.0} MiB",
            one.as_secs_f64(),
            two.as_secs_f64(),
            most_memory()
        );
    }
}

/// The number of runs, the number of runs that were given up, and the shortest time.
fn best(program: fn(), workers: usize) -> (usize, u64, Duration) {
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    loop {
        let start = Instant::now();
        let report = Explorer::new().memory(MemoryModel::Sc).workers(workers).explore(program);
        assert!(report.is_complete(), "{report}");
        best = best.min(start.elapsed());
        if begin.elapsed() > ROUND {
            let figures = report.figures().expect("figures of a reduction");
            return (report.executions(), figures.sleep_set_blocked + figures.infeasible_reversals, best);
        }
    }
}

/// The greatest memory of this process so far, in MiB.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kibibytes.map_or(f64::NAN, |kibibytes| kibibytes / 1024.0)
}
