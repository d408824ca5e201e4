//! The monitor of the process with events by a ring, whose producers wait while it is full. A binary of its
//! own: the delivery is decided once.

#![cfg(feature = "watch")]

mod watched;

use selvedge::monitor::{Delivery, Monitor, OnViolation, Recording, WhenFull, deliver, global};
use selvedge::prop;
use std::sync::{Arc, Mutex, Once, PoisonError};

/// Tests take turns: they share the monitor.
static TURN: Mutex<()> = Mutex::new(());

/// Calls the function with a new monitor for the process, which does this about violations.
fn watch<R>(on_violation: OnViolation, body: impl FnOnce() -> R) -> R {
    static DELIVER: Once = Once::new();
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    DELIVER.call_once(|| deliver(Delivery::Ring { capacity: 4, when_full: WhenFull::Wait }));
    global(|monitor| {
        *monitor = Monitor::new();
        monitor.record(Recording::All);
        monitor.on_violation(on_violation);
    });
    body()
}

#[test]
fn a_violation_is_handled_by_the_monitors_thread_and_names_the_thread_of_the_event() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let handler = told.clone();
    let on_violation = OnViolation::Call(Box::new(move |violation| {
        let name = std::thread::current().name().map(str::to_owned);
        handler.lock().unwrap().push((name, violation.to_string()));
    }));
    watch(on_violation, || {
        selvedge::check("quiet", "G !p");
        let client = || prop::pulse("p");
        std::thread::Builder::new().name("client".to_owned()).spawn(client).unwrap().join().unwrap();
        global(|monitor| assert_eq!(monitor.violations().len(), 1));
    });
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1, "a violation is told once");
    assert_eq!(told[0].0.as_deref(), Some("selvedge-monitor"));
    assert!(told[0].1.contains("client       +p"), "{}", told[0].1);
}

#[test]
fn changes_of_many_threads_are_all_seen() {
    watch(OnViolation::Keep, watched::change_by_many_threads);
}

#[test]
fn a_formula_has_its_place_among_the_changes() {
    let (began, state) = watch(OnViolation::Keep, || {
        prop::set("p");
        selvedge::check("stays", "G p");
        prop::set("q");
        prop::release("p");
        global(|monitor| (monitor.violations()[0].began, monitor.violations()[0].state))
    });
    assert_eq!((began, state), (1, 3));
}

/// More changes than there is room for: the handler does not wait for the ring that its thread empties.
#[test]
fn changes_by_a_handler_have_no_effect_and_do_not_deadlock() {
    let on_violation = OnViolation::Call(Box::new(|_| (0..100).for_each(|_| prop::set("handled"))));
    watch(on_violation, || {
        selvedge::check("quiet", "G !p");
        prop::pulse("p");
        assert!(!global(|monitor| monitor.holds(&"handled".into())));
        assert_eq!(global(|monitor| monitor.state()), 2);
    });
}

#[test]
fn a_panic_of_a_handler_is_resumed_by_global() {
    watch(OnViolation::Panic, || {
        selvedge::check("quiet", "G !p");
        selvedge::check("silent", "G !(p & q)");
        prop::set("q");
        prop::pulse("p");
        let panic = std::panic::catch_unwind(|| global(|_| ())).expect_err("a panic");
        let message = panic.downcast_ref::<String>().expect("a text");
        assert!(message.contains("`quiet` is violated at state 2"), "{message}");
        // The second violation is told, too, and the pulse is over.
        prop::set("r");
        let panic = std::panic::catch_unwind(|| global(|_| ())).expect_err("a panic");
        let message = panic.downcast_ref::<String>().expect("a text");
        assert!(message.contains("`silent` is violated at state 2"), "{message}");
        let [p, q, r] = ["p", "q", "r"].map(|name| global(|monitor| monitor.holds(&name.into())));
        assert!(!p && q && r);
    });
}

/// In place, the second thread would wait for the first one.
#[test]
fn a_change_takes_no_lock() {
    watch(OnViolation::Keep, || {
        global(|_| std::thread::spawn(|| prop::set("p")).join().unwrap());
        assert!(global(|monitor| monitor.holds(&"p".into())));
    });
}

#[test]
fn the_delivery_is_decided_once() {
    watch(OnViolation::Keep, || {
        let refused = std::panic::catch_unwind(|| deliver(Delivery::InPlace)).expect_err("a panic");
        let message = refused.downcast_ref::<&str>().expect("a text");
        assert!(message.contains("before the monitor is used"), "{message}");
    });
}
