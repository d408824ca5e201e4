//! Random signatures: discovery against the naive search, against itself without pruning, and its
//! behaviour sets against those of all runs.

use super::programs::Program;
use crate::consequences::{Consequences, Domains};
use selvedge::Strategy;
use selvedge::discover::{Limits, Pruning, Term, first_values};
use selvedge_testkit::{Random, is_long_run};

/// How many signatures are drawn.
const SIGNATURES: u64 = 200;
/// How many values a variable has.
const VALUES: usize = 2;
/// How many seeds there are.
const SEEDS: usize = 3;
/// The largest terms.
const SIZE: usize = 6;

fn limits() -> Limits {
    Limits::size(SIZE).values(VALUES).seeds(SEEDS).workers(1).conditions(false).progress(false)
}

fn programs() -> impl Iterator<Item = (u64, Program)> {
    (0..SIGNATURES).map(|seed| (seed, Program::draw(&mut Random(seed))))
}

#[test]
fn every_law_of_the_naive_search_follows_from_reported_laws() {
    let mut laws_in_sum = 0;
    for (seed, program) in programs() {
        let laws = program.signature().named(format!("signature {seed}")).discover(limits());
        assert!(laws.is_complete(), "{laws}");
        let reference = program.reference(first_values(SEEDS), VALUES);
        laws_in_sum += reference.assert_all_follow(&laws, SIZE);
    }
    assert!(laws_in_sum > 5_000, "{laws_in_sum}");
}

#[test]
fn every_law_without_pruning_follows_from_reported_laws() {
    for (seed, program) in programs() {
        let [pruned, all] = [Pruning::ALL, Pruning::NONE]
            .map(|pruning| program.signature().discover(limits().pruning(pruning)));
        let consequences = Consequences::of(&pruned, &Domains::of(VALUES));
        for law in all.laws() {
            assert!(
                consequences.has(&law.statement),
                "signature {seed}: {law} does not follow from\n{pruned}"
            );
        }
    }
}

/// An exploration of all runs that makes more of them is not compared.
const MAX_RUNS: u64 = 2_000;

#[test]
fn behaviour_sets_are_those_of_all_runs() {
    let max_runs = if is_long_run() { 1_000_000 } else { MAX_RUNS };
    let (mut compared, mut skipped) = (0, 0);
    for (seed, program) in programs() {
        let signature = program.signature().value("0", 0_i64).value("1", 1_i64);
        let reference = program.reference(first_values(SEEDS), VALUES);
        for term in program.some_ground_terms(&mut Random(seed)) {
            let parsed: Term = term.parse().unwrap();
            for (number, interference) in program.interference_names().into_iter().enumerate() {
                let contents = &reference.seeds[(seed as usize + number) % SEEDS];
                let all = reference.behaviours(&parsed, contents, number, Strategy::exhaustive(), max_runs);
                let Some(all) = all else {
                    skipped += 1;
                    continue;
                };
                let seen = signature.behaviours(&term, contents, interference, &limits());
                let seen = seen
                    .into_iter()
                    .map(|seen| (seen.observation, seen.failure.map(|failure| failure.to_string())));
                assert_eq!(
                    seen.collect::<std::collections::BTreeSet<_>>(),
                    all,
                    "signature {seed}: {term}, {interference}, {contents:?}\n{program:#?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10 * skipped, "{compared} sets compared, {skipped} skipped");
}
