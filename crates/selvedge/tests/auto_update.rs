//! The auto-update library's deadlock (Walker's thesis, §5.8.1), with its reference as an atomic whose stores are buffered.
//!
//! Déjà Fu makes 49 schedules with bounds and 80 without under TSO (Table 4); 6 without bounds under sequential consistency.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicBool, Ordering::Relaxed};
use selvedge::sync::{Arc, MVar};
use selvedge::{Bounds, Explorer, MemoryModel, Outcome, Report, Strategy, thread};
use std::time::Duration;

/// Listing 52: the reference says whether there is a value.
fn body() {
    let has_value = Arc::new(AtomicBool::new(false));
    let (needs_running, last_value) = (Arc::new(MVar::empty()), Arc::new(MVar::empty()));
    let worker = (has_value.clone(), needs_running.clone(), last_value.clone());
    thread::spawn(move || {
        let (has_value, needs_running, last_value) = worker;
        loop {
            needs_running.take();
            has_value.store(true, Relaxed);
            last_value.try_take();
            last_value.put(());
            thread::sleep(Duration::from_secs(1));
            has_value.store(false, Relaxed);
            last_value.take();
        }
    });
    if !has_value.load(Relaxed) {
        let _ = needs_running.try_put(());
        last_value.read();
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
