//! The model checker beside stateright: the same models with the same steps, one worker each.
//!
//! `cargo run --release --bin stateright` in `bench/` fills the table of `RESULTS-stateright.md`. Both visit
//! the same number of states, which is checked, so that the ratio of states per second is that of times.
//! stateright stores fingerprints of 64 bits where ours stores whole states, so its answer may be wrong with
//! a small probability. It searches breadth-first.

use selvedge_bench::models::{self, MODELS};
use selvedge_bench::stateright::{self, ring::Ring};
use selvedge_bench::tools::{self, Measurement, NO_CONSTANTS, PropertyKind, SearchMode, samples};
use selvedge_bench_harness::machine::crate_version;
use selvedge_bench_harness::{Plan, Run, Table, number, take_turns};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-stateright.md");
    run.head("run", &[crate_version("stateright")]);
    let mut table = Table::new(
        "stateright",
        &[
            "model",
            "states/s by stateright's",
            "spread",
            "reduced, times as fast",
            "verdict",
            "states",
            "states/s",
            "stateright's states/s",
            "ms",
            "reduced, ms",
            "stateright's ms",
        ],
    );
    for model in MODELS {
        let sizes = model.sizes.iter().filter(|size| !size.is_large);
        let sizes: Vec<_> = sizes.collect();
        for size in &sizes[..run.plan.pick(sizes.len(), 1)] {
            let constants: Vec<String> = size.constants.iter().map(|(_, value)| value.to_string()).collect();
            let search = |mode| tools::selvedge(model, size, PropertyKind::Safety, mode);
            compare(
                &mut run,
                &mut table,
                &format!("{} {}", model.name, constants.join(" ")),
                [
                    &mut || search(SearchMode::Whole),
                    &mut || stateright::check_named(model.name, size.constants),
                    &mut || search(SearchMode::Reduced),
                ],
            );
        }
    }
    for processes in run.plan.pick(5..=7, 4..=5) {
        let ring = models::ring(processes);
        let search = |mode| tools::selvedge_text(&ring.declared, &NO_CONSTANTS, &ring.property, mode);
        compare(
            &mut run,
            &mut table,
            &format!("ring {processes}"),
            [
                &mut || search(SearchMode::Whole),
                &mut || stateright::check(Ring { count: processes }),
                &mut || search(SearchMode::Reduced),
            ],
        );
    }
    run.table(&table);
    run.finish()
}

/// Measures one model: ours, stateright, ours with reduction.
fn compare(
    run: &mut Run,
    table: &mut Table,
    name: &str,
    mut contestants: [&mut dyn FnMut() -> Measurement; 3],
) {
    let measured = take_turns(run.plan.repetitions, &mut contestants);
    let [ours, theirs, reduced] = [&measured[0], &measured[1], &measured[2]];
    run.same(&format!("{name}, states"), &ours[0].states, &theirs[0].states);
    run.same(&format!("{name}, verdict"), &ours[0].verdict, &theirs[0].verdict);
    run.same(&format!("{name}, verdict with reduction"), &reduced[0].verdict, &theirs[0].verdict);
    let rates = [ours, theirs].map(|measured| samples(measured, Measurement::rate));
    let times =
        [ours, reduced, theirs].map(|measured| samples(measured, |one| one.search.as_secs_f64() * 1e3));
    let [rate, spread] = Table::ratio(&rates[0].over(&rates[1]));
    table.row(vec![
        name.to_owned(),
        rate,
        spread,
        number(times[2].over(&times[1]).median()),
        theirs[0].verdict.clone(),
        ours[0].states.to_string(),
        number(rates[0].median()),
        number(rates[1].median()),
        number(times[0].median()),
        number(times[1].median()),
        number(times[2].median()),
    ]);
}
