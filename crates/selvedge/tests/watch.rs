//! The monitor of the process, on real threads. A binary of its own: there is one such monitor.

#![cfg(feature = "watch")]

mod watched;

use selvedge::monitor::{Monitor, OnViolation, Recording, global};
use selvedge::prop;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};

/// Tests take turns: they share the monitor.
static TURN: Mutex<()> = Mutex::new(());

/// Calls the function with a new monitor for the process, and returns what is told to a handler.
fn watch(body: impl FnOnce()) -> Vec<String> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let told = Arc::new(Mutex::new(Vec::new()));
    let handler = told.clone();
    global(|monitor| {
        *monitor = Monitor::new();
        monitor.record(Recording::All);
        monitor.on_violation(OnViolation::Call(Box::new(move |violation| {
            // A change by the handler has no effect.
            prop::set("handled");
            handler.lock().unwrap().push(violation.to_string());
        })));
    });
    body();
    let told = told.lock().unwrap();
    told.clone()
}

/// The server of Stolz and Huch, §2, with one variable for all answers, under the schedule that goes wrong:
/// a client takes the answer to the other client's request.
#[test]
fn the_answer_to_another_request_is_told_with_its_path() {
    let told = watch(|| {
        selvedge::check("P", "G (!\"(1,0)\" & !\"(0,1)\")");
        let (requests, server) = mpsc::channel::<u32>();
        let (answers, shared) = mpsc::channel::<u32>();
        requests.send(0).unwrap();
        requests.send(1).unwrap();
        (0..2).for_each(|_| answers.send(server.recv().unwrap()).unwrap());
        let shared = Arc::new(Mutex::new(shared));
        for own in [1_u32, 0] {
            let shared = shared.clone();
            let client = move || {
                let request = shared.lock().unwrap().recv().unwrap();
                prop::pulse(format!("({own},{request})"));
            };
            std::thread::Builder::new().name(format!("client {own}")).spawn(client).unwrap().join().unwrap();
        }
    });
    assert_eq!(told.len(), 1, "a violation is told once: {told:?}");
    assert!(told[0].contains("`P` is violated at state 1"), "{}", told[0]);
    assert!(told[0].contains("client 1     +\"(1,0)\""), "{}", told[0]);
}

#[test]
fn a_change_by_a_handler_has_no_effect() {
    let told = watch(|| {
        selvedge::check("quiet", "G !p");
        prop::pulse("p");
        assert!(!global(|monitor| monitor.holds(&"handled".into())));
    });
    assert_eq!(told.len(), 1);
}

#[test]
fn changes_of_many_threads_are_all_seen() {
    let told = watch(watched::change_by_many_threads);
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn a_formula_that_counts_states_panics_with_the_reason() {
    let refused = std::panic::catch_unwind(|| selvedge::check("next", "G (p -> X q)"));
    let message = *refused.expect_err("a panic").downcast::<String>().expect("a text");
    assert!(message.starts_with("the formula `next` cannot be checked"), "{message}");
    assert!(message.contains("depends on how often a state is repeated"), "{message}");
}

#[test]
fn a_watched_mutex_is_held_by_one_thread_at_a_time() {
    let told = watch(|| {
        selvedge::check("exclusive", "forall t1 != t2, l: G !(holds(t1, l) & holds(t2, l))");
        let lock = Arc::new(selvedge::sync::Mutex::new(0));
        prop::name_lock(&*lock, "counter");
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let lock = lock.clone();
                selvedge::thread::spawn(move || (0..100).for_each(|_| *lock.lock().unwrap() += 1))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(*lock.lock().unwrap(), 400);
    });
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn readers_of_a_watched_lock_hold_it_together() {
    let told = watch(|| {
        selvedge::check("exclusive", "forall t1 != t2, l: G !(holds(t1, l) & holds(t2, l))");
        let lock = Arc::new(selvedge::sync::RwLock::new(0));
        prop::name_lock(&*lock, "table");
        let own = lock.read().unwrap();
        let other = lock.clone();
        let reader = selvedge::thread::Builder::new().name("reader".to_owned());
        reader.spawn(move || assert_eq!(*other.read().unwrap(), 0)).unwrap().join().unwrap();
        drop(own);
    });
    assert_eq!(told.len(), 2, "the two threads, each way round: {told:?}");
    assert!(told[0].contains("`exclusive` is violated") && told[0].contains("reader"), "{}", told[0]);
    assert!(told[0].contains("\"table\""), "{}", told[0]);
}

/// The states of a path, each with its thread, that a function makes; the last one violates a formula.
fn path_of(body: impl FnOnce() + Send + 'static) -> Vec<String> {
    let told = watch(|| {
        selvedge::check("quiet", "G !done");
        let body = || {
            body();
            prop::pulse("done");
        };
        std::thread::Builder::new().name("body".to_owned()).spawn(body).unwrap().join().unwrap();
    });
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    // The states that change the remainder come first, with it; then all states.
    let is_state = |line: &String| line.starts_with(char::is_numeric) && !line.contains("left:");
    told.iter().flat_map(|told| told.lines().map(words)).filter(is_state).collect()
}

#[test]
fn sends_receives_and_joins_are_states_of_the_path() {
    use selvedge::sync::mpsc::{channel, sync_channel};
    let named = |name: &str| selvedge::thread::Builder::new().name(name.to_owned());
    let path = path_of(move || {
        let (sender, receiver) = channel();
        let thread = named("sender").spawn(move || sender.send(1).unwrap()).unwrap();
        assert_eq!(receiver.recv(), Ok(1));
        assert!(receiver.try_recv().is_err(), "nothing is received, so there is no state");
        thread.join().unwrap();
    });
    assert_eq!(path, ["1 sender no change", "2 body no change", "3 body no change", "4 body +done"]);
    let path = path_of(move || {
        let (sender, receiver) = sync_channel(1);
        let thread = named("sender").spawn(move || (sender.send(1), sender.try_send(2)).0.unwrap()).unwrap();
        thread.join().unwrap();
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [1]);
    });
    let expected = ["1 sender no change", "2 sender no change", "3 body no change", "4 body no change"];
    assert_eq!(path, [&expected[..], &["5 body +done"]].concat());
}

#[test]
fn a_send_is_no_state_if_no_path_is_recorded() {
    watch(|| {
        global(|monitor| {
            monitor.record(Recording::Off);
        });
        let (sender, receiver) = selvedge::sync::mpsc::channel();
        sender.send(1).unwrap();
        assert_eq!(receiver.recv(), Ok(1));
        assert_eq!(global(|monitor| monitor.state()), 0);
    });
}

#[test]
fn a_put_ends_the_hold_of_the_thread_that_took() {
    let told = watch(|| {
        selvedge::check("held", "forall t: G (holds(t, \"v\") -> !put)");
        let variable = selvedge::sync::MVar::new(0);
        prop::name_lock(&variable, "v");
        variable.take();
        selvedge::thread::spawn(move || variable.put(1)).join().unwrap();
        prop::pulse("put");
    });
    assert_eq!(told, Vec::<String>::new(), "the put of the other thread has ended the hold");
    let told = watch(|| {
        selvedge::check("held", "forall t: G (holds(t, \"w\") -> !kept)");
        let variable = selvedge::sync::MVar::new(0);
        prop::name_lock(&variable, "w");
        variable.take();
        prop::pulse("kept");
    });
    assert_eq!(told.len(), 1, "without a put the thread holds it: {told:?}");
}
