//! Schedulers on SCTBench: the experiment of Walker's thesis, chapter 6, in the open, with more schedulers.
//!
//! `cargo run --release --manifest-path bench/Cargo.toml -p selvedge-bench-schedulers -- [OPTIONS]`
//!
//! | option | |
//! |---|---|
//! | | makes the measurements that `bench/schedulers/counts.tsv` lacks, and writes the page and the plots |
//! | `--check` | makes those of the file again, compares the counts, and exits with 1 if any differs |
//! | `--only WORD` | programs whose names contain the word |
//! | `--variant NAME` | this variant alone |
//! | `--again` | forgets what the file has of these first |
//! | `--executions N`, `--seeds N` | 10,000 and 10 unless set; others than the file has begin a new one |
//! | `--print` | prints the counts and writes nothing |
//! | `--speed` | measures runs per second instead, and writes `RESULTS-schedulers-speed.md` |
//!
//! Promise: counts depend on the seeds alone, on every machine.

mod data;
mod measure;
mod page;
mod plot;
mod speed;
mod summary;
mod variants;

use data::Data;
use measure::{Counts, measure};
use sctbench::{Program, held_out};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use variants::{Tool, Variant};

/// The number of executions, and the number of seeds, unless options say otherwise.
pub(crate) const PLAN: (u64, u64) = (10_000, 10);

/// What the command line asks for.
struct Options {
    executions: u64,
    seeds: u64,
    only: String,
    variant: Option<String>,
    again: bool,
    check: bool,
    print: bool,
    speed: bool,
    /// The program and the variant of one measurement of speed.
    speed_of: Option<(String, String)>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        executions: PLAN.0,
        seeds: PLAN.1,
        only: String::new(),
        variant: None,
        again: false,
        check: false,
        print: false,
        speed: false,
        speed_of: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("`{argument}` needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match argument.as_str() {
            "--executions" => options.executions = number(value()?)?,
            "--seeds" => options.seeds = number(value()?)?,
            "--only" => options.only = value()?,
            "--variant" => options.variant = Some(value()?),
            "--again" => options.again = true,
            "--check" => options.check = true,
            "--print" => options.print = true,
            "--speed" => options.speed = true,
            "--speed-of" => options.speed_of = Some((value()?, value()?)),
            other => return Err(format!("there is no option `{other}`")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    measure::silence();
    match options().and_then(|options| run(&options)) {
        Ok(is_same) => ExitCode::from(u8::from(!is_same)),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn bench_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns whether the counts are those of the file, if that is the question.
fn run(options: &Options) -> Result<bool, String> {
    if let Some((program, variant)) = &options.speed_of {
        return speed::one(program, variant).map(|()| true);
    }
    if options.speed {
        let page = speed::page(&options.only)?;
        let name = "RESULTS-schedulers-speed.md";
        match options.print {
            true => print!("{page}"),
            false => {
                std::fs::write(bench_folder().join(name), page).map_err(|error| format!("{name}: {error}"))?
            }
        }
        return Ok(true);
    }
    let path = bench_folder().join("schedulers/counts.tsv");
    let kept = std::fs::read_to_string(&path).ok().map(|text| Data::parse(&text)).transpose()?;
    let wanted = wanted(options);
    if options.check {
        let kept = kept.ok_or("there are no counts to compare with")?;
        return Ok(check(&wanted, &kept));
    }
    let is_same_plan = |data: &Data| (data.executions, data.seeds) == (options.executions, options.seeds);
    let kept = kept.filter(is_same_plan);
    let mut data = kept.unwrap_or_else(|| Data::new(options.executions, options.seeds));
    let is_missing = |(program, variant): &&(Program, Variant)| {
        options.again || options.print || data.cell(program.name, variant.name).is_none()
    };
    let missing: Vec<_> = wanted.iter().filter(is_missing).copied().collect();
    for ((program, variant), cell) in
        missing.iter().zip(measure_all(options.executions, options.seeds, &missing))
    {
        if options.print {
            let firsts: Vec<u64> = cell.iter().map(|counts| counts.first).collect();
            println!("{:24}{:16}{firsts:?}", program.name, variant.name);
        }
        data.insert(program.name, variant.name, cell);
    }
    if options.print {
        print!("{}", summary::text(&data));
        return Ok(true);
    }
    let write = |name: &str, text: &str| {
        std::fs::write(bench_folder().join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    write("schedulers/counts.tsv", &data.text())?;
    write("RESULTS-schedulers.md", &page::page(&data))?;
    for (name, svg) in plot::plots(&data) {
        write(name, &svg)?;
    }
    Ok(true)
}

/// The programs and variants that the options ask for.
fn wanted(options: &Options) -> Vec<(Program, Variant)> {
    let programs = || sctbench::ALL.into_iter().chain(held_out::ALL);
    let is_wanted = |variant: &Variant| options.variant.as_ref().is_none_or(|name| name == variant.name);
    let variants = || variants::ALL.into_iter().filter(is_wanted);
    let programs = programs().filter(|program| program.name.contains(&options.only));
    programs.flat_map(|program| variants().map(move |variant| (program, variant))).collect()
}

/// Makes the measurements again, and says which differ.
fn check(wanted: &[(Program, Variant)], kept: &Data) -> bool {
    let is_kept = |(program, variant): &&(Program, Variant)| kept.cell(program.name, variant.name).is_some();
    let wanted: Vec<_> = wanted.iter().filter(is_kept).copied().collect();
    let mut is_same = true;
    for ((program, variant), cell) in wanted.iter().zip(measure_all(kept.executions, kept.seeds, &wanted)) {
        if kept.cell(program.name, variant.name) != Some(&cell) {
            println!("{}, {}: other counts than in the file", program.name, variant.name);
            is_same = false;
        }
    }
    println!("{} cells: {}", wanted.len(), if is_same { "the same counts" } else { "there are differences" });
    is_same
}

/// Says on a terminal how many measurements have begun.
fn tell_progress(begun: usize, all: usize) {
    if std::io::stderr().is_terminal() {
        eprint!("\r{begun} of {all} measurements{}", if begun == all { "\n" } else { "" });
    }
}

/// Makes the measurements, on two threads.
fn measure_all(executions: u64, seeds: u64, wanted: &[(Program, Variant)]) -> Vec<Vec<Counts>> {
    let seeds_of = |variant: &Variant| if matches!(variant.tool, Tool::Systematic(_)) { 1 } else { seeds };
    let jobs: Vec<(usize, u64)> = wanted
        .iter()
        .enumerate()
        .flat_map(|(at, cell)| (0..seeds_of(&cell.1)).map(move |seed| (at, seed)))
        .collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![Vec::new(); wanted.len()]));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((at, seed)) = jobs.get(next.fetch_add(1, SeqCst)) {
                    tell_progress(next.load(SeqCst).min(jobs.len()), jobs.len());
                    let (program, variant) = &wanted[*at];
                    let counts = measure(program, variant, *seed, executions);
                    done.lock().expect("no measurement panics")[*at].push((*seed, counts));
                }
            });
        }
    });
    let cells = done.into_inner().expect("no measurement panics");
    let in_order = |mut cell: Vec<(u64, Counts)>| {
        cell.sort_unstable_by_key(|(seed, _)| *seed);
        cell.into_iter().map(|(_, counts)| counts).collect()
    };
    cells.into_iter().map(in_order).collect()
}
