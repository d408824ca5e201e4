//! The machine against the naive interpreter, state by state.

use super::searches::Expected;
use crate::common::naive::{Fault, Naive, Space};
use crate::common::whole::formulas::Proposition;
use crate::common::{search, system};
use selvedge_model::{ProcessId, Steps, System};
use std::collections::{BTreeMap, BTreeSet};

/// How often there is each state: its values, with the last movers and with what kind of state it is.
type Census = BTreeMap<(Vec<String>, String), usize>;

/// The same states, steps, ends and errors.
#[track_caller]
pub(super) fn compare(text: &str, naive: &Naive, space: &Space) -> Expected {
    let machine = system(text, true);
    let found = search(&machine, 10 * space.states.len() + 100);
    let names: Vec<String> = naive.shown(&space.states[0]).into_iter().map(|(name, _)| name).collect();
    let shown = machine.show(&found.states[0]);
    let position = |name: &String| shown.iter().position(|(shown, _)| shown == name).expect("a value");
    let positions: Vec<usize> = names.iter().map(position).collect();
    // The places of all processes, the values, and the last mover.
    assert_eq!(shown.len(), naive.names().len() + names.len() + 1, "{shown:?} {names:?}");
    let mut steps = Steps::new(machine.words());
    let mut census = Census::new();
    for state in &found.states {
        steps.clear();
        machine.successors(state, &mut steps);
        let shown = machine.show(state);
        let values = positions.iter().map(|position| shown[*position].1.clone()).collect();
        let movers = &shown[shown.len() - 1].1;
        let kind = match machine.error(state) {
            Some(error) => error[..error.find(", line").expect("a line")].to_owned(),
            None if !steps.is_empty() => "goes on".to_owned(),
            None => kind_of_end(machine.is_end(state), machine.is_idle(state)).to_owned(),
        };
        let is_moving = |process| {
            let takes = |action| [machine.process(action), machine.partner(action)].contains(&Some(process));
            steps.iter().any(|(action, _)| takes(action))
        };
        for process in (0..machine.processes() as u32).map(ProcessId) {
            assert_eq!(machine.is_enabled(state, process), is_moving(process), "{process:?}\n{text}");
        }
        *census.entry((values, format!("{kind}, moved: {movers}"))).or_default() += 1;
    }
    let expected = naive_census(naive, space);
    let differences = different(&census, &expected);
    assert!(differences.is_empty(), "{differences:#?}\n{names:?}\n{text}");
    let sizes = (space.states.len(), space.steps.iter().map(Vec::len).sum());
    assert_eq!((found.states.len(), found.transitions), sizes, "{text}");
    let deadlocks = expected.iter().filter(|((_, kind), _)| kind.starts_with("deadlock"));
    let has_errors = space.states.iter().any(|state| state.error().is_some());
    Expected { sizes, deadlocks: deadlocks.map(|(_, count)| count).sum(), has_errors }
}

/// The same messages in the states in which runs end, and the same ends, where values are forgotten that no
/// step reads.
#[track_caller]
pub(super) fn compare_forgetting(text: &str, naive: &Naive, space: &Space) {
    let machine = system(text, false);
    let mut steps = Steps::new(machine.words());
    let mut found = BTreeSet::new();
    for state in search(&machine, 10 * space.states.len() + 100).states {
        steps.clear();
        machine.successors(&state, &mut steps);
        if steps.is_empty() && machine.error(&state).is_none() {
            found.insert((messages(machine.show(&state)), machine.is_end(&state)));
        }
    }
    let ends = space
        .states
        .iter()
        .zip(&space.steps)
        .filter(|(state, steps)| steps.is_empty() && state.error().is_none());
    let expected = ends.map(|(state, _)| (messages(naive.shown(state)), naive.is_end(state)));
    assert_eq!(found, expected.collect(), "{text}");
}

/// The values that are lists of messages.
fn messages(shown: Vec<(String, String)>) -> Vec<String> {
    shown.into_iter().map(|(_, value)| value).filter(|value| value.starts_with('[')).collect()
}

fn kind_of_end(is_end: bool, is_idle: bool) -> &'static str {
    match (is_end, is_idle) {
        (false, _) => "deadlock",
        (true, true) => "idle",
        (true, false) => "end",
    }
}

fn naive_census(naive: &Naive, space: &Space) -> Census {
    let names = naive.names();
    let mut census = Census::new();
    for (state, steps) in space.states.iter().zip(&space.steps) {
        let values = naive.shown(state).into_iter().map(|(_, value)| value).collect();
        let movers: Vec<&str> = state.movers().iter().map(|mover| names[*mover].as_str()).collect();
        let movers = if movers.is_empty() { "0".to_owned() } else { movers.join(" and ") };
        let is_end = naive.is_end(state);
        let kind = match state.error() {
            Some((process, fault)) => format!("{}: process {}", fault_text(fault), names[process]),
            None if !steps.is_empty() => "goes on".to_owned(),
            None => kind_of_end(is_end, is_end && !naive.has_ended(state)).to_owned(),
        };
        *census.entry((values, format!("{kind}, moved: {movers}"))).or_default() += 1;
    }
    census
}

fn fault_text(fault: Fault) -> &'static str {
    match fault {
        Fault::Index => "the index is outside of the array",
        Fault::DivisionByZero => "division by zero",
        Fault::Assertion => "the assertion does not hold",
    }
}

/// The first states that are not as often in both.
fn different(one: &Census, other: &Census) -> Vec<String> {
    let all = one.keys().chain(other.keys().filter(|key| !one.contains_key(key)));
    let counts = all.map(|key| (key, one.get(key).unwrap_or(&0), other.get(key).unwrap_or(&0)));
    let differ = counts.filter(|(_, one, other)| one != other);
    differ.take(6).map(|(key, one, other)| format!("{one} and naively {other}: {key:?}")).collect()
}

/// What is to be said of `[] p`: by one state in which it does not hold, or may not.
pub(super) fn verdict_on_invariant(proposition: &Proposition, naive: &Naive, space: &Space) -> &'static str {
    let mut values = (0..space.states.len()).map(|number| proposition.holds(naive, space, number));
    let all: Vec<Option<bool>> = values.by_ref().collect();
    if all.contains(&Some(false)) {
        "violated"
    } else if all.contains(&None) {
        "may be violated"
    } else {
        "holds"
    }
}
