//! Forgetting dead variables changes nothing that a property can observe.

use crate::common::generate::{Random, generate};
use crate::common::{program, search};
use selvedge_lang::machine::Machine;
use selvedge_lang::{Atom, Program, SystemOptions};
use selvedge_model::{Steps, System};
use std::collections::BTreeSet;

/// The pairs of labels that a step leads from and to.
fn label_steps(system: &Machine) -> BTreeSet<(u64, u64)> {
    let mut label_steps = BTreeSet::new();
    let mut steps = Steps::new(system.words());
    for state in search(system, 1_000_000).states {
        steps.clear();
        system.successors(&state, &mut steps);
        let from = system.label(&state).may_true;
        label_steps.extend(steps.iter().map(|(_, next)| (from, system.label(next).may_true)));
    }
    label_steps
}

#[test]
fn forgetting_dead_variables_keeps_the_steps_between_labels() {
    let mut random = Random(7);
    let (mut all_exact, mut all_merged) = (0, 0);
    for _ in 0..400 {
        let program = program(&generate(&mut random, false).selvedge());
        let mut atoms: Vec<Atom> = Vec::new();
        for text in ["at(1, u0)", "at(1, l1)", "at(2, u1)", "at(2, l0)", "exec(1)"] {
            program.formula(text).expect("a formula").propositions(&mut |atom| atoms.push(atom.clone()));
        }
        let exact = program
            .system(&atoms, SystemOptions { exact: true, ..SystemOptions::default() })
            .expect("a system");
        let merged = program.system(&atoms, SystemOptions::default()).expect("a system");
        let (exact_states, merged_states) =
            (search(&exact, 1_000_000).states.len(), search(&merged, 1_000_000).states.len());
        assert!(merged_states <= exact_states);
        (all_exact, all_merged) = (all_exact + exact_states, all_merged + merged_states);
        if exact_states < 20_000 {
            assert_eq!(label_steps(&exact), label_steps(&merged));
        }
    }
    assert!(all_merged < all_exact, "nothing was forgotten");
}

#[test]
fn a_local_that_is_assigned_before_it_is_read_is_forgotten() {
    let text = "memory x = 0; process 1: local t = 0; repeat t := x; x := 1 - t forever
                process 2: repeat await x = 1; await x = 0 forever";
    let program = program(text);
    let states = |atoms: &[Atom], exact: bool| {
        let system =
            program.system(atoms, SystemOptions { exact, ..SystemOptions::default() }).expect("a system");
        let space = search(&system, 1000);
        space.states.iter().map(|state| system.show(state)[3].1.clone()).collect::<Vec<String>>()
    };
    let forgotten = states(&[], false);
    assert!(forgotten.contains(&"-".to_owned()), "{forgotten:?}");
    let mut atoms = Vec::new();
    program.formula("t@1 = 1").expect("a formula").propositions(&mut |atom| atoms.push(atom.clone()));
    let observed = states(&atoms, false);
    assert!(!observed.contains(&"-".to_owned()));
    assert!(forgotten.len() < observed.len());
    assert!(!states(&[], true).contains(&"-".to_owned()));
}
