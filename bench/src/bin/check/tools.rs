//! One run of one tool, measured.

use super::models::{Model, Size};
use selvedge_lang::parallel::parse_with;
use selvedge_lang::{GraphProgram, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Budget, FailureGoal, Options, Verdict, check, find_failures};
use selvedge_testkit::lang::maude;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The largest depth of SPIN's search.
const MAX_DEPTH: &str = "-m4000000";

/// The time limit of SPIN's search.
const TIMEOUT_S: &str = "300";

/// The figures of a run.
#[derive(Clone)]
pub struct Measurement {
    pub verdict: String,
    pub states: f64,
    /// The time of the search alone.
    pub search: Duration,
    pub bytes: f64,
    /// The time from the source to the verdict.
    pub wall: Duration,
}

impl Measurement {
    /// The better times of two runs, since other work on the machine only makes a run slower.
    pub fn best(self, other: Measurement) -> Measurement {
        Measurement { search: self.search.min(other.search), wall: self.wall.min(other.wall), ..self }
    }

    pub fn rate(&self) -> f64 {
        self.states / self.search.as_secs_f64().max(1e-6)
    }
}

/// One of a model's two properties.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    Safety,
    Ltl,
}

/// Which states the search stores.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SearchMode {
    /// Every state.
    Whole,
    /// With partial-order reduction.
    Reduced,
}

fn program(text: &str, size: &Size) -> GraphProgram {
    let settings: Vec<(String, i64)> =
        size.constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let (program, diagnostics) = parse_with(&Source::new("model.par", text), &settings);
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

pub fn selvedge(model: &Model, size: &Size, kind: PropertyKind, mode: SearchMode) -> Measurement {
    let start = Instant::now();
    let program = program(model.parallel, size);
    let text = if kind == PropertyKind::Safety { model.safety } else { model.ltl.0 };
    let formula = program.formula(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let searching = Instant::now();
    let options = Options { reduction: mode == SearchMode::Reduced, ..Options::default() };
    let report = check(&system, &numbered, options).expect("a small formula");
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::MayBeViolated(_) | Verdict::Limit(_) => "?",
    };
    Measurement {
        verdict: verdict.to_owned(),
        states: report.stats.product_states as f64,
        search: searching.elapsed(),
        bytes: report.stats.bytes as f64,
        wall: start.elapsed(),
    }
}

/// All states of a plain program, the same states as Maude's.
pub fn selvedge_exact(text: &str) -> Measurement {
    let start = Instant::now();
    let program = program(text, &Size { constants: &[], is_large: false });
    let system =
        program.system(&[], SystemOptions { exact: true, ..SystemOptions::default() }).expect("a system");
    let searching = Instant::now();
    let failures = find_failures(&system, FailureGoal::All, Budget::default());
    Measurement {
        verdict: "all states".to_owned(),
        states: failures.stats.states as f64,
        search: searching.elapsed(),
        bytes: failures.stats.bytes as f64,
        wall: start.elapsed(),
    }
}

/// Generates, compiles and runs a verifier in a folder of its own.
pub fn spin(model: &Model, size: &Size, kind: PropertyKind, flags: &[&str]) -> Measurement {
    let folder = std::env::temp_dir().join(format!("selvedge-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut text = String::new();
    for (name, value) in size.constants {
        writeln!(text, "#define {name} {value}").expect("a string");
    }
    text.push_str(model.promela);
    if kind == PropertyKind::Ltl {
        writeln!(text, "ltl question {{ {} }}", model.ltl.1).expect("a string");
    }
    std::fs::write(folder.join("model.pml"), text).expect("a file");
    let start = Instant::now();
    run(&folder, "spin", &["-a", "model.pml"]);
    let safety = if kind == PropertyKind::Safety { "-DSAFETY" } else { "-DNOFAIR" };
    let compile = ["-O2", "-DMEMLIM=8000", safety, "-o", "pan", "pan.c"];
    run(&folder, "cc", &[&compile[..], flags].concat());
    // -E: a deadlock is not an error.
    let mut search = vec![TIMEOUT_S, "./pan", "-E", MAX_DEPTH];
    if kind == PropertyKind::Ltl {
        search.push("-a");
    }
    let output = run(&folder, "timeout", &search);
    let wall = start.elapsed();
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    let cut = output.contains("max search depth too small") || !output.contains("errors:");
    let verdict = if cut {
        "cut short"
    } else if output.contains("errors: 0") {
        "holds"
    } else {
        "violated"
    };
    let actual = number(&output, "actual memory usage for states");
    let bytes = if actual.is_nan() { number(&output, "equivalent memory usage for states") } else { actual };
    Measurement {
        verdict: verdict.to_owned(),
        states: number(&output, "states, stored"),
        search: Duration::from_secs_f64(elapsed(&output)),
        bytes: bytes * 1024.0 * 1024.0,
        wall,
    }
}

/// All states of a configuration, by Maude's breadth-first search.
pub fn maude(configuration: &str) -> Measurement {
    let start = Instant::now();
    let commands = format!("set show timing on .\nsearch in PAR : {configuration} =>* {{ C, S, 99 }} .\n");
    let text = maude::run(&commands);
    // "states: 263  rewrites: 1234 in 8ms cpu (9ms real) (…)", without the number of rewrites.
    let text = match text.split_once("rewrites: ") {
        Some((before, rest)) => {
            let rest = rest.trim_start_matches(|char: char| char.is_ascii_digit());
            format!("{before}rewrites{rest}")
        }
        None => text,
    };
    let after = |word: &str| -> f64 {
        let rest = text.split(word).nth(1).unwrap_or_else(|| panic!("no {word} in {text}"));
        let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|_| panic!("no number after {word} in {text}"))
    };
    let milliseconds = after("rewrites in ").max(1.0);
    Measurement {
        verdict: "all states".to_owned(),
        states: after("states: "),
        search: Duration::from_secs_f64(milliseconds / 1e3),
        bytes: f64::NAN,
        wall: start.elapsed(),
    }
}

fn run(folder: &Path, command: &str, arguments: &[&str]) -> String {
    let done = Command::new(command).args(arguments).current_dir(folder).output();
    let done = done.unwrap_or_else(|error| panic!("{command} cannot be run: {error}"));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// The time that SPIN's verifier reports, in units of a hundredth of a second.
fn elapsed(report: &str) -> f64 {
    let line = report.lines().find_map(|line| line.strip_prefix("pan: elapsed time "));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.01).max(0.01)
}

/// The number before these words in SPIN's report.
fn number(report: &str, words: &str) -> f64 {
    let line = report.lines().find(|line| line.contains(words)).unwrap_or_default();
    line.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(f64::NAN)
}
