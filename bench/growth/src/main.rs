//! How cost grows with n: executions or states, computing time and peak memory.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml -p selvedge-bench-growth -- [OPTIONS]`
//!
//! | option | |
//! |---|---|
//! | `--until SECONDS` | a series ends with the first point that computes longer; 60, or 2 with `--quick` |
//! | `--only WORD` | the programs whose names contain the word |
//! | `--quick`, `--into FOLDER` | as for the other measurements |
//!
//! Rust programs: ours, loom, shuttle's depth-first search ([`programs`]); models: ours, SPIN, Maude,
//! stateright ([`models`]). Each point is a process of its own, so that its peak of memory is its own; it is
//! measured once. The tables, with the law that fits each series best, and the plots are written to
//! `RESULTS-growth.md` and beside it.
//!
//! Promise: a point that is cut off is told, and is no part of a fit. A tool that answers otherwise than
//! ours ends the program with 1.

mod models;
mod page;
mod programs;
mod series;

use selvedge_bench_harness::machine::{command_version, crate_version};
use selvedge_bench_harness::{Plan, Run};
use series::{Series, Tool};
use std::process::ExitCode;

/// Seconds that a point may compute, whole and with `--quick`.
const UNTIL_S: (f64, f64) = (60.0, 2.0);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, tool, program, n] = &arguments[..]
        && command == "point"
    {
        let n = n.parse().expect("a size");
        let point = if programs::has(tool, program) { programs::point } else { models::point };
        println!("{}", point(tool, program, n));
        return ExitCode::SUCCESS;
    }
    let plan = Plan { repetitions: 1, ..Plan::from_arguments() };
    let options = match options(&plan) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    measure_all(Run::begin(plan, "RESULTS-growth.md"), &options)
}

/// The options of this program alone.
struct Options {
    until_s: f64,
    only: String,
}

fn options(plan: &Plan) -> Result<Options, String> {
    let mut options = Options { until_s: plan.pick(UNTIL_S.0, UNTIL_S.1), only: String::new() };
    let mut rest = plan.rest.iter();
    while let Some(option) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("`{option}` is no option, or needs a value"))?;
        match option.as_str() {
            "--until" => {
                let seconds = value.parse().ok().filter(|seconds| *seconds > 0.0);
                options.until_s = seconds.ok_or_else(|| format!("`{value}` is not a number of seconds"))?;
            }
            "--only" => options.only.clone_from(value),
            other => return Err(format!("there is no option `{other}`")),
        }
    }
    Ok(options)
}

fn measure_all(mut run: Run, options: &Options) -> ExitCode {
    let mut versions = ["loom", "shuttle", "stateright"].map(crate_version).to_vec();
    for (command, argument, name) in [("spin", "-V", ""), ("maude", "--version", "Maude ")] {
        match command_version(command, argument) {
            Ok(version) => versions.push(format!("{name}{version}")),
            Err(message) => run.complain(&message),
        }
    }
    run.head("run", &versions);
    let bound =
        format!("A series ends with the first point that computes longer than {} s.", options.until_s);
    run.fill("bound", &bound);
    let all: [(&str, &[&str], Tools); 2] =
        [("executions", &programs::NAMES, programs::tools), ("states", &models::NAMES, models::tools)];
    let mut every = Vec::new();
    for (unit, names, tools) in all {
        for name in names.iter().filter(|name| name.contains(&options.only)) {
            let measured: Vec<Series> = tools(name)
                .iter()
                .map(|tool| Series::measure(&mut run, name, &**tool, options.until_s))
                .collect();
            series::compare_answers(&mut run, name, &measured);
            every.push((unit, *name, measured));
        }
    }
    page::write(&mut run, &every);
    run.finish()
}

/// The tools for a program.
type Tools = fn(&str) -> Vec<Box<dyn Tool>>;
