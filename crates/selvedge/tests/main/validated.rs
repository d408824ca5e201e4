//! The reduction keeps its invariants after every step of random programs.

#![cfg(feature = "check")]

use crate::soundness::program::{Program, SMALL};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy};
use selvedge_explore::Random;
use selvedge_explore::schedulers::Dpor;
use selvedge_testkit::validated::Validated;
use std::collections::BTreeSet;

/// The outcomes of at most so many runs. A run that the reduction gives up is no outcome.
fn outcomes(program: &Program, memory: MemoryModel, strategy: Strategy) -> Option<BTreeSet<String>> {
    let explorer = Explorer::new().spin_for_ever(true).memory(memory).strategy(strategy);
    // A custom strategy does not find out by itself whether deadlines make a difference.
    let report = explorer.deadlines(program.needs_deadlines()).max_executions(500).explore(|| program.run());
    if report.limit().is_some() {
        return None;
    }
    let outcomes = report.outcomes().keys().filter(|outcome| !matches!(outcome, Outcome::StepLimit));
    Some(outcomes.map(|outcome| format!("{outcome:?}")).collect())
}

/// A broken invariant is a panic, and so another outcome than that of the program.
#[test]
fn the_reduction_keeps_its_invariants_after_every_step() {
    for (seed, memory) in (1..).zip([MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso]) {
        let mut random = Random(seed);
        let mut compared = 0;
        for _ in 0..700 {
            let program = Program::draw(&mut random, SMALL);
            let validated = outcomes(&program, memory, Strategy::custom(Validated(Dpor::new())));
            let expected = outcomes(&program, memory, Strategy::systematic());
            if let (Some(validated), Some(expected)) = (validated, expected) {
                assert_eq!(validated, expected, "{program:?} under {memory:?}");
                compared += 1;
            }
        }
        assert!(compared > 350, "many programs are small enough: {compared}");
    }
}
