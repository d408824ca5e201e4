//! The model checker beside SPIN: the same algorithm in both languages, every state, no reduction, one worker.
//!
//! `cargo run --release --bin check` in `bench/`; it needs `spin` and `cc`. SPIN is generated, compiled with `-O2 -DNOREDUCE`
//! (and once more with `-DCOLLAPSE`) and run; its wall time includes all three. The two languages differ in what is one step, so their
//! numbers of states differ; states per second and bytes per state are what can be compared.

use selvedge_lang::machine::Options;
use selvedge_lang::parallel::parse_with;
use selvedge_ltl::source::Source;
use selvedge_model::{Budget, Wanted, survey};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn main() {
    println!(
        "{:28} {:12} {:>10} {:>12} {:>10} {:>10}",
        "model", "tool", "states", "states/s", "bytes/st", "wall ms"
    );
    for n in [6, 8, 9] {
        let name = format!("philosophers {n}");
        row(&name, "selvedge", &selvedge(PHILOSOPHERS, n));
        row(&name, "spin", &spin(&philosophers_promela(n), &[]));
    }
    // SPIN merges more statements into one step: sizes over a million states, each with its own number of philosophers.
    row("philosophers 10", "selvedge", &selvedge(PHILOSOPHERS, 10));
    for (tool, flags) in [("spin", &[][..]), ("spin collapse", &["-DCOLLAPSE"][..])] {
        row("philosophers 13", tool, &spin(&philosophers_promela(13), flags));
    }
}

/// What a run took.
struct Taken {
    states: usize,
    search: Duration,
    bytes: f64,
    wall: Duration,
}

fn row(model: &str, tool: &str, taken: &Taken) {
    println!(
        "{model:28} {tool:12} {:>10} {:>12.0} {:>10.1} {:>10.0}",
        taken.states,
        taken.states as f64 / taken.search.as_secs_f64().max(1e-6),
        taken.bytes / taken.states as f64,
        taken.wall.as_secs_f64() * 1e3
    );
}

const PHILOSOPHERS: &str = "\
const N = 4;
memory fork[N] = 0;
process p(i) for i in 0..N-1:
  while true do
    atomic await fork[i] = 0; fork[i] := 1 end;
    atomic await fork[(i + 1) % N] = 0; fork[(i + 1) % N] := 1 end;
    fork[i] := 0;
    fork[(i + 1) % N] := 0
  od
";

fn selvedge(model: &str, n: i64) -> Taken {
    let start = Instant::now();
    let source = Source::new("model", model);
    let (program, diagnostics) = parse_with(&source, &[("N".to_owned(), n)]);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let system = program.system(&[], Options { exact: false }).expect("a system");
    let search = Instant::now();
    let survey = survey(&system, Wanted::All, Budget::default());
    Taken {
        states: survey.stats.states,
        search: search.elapsed(),
        bytes: survey.stats.bytes as f64,
        wall: start.elapsed(),
    }
}

fn philosophers_promela(n: i64) -> String {
    format!(
        "#define N {n}\nbyte fork[N];\nactive [N] proctype p() {{\n  do\n  :: atomic {{ fork[_pid] == 0; fork[_pid] = 1 }};\n     \
         atomic {{ fork[(_pid + 1) % N] == 0; fork[(_pid + 1) % N] = 1 }};\n     fork[_pid] = 0;\n     \
         fork[(_pid + 1) % N] = 0\n  od\n}}\n"
    )
}

/// Generates, compiles and runs a verifier in a folder of its own.
fn spin(model: &str, flags: &[&str]) -> Taken {
    let folder = std::env::temp_dir().join(format!("selvedge-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("model.pml"), model).expect("a file");
    let start = Instant::now();
    run(&folder, "spin", &["-a", "model.pml"]);
    let mut compile = vec!["-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c"];
    compile.extend(flags);
    run(&folder, "cc", &compile);
    // -E: a deadlock is not an error; -m: deep enough.
    let output = run(&folder, "./pan", &["-E", "-m1000000"]);
    let taken = Taken {
        states: number(&output, "states, stored") as usize,
        search: Duration::from_secs_f64(elapsed(&output)),
        bytes: number(&output, "actual memory usage for states") * 1024.0 * 1024.0,
        wall: start.elapsed(),
    };
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    taken
}

fn run(folder: &Path, command: &str, arguments: &[&str]) -> String {
    let path = if command.starts_with("./") { folder.join(command) } else { command.into() };
    let done = Command::new(path).args(arguments).current_dir(folder).output();
    let done = done.unwrap_or_else(|error| panic!("{command} cannot be run: {error}"));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// The time that SPIN's verifier says it took; it does not tell less than a hundredth of a second.
fn elapsed(report: &str) -> f64 {
    let line = report.lines().find_map(|line| line.strip_prefix("pan: elapsed time "));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0.01)
}

/// The number before these words in SPIN's report.
fn number(report: &str, words: &str) -> f64 {
    let line =
        report.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("no {words} in\n{report}"));
    line.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(f64::NAN)
}
