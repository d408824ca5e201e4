//! All measurements beside peers by one command.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml --bin peers -- [OPTIONS]`
//!
//! | option | |
//! |---|---|
//! | | measures everything in a quarter of an hour, and writes every `bench/RESULTS*.md` between marks |
//! | `--quick` | small sizes, two repetitions, under five minutes; writes to `bench/target/quick/` |
//! | `--only WORD` | the measurements whose names contain the word |
//! | `--into FOLDER`, `--repetitions N` | as for the measurements themselves |
//!
//! Each measurement is a program of its own, built by itself: cargo would otherwise give a program the
//! features that another one asks of a library, such as those that make locks explorable.
//!
//! It ends with 1 if a peer is missing, gives another answer than ours, or takes too long. A peer that is
//! missing is told before anything is measured, and nothing is written then. Not here, as they take longer:
//! the schedulers (`-p selvedge-bench-schedulers`) and the growth of cost (`-p selvedge-bench-growth`).

use selvedge_bench_harness::machine::command_version;
use selvedge_bench_harness::{Plan, child};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A measurement: its package, its program, and its arguments beside the common ones.
struct Measurement {
    package: &'static str,
    program: &'static str,
}

const fn measurement(package: &'static str, program: &'static str) -> Measurement {
    Measurement { package, program }
}

/// In the order in which they are made: those with peers first.
const MEASUREMENTS: [Measurement; 9] = [
    measurement("selvedge-bench", "check"),
    measurement("selvedge-bench", "stateright"),
    measurement("selvedge-bench-explore", "selvedge-bench-explore"),
    measurement("selvedge-bench-production", "stm"),
    measurement("selvedge-bench-production", "mvar"),
    measurement("selvedge-bench-watch", "selvedge-bench-watch"),
    measurement("selvedge-bench", "ltl"),
    measurement("selvedge-bench", "erlang"),
    measurement("selvedge-bench-discover", "selvedge-bench-discover"),
];

/// Commands that must be there, each with the argument that makes it tell its version.
const COMMANDS: [(&str, &str); 3] = [("spin", "-V"), ("cc", "--version"), ("maude", "--version")];

/// A measurement that takes longer is ended; whole and with `--quick`.
const PATIENCE_S: (u64, u64) = (1200, 300);

fn main() -> ExitCode {
    let plan = Plan::from_arguments();
    let only = match plan.rest.as_slice() {
        [] => "",
        [option, word] if option == "--only" => word,
        other => {
            eprintln!("error: there is no option `{}`", other.join(" "));
            return ExitCode::from(2);
        }
    };
    let missing: Vec<String> =
        COMMANDS.iter().filter_map(|(command, argument)| command_version(command, argument).err()).collect();
    if !missing.is_empty() {
        eprintln!("error: a peer is missing: {}; `./test` installs them on Debian", missing.join(", "));
        return ExitCode::FAILURE;
    }
    let wanted: Vec<&Measurement> =
        MEASUREMENTS.iter().filter(|measurement| measurement.program.contains(only)).collect();
    let folder = selvedge_bench_harness::bench_folder();
    let mut failed: Vec<String> = wanted.iter().filter_map(|wanted| build(&folder, wanted).err()).collect();
    if failed.is_empty() {
        let begin = Instant::now();
        failed = wanted.iter().filter_map(|wanted| run(&folder, wanted, &plan).err()).collect();
        println!(
            "measured in {:.0} s; the pages are in {}",
            begin.elapsed().as_secs_f64(),
            plan.into.display()
        );
    }
    failed.iter().for_each(|message| eprintln!("error: {message}"));
    ExitCode::from(u8::from(!failed.is_empty()))
}

/// Builds a program alone, so that its libraries have the features that it asks for.
fn build(folder: &Path, measurement: &Measurement) -> Result<(), String> {
    let Measurement { package, program } = measurement;
    let arguments = ["build", "--release", "--locked", "--quiet", "--package", package, "--bin", program];
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let status = command.args(arguments).current_dir(folder).status();
    match status {
        Ok(status) if status.success() => keep(folder, program),
        Ok(_) => Err(format!("{program} does not compile")),
        Err(error) => Err(format!("cargo cannot be run ({error})")),
    }
}

/// The place of a program that was built alone; a later build may replace the one in `target/release`.
fn kept(folder: &Path, program: &str) -> PathBuf {
    folder.join("target/peers").join(program)
}

fn keep(folder: &Path, program: &str) -> Result<(), String> {
    let to = kept(folder, program);
    let parent = to.parent().expect("the path has a folder");
    let copied = std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::copy(folder.join("target/release").join(program), &to));
    copied.map(drop).map_err(|error| format!("{program}: {error}"))
}

/// Runs a measurement, which writes its page.
fn run(folder: &Path, measurement: &Measurement, plan: &Plan) -> Result<(), String> {
    let begin = Instant::now();
    let mut command = Command::new(kept(folder, measurement.program));
    command.args(["--repetitions", &plan.repetitions.to_string(), "--into"]).arg(&plan.into);
    if plan.is_quick {
        command.arg("--quick");
    }
    let patience = Duration::from_secs(plan.pick(PATIENCE_S.0, PATIENCE_S.1));
    let mut process = command.stdin(Stdio::null()).spawn().map_err(|error| error.to_string())?;
    let status = child::wait_for(&mut process, patience);
    let seconds = begin.elapsed().as_secs_f64();
    println!("{}: {seconds:.0} s\n", measurement.program);
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(format!("{} fails ({status}): see above", measurement.program)),
        None => Err(format!("{} was ended after {seconds:.0} s", measurement.program)),
    }
}
