//! Loops that wait with a time, which may be up again and again: they come to their ends, and what they do before is found.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::{Bounds, Explorer, Limit, Outcome, Report, Strategy, thread};
use std::time::Duration;

const A_TIME: Duration = Duration::from_millis(10);

/// Waits for a flag behind a lock. Returns how often the time was up, counted to 3.
fn wait() -> usize {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let setter = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let (mut is_set, mut late) = (pair.0.lock().unwrap(), 0);
    while !*is_set {
        let (guard, result) = pair.1.wait_timeout(is_set, A_TIME).unwrap();
        is_set = guard;
        late += usize::from(result.timed_out());
    }
    drop(is_set);
    setter.join().unwrap();
    late.min(3)
}

/// Waits for an atomic flag. Returns how often it looked, counted to 3.
fn park() -> usize {
    let is_set = Arc::new(AtomicBool::new(false));
    let (other, waiter) = (is_set.clone(), thread::current());
    let setter = thread::spawn(move || {
        other.store(true, SeqCst);
        waiter.unpark();
    });
    let mut looks = 0;
    while !is_set.load(SeqCst) {
        looks += 1;
        thread::park_timeout(A_TIME);
    }
    setter.join().unwrap();
    looks.min(3)
}

const BODIES: [fn() -> usize; 2] = [wait, park];

fn explore(strategy: Strategy, body: fn() -> usize) -> Report<usize> {
    Explorer::new().strategy(strategy).max_executions(1000).explore(body)
}

fn values(report: &Report<usize>) -> Vec<usize> {
    assert!(report.outcomes().keys().all(Outcome::is_returned), "{report}");
    report.values().copied().collect()
}

#[test]
fn by_chance_they_end_and_their_time_is_up_any_number_of_times() {
    let strategies = || {
        let (seed, runs) = (1, 1000);
        [
            Strategy::random(seed, runs),
            Strategy::pct(3, seed, runs),
            Strategy::swarm(seed, runs),
            Strategy::pos(seed, runs),
        ]
    };
    for body in BODIES {
        for strategy in strategies() {
            let name = strategy.to_string();
            assert_eq!(values(&explore(strategy, body)), [0, 1, 2, 3], "by {name}");
        }
    }
}

#[test]
fn within_a_bound_on_preemptions_they_end() {
    let bounds = Bounds { preemptions: Some(2), ..Bounds::NONE };
    for body in BODIES {
        let report = explore(Strategy::systematic().bounded(bounds), body);
        assert_eq!((values(&report), report.limit()), (vec![0, 1, 2, 3], Some(Limit::Executions)));
    }
}

#[test]
fn within_a_bound_on_yields_there_is_an_end_to_their_runs() {
    for (yields, expected) in [(0, vec![0]), (1, vec![0, 1]), (2, vec![0, 1, 2])] {
        let bounds = Bounds { yields: Some(yields), ..Bounds::NONE };
        let report = explore(Strategy::systematic().bounded(bounds), wait);
        assert_eq!((values(&report), report.limit(), report.is_complete()), (expected, None, false));
        assert!(report.notes().is_empty(), "{report}");
    }
}

#[test]
fn without_one_a_note_says_that_there_is_none() {
    for body in BODIES {
        let report = explore(Strategy::systematic(), body);
        assert_eq!((values(&report), report.limit()), (vec![0, 1, 2, 3], Some(Limit::Executions)));
        assert!(report.notes().iter().any(|note| note.contains("yields = 1")), "{report}");
    }
}

#[test]
fn a_thread_that_goes_on_alone_for_long_does_not_look_back_at_all_of_it() {
    let body = || {
        let is_set = Arc::new(AtomicBool::new(false));
        let other = is_set.clone();
        let _setter = thread::spawn(move || other.store(true, SeqCst));
        while !is_set.load(SeqCst) {}
    };
    let bounds = Bounds { preemptions: Some(0), ..Bounds::NONE };
    // By looking back at each step from each, that would be billions of looks.
    let explorer = Explorer::new().strategy(Strategy::systematic().bounded(bounds)).max_executions(3);
    let report = explorer.max_steps(200_000).explore(body);
    assert!(report.outcomes().contains_key(&Outcome::StepLimit), "{report}");
}
