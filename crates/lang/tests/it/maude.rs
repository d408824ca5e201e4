//! Generated programs against Debian's `maude`: in exact mode there are as many reachable states.
//!
//! Programs have two or three processes; variables, some of them undefined at first, are assigned constants
//! and one another only, so that the state space is finite. One run of Maude serves all programs.

use crate::common::generate::{Generated, Random, generate};
use crate::common::{search, system};
use selvedge_testkit::lang::maude;
use std::fmt::Write as _;

/// How many programs are compared; `SELVEDGE_MAUDE_PROGRAMS` asks for another number.
const PROGRAMS: usize = 500;

/// The number of states that Maude reaches from each of the programs.
fn counts_of_maude(programs: &[Generated]) -> Vec<usize> {
    let mut commands = String::new();
    for program in programs {
        writeln!(commands, "search in PAR : {} =>* C:Config such that false .", program.maude())
            .expect("a string");
    }
    let text = maude::run(&commands);
    let counts = text.lines().filter_map(|line| line.strip_prefix("states: "));
    counts
        .map(|line| line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number"))
        .collect()
}

#[test]
fn generated_programs_have_as_many_states_as_in_maude() {
    let wanted = std::env::var("SELVEDGE_MAUDE_PROGRAMS").ok().and_then(|number| number.parse().ok());
    let mut random = Random(20);
    let (mut programs, mut counts) = (Vec::new(), Vec::new());
    while programs.len() < wanted.unwrap_or(PROGRAMS) {
        let program = generate(&mut random, false);
        let states = search(&system(&program.selvedge(), true), 1_000_000).states.len();
        // Large programs take Maude long and show nothing that small programs do not.
        if states <= 3000 {
            programs.push(program);
            counts.push(states);
        }
    }
    let theirs = counts_of_maude(&programs);
    assert_eq!(theirs.len(), counts.len(), "maude answers once for each program");
    for ((program, ours), theirs) in programs.iter().zip(&counts).zip(&theirs) {
        assert_eq!(ours, theirs, "{}\n{}", program.selvedge(), program.maude());
    }
    let large = counts.iter().filter(|count| **count > 100).count();
    assert!(large > counts.len() / 4, "only {large} programs have more than 100 states");
}
