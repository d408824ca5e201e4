//! Searches that are killed: `kill -9` at ten random moments, and on from the checkpoint each time, beside
//! the same search in one piece.
//!
//! `cargo run --release --bin kills` in `bench/` fills the table of `RESULTS-kills.md`. The moments are
//! drawn within the computing time of the search in one piece, from seeds that are the same every time; a
//! process is killed when it has computed until the next one. So the sum has eleven starts, ten readings of
//! a checkpoint that grows, all writing, and what was lost since the last record. Verdict and sizes must be
//! equal, or the program ends with 1.

use selvedge_bench_harness::child::{self, End, Ended, Limits};
use selvedge_bench_harness::{Plan, Run, Samples, Table, bench_folder};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// A search has so many moments.
const KILLS: usize = 10;

/// No search takes longer.
const MOST_SECONDS: f64 = 600.0;

/// The name of a search, its model and constants, and what is asked.
struct Search {
    name: &'static str,
    model: &'static str,
    options: &'static [&'static str],
}

const WINDOW: &str = "sliding-window.par --set WINDOW=4 --set NUMBERS=5 --set CAPACITY=4";
const SHORT_WINDOW: &str = "sliding-window.par --set WINDOW=4 --set NUMBERS=5 --set CAPACITY=3";

const SEARCHES: [Search; 4] = [
    Search {
        name: "philosophers 11, safety",
        model: "philosophers.par --set N=11",
        options: &["--invariant", "eating >= 0", "--workers", "1"],
    },
    Search {
        name: "sliding window 4 5 4, safety",
        model: WINDOW,
        options: &["--invariant", "wrong = 0", "--workers", "1"],
    },
    Search { name: "sliding window 4 5 3, LTL", model: SHORT_WINDOW, options: &["--ltl", "[]<> wrong = 0"] },
    Search {
        name: "sliding window 4 5 4, safety, two workers",
        model: WINDOW,
        options: &["--invariant", "wrong = 0", "--workers", "2"],
    },
];

const COLUMNS: [&str; 6] =
    ["search", "computing, killed by whole", "spread", "computing, whole", "computing, killed", "answer"];

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-kills.md");
    run.head("run", &[]);
    let selvedge = match built() {
        Ok(path) => path,
        Err(message) => {
            run.complain(&message);
            return run.finish();
        }
    };
    let repetitions = run.plan.repetitions.min(3);
    let mut table = Table::new("kills", &COLUMNS);
    for search in &SEARCHES[..run.plan.pick(SEARCHES.len(), 1)] {
        match measure(&selvedge, search, repetitions) {
            Ok(row) => table.row(row),
            Err(message) => run.complain(&format!("{}: {message}", search.name)),
        }
    }
    run.table(&table);
    run.finish()
}

/// The command, built.
fn built() -> Result<PathBuf, String> {
    let folder = bench_folder().join("..");
    let status = Command::new("cargo").args(["build", "--release", "--quiet"]).current_dir(&folder).status();
    match status {
        Ok(status) if status.success() => Ok(folder.join("target/release/selvedge")),
        Ok(status) => Err(format!("`cargo build` ended with {status}")),
        Err(error) => Err(format!("`cargo build` cannot be run ({error})")),
    }
}

fn measure(selvedge: &Path, search: &Search, repetitions: usize) -> Result<Vec<String>, String> {
    let checkpoint = bench_folder().join("target/kills.checkpoint");
    let (mut whole, mut killed, mut answer) = (Vec::new(), Vec::new(), String::new());
    for repetition in 0..repetitions {
        let in_one = process(selvedge, search, None, MOST_SECONDS)?;
        answer = answer_of(&in_one)?;
        let seconds = in_one.time.as_secs_f64();
        whole.push(seconds);
        let _ = std::fs::remove_file(&checkpoint);
        let (mut sum, mut before) = (Duration::ZERO, 0.0);
        for moment in moments(repetition as u64) {
            let piece = process(selvedge, search, Some(&checkpoint), (moment - before) * seconds)?;
            before = moment;
            sum += piece.time;
        }
        let last = process(selvedge, search, Some(&checkpoint), MOST_SECONDS)?;
        killed.push((sum + last.time).as_secs_f64());
        let resumed = answer_of(&last)?;
        if resumed != answer {
            return Err(format!("{resumed} after {KILLS} kills, {answer} in one piece"));
        }
    }
    let [whole, killed] = [whole, killed].map(Samples::from_iter);
    let mut cells = vec![search.name.to_owned()];
    cells.extend(Table::ratio(&killed.over(&whole)));
    cells.extend([&whole, &killed].map(|times| format!("{:.1} s", times.median())));
    cells.push(answer);
    Ok(cells)
}

/// Runs the command until it ends, or has computed for so long.
fn process(
    selvedge: &Path,
    search: &Search,
    checkpoint: Option<&Path>,
    seconds: f64,
) -> Result<Ended, String> {
    let mut command = Command::new(selvedge);
    command.current_dir(bench_folder().join("../models"));
    command.arg("check").args(search.model.split(' ')).args(search.options).arg("--no-reduction");
    checkpoint.inspect(|path| _ = command.arg("--checkpoint").arg(path));
    let limits = Limits { time: Duration::from_secs_f64(seconds), ..Limits::seconds(seconds) };
    child::run(&mut command, "", limits)
}

/// The verdict and the sizes of a search that has ended.
fn answer_of(ended: &Ended) -> Result<String, String> {
    if ended.end != End::Exit(Some(0)) {
        return Err(format!("{:?}: {}", ended.end, ended.stderr));
    }
    let line = ended.stdout.lines().find(|line| line.contains(" states, "));
    let line = line.ok_or_else(|| format!("no figures in {}", ended.stdout))?;
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    // The time is last.
    let parts = words.join(" ");
    Ok(parts.rsplit_once(", ").map_or(parts.clone(), |(before, _)| before.to_owned()))
}

/// Random moments between 0 and 1, in order.
fn moments(seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut moments: Vec<f64> = (0..KILLS)
        .map(|_| {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        })
        .collect();
    moments.sort_by(f64::total_cmp);
    moments
}
