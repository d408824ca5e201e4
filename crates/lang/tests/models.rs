//! Every model of the repository is read without complaint, and its invariants turn out as it says.
//!
//! The search is this test's own and breadth first, so the numbers of states are those of the language alone.

mod common;

use common::{atoms, model, program};
use expect_test::expect;
use selvedge_lang::machine::Options;
use selvedge_lang::parallel::{Atom, Expect, ParallelSystem, parse};
use selvedge_ltl::source::Source;
use selvedge_ltl::{Binary, Formula, Unary};
use selvedge_model::{States, Steps, System, Word};
use std::collections::{HashSet, VecDeque};

const MODELS: [&str; 8] = [
    "dekker.par",
    "peterson.par",
    "thread-game.par",
    "philosophers.par",
    "philosophers-ordered.par",
    "bounded-buffer.par",
    "alternating-bit.par",
    "lamport-fast.par",
];

/// Does the formula hold in a state in which exactly these propositions do? `None` if it speaks of more than one state.
fn eval(formula: &Formula<Atom>, atoms: &[Atom], holding: u64) -> Option<bool> {
    Some(match formula {
        Formula::Const(value) => *value,
        Formula::Prop(atom) => {
            let index = atoms.iter().position(|known| known == atom).expect("an atom of the system");
            holding >> index & 1 == 1
        }
        Formula::Unary(Unary::Not, inner) => !eval(inner, atoms, holding)?,
        Formula::Binary(operator, left, right) => {
            let (left, right) = (eval(left, atoms, holding)?, eval(right, atoms, holding)?);
            match operator {
                Binary::And => left && right,
                Binary::Or => left || right,
                Binary::Implies => !left || right,
                Binary::Iff => left == right,
                _ => return None,
            }
        }
        Formula::Unary(..) => return None,
    })
}

/// What a search met.
#[derive(Default)]
struct Met {
    states: usize,
    transitions: usize,
    deadlocks: usize,
    errors: Vec<String>,
    violated: bool,
}

/// Searches until `bad`, or all of it.
fn search(system: &ParallelSystem, bad: &dyn Fn(&[Word]) -> bool) -> Met {
    let mut met = Met::default();
    let mut initial = States::new(system.words());
    system.initial(&mut initial);
    let mut seen: HashSet<Vec<Word>> = initial.iter().map(<[Word]>::to_vec).collect();
    let mut todo: VecDeque<Vec<Word>> = seen.iter().cloned().collect();
    let mut steps = Steps::new(system.words());
    while let Some(state) = todo.pop_front() {
        met.states += 1;
        assert!(met.states < 2_000_000, "too many states");
        if bad(&state) {
            met.violated = true;
            return met;
        }
        steps.clear();
        system.successors(&state, &mut steps);
        met.transitions += steps.len();
        if let Some(error) = system.error(&state) {
            met.errors.push(error);
        } else if steps.is_empty() && !system.is_end(&state) {
            met.deadlocks += 1;
        }
        for (_, next) in steps.iter() {
            if !seen.contains(next) {
                seen.insert(next.to_vec());
                todo.push_back(next.to_vec());
            }
        }
    }
    met
}

/// Checks each `[] p` of the file against its verdict.
#[track_caller]
fn check_invariants(name: &str) {
    let program = program(&model(name));
    let atoms: Vec<Atom> =
        atoms(&program).into_iter().filter(|atom| !matches!(atom, Atom::Exec { .. })).collect();
    let system = program.system(&atoms, Options::default()).expect("a system");
    let mut checked = 0;
    for property in program.properties() {
        let Formula::Unary(Unary::Always, invariant) = &property.formula else { continue };
        if eval(invariant, &atoms, 0).is_none() {
            continue;
        }
        let bad = |state: &[Word]| eval(invariant, &atoms, system.label(state).may_true) == Some(false);
        let verdict = if search(&system, &bad).violated { Expect::Violated } else { Expect::Holds };
        assert_eq!(Some(verdict), property.expect, "{name}: {}", property.name);
        checked += 1;
    }
    assert!(checked > 0, "{name} has no invariants");
}

/// States, transitions and deadlocks in exact mode, and states by default with nothing observed.
fn size(name: &str) -> String {
    let program = program(&model(name));
    let exact = program.system(&[], Options { exact: true }).expect("a system");
    let merged = program.system(&[], Options::default()).expect("a system");
    let (exact, merged) = (search(&exact, &|_| false), search(&merged, &|_| false));
    assert_eq!(exact.errors, Vec::<String>::new(), "{name}");
    let Met { states, transitions, deadlocks, .. } = exact;
    format!("{name}: {states} states, {transitions} transitions, {deadlocks} deadlocks; {}\n", merged.states)
}

#[test]
fn every_model_is_read_without_complaint() {
    let folder = format!("{}/../../models", env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(folder).expect("the folder of models") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let source = Source::new(path.display().to_string(), text);
            let (program, diagnostics) = parse(&source);
            let said: Vec<String> = diagnostics.iter().map(|said| said.render(&source, false)).collect();
            assert!(said.is_empty(), "{}", said.join("\n"));
            assert!(program.is_some_and(|program| !program.properties().is_empty()));
        }
    }
}

#[test]
fn invariants_turn_out_as_the_models_say() {
    for name in MODELS {
        check_invariants(name);
    }
}

#[test]
fn models_have_these_states_transitions_and_deadlocks() {
    let finite = MODELS.iter().filter(|name| **name != "thread-game.par");
    let sizes: String = finite.map(|name| size(name)).collect();
    expect![[r#"
        dekker.par: 263 states, 586 transitions, 0 deadlocks; 152
        peterson.par: 1397 states, 3022 transitions, 0 deadlocks; 471
        philosophers.par: 4117 states, 17900 transitions, 4 deadlocks; 1174
        philosophers-ordered.par: 8749 states, 37727 transitions, 0 deadlocks; 2401
        bounded-buffer.par: 176 states, 310 transitions, 0 deadlocks; 90
        alternating-bit.par: 21280 states, 59782 transitions, 0 deadlocks; 4014
        lamport-fast.par: 5119 states, 9826 transitions, 0 deadlocks; 980
    "#]]
    .assert_eq(&sizes);
}
