//! How fast Erlang programs are searched, and how much memory a state takes: the locker of
//! `models/erlang`, with two to eight clients, without partial-order reduction.
//!
//! ```console
//! $ cargo run --release --bin erlang > RESULTS-erlang.md
//! ```

use selvedge_lang::{ErlangOptions, NoSources, Program, ReadOptions, SystemOptions, erlang};
use selvedge_ltl::Alphabet;
use selvedge_ltl::source::Source;
use selvedge_model::{Budget, Options, Verdict, check};
use std::time::Instant;

const FORMULA: &str = "G !({enter,@1} & {enter,@2})";

fn main() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/erlang/locker.erl");
    let source = Source::new("locker.erl", std::fs::read_to_string(path).expect("the model"));
    println!("# Erlang\n");
    println!(
        "`cargo run --release --bin erlang`, one run: the locker of `models/erlang/locker.erl`, mutual exclusion of"
    );
    println!(
        "two clients, all steps of all states (no reduction), one worker. Bytes are those of all tables, of the"
    );
    println!("search and of the program.\n");
    println!("| clients | states | transitions | seconds | states a second | bytes a state | MiB |");
    println!("|---|---|---|---|---|---|---|");
    for clients in 2..=8 {
        println!("{}", row(&source, clients));
    }
}

/// One row of the table.
fn row(source: &Source, clients: i64) -> String {
    let settings = [("N".to_owned(), clients)];
    let options = ErlangOptions::default();
    let options = ReadOptions { settings: &settings, erlang: &options, finder: &NoSources };
    let program = erlang::read(source, &options).0.expect("a program");
    let formula = program.formula(FORMULA).expect("a formula");
    let mut alphabet = Alphabet::default();
    let numbered = alphabet.number(&formula).expect("two propositions");
    let system = program.system(alphabet.names(), SystemOptions::default()).expect("a system");
    let options = Options { reduction: false, budget: Budget::default(), ..Options::default() };
    let begin = Instant::now();
    let report = check(&system, &numbered, options).expect("a verdict");
    let seconds = begin.elapsed().as_secs_f64();
    assert!(matches!(report.verdict, Verdict::Holds), "clients are never inside together");
    let stats = report.stats;
    format!(
        "| {clients} | {} | {} | {seconds:.3} | {:.0} | {} | {:.1} |",
        stats.states,
        stats.transitions,
        stats.states as f64 / seconds,
        stats.bytes / stats.states,
        stats.bytes as f64 / f64::from(1 << 20),
    )
}
