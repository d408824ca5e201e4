//! One run of one checker, measured.

use super::models::{Model, Size};
use selvedge_bench_harness::child::{self, End, Limits};
use selvedge_bench_harness::{Clock, Samples};
use selvedge_lang::parallel::parse_with;
use selvedge_lang::{GraphProgram, Program, SystemOptions};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Budget, FailureGoal, Options, Verdict, check, find_failures};
use selvedge_testkit::lang::maude;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The largest depths of SPIN's search that are tried: its stack is filled with zeros at the start, which
/// takes longer than many a search, so it should be no deeper than it needs to be.
const MAX_DEPTHS: [&str; 4] = ["-m10000", "-m100000", "-m1000000", "-m8000000"];

/// SPIN's verifier fills its tables with zeros at the start, which is not part of the search. A search that
/// takes less time than this beyond the start is too short to tell how fast it is.
const SHORTEST_SEARCH: Duration = Duration::from_millis(20);

/// A model with one step, whose search is the start and nothing else.
const EMPTY: &str = "init { skip }\n";

/// The verdict of a search that was ended by a limit.
pub const CUT_SHORT: &str = "cut short";

/// The verdict of a search that only visits all states.
pub const ALL_STATES: &str = "all states";

/// The figures of a run.
#[derive(Clone, Debug)]
pub struct Measurement {
    pub verdict: String,
    pub states: f64,
    /// The computing time of the search alone.
    pub search: Duration,
    pub bytes: f64,
    /// The computing time from the source to the verdict.
    pub whole: Duration,
}

impl Measurement {
    /// States per second of the search; NaN if it was too short to tell.
    pub fn rate(&self) -> f64 {
        if self.search.is_zero() { f64::NAN } else { self.states / self.search.as_secs_f64() }
    }
}

/// A figure of each of some measurements.
pub fn samples(measured: &[Measurement], figure: impl Fn(&Measurement) -> f64) -> Samples {
    measured.iter().map(figure).collect()
}

/// One of a model's two properties.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    Safety,
    Ltl,
}

/// How the search stores and reduces states.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SearchMode {
    /// Every state.
    Whole,
    /// With partial-order reduction.
    Reduced,
}

/// The size of a text without constants.
pub const NO_CONSTANTS: Size = Size { constants: &[], is_large: false, is_large_for_ltl: false };

fn program(text: &str, size: &Size) -> GraphProgram {
    let settings: Vec<(String, i64)> =
        size.constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let (program, diagnostics) = parse_with(&Source::new("model.par", text), &settings);
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// Checks one of a model's properties.
pub fn selvedge(model: &Model, size: &Size, kind: PropertyKind, mode: SearchMode) -> Measurement {
    let property = if kind == PropertyKind::Safety { model.safety } else { model.ltl.0 };
    selvedge_text(model.parallel, size, property, mode)
}

/// Checks a property of a PARALLEL text.
pub fn selvedge_text(text: &str, size: &Size, property: &str, mode: SearchMode) -> Measurement {
    let start = Clock::Process.now();
    let program = program(text, size);
    let text = property;
    let formula = program.formula(text).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"));
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("few propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let searching = Clock::Process.now();
    let options = Options { reduction: mode == SearchMode::Reduced, ..Options::default() };
    let report = check(&system, &numbered, options).expect("a small formula");
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::MayBeViolated(_) | Verdict::Limit(_) => CUT_SHORT,
    };
    Measurement {
        verdict: verdict.to_owned(),
        states: report.stats.product_states as f64,
        search: Clock::Process.since(searching),
        bytes: report.stats.bytes as f64,
        whole: Clock::Process.since(start),
    }
}

/// All states of a plain program, the same states as Maude's.
pub fn selvedge_exact(text: &str) -> Measurement {
    let start = Clock::Process.now();
    let program = program(text, &NO_CONSTANTS);
    let options = SystemOptions { exact: true, ..SystemOptions::default() };
    let system = program.system(&[], options).expect("a system");
    let searching = Clock::Process.now();
    let failures = find_failures(&system, FailureGoal::All, Budget::default());
    Measurement {
        verdict: ALL_STATES.to_owned(),
        states: failures.stats.states as f64,
        search: Clock::Process.since(searching),
        bytes: failures.stats.bytes as f64,
        whole: Clock::Process.since(start),
    }
}

/// SPIN's verifier of a Promela text, generated and compiled. The folder is deleted with it.
pub struct SpinVerifier {
    folder: PathBuf,
    is_ltl: bool,
    /// The least of [`MAX_DEPTHS`] that is enough, as far as is known.
    depth: Cell<usize>,
    flags: Vec<String>,
    /// The computing time to generate and to compile it.
    pub made_in: Duration,
}

impl Drop for SpinVerifier {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl SpinVerifier {
    /// The verifier of a model with one of its properties.
    ///
    /// # Errors
    ///
    /// SPIN or the compiler cannot be run, or fails.
    pub fn of_model(model: &Model, size: &Size, kind: PropertyKind, flags: &[&str]) -> Result<Self, String> {
        let mut text = String::new();
        for (name, value) in size.constants {
            let _ = writeln!(text, "#define {name} {value}");
        }
        text.push_str(model.promela);
        if kind == PropertyKind::Ltl {
            let _ = writeln!(text, "ltl question {{ {} }}", model.ltl.1);
        }
        SpinVerifier::new(&text, kind == PropertyKind::Ltl, flags)
    }

    /// The verifier of a text with assertions, or with one claim.
    ///
    /// # Errors
    ///
    /// SPIN or the compiler cannot be run, or fails.
    pub fn new(text: &str, is_ltl: bool, flags: &[&str]) -> Result<Self, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("selvedge-bench-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut verifier = SpinVerifier {
            folder,
            is_ltl,
            depth: Cell::new(0),
            flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
            made_in: Duration::ZERO,
        };
        let written = std::fs::write(verifier.folder.join("model.pml"), text);
        written.map_err(|error| error.to_string())?;
        let kind = if is_ltl { "-DNOFAIR" } else { "-DSAFETY" };
        let compile = ["-O2", "-w", "-DMEMLIM=16000", kind, "-o", "pan", "pan.c"];
        for (command, arguments) in
            [("spin", vec!["-a", "model.pml"]), ("cc", [&compile[..], flags].concat())]
        {
            let mut process = Command::new(command);
            process.args(arguments).current_dir(&verifier.folder);
            let ended = child::run(&mut process, "", Limits::seconds(60.0))?;
            if !ended.is_success() {
                return Err(format!("{command} fails: {}{}", ended.stdout, ended.stderr));
            }
            verifier.made_in += ended.time;
        }
        Ok(verifier)
    }

    /// The command that searches.
    fn command(&self) -> Command {
        let mut command = Command::new(self.folder.join("pan"));
        // -E: a deadlock is not an error.
        command
            .args(["-E", MAX_DEPTHS[self.depth.get()]])
            .args(self.is_ltl.then_some("-a"))
            .current_dir(&self.folder);
        command
    }

    /// One search, which is repeated with a deeper stack if that was too small.
    ///
    /// # Errors
    ///
    /// The verifier cannot be run.
    pub fn run(&self, limits: Limits) -> Result<child::Ended, String> {
        loop {
            let ended = child::run(&mut self.command(), "", limits)?;
            let is_too_small = ended.stdout.contains("max search depth too small");
            if !is_too_small || self.depth.get() + 1 == MAX_DEPTHS.len() {
                return Ok(ended);
            }
            self.depth.set(self.depth.get() + 1);
        }
    }

    /// The time that a search takes to start, measured with a verifier of an empty model.
    ///
    /// # Errors
    ///
    /// SPIN or the compiler cannot be run, or fails.
    fn start(&self) -> Result<Duration, String> {
        /// By the flags and the depth, which are all that it depends on.
        type Key = (Vec<String>, bool, usize);
        static STARTS: Mutex<BTreeMap<Key, Duration>> = Mutex::new(BTreeMap::new());
        let key = (self.flags.clone(), self.is_ltl, self.depth.get());
        let known = STARTS.lock().expect("no measurement panics").get(&key).copied();
        if let Some(start) = known {
            return Ok(start);
        }
        let claim = if self.is_ltl { "ltl question { [] true }\n" } else { "" };
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let empty = SpinVerifier::new(&format!("{EMPTY}{claim}"), self.is_ltl, &flags)?;
        empty.depth.set(self.depth.get());
        let run = || child::run(&mut empty.command(), "", Limits::seconds(60.0)).map(|ended| ended.time);
        let mut times = [run()?, run()?, run()?];
        times.sort();
        STARTS.lock().expect("no measurement panics").insert(key, times[1]);
        Ok(times[1])
    }

    /// The figures of a search that has ended.
    ///
    /// # Errors
    ///
    /// The time that a search takes to start cannot be measured.
    pub fn measurement(&self, ended: &child::Ended) -> Result<Measurement, String> {
        let search = ended.time.saturating_sub(self.start()?);
        let search = if search < SHORTEST_SEARCH { Duration::ZERO } else { search };
        let report = &ended.stdout;
        let is_cut = report.contains("max search depth too small")
            || !report.contains("errors:")
            || !matches!(ended.end, End::Exit(_));
        let verdict = match (is_cut, report.contains("errors: 0")) {
            (true, _) => CUT_SHORT,
            (false, true) => "holds",
            (false, false) => "violated",
        };
        let actual = number(report, "actual memory usage for states");
        let bytes =
            if actual.is_nan() { number(report, "equivalent memory usage for states") } else { actual };
        Ok(Measurement {
            verdict: verdict.to_owned(),
            states: number(report, "states, stored"),
            search,
            bytes: bytes * 1024.0 * 1024.0,
            whole: self.made_in + ended.time,
        })
    }
}

/// The number before these words in SPIN's report.
fn number(report: &str, words: &str) -> f64 {
    let line = report.lines().find(|line| line.contains(words)).unwrap_or_default();
    line.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(f64::NAN)
}

/// The command that reads Maude's commands.
fn maude_command() -> Command {
    let mut command = Command::new("maude");
    command.args(["-no-banner", "-no-advise", "-no-wrap"]);
    command
}

/// What Maude reads to search all states of a configuration of the lecture's semantics.
pub fn maude_search(configuration: &str) -> String {
    let semantics = maude::SEMANTICS;
    format!("{semantics}set show timing on .\nsearch in PAR : {configuration} =>* {{ C, S, 99 }} .\nquit\n")
}

/// Runs a breadth-first search of Maude.
///
/// # Errors
///
/// Maude cannot be run.
pub fn maude(input: &str, limits: Limits) -> Result<child::Ended, String> {
    child::run(&mut maude_command(), input, limits)
}

/// The figures of a search of Maude that has ended.
///
/// # Errors
///
/// Maude complains, or its report has another form.
pub fn maude_measurement(ended: &child::Ended) -> Result<Measurement, String> {
    let cut = Measurement {
        verdict: CUT_SHORT.to_owned(),
        states: f64::NAN,
        search: ended.time,
        bytes: f64::NAN,
        whole: ended.time,
    };
    if !matches!(ended.end, End::Exit(_)) {
        return Ok(cut);
    }
    if !ended.stderr.trim().is_empty() {
        return Err(format!("maude reports: {}", ended.stderr));
    }
    // "states: 263  rewrites: 1234 in 8ms cpu (9ms real) (…)"
    let after = |word: &str| -> Option<&str> { ended.stdout.split(word).nth(1) };
    let number = |text: Option<&str>| -> Option<f64> {
        let digits: String = text?.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let states = number(after("states: "));
    let milliseconds = number(after("rewrites: ").and_then(|rest| rest.split(" in ").nth(1)));
    let (Some(states), Some(milliseconds)) = (states, milliseconds) else {
        return Err(format!("maude reports no states: {}", ended.stdout));
    };
    let verdict = if ended.stdout.contains("No solution") { ALL_STATES } else { "found" };
    let search = Duration::from_secs_f64(milliseconds.max(1.0) / 1e3);
    Ok(Measurement { verdict: verdict.to_owned(), states, search, ..cut })
}
