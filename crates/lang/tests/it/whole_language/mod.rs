//! Generated programs of the whole language: a naive interpreter, whole and reduced searches, one worker and
//! two, searches that never stop and searches that are killed and go on, all with the same results.
//!
//! The naive interpreter has the states and steps of the machine that forgets nothing, one for one: the
//! values in all of them, the deadlocks, ends and errors. It decides invariants. Of all other
//! formulas the verdict of the whole search by one worker is the one to which the others are compared.
//! What was drawn and found is counted ([`tally`]), so that nothing is compared in vain.

mod naive;
mod searches;
mod tally;

use crate::common::generate::Random;
use crate::common::messages::{Drawn, message_program, message_proposition};
use crate::common::naive::Naive;
use crate::common::naive::ast::Processes;
use crate::common::whole::formulas::{Proposition, whole_formula};
use crate::common::whole::whole_program;
use searches::Case;
use tally::Tally;

/// How many programs are compared; ten times as many if `SELVEDGE_LONG` is set.
const PROGRAMS: usize = 2000;

/// How many programs with channels alone are compared.
const CHANNEL_PROGRAMS: usize = 600;

/// Programs have at most so many states.
const MOST_STATES: usize = 700;

/// Programs have more states than this.
const LEAST_STATES: usize = 8;

/// How many formulas are checked of each program.
const FORMULAS: usize = 2;

fn programs(count: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 10 * count } else { count }
}

/// A program that is neither too small nor too large, with its states.
fn drawn(
    random: &mut Random,
    most: usize,
    draw: fn(&mut Random) -> Processes,
) -> (Processes, Naive, crate::common::naive::Space) {
    loop {
        let drawn = draw(random);
        let naive = Naive::new(&drawn);
        if let Some(space) = naive.explore(most)
            && space.states.len() > LEAST_STATES
        {
            return (drawn, naive, space);
        }
    }
}

#[test]
fn programs_of_the_whole_language_have_the_results_of_a_naive_interpreter_in_all_searches() {
    let mut random = Random(81);
    let mut tally = Tally::default();
    for number in 0..programs(PROGRAMS) {
        let (drawn, naive, space) = drawn(&mut random, MOST_STATES, whole_program);
        let text = drawn.selvedge();
        tally.add_constructs(&drawn, &text);
        tally.add_space(&naive, &space);
        let found = naive::compare(&text, &naive, &space);
        let names = naive.names();
        let case = Case { text: &text, number };
        case.compare_failures(&found, &mut random, &mut tally);
        let proposition = Proposition::random(&mut random, &names);
        let expected = naive::verdict_on_invariant(&proposition, &naive, &space);
        let invariant = proposition.selvedge(&drawn, &names);
        case.compare_invariant(&invariant, expected, &mut random, &mut tally);
        for _ in 0..FORMULAS {
            let depth = 1 + random.below(3);
            let formula = whole_formula(&mut random, &drawn, &names, depth);
            case.compare_formula(&formula, &mut random, &mut tally);
        }
    }
    tally.check(programs(PROGRAMS));
}

#[test]
fn programs_with_channels_have_the_results_of_a_naive_interpreter_in_all_searches() {
    let mut random = Random(51);
    let mut tally = Tally::default();
    for number in 0..programs(CHANNEL_PROGRAMS) {
        let (drawn, naive, space) =
            drawn(&mut random, 4 * MOST_STATES, |random| message_program(random, Drawn::Whole));
        let text = drawn.selvedge();
        tally.add_space(&naive, &space);
        let found = naive::compare(&text, &naive, &space);
        naive::compare_forgetting(&text, &naive, &space);
        let case = Case { text: &text, number };
        case.compare_failures(&found, &mut random, &mut tally);
        for shape in ["[] (P)", "<> (P)", "[]<> (P)", "[] ((P) -> <> (Q))", "(P) U (Q)"] {
            let [one, other] = [(); 2].map(|()| message_proposition(&mut random)[0].clone());
            let formula = shape.replace('P', &one).replace('Q', &other);
            case.compare_formula(&formula, &mut random, &mut tally);
        }
    }
    tally.check_ends(programs(CHANNEL_PROGRAMS));
}
