//! Runs of one program without its bug, for a profiler: `profile PROGRAM STRATEGY RUNS`; the strategy is
//! `mixed` or `random`.
//!
//! Instructions of a run are the difference of two numbers of runs, divided by that of their instructions:
//! what an exploration takes to begin and end falls out.

use sctbench::held_out;
use selvedge::{Explorer, Keep, MemoryModel, Strategy};

/// As in the measurements of speed.
const MAX_STEPS: usize = 20_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, strategy, runs] = &arguments[..] else { panic!("profile PROGRAM STRATEGY RUNS") };
    let runs: u64 = runs.parse().expect("a number of runs");
    let strategy = match strategy.as_str() {
        "mixed" => Strategy::mixed(0, runs),
        "random" => Strategy::random(0, runs),
        other => panic!("there is no strategy `{other}`"),
    };
    let mut programs = sctbench::ALL.into_iter().chain(held_out::ALL);
    let program = programs.find(|program| program.name == name).expect("a program of this name");
    let explorer = Explorer::new().strategy(strategy).memory(MemoryModel::Sc).max_executions(runs);
    let explorer = explorer.max_steps(MAX_STEPS).progress(false);
    explorer.explore_keeping(program.correct, |_| Keep::Nothing);
}
