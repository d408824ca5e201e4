//! The model checker beside SPIN and Maude: the same algorithms in their languages, one worker, in one run.
//!
//! `cargo run --release --bin check` in `bench/`; it needs `spin`, `cc` and `maude`, and fills the tables of
//! `RESULTS.md`. `--large` adds the models that take minutes or gigabytes; see [`Plan`] for other options.
//!
//! SPIN generates a verifier, which is compiled with `-O2` once for each row and run in each repetition. Its
//! time from source to verdict includes all three, as ours includes the parser; its search is without the
//! time in which it fills its tables with zeros, and is not told (`-`) below 20 ms. Its bytes are those that
//! it reports for states, without its hash table and its stack; ours are all tables and stacks. The two
//! languages differ in what is one step, so their numbers of states differ; states per second, bytes per
//! state and times can be compared. For LTL properties, states are those of the product.

use selvedge_bench::models::{self, MODELS, Model, Size};
use selvedge_bench::tools::{self, Measurement, PropertyKind, SearchMode, SpinVerifier, samples};
use selvedge_bench_harness::child::Limits;
use selvedge_bench_harness::machine::command_version;
use selvedge_bench_harness::{Plan, Run, Table, number, take_turns};
use std::process::ExitCode;

/// A search of a peer that computes longer than this is cut off.
const LIMIT_S: f64 = 300.0;

/// How both search, and the flags of SPIN's verifier. Only SPIN compresses.
const SEARCHES: [(&str, SearchMode, &[&str]); 3] = [
    ("whole", SearchMode::Whole, &["-DNOREDUCE"]),
    ("compressed", SearchMode::Whole, &["-DNOREDUCE", "-DCOLLAPSE"]),
    ("reduced", SearchMode::Reduced, &[]),
];

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS.md");
    let versions = [("spin", "-V"), ("cc", "--version"), ("maude", "--version")]
        .map(|(command, argument)| command_version(command, argument).map(|version| (command, version)));
    let mut known = Vec::new();
    for version in versions {
        match version {
            Ok(("maude", version)) => known.push(format!("Maude {version}")),
            Ok((_, version)) => known.push(version),
            Err(message) => run.complain(&message),
        }
    }
    run.head("run", &known);
    beside_spin(&mut run);
    beside_maude(&mut run);
    run.finish()
}

fn beside_spin(run: &mut Run) {
    let mut table = Table::new(
        "spin",
        &[
            "model",
            "question",
            "search",
            "states/s by SPIN's",
            "spread",
            "times as fast from source to verdict",
            "spread of it",
            "verdict",
            "states",
            "SPIN's",
            "states/s",
            "SPIN's states/s",
            "bytes/state",
            "SPIN's bytes/state",
            "ms",
            "SPIN's ms",
        ],
    );
    let is_large = run.plan.rest.iter().any(|argument| argument == "--large");
    for model in MODELS {
        let sizes: Vec<&Size> = model.sizes.iter().filter(|size| is_large || !size.is_large).collect();
        // A quick run has the smallest size alone.
        for size in &sizes[..run.plan.pick(sizes.len(), 1)] {
            let has_ltl = is_large || !size.is_large_for_ltl;
            for kind in [PropertyKind::Safety, PropertyKind::Ltl].into_iter().take(1 + usize::from(has_ltl)) {
                for search in SEARCHES {
                    compare(run, &mut table, (model, size, kind), search);
                }
            }
        }
    }
    run.table(&table);
}

/// Measures one model with one way to search by both tools.
fn compare(
    run: &mut Run,
    table: &mut Table,
    (model, size, kind): (&Model, &Size, PropertyKind),
    (search, mode, flags): (&str, SearchMode, &[&str]),
) {
    let constants: Vec<String> = size.constants.iter().map(|(_, value)| value.to_string()).collect();
    let name = format!("{} {}", model.name, constants.join(" "));
    let question = if kind == PropertyKind::Safety { "safety" } else { "LTL" };
    let verifier = match SpinVerifier::of_model(model, size, kind, flags) {
        Ok(verifier) => verifier,
        Err(message) => return run.complain(&format!("{name}: {message}")),
    };
    let limits = Limits::seconds(LIMIT_S);
    let mut ours = || Ok(tools::selvedge(model, size, kind, mode));
    let mut theirs = || verifier.run(limits).and_then(|ended| verifier.measurement(&ended));
    let measured = take_turns(run.plan.repetitions, &mut [&mut ours, &mut theirs]);
    let measured: Result<Vec<Vec<Measurement>>, String> =
        measured.into_iter().map(|runs| runs.into_iter().collect()).collect();
    let (ours, theirs) = match measured {
        Ok(measured) => (measured[0].clone(), measured[1].clone()),
        Err(message) => return run.complain(&format!("{name}: {message}")),
    };
    run.same(&format!("{name}, {question}, {search}"), &ours[0].verdict, &theirs[0].verdict);
    let rates = [&ours, &theirs].map(|measured| samples(measured, Measurement::rate));
    let times = [&ours, &theirs].map(|measured| samples(measured, |one| one.whole.as_secs_f64() * 1e3));
    let [rate, rate_spread] = Table::ratio(&rates[0].over(&rates[1]));
    let [time, time_spread] = Table::ratio(&times[1].over(&times[0]));
    let per_state = |one: &Measurement| number(one.bytes / one.states);
    table.row(vec![
        name,
        question.to_owned(),
        search.to_owned(),
        rate,
        rate_spread,
        time,
        time_spread,
        ours[0].verdict.clone(),
        ours[0].states.to_string(),
        theirs[0].states.to_string(),
        number(rates[0].median()),
        number(rates[1].median()),
        per_state(&ours[0]),
        per_state(&theirs[0]),
        number(times[0].median()),
        number(times[1].median()),
    ]);
}

fn beside_maude(run: &mut Run) {
    let columns = ["model", "states/s by Maude's", "spread", "states", "states/s", "Maude's states/s"];
    let mut table = Table::new("maude", &columns);
    for processes in run.plan.pick(4..=5, 4..=4) {
        let name = format!("ring {processes}");
        let ring = models::ring(processes);
        let search = tools::maude_search(&ring.maude);
        let limits = Limits::seconds(LIMIT_S);
        let mut ours = || Ok(tools::selvedge_exact(&ring.parallel));
        let mut theirs = || tools::maude(&search, limits).and_then(|ended| tools::maude_measurement(&ended));
        let measured = take_turns(run.plan.repetitions, &mut [&mut ours, &mut theirs]);
        let measured: Result<Vec<Vec<Measurement>>, String> =
            measured.into_iter().map(|runs| runs.into_iter().collect()).collect();
        let measured = match measured {
            Ok(measured) => measured,
            Err(message) => {
                run.complain(&format!("{name}: {message}"));
                continue;
            }
        };
        run.same(&format!("{name}, states"), &measured[0][0].states, &measured[1][0].states);
        let rates = [&measured[0], &measured[1]].map(|measured| samples(measured, Measurement::rate));
        let [rate, spread] = Table::ratio(&rates[0].over(&rates[1]));
        let states = measured[0][0].states.to_string();
        table.row(vec![name, rate, spread, states, number(rates[0].median()), number(rates[1].median())]);
    }
    run.table(&table);
}
