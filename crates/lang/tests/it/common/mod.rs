//! Shared by the tests of this crate: a program from text, and a naive breadth-first search.

pub(crate) mod ending;
pub(crate) mod formulas;
pub(crate) mod generate;

pub(crate) mod messages;
pub(crate) mod naive;
pub(crate) mod pieces;
pub(crate) mod promela;
pub(crate) mod rich;
pub(crate) mod sleep;
pub(crate) mod whole;

use selvedge_lang::machine::Machine;
use selvedge_lang::parallel::parse;
use selvedge_lang::{Atom, GraphProgram, Program, SystemOptions};
use selvedge_ltl::diagnostic::Severity;
use selvedge_ltl::source::Source;
use selvedge_model::{States, Steps, System, Word};
use std::collections::{HashMap, VecDeque};

/// The program; errors fail the test.
#[track_caller]
pub(crate) fn program(text: &str) -> GraphProgram {
    let source = Source::new("test.par", text);
    let (program, diagnostics) = parse(&source);
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let rendered: Vec<String> = errors.map(|diagnostic| diagnostic.render(&source, false)).collect();
    assert!(rendered.is_empty(), "{}", rendered.join("\n"));
    program.expect("no errors, so a program")
}

/// The program's system, with the propositions of all its properties.
#[track_caller]
pub(crate) fn system(text: &str, exact: bool) -> Machine {
    let program = program(text);
    program.system(&atoms(&program), SystemOptions { exact, ..SystemOptions::default() }).expect("a system")
}

/// The propositions of all properties.
pub(crate) fn atoms(program: &GraphProgram) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    for property in program.properties() {
        property.formula.propositions(&mut |atom| {
            if !atoms.contains(atom) {
                atoms.push(atom.clone());
            }
        });
    }
    atoms
}

/// A model of the repository.
pub(crate) fn model(name: &str) -> String {
    let path = format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The reachable states.
pub(crate) struct Space {
    pub(crate) states: Vec<Vec<Word>>,
    pub(crate) transitions: usize,
}

/// Breadth-first search, up to so many states.
pub(crate) fn search(system: &Machine, most: usize) -> Space {
    let mut initial = States::new(system.words());
    system.initial(&mut initial);
    let mut numbers: HashMap<Vec<Word>, usize> = HashMap::new();
    let mut states = Vec::new();
    let mut todo = VecDeque::new();
    let mut reach = |state: &[Word], todo: &mut VecDeque<Vec<Word>>, states: &mut Vec<Vec<Word>>| {
        if numbers.insert(state.to_vec(), states.len()).is_none() {
            states.push(state.to_vec());
            todo.push_back(state.to_vec());
        }
    };
    for state in initial.iter() {
        reach(state, &mut todo, &mut states);
    }
    let mut steps = Steps::new(system.words());
    let mut transitions = 0;
    while let Some(state) = todo.pop_front() {
        assert!(states.len() <= most, "more than {most} states");
        steps.clear();
        system.successors(&state, &mut steps);
        transitions += steps.len();
        for (_, next) in steps.iter() {
            reach(next, &mut todo, &mut states);
        }
    }
    Space { states, transitions }
}

/// The states in which runs end: each variable that is named, with its value, sorted.
pub(crate) fn outcomes(text: &str, names: &[&str]) -> Vec<String> {
    let system = system(text, true);
    let space = search(&system, 100_000);
    let mut found: Vec<String> = Vec::new();
    let mut steps = Steps::new(system.words());
    for state in &space.states {
        steps.clear();
        system.successors(state, &mut steps);
        if !steps.is_empty() {
            continue;
        }
        let shown = system.show(state);
        let value = |name: &&str| {
            let entry = shown.iter().find(|(shown, _)| shown == name);
            format!("{name}={}", entry.map_or("?", |(_, value)| value.as_str()))
        };
        let mut text: Vec<String> = names.iter().map(value).collect();
        if let Some(error) = system.error(state) {
            text.push(error);
        } else if !system.is_end(state) {
            let waiting = system.waiting(state);
            text.extend(waiting.iter().map(|(process, place)| format!("{process} waits: {place}")));
        }
        found.push(text.join(" "));
    }
    found.sort();
    found.dedup();
    found
}
