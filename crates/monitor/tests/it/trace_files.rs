//! Recorded paths as trace files: a file alone says what held in each of its states.

use selvedge_explore::Recording as TraceFile;
use selvedge_explore::trace::VerdictPlace;
use selvedge_monitor::{Fact, Monitor, OnViolation, Recording};
use selvedge_testkit::Random;
use std::collections::BTreeSet;
use std::sync::Arc;

fn monitor() -> Monitor<Fact> {
    let mut monitor = Monitor::new();
    monitor.on_violation(OnViolation::Keep);
    monitor
}

fn read(text: &str) -> TraceFile {
    TraceFile::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The propositions that hold in each state, by the file alone.
fn states(file: &TraceFile) -> Vec<(u64, BTreeSet<String>)> {
    let mut holding = BTreeSet::new();
    let after = |state: &selvedge_explore::trace::RecordedState| {
        for change in &state.changes {
            let is_change = match change.holds {
                true => holding.insert(change.proposition.clone()),
                false => holding.remove(&change.proposition),
            };
            assert!(is_change, "{change:?} changes nothing");
        }
        (state.number, holding.clone())
    };
    file.states.iter().map(after).collect()
}

#[test]
fn a_violation_is_saved_as_the_page_shows_it() {
    let mut monitor = monitor();
    monitor.check("exclusive", "G !(critical(1) & critical(2))").expect("a formula");
    for (thread, number) in [("one", 1), ("two", 2)] {
        monitor.set(&("critical", number).into());
        monitor.step_by(&Arc::from(thread));
    }
    let text = monitor.violations()[0].trace_file();
    assert_eq!(text, include_str!("../../../../docs/exclusive.trace"));
}

#[test]
fn a_file_begins_with_all_that_holds_in_its_first_state() {
    let mut monitor = monitor();
    monitor.record(Recording::Last(2));
    for name in ["a", "b", "c", "d"] {
        monitor.set(&Fact::from(name));
        monitor.step();
    }
    monitor.check("never", "G !e").expect("a formula");
    monitor.release(&Fact::from("a"));
    monitor.step();
    monitor.set(&Fact::from("e"));
    monitor.step();
    let file = read(&monitor.trace_file());
    let names = |names: &str| names.chars().map(String::from).collect::<BTreeSet<_>>();
    assert_eq!(states(&file), [(4, names("abcd")), (5, names("bcd")), (6, names("bcde"))]);
    assert_eq!((file.formulas[0].began, file.formulas[0].violated), (Some(4), Some(VerdictPlace::At(6))));
    assert_eq!(file.get("recorded"), Some("states 4 to 6"));
    let violation = read(&monitor.violations()[0].trace_file());
    assert_eq!(states(&violation), states(&file));
    assert_eq!(violation.get("outcome"), Some("violated: never"));
}

#[test]
fn a_verdict_on_a_forgotten_state_is_still_told() {
    let mut monitor = monitor();
    monitor.record(Recording::Last(1));
    monitor.check("never", "G !p").expect("a formula");
    monitor.pulse(&Fact::from("p"));
    (0..3).for_each(|_| monitor.step());
    let file = read(&monitor.trace_file());
    assert_eq!(file.formulas[0].violated, Some(VerdictPlace::At(1)));
    assert!(file.overview().to_string().contains("violated  at state 1"));
}

#[test]
fn the_states_of_a_file_are_those_of_the_monitor() {
    let mut random = Random(9);
    let facts: Vec<Fact> = (0..4).map(|number| Fact::from(("p", number, "a b"))).collect();
    let threads: [Arc<str>; 2] = ["main", "worker"].map(Arc::from);
    for _ in 0..300 {
        let mut monitor = monitor();
        let limit = random.below(12);
        monitor.record(Recording::Last(limit));
        monitor.check("f", "forall x: G (p(x, \"a b\") -> G !p(0, \"a b\"))").expect("a formula");
        let (mut held, mut expected) = (BTreeSet::new(), vec![(0, BTreeSet::new())]);
        for state in 1..=random.below(20) as u64 {
            let fact = random.below(facts.len());
            if random.below(2) == 0 {
                monitor.set(&facts[fact]);
                held.insert(facts[fact].to_string());
            } else {
                monitor.release(&facts[fact]);
                held.remove(&facts[fact].to_string());
            }
            monitor.step_by(&threads[random.below(2)]);
            expected.push((state, held.clone()));
        }
        let first = expected.len().saturating_sub(limit + 1);
        let file = read(&monitor.trace_file());
        assert_eq!(states(&file), expected[first..]);
        for violation in monitor.violations() {
            let file = read(&violation.trace_file());
            let last = violation.state as usize;
            let begins = states(&file)[0].0 as usize;
            assert_eq!(states(&file), expected[begins..=last], "{violation}");
        }
    }
}
