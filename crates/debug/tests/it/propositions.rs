//! The propositions `deadlock`, `ended` and `enabled(P)`, against the system itself.

use selvedge_lang::{GraphProgram, Program, SystemOptions};
use selvedge_ltl::source::Source;
use selvedge_ltl::{Alphabet, Prop};
use selvedge_model::{ProcessId, States, Steps, System, Word};
use std::collections::BTreeSet;

fn program(file: &str) -> GraphProgram {
    let path = format!("{}/../../models/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let source = Source::new(file, text);
    let settings = [("N".to_owned(), 3)];
    let settings = if file.starts_with("philosophers") { &settings[..] } else { &[] };
    let (program, diagnostics) = match file.ends_with(".flow") {
        true => selvedge_lang::flow::parse_with(&source, settings),
        false => selvedge_lang::parallel::parse_with(&source, settings),
    };
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// All states, naively.
fn reachable(system: &impl System) -> BTreeSet<Vec<Word>> {
    let mut initial = States::new(system.words());
    system.initial(&mut initial);
    let mut todo: Vec<Vec<Word>> = initial.iter().map(<[Word]>::to_vec).collect();
    let mut seen = BTreeSet::new();
    let mut steps = Steps::new(system.words());
    while let Some(state) = todo.pop() {
        if seen.insert(state.clone()) {
            steps.clear();
            system.successors(&state, &mut steps);
            todo.extend(steps.iter().map(|(_, target)| target.to_vec()));
        }
    }
    seen
}

#[test]
fn they_say_of_every_state_what_its_steps_say() {
    for (file, process) in [("philosophers.par", "phil(1)"), ("dekker.flow", "P0"), ("peterson.par", "p(1)")]
    {
        for exact in [false, true] {
            let program = program(file);
            let mut alphabet = Alphabet::default();
            let formula = format!("deadlock & ended & enabled({process})");
            let formula = program.formula(&formula).unwrap_or_else(|error| panic!("{file}: {error:?}"));
            alphabet.number(&formula).expect("three propositions");
            let options = SystemOptions { exact, ..SystemOptions::default() };
            let system = program.system(alphabet.names(), options).expect("a system");
            let states = reachable(&system);
            let names: Vec<String> = alphabet.names().iter().map(ToString::to_string).collect();
            let mut steps = Steps::new(system.words());
            for state in &states {
                steps.clear();
                system.successors(state, &mut steps);
                let mut moving = steps.actions(0).iter().filter_map(|action| system.process(*action));
                for (number, name) in names.iter().enumerate() {
                    let expected = match name.as_str() {
                        "deadlock" => steps.is_empty() && !system.is_end(state),
                        "ended" => steps.is_empty() && system.is_end(state),
                        _ => moving.any(|process| process == ProcessId(0)),
                    };
                    let label = system.label(state).value(Prop(number as u8));
                    assert_eq!(label, Some(expected), "{file}: {name}");
                }
            }
        }
    }
}
