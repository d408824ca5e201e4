//! Dekker's algorithm as the lecture prints it: the numbers of states and transitions are Maude's.

use crate::common::{atoms, model, program, search, system};
use selvedge_lang::{Expect, Program, SystemOptions};
use selvedge_model::System;

#[test]
fn dekker_has_the_lectures_states_and_transitions() {
    let space = search(&system(&model("dekker.par"), true), 1000);
    assert_eq!((space.states.len(), space.transitions), (263, 586));
}

#[test]
fn without_the_last_mover_dekker_has_152_states() {
    let program = program(&model("dekker.par"));
    let mutex: Vec<_> = atoms(&program).into_iter().filter(|atom| atom.text().starts_with("at")).collect();
    let system = program.system(&mutex, SystemOptions::default()).expect("a system");
    assert_eq!(system.words(), 1);
    assert_eq!(search(&system, 1000).states.len(), 152);
}

#[test]
fn dekker_never_has_both_processes_at_their_critical_sections() {
    let program = program(&model("dekker.par"));
    let atoms = atoms(&program);
    let texts: Vec<&str> = atoms.iter().map(|atom| atom.text()).collect();
    assert_eq!(texts, ["at(1, crit)", "at(2, crit)", "exec(1)", "exec(2)", "at(1, rem)"]);
    let system = program.system(&atoms, SystemOptions::default()).expect("a system");
    let space = search(&system, 1000);
    assert!(space.states.iter().all(|state| system.label(state).may_true & 0b11 != 0b11));
    assert!(space.states.iter().any(|state| system.label(state).may_true & 0b11 == 0b10));
    assert!(space.states.iter().all(|state| system.label(state).may_true & 0b1100 != 0b1100));
}

#[test]
fn the_properties_of_the_file_are_read() {
    let program = program(&model("dekker.par"));
    let read: Vec<(String, String, Option<Expect>)> = program
        .properties()
        .iter()
        .map(|property| (property.name.clone(), property.formula.to_string(), property.expect))
        .collect();
    let expected = [
        ("mutex", "G !(at(1, crit) & at(2, crit))", Expect::Holds),
        ("strong", "G F exec(1) -> G F at(1, crit)", Expect::Violated),
        ("weak", "G F exec(1) & G F exec(2) -> G F !at(1, rem) -> G F at(1, crit)", Expect::Holds),
    ];
    let expected: Vec<_> =
        expected.map(|(name, formula, verdict)| (name.to_owned(), formula.to_owned(), Some(verdict))).into();
    assert_eq!(read, expected);
}
