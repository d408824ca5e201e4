//! The number of failing runs of each program, by seed: the programs, the engine and the schedulers are
//! what they were. `UPDATE_EXPECT=1` writes the file anew.

use super::{all, explorer, failure};
use expect_test::expect_file;
use sctbench::Program;
use selvedge::{Keep, Strategy};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const RUNS: u64 = 100;
const SEED: u64 = 1;

/// The number of failing runs.
fn failing(program: fn(), strategy: Strategy) -> usize {
    let count = AtomicUsize::new(0);
    explorer(strategy).explore_keeping(program, |outcome| {
        count.fetch_add(usize::from(failure(outcome).is_some()), Relaxed);
        Keep::Nothing
    });
    count.into_inner()
}

fn row(program: &Program) -> String {
    let counts = [
        failing(program.buggy, Strategy::random(SEED, RUNS)),
        failing(program.buggy, Strategy::pct(3, SEED, RUNS).expected_steps(program.steps)),
        failing(program.buggy, Strategy::swarm(SEED, RUNS)),
        failing(program.buggy, Strategy::pos(SEED, RUNS)),
        failing(program.buggy, Strategy::mixed(SEED, RUNS)),
    ];
    assert_eq!(failing(program.correct, Strategy::random(SEED, RUNS)), 0, "{}", program.name);
    let [random, pct, swarm, pos, mixed] = counts;
    format!("{:24}{random:>8}{pct:>8}{swarm:>8}{pos:>8}{mixed:>8}\n", program.name)
}

#[test]
fn a_seed_has_the_same_number_of_failing_runs_as_ever() {
    let mut text = format!("failing runs of {RUNS}, seed {SEED}\n");
    text.push_str("program                   random     pct   swarm     pos   mixed\n");
    text.extend(all().map(|program| row(&program)));
    expect_file!["./counts.txt"].assert_eq(&text);
}
