//! The auto-update library's deadlock (Walker's thesis, §5.8.1), as Listing 52 has it: the reference, which may hold a value, is an
//! `AtomicRef`, whose stores are buffered.
//!
//! Déjà Fu makes 49 schedules with bounds and 80 without under TSO (Table 4); 6 without bounds under sequential consistency.

#![cfg(feature = "check")]

use selvedge::sync::{Arc, AtomicRef, MVar};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use std::time::Duration;

/// Listing 52, with the action that makes nothing of Listing 50.
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
    // The bounds that Déjà Fu has by default.
    let bounds = Bounds { preemptions: Some(2), yields: Some(5), length: Some(250) };
    let runs = |memory| {
        let free = explore(memory, Strategy::systematic());
        assert!(free.is_complete(), "{free}");
        let bounded = explore(memory, Strategy::systematic().bounded(bounds));
        (free.executions(), bounded.executions())
    };
    let runs = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(runs);
    assert_eq!(runs, [(5, 9), (5, 14), (5, 14)], "without bounds and with them, under Sc, Tso, Pso");
}

#[test]
fn without_pre_emptions_the_deadlock_comes_first() {
    let none = Bounds { preemptions: Some(0), ..Bounds::NONE };
    let report = explore(MemoryModel::Sc, Strategy::systematic().bounded(none));
    assert_eq!(report.outcomes()[&Outcome::Deadlock].preemptions(), 0);
}
