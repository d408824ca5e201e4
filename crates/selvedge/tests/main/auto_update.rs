//! The auto-update library's deadlock (Walker's thesis, §5.8.1), after Listing 52: the reference, which may
//! hold a value, is an `AtomicRef`, and its stores are buffered.
//!
//! Déjà Fu makes 49 schedules with bounds and 80 without under TSO (Table 4); 6 without bounds under
//! sequential consistency.

#![cfg(feature = "check")]

use selvedge::sync::{Arc, AtomicRef, MVar};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use std::time::Duration;

/// Listing 52 with the action of Listing 50, which returns the unit value.
fn body() {
    let current = Arc::new(AtomicRef::new(None));
    let (needs_running, last_value) = (Arc::new(MVar::empty()), Arc::new(MVar::empty()));
    let worker = (current.clone(), needs_running.clone(), last_value.clone());
    thread::spawn(move || {
        let (current, needs_running, last_value) = worker;
        loop {
            needs_running.take();
            current.store(Some(()));
            last_value.try_take();
            last_value.put(());
            thread::sleep(Duration::from_secs(1));
            current.store(None);
            last_value.take();
        }
    });
    match *current.load() {
        Some(value) => value,
        None => {
            let _ = needs_running.try_put(());
            last_value.read();
        }
    }
}

fn explore(memory: MemoryModel, strategy: Strategy) -> Report<()> {
    let report = Explorer::new().memory(memory).strategy(strategy).explore(body);
    let outcomes: Vec<_> = report.outcomes().keys().cloned().collect();
    assert_eq!(outcomes, [Outcome::Returned(()), Outcome::Deadlock], "{memory:?}: {report}");
    report
}

#[test]
fn the_deadlock_is_found_with_and_without_bounds_under_every_model() {
    // The default bounds of Déjà Fu.
    let bounds = Bounds { preemptions: Some(2), yields: Some(5), length: Some(250) };
    let runs = |memory| {
        let unbounded = explore(memory, Strategy::systematic());
        assert!(unbounded.is_complete(), "{unbounded}");
        let bounded = explore(memory, Strategy::systematic().bounded(bounds));
        (unbounded.executions(), bounded.executions())
    };
    let runs = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(runs);
    assert_eq!(runs, [(2, 2), (2, 2), (2, 2)], "without bounds and with them, under Sc, Tso, Pso");
}

#[test]
fn the_deadlock_is_found_within_a_bound_of_zero_preemptions() {
    let no_preemptions = Bounds { preemptions: Some(0), ..Bounds::NONE };
    let report = explore(MemoryModel::Sc, Strategy::systematic().bounded(no_preemptions));
    assert_eq!(report.outcomes()[&Outcome::Deadlock].preemptions(), 0);
}
