//! How fast Erlang programs are searched, and how much memory a state takes: the locker of
//! `models/erlang`, with two to seven clients, without partial-order reduction.
//!
//! `cargo run --release --bin erlang` in `bench/` fills the table of `RESULTS-erlang.md`; `--large` adds
//! eight clients, and the first ten million states of nine. There is no peer: figures of one checker.

use selvedge_bench_harness::{Clock, Plan, Run, Samples, Table, number};
use selvedge_lang::{ErlangOptions, NoSources, Program, ReadOptions, SystemOptions, erlang};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Budget, Limits, Options, Stats, Verdict, check};
use std::process::ExitCode;

const FORMULA: &str = "G !({enter,@1} & {enter,@2})";

const COLUMNS: [&str; 8] =
    ["clients", "states/s", "spread", "states", "transitions", "bytes/state", "MiB", "computing s"];

/// A search of more clients ends with so many states.
const MOST_STATES: usize = 10_000_000;

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-erlang.md");
    run.head("run", &[]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/erlang/locker.erl");
    let source = Source::new("locker.erl", std::fs::read_to_string(path).expect("the model"));
    let is_large = run.plan.rest.iter().any(|argument| argument == "--large");
    let mut table = Table::new("erlang", &COLUMNS);
    for clients in 2..=if is_large { 9 } else { run.plan.pick(7, 5) } {
        let repetitions = if clients > 7 { 1 } else { run.plan.repetitions };
        let searches: Vec<(Stats, f64)> = (0..repetitions).map(|_| search(&source, clients)).collect();
        let times: Samples = searches.iter().map(|(_, seconds)| *seconds).collect();
        let stats = &searches[0].0;
        let mut cells = vec![clients.to_string()];
        cells.extend(Table::ratio(&times.per(stats.states as f64)));
        cells.extend([stats.states.to_string(), stats.transitions.to_string()]);
        cells.extend([(stats.bytes / stats.states).to_string(), (stats.bytes >> 20).to_string()]);
        cells.push(number(times.median()));
        table.row(cells);
    }
    run.table(&table);
    run.finish()
}

/// The figures of a search, and its seconds.
fn search(source: &Source, clients: i64) -> (Stats, f64) {
    let settings = [("N".to_owned(), clients)];
    let options = ErlangOptions::default();
    let options = ReadOptions { settings: &settings, erlang: &options, finder: &NoSources };
    let program = erlang::read(source, &options).0.expect("a program");
    let formula = program.formula(FORMULA).expect("a formula");
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("two propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let budget = Budget { limits, ..Budget::default() };
    let options = Options { reduction: false, budget, ..Options::default() };
    let (report, seconds) = Clock::Process.time(|| check(&system, &numbered, options).expect("a verdict"));
    let is_cut = report.stats.states >= MOST_STATES;
    let is_expected =
        matches!(report.verdict, Verdict::Holds) || is_cut && matches!(report.verdict, Verdict::Limit(_));
    assert!(is_expected, "clients are never inside together");
    (report.stats, seconds)
}
