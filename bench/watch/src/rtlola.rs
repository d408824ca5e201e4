//! `rtlola-interpreter`: a stream that says whether a request is open.

use crate::events::{Event, State};
use rtlola_interpreter::config::OfflineMode;
use rtlola_interpreter::input::ArrayFactory;
use rtlola_interpreter::monitor::{Incremental, Monitor};
use rtlola_interpreter::time::RelativeFloat;
use rtlola_interpreter::{ConfigBuilder, Value};
use std::convert::Infallible;
use std::time::Duration;

/// The value of `F b` in the next state is not known, so the stream says what is still to come.
const RESPONSE: &str = "
    input a: Bool
    input b: Bool
    output is_open := !b && (a || is_open.last(or: false))
";

/// One stream for each id.
const BY_ID: &str = "
    input id: UInt64
    input is_request: Bool
    output is_open(r)
        spawn with id
        eval when r == id with is_request
";

type Interpreter =
    Monitor<ArrayFactory<2, Infallible, [Value; 2]>, OfflineMode<RelativeFloat>, Incremental, RelativeFloat>;

fn interpreter(specification: &str) -> Interpreter {
    ConfigBuilder::new()
        .spec_str(specification)
        .offline::<RelativeFloat>()
        .with_array_events::<2, Infallible, [Value; 2]>()
        .with_verdict::<Incremental>()
        .monitor()
        .expect("a specification")
}

/// The number of states at which a request is open.
pub(crate) fn response(states: &[State]) -> impl FnMut() -> usize {
    let mut monitor = interpreter(RESPONSE);
    let mut time = 0;
    move || {
        let mut changes = 0;
        for state in states {
            time += 1;
            let event = [Value::Bool(state.a), Value::Bool(state.b)];
            let verdicts = monitor.accept_event(event, Duration::from_nanos(time)).expect("two values");
            changes += verdicts.event.len();
        }
        changes
    }
}

/// The number of changed streams.
pub(crate) fn by_id(first: &[Event], events: &[Event]) -> impl FnMut() -> usize {
    let mut monitor = interpreter(BY_ID);
    let mut time = 0;
    let mut accept = move |events: &[Event]| {
        let mut changes = 0;
        for event in events {
            time += 1;
            let verdicts =
                monitor.accept_event(values(event), Duration::from_nanos(time)).expect("two values");
            changes += verdicts.event.iter().map(|(_, changes)| changes.len()).sum::<usize>();
        }
        changes
    };
    accept(first);
    move || accept(events)
}

fn values(event: &Event) -> [Value; 2] {
    match event {
        Event::Request(id) => [Value::Unsigned(u64::from(*id)), Value::Bool(true)],
        Event::Answer(id) => [Value::Unsigned(u64::from(*id)), Value::Bool(false)],
    }
}
