//! The speed of the mixture: runs per second of computing, beside uniform random scheduling and shuttle's
//! uniform random walk, on the programs without their bugs.
//!
//! Each measurement is a process of its own (the program runs itself with `--speed-of`), whose computing
//! time the operating system tells: what else runs on the machine hardly matters. The variants take turns,
//! and the fastest of three measurements counts. The numbers of runs are such that a measurement takes
//! long enough.

use crate::measure::{make_runs, shuttle_runs};
use crate::variants::{self, MIXED, RANDOM, SHUTTLE_URW, Tool};
use sctbench::{Program, held_out};
use selvedge_bench_harness::Clock;
use std::fmt::Write;
use std::process::Command;

/// A measurement makes so many runs at first, and some times as many until it takes long enough, in seconds.
const FIRST_RUNS: u64 = 1_000;
const GROWTH: u64 = 4;
const LONG_ENOUGH: f64 = 0.1;
const REPETITIONS: usize = 3;

/// The goals: at least so many times the runs per second of the others.
const OF_RANDOM: f64 = 0.7;
const OF_URW: f64 = 2.0;

/// Programs whose threads stay behind when the first one ends, which ends the process: shuttle takes that
/// for a deadlock.
const STAY_BEHIND: [&str; 2] = ["ferret", "auto_update"];

fn programs() -> impl Iterator<Item = Program> {
    sctbench::ALL.into_iter().chain(held_out::ALL)
}

/// Makes the runs of one measurement, and prints their number and the seconds of computing that they took.
pub(crate) fn one(program: &str, variant: &str) -> Result<(), String> {
    let program = programs().find(|known| known.name == program).ok_or("there is no such program")?;
    let variant = variants::ALL.into_iter().find(|known| known.name == variant);
    let variant = variant.ok_or("there is no such variant")?;
    let mut runs = FIRST_RUNS;
    loop {
        let ((), seconds) = Clock::Process.time(|| match variant.tool {
            Tool::Selvedge(make) => make_runs(program.correct, make(&program, 0, runs), runs),
            Tool::Systematic(make) => make_runs(program.correct, make(), runs),
            Tool::Shuttle(scheduler) => shuttle_runs(program.name, scheduler, 0, runs),
        });
        if seconds >= LONG_ENOUGH {
            println!("{runs} {seconds}");
            return Ok(());
        }
        runs *= GROWTH;
    }
}

/// Runs per second, the fastest of several processes.
fn speed(program: &str, variant: &str) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(own).args(["--speed-of", program, variant]).output();
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let &[runs, seconds] = &numbers[..] else {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{program}, {variant}: no measurement: {errors}"));
    };
    Ok(runs / seconds)
}

/// The page of all programs.
pub(crate) fn page(only: &str) -> Result<String, String> {
    let variants = [RANDOM, MIXED, SHUTTLE_URW];
    let (mut rows, mut of_random, mut of_urw) = (String::new(), Vec::new(), Vec::new());
    for program in programs().filter(|program| program.name.contains(only)) {
        let mut best = [0.0_f64; 3];
        let variants = if STAY_BEHIND.contains(&program.name) { &variants[..2] } else { &variants };
        for _ in 0..REPETITIONS {
            for (best, variant) in best.iter_mut().zip(variants) {
                *best = best.max(speed(program.name, variant)?);
            }
        }
        let ([random, mixed, urw], name) = (best, program.name);
        of_random.push((mixed / random, name));
        let ratio = mixed / random;
        if urw == 0.0 {
            let _ = writeln!(rows, "| {name} | {ratio:.2} | | {mixed:.0} | {random:.0} | |");
            continue;
        }
        let by_urw = mixed / urw;
        let _ = writeln!(rows, "| {name} | {ratio:.2} | {by_urw:.1} | {mixed:.0} | {random:.0} | {urw:.0} |");
        of_urw.push((by_urw, name));
    }
    let goal = |ratios: &[(f64, &str)], least: f64, of: &str| {
        let below: Vec<String> = ratios
            .iter()
            .filter(|ratio| ratio.0 < least)
            .map(|(ratio, name)| format!("{name} {ratio:.2}"))
            .collect();
        let (min, max) = ratios
            .iter()
            .fold((f64::MAX, 0.0_f64), |(min, max), (ratio, _)| (min.min(*ratio), max.max(*ratio)));
        let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let below = if below.is_empty() { "none".to_owned() } else { below.join(", ") };
        format!("| {of} | {mean:.2} | {min:.2} to {max:.1} | {least} | {below} |\n")
    };
    Ok(format!(
        "# Speed of the mixture\n\n`cargo run --release --manifest-path bench/Cargo.toml -p selvedge-bench-schedulers -- --speed`: \
         runs per second of\ncomputing, on the programs without their bugs, one worker; the fastest of {REPETITIONS} \
         measurements, which take turns.\n\n| `mixed`, times | mean | range | goal | below it |\n|---|---|---|---|---|\n{}{}\n\
         | program | of random's | of shuttle URW's | mixed | random | shuttle URW |\n|---|---|---|---|---|---|\n{rows}\n\
         Threads of {} stay behind when the first one ends the process, which shuttle takes for a deadlock.\n",
        goal(&of_random, OF_RANDOM, "`random`"),
        goal(&of_urw, OF_URW, "shuttle's URW"),
        STAY_BEHIND.join(", "),
    ))
}
