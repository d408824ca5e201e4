//! What production does is among what is explored: programs over `MVar`, transactions, atomic references and exceptions, run many times by threads of the
//! operating system and in an exploration, by the same code.
//!
//! Only programs in which nobody can wait for ever are run for real; whoever does all the same is a fault, and is told by a time limit
//! that no run comes near to.

#![cfg(feature = "check")]

use crate::rich;

use rich::{Flavour, Program, Values};
use selvedge::{Explorer, MemoryModel};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::time::Duration;

/// No more runs than these are explored of a program.
const MOST_RUNS: u64 = 1_000;

/// So often a program is run for real.
const REAL_RUNS: usize = 100;

/// A program that is not done with all its real runs by then waits for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// All outcomes of a program; nothing if there are too many runs, or if somebody may wait for ever.
fn explored(program: &Program) -> Option<BTreeSet<Values>> {
    let explorer = Explorer::new().memory(MemoryModel::Tso).max_executions(MOST_RUNS).spin_for_ever(true);
    let report = explorer.explore(|| program.run(None));
    if report.limit().is_some() {
        return None;
    }
    assert!(report.is_complete(), "{program:?}\n{report}");
    report.outcomes().keys().map(|outcome| outcome.returned().cloned()).collect()
}

/// Runs the program again and again. Returns all that came of it.
fn really(program: &Program, seed: u64) -> BTreeSet<Values> {
    let (sender, receiver) = channel();
    let same = program.clone();
    std::thread::spawn(move || {
        let mut random = Random(seed);
        let all: BTreeSet<Values> = (0..REAL_RUNS).map(|_| same.run(Some(random.word()))).collect();
        // Who has lost patience does not listen any more.
        let _ = sender.send(all);
    });
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("somebody waits for ever in {program:?}"))
}

#[test]
fn what_production_does_is_among_what_is_explored() {
    let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 4_000 } else { 200 };
    let mut random = Random(1);
    let (mut programs, mut can_happen, mut happened) = (0, 0, 0);
    while programs < count {
        let flavour = if programs % 3 == 0 { Flavour::Exceptions } else { Flavour::Mixed };
        let program = Program::draw(&mut random, flavour, [3, 2]);
        let Some(explored) = explored(&program) else { continue };
        if explored.len() < 2 {
            continue;
        }
        let real = really(&program, random.word());
        let new: Vec<&Values> = real.difference(&explored).collect();
        assert!(new.is_empty(), "program {programs}: {program:?} gave {new:?}, not one of {explored:?}");
        (programs, can_happen, happened) = (programs + 1, can_happen + explored.len(), happened + real.len());
    }
    println!("{happened} of {can_happen} outcomes of {programs} programs really happened");
    assert!(happened > 2 * programs, "delays that always have the same end show little: {happened}");
}
