//! Tests of the programs: each has its bug, which is found, and none without it.
//!
//! [`counts`] is the short version, for every build. [`found`] has a test for each program; it explores
//! much, so builds without optimisation for release leave it out: `cargo test --release -p sctbench`.

mod counts;
mod found;

use sctbench::{Failure, Program, held_out};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy};

/// All programs, held out or not.
fn all() -> impl Iterator<Item = Program> {
    sctbench::ALL.into_iter().chain(held_out::ALL)
}

fn explorer(strategy: Strategy) -> Explorer {
    Explorer::new().strategy(strategy).memory(MemoryModel::Sc).simplify(false).progress(false)
}

/// The failure that the outcome means, if it means one. A run that takes too many steps is none.
fn failure(outcome: &Outcome<()>) -> Option<Failure> {
    match outcome {
        Outcome::Deadlock => Some(Failure::Deadlock),
        Outcome::Panicked(message) => Some(Failure::of_panic(message)),
        _ => None,
    }
}

#[test]
fn there_are_49_programs_with_names_of_their_own() {
    let mut names: Vec<&str> = all().map(|program| program.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), sctbench::ALL.len()), (49 + held_out::ALL.len(), 49));
    assert!(held_out::ALL.len() >= 12);
}
