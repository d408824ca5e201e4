//! Complete explorations of programs with many threads or many traces: how many runs, and how long.
//!
//! `cargo run --release -p selvedge-bench-explore large` in `bench/`. The programs and the numbers of their
//! traces are those of the tests (`crates/selvedge/tests/optimal.rs`). Time is by the clock on the wall,
//! since several workers share it: the best of several rounds. `in vain` are runs that were begun and given
//! up; `memory` is the most that the process had so far.

use selvedge::{Explorer, MemoryModel};
use selvedge_testkit::scaling::{filesystem, indexer, lastzero, readers_of_one};
use std::time::{Duration, Instant};

/// Each is measured until it has taken so long, once at least.
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

/// Runs, runs in vain, and the shortest time.
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

/// The most memory that this process had at any time, in MiB.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kibibytes.map_or(f64::NAN, |kibibytes| kibibytes / 1024.0)
}
