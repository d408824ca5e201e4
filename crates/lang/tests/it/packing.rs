//! States are narrow, and the values that are inferred for variables leave out none that a run has.
//!
//! Generated programs are compared with themselves and a process that never moves, but seems to assign
//! anything to all variables: then nothing is inferred about them, and there must be as many states.

use crate::common::generate::Random;
use crate::common::{model, program, search, system};
use selvedge_lang::{Program, SystemOptions};
use selvedge_model::System;

/// Assigns everything, if only an element of an array were 1. It never is, but elements are not told apart.
const WILD: &str = "process wild: await closed[0] = 1; x := x * x - y; y := null; y := y * y - x; \
                    closed[0] := x; send c, x * y; receive c, x";

/// Ten times as many programs if `SELVEDGE_LONG` is set.
fn programs(count: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 10 * count } else { count }
}

#[test]
fn counters_and_remainders_of_go_back_n_take_three_words() {
    let text = model("go-back-n.par").replace("MESSAGES = 2", "MESSAGES = 6");
    let program = program(&text);
    let system = program.system(&[], SystemOptions::default()).expect("a system");
    assert_eq!(system.words(), 3);
}

#[test]
fn inferred_values_leave_out_no_state() {
    let mut random = Random(101);
    let (mut narrower, mut states) = (0, 0);
    for _ in 0..programs(300) {
        let capacity = random.index(2);
        let bodies: Vec<String> = (1..=2).map(|name| process(&mut random, name, capacity > 0)).collect();
        let text = format!(
            "memory x = {}, y = {}, closed[1] = 0; channel c[{capacity}]; {}",
            random.index(4),
            random.index(2),
            bodies.join(" ")
        );
        let wild_text = format!("{text} {WILD}");
        // Exact, so that no variable is forgotten where its process alone uses it.
        let (narrow, wild) = (system(&text, true), system(&wild_text, true));
        let (found, expected) = (search(&narrow, 100_000), search(&wild, 100_000));
        assert_eq!(found.states.len(), expected.states.len(), "{text}");
        assert_eq!(found.transitions, expected.transitions, "{text}");
        narrower += usize::from(narrow.words() < wild.words());
        states += found.states.len();
    }
    assert!(narrower > 0 && states > 0, "{narrower} narrower programs, {states} states");
}

/// A process of a few statements, that are run once or for ever.
fn process(random: &mut Random, name: usize, has_room: bool) -> String {
    let statements: Vec<String> = (0..1 + random.index(3)).map(|_| statement(random, has_room)).collect();
    let body = statements.join("; ");
    match random.index(3) {
        0 => format!("process {name}: {body}"),
        _ => format!("process {name}: repeat {body} forever"),
    }
}

fn statement(random: &mut Random, has_room: bool) -> String {
    match random.index(7) {
        0 => format!("choose {} | {} end", simple(random), simple(random)),
        1 => format!("send c, {}", value(random)),
        2 => format!("receive c, {}", variable(random)),
        3 => simple(random),
        _ => {
            let mut inside: Vec<String> = (0..2 + random.index(3)).map(|_| simple(random)).collect();
            if has_room && random.index(4) == 0 {
                inside[0] = format!("receive c, {}", variable(random));
            }
            format!("atomic {} end", inside.join("; "))
        }
    }
}

/// A statement that keeps variables small, since a test comes before each change.
fn simple(random: &mut Random) -> String {
    let var = variable(random);
    match random.index(6) {
        0 => format!("await {var} > 0; {var} := {var} - 1"),
        1 => format!("await {var} < 3; {var} := {var} + 1"),
        2 => format!("if {var} > -1 then {var} := {var} - 1 else {var} := 0 fi"),
        3 => format!("if {var} < 3 then {var} := {var} + 1 fi"),
        4 => format!("await {var} != 1"),
        _ => format!("{var} := {}", value(random)),
    }
}

fn value(random: &mut Random) -> String {
    match random.index(4) {
        0 => "x % 3".to_owned(),
        1 => "(x + y) % 4".to_owned(),
        2 => "y % 2".to_owned(),
        _ => variable(random).to_owned(),
    }
}

fn variable(random: &mut Random) -> &'static str {
    if random.index(2) == 0 { "x" } else { "y" }
}
