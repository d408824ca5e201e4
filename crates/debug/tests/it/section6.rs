//! The example of Gunter and Peled, §6, and the chop of §8: Dekker's algorithm, debugged.

use crate::common::{Session, target};
use selvedge_debug::protocol::Command;
use selvedge_debug::snapshot::{Answer, Mode, SearchOptions, SearchOrder};
use std::collections::BTreeSet;

const MINIMAL: SearchOptions = SearchOptions {
    order: SearchOrder::BreadthFirst,
    mode: Mode::Minimal,
    paths: selvedge_debug::snapshot::Paths::Subset,
    limit: 10_000,
    same_end: true,
    same_sequence: false,
    states: 1_000_000,
};
const EVERY_END: SearchOptions = SearchOptions { mode: Mode::EveryEnd, same_end: false, ..MINIMAL };
const MAXIMAL: SearchOptions = SearchOptions { mode: Mode::Maximal, ..MINIMAL };

fn dekker() -> Session {
    Session::new(target("dekker.flow", &[]))
}

/// The values of an expression at the ends of all alternatives; the step is gone afterwards.
fn ends(session: &mut Session, formula: &str, expression: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut answer = session.step(formula, EVERY_END);
    while let Some(Answer::FoundStep { .. }) = answer {
        values.push(session.value(expression));
        answer = session.tell(&Command::Backtrack);
    }
    assert!(matches!(answer, Some(Answer::None { .. })), "{answer:?}");
    values
}

#[test]
fn p0_enters_while_p1_does_not_try() {
    let mut session = dekker();
    assert_eq!(session.length("F (P0 at m2 & P1 at n1)", MINIMAL), Some(4));
    assert_eq!((session.value("c0"), session.value("c1")), ("0".to_owned(), "1".to_owned()));
    assert_eq!(ends(&mut session, "G P1 at n1", "turn").len(), 10);
    assert_eq!(session.now.stack.len(), 1, "a step without another alternative is gone");
    assert!(session.length("G P1 at n1", MAXIMAL).is_some());
    let cycle = session.now.cycle.expect("P0 goes round for ever");
    assert!((4..session.now.length).contains(&cycle));
    session.tell(&Command::Remove);
    assert_eq!(session.length("(G P1 at n1) & (F P0 at m8)", MINIMAL), Some(2));
}

#[test]
fn while_both_try_p1_has_to_give_way_and_p0_enters_first() {
    let mut session = dekker();
    session.length("F (P0 at m2 & P1 at n1)", MINIMAL);
    session.tell(&Command::Clear { initial: None });
    assert_eq!(session.now.stack.len(), 0);
    assert_eq!(session.length("F (P0 at m2 & P1 at n2)", MINIMAL), Some(6));
    assert_eq!(session.value("turn"), "0");
    assert_eq!(session.length("(G P1 at n2) & (F P0 at m8)", MINIMAL), None);

    let mut nodes = BTreeSet::new();
    let mut answer = session.step("G P1 at n2", EVERY_END);
    while let Some(Answer::FoundStep { .. }) = answer {
        let here = ["m2", "m6", "m7", "m8"].into_iter();
        nodes.extend(here.filter(|node| holds_here(&mut session, &format!("P0 at {node}"))));
        answer = session.tell(&Command::Backtrack);
    }
    assert_eq!(nodes, BTreeSet::from(["m2", "m6", "m7"]));
    session.length("G P1 at n2", MAXIMAL).expect("a maximal step");
    assert!(session.now.cycle.is_some());
    session.tell(&Command::Remove);

    assert_eq!(session.length("F P0 at m8", MINIMAL), Some(5));
    assert!(session.timeline().events.iter().any(|event| event.made.text.contains("c1 := 1")), "through n3");
    session.tell(&Command::Remove);
    let smaller = ["F P1 at n3", "F P0 at m7", "F P0 at m8"].map(|formula| session.length(formula, MINIMAL));
    assert_eq!(smaller.iter().flatten().sum::<usize>(), 5, "the same in smaller steps: {smaller:?}");
    for _ in smaller {
        session.tell(&Command::Remove);
    }

    assert_eq!(session.length("!(P0 at m8) U (P1 at n8)", MINIMAL), None);
    assert_eq!(session.length("!(P1 at n8) U (P0 at m8)", MINIMAL), Some(5));
    // From m8, P0 enters again before P1 does.
    assert_eq!(
        session.length("X (!(P1 at n8) U (!(P0 at m8) & X (!(P1 at n8) U P0 at m8)))", MINIMAL),
        Some(6)
    );
}

/// Does a formula without operators of time hold in the state at the end of the run?
fn holds_here(session: &mut Session, proposition: &str) -> bool {
    let holds = session.length(proposition, MINIMAL) == Some(0);
    if holds {
        session.tell(&Command::Remove);
    }
    holds
}

#[test]
fn depth_first_with_p0_first_comes_to_turn_1_where_the_answers_turn_round() {
    let depth_first = SearchOptions { order: SearchOrder::DepthFirst, ..MINIMAL };
    let mut session = dekker();
    session.length("F (P0 at m2 & P1 at n2)", depth_first).expect("a step");
    assert_eq!(session.value("turn"), "1");
    assert!(session.length("!(P0 at m8) U (P1 at n8)", MINIMAL).is_some());
    session.tell(&Command::Remove);
    assert_eq!(session.length("!(P1 at n8) U (P0 at m8)", MINIMAL), None);
}

#[test]
fn the_chop_of_two_formulas_is_the_first_and_then_the_second_after_a_next() {
    // φ1 chop φ2 on one sequence: the step of φ1, then that of `X φ2`, which begins in the next state.
    let mut session = dekker();
    assert_eq!(session.length("F P0 at m2", MINIMAL), Some(3));
    assert_eq!(session.length("X (F P1 at n2)", MINIMAL), Some(3));
    let mut at_once = dekker();
    let chopped = "F (P0 at m2 & X F P1 at n2)";
    assert_eq!(at_once.length(chopped, MINIMAL), Some(6));
}

#[test]
fn a_simple_step_is_the_minimal_step_of_next_exec() {
    let mut one = dekker();
    let mut other = dekker();
    for process in [0, 0, 1, 0, 1, 1, 0, 1] {
        one.tell(&Command::Simple { process });
        assert_eq!(other.length(&format!("X exec(P{process})"), MINIMAL), Some(1));
        assert_eq!(one.timeline().events, other.timeline().events);
        assert_eq!(one.now.state, other.now.state);
    }
    assert_eq!(one.now.stack[7].formula, "X exec(P1)");
}
