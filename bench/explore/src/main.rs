//! Explorations of Rust programs beside loom and shuttle: the same programs, in turns, in one process.
//!
//! `cargo run --release -p selvedge-bench-explore [runs | complete | large]` in `bench/` fills these
//! tables of `RESULTS-explore.md`, or all; see [`Plan`] for options. [`runs`] measures runs per second,
//! [`complete`] complete explorations beside loom's, [`large`] those of larger programs with one and two
//! workers.

mod again;
mod complete;
mod large;
mod runs;

use selvedge_bench_harness::machine::crate_version;
use selvedge_bench_harness::{Plan, Run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Measures and fills a table.
type Part = fn(&mut Run);

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-explore.md");
    let wanted = run.plan.rest.clone();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|word| word == part);
    run.head("run", &[crate_version("loom"), crate_version("shuttle")]);
    let parts: [(&str, Part); 3] =
        [("runs", runs::measure_all), ("complete", complete::measure_all), ("large", large::measure_all)];
    for (name, measure) in parts.into_iter().filter(|(name, _)| is_wanted(name)) {
        // All programs are correct: a peer that finds a failure gives another answer.
        if catch_unwind(AssertUnwindSafe(|| measure(&mut run))).is_err() {
            run.complain(&format!("{name}: a tool found a failure in a correct program, or failed itself"));
        }
    }
    run.finish()
}
