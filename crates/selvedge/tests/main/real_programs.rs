//! The outcomes of production are among the explored outcomes: the same code runs programs over `MVar`,
//! transactions, atomic references and exceptions many times on threads of the operating system, and in an
//! exploration.
//!
//! Only programs in which no thread can wait for ever run on real threads. A thread that waits for ever all
//! the same is a fault; a time limit that no correct run approaches detects it.

#![cfg(feature = "check")]

use crate::rich;

use rich::{Flavour, Program, Values};
use selvedge::{Explorer, MemoryModel};
use selvedge_explore::Random;
use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The limit of explored runs of a program.
const MAX_RUNS: u64 = 1_000;

/// The number of runs of a program on real threads.
const REAL_RUNS: usize = 100;

/// A program with unfinished real runs after this time has a thread that waits for ever.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// All outcomes of a program; `None` if there are too many runs, or if a thread may wait for ever.
fn explore(program: &Program) -> Option<BTreeSet<Values>> {
    let explorer = Explorer::new().memory(MemoryModel::Tso).max_executions(MAX_RUNS).spin_for_ever(true);
    let report = explorer.explore(|| program.run(None));
    if report.limit().is_some() {
        return None;
    }
    assert!(report.is_complete(), "{program:?}\n{report}");
    report.outcomes().keys().map(|outcome| outcome.returned().cloned()).collect()
}

/// Runs the program many times on real threads. Returns the outcomes.
fn run_on_real_threads(program: &Program, seed: u64) -> BTreeSet<Values> {
    let (sender, receiver) = channel();
    let same = program.clone();
    std::thread::spawn(move || {
        let mut random = Random(seed);
        let all: BTreeSet<Values> = (0..REAL_RUNS).map(|_| same.run(Some(random.word()))).collect();
        // After the time limit, the receiver is gone.
        let _ = sender.send(all);
    });
    receiver.recv_timeout(TIME_LIMIT).unwrap_or_else(|_| panic!("a thread waits for ever in {program:?}"))
}

#[test]
fn the_outcomes_of_production_are_among_the_explored_outcomes() {
    let count = if std::env::var_os("SELVEDGE_LONG").is_some() { 4_000 } else { 200 };
    let mut random = Random(1);
    let (mut programs, mut can_happen, mut happened) = (0, 0, 0);
    while programs < count {
        let flavour = if programs % 3 == 0 { Flavour::Exceptions } else { Flavour::Mixed };
        let program = Program::draw(&mut random, flavour, [3, 2]);
        let Some(explored) = explore(&program) else { continue };
        if explored.len() < 2 {
            continue;
        }
        let real = run_on_real_threads(&program, random.word());
        let unexplored: Vec<&Values> = real.difference(&explored).collect();
        assert!(
            unexplored.is_empty(),
            "program {programs}: {program:?} gave {unexplored:?}, not among {explored:?}"
        );
        (programs, can_happen, happened) = (programs + 1, can_happen + explored.len(), happened + real.len());
    }
    println!("{happened} of {can_happen} outcomes of {programs} programs really happened");
    assert!(happened > 2 * programs, "delays that always give the same outcome test little: {happened}");
}
