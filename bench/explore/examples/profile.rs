//! Many runs of one program, for a profiler: `profile INDEX STRATEGY RUNS ROUNDS`; trailing arguments are
//! optional.
//!
//! The first programs are those of the comparison with other tools; programs with many threads follow.

use selvedge::{Explorer, Strategy};
use selvedge_bench_explore::programs;
use selvedge_testkit::scaling;
use std::time::Instant;

const LARGE: [(&str, fn()); 4] = [
    ("readers(13)", || scaling::readers_of_one(13)),
    ("indexer(15)", || scaling::indexer(15, true)),
    ("filesystem(18)", || scaling::filesystem(18, true)),
    ("lastzero(15)", || scaling::lastzero(15)),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, otherwise| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let all: Vec<(&str, fn())> = programs::with_selvedge::ALL.into_iter().chain(LARGE).collect();
    let (name, program) = all[number(0, 0)];
    let (runs, rounds) = (number(2, 20_000) as u64, number(3, 1));
    let strategy = || match arguments.get(1).map(String::as_str) {
        Some("pct") => Strategy::pct(3, 1, runs),
        Some("exhaustive") => Strategy::exhaustive(),
        Some("systematic") => Strategy::systematic(),
        _ => Strategy::random(1, runs),
    };
    let best = (0..rounds).map(|_| {
        let start = Instant::now();
        let report = Explorer::new().strategy(strategy()).max_executions(runs).explore(program);
        report.executions() as f64 / start.elapsed().as_secs_f64()
    });
    println!("{name}: {:.0} runs/s", best.fold(0.0, f64::max));
}
