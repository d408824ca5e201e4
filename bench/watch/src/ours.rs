//! `selvedge-monitor`: `G (a -> F b)`, and the same for all ids.

use crate::events::{Event, State};
use selvedge_monitor::{Fact, Monitor, PropId, Recording};

/// The propositions of the first comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Prop {
    A,
    B,
}

/// `G (a -> F b)` over propositions of a type of the user.
pub(crate) fn response(states: &[State], recording: Recording) -> impl FnMut() -> usize {
    let mut monitor: Monitor<Prop> = Monitor::new();
    monitor.record(recording);
    let name = |name: &String| if name == "a" { Prop::A } else { Prop::B };
    let formula =
        "G (a -> F b)".parse::<selvedge_ltl::Formula<String>>().expect("a formula").map(&mut { name });
    monitor.check("answered", formula).expect("stutter-invariant");
    move || {
        for state in states {
            monitor.assign(&Prop::A, state.a);
            monitor.assign(&Prop::B, state.b);
            monitor.step();
        }
        monitor.violations().len()
    }
}

/// The same by the numbers of propositions.
pub(crate) fn response_by_number(states: &[State], recording: Recording) -> impl FnMut() -> usize {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.record(recording);
    monitor.check("answered", "G (a -> F b)").expect("stutter-invariant");
    let (a, b) = (monitor.prop_id(&Fact::from("a")), monitor.prop_id(&Fact::from("b")));
    move || {
        for state in states {
            monitor.assign_id(a, state.a);
            monitor.assign_id(b, state.b);
            monitor.step();
        }
        monitor.violations().len()
    }
}

/// The same over facts, names with data.
pub(crate) fn response_of_facts(states: &[State]) -> impl FnMut() -> usize {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.check("answered", "G (a -> F b)").expect("stutter-invariant");
    let (a, b) = (Fact::from("a"), Fact::from("b"));
    move || {
        for state in states {
            monitor.assign(&a, state.a);
            monitor.assign(&b, state.b);
            monitor.step();
        }
        monitor.violations().len()
    }
}

/// The same by the numbers of propositions.
pub(crate) fn by_id_by_number(ids: u32, first: &[Event], events: &[Event]) -> impl FnMut() -> usize {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.check("answered", "forall r: G (request(r) -> F answer(r))").expect("stutter-invariant");
    let requests: Vec<PropId> = (0..ids).map(|id| monitor.prop_id(&Fact::from(("request", id)))).collect();
    let answers: Vec<PropId> = (0..ids).map(|id| monitor.prop_id(&Fact::from(("answer", id)))).collect();
    let mut read = move |events: &[Event]| {
        for event in events {
            monitor.pulse_id(match event {
                Event::Request(id) => requests[*id as usize],
                Event::Answer(id) => answers[*id as usize],
            });
        }
        monitor.instance_count()
    };
    read(first);
    move || read(events)
}

/// `forall r: G (request(r) -> F answer(r))`, the events as a whole.
pub(crate) fn by_id_at_once(first: &[Event], events: &[Event]) -> impl FnMut() -> usize {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.check("answered", "forall r: G (request(r) -> F answer(r))").expect("stutter-invariant");
    monitor.pulse_all(first.iter().map(fact));
    move || {
        monitor.pulse_all(events.iter().map(fact));
        monitor.instance_count()
    }
}

fn fact(event: &Event) -> Fact {
    match event {
        Event::Request(id) => Fact::from(("request", *id)),
        Event::Answer(id) => Fact::from(("answer", *id)),
    }
}

/// `forall r: G (request(r) -> F answer(r))`, one event after the other.
pub(crate) fn by_id(first: &[Event], events: &[Event]) -> impl FnMut() -> usize {
    let mut monitor: Monitor<Fact> = Monitor::new();
    monitor.check("answered", "forall r: G (request(r) -> F answer(r))").expect("stutter-invariant");
    first.iter().for_each(|event| monitor.pulse(&fact(event)));
    move || {
        events.iter().for_each(|event| monitor.pulse(&fact(event)));
        monitor.instance_count()
    }
}
