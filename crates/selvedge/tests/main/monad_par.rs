//! monad-par's deadlock (Walker's thesis, §5.8.2): the example, with its numbers.
//!
//! Déjà Fu's swarm scheduling finds 2 deadlocks in 100 runs (Table 6).

#![cfg(feature = "check")]

#[allow(dead_code, reason = "the example has a `main`")]
#[path = "../../examples/monad_par.rs"]
mod example;

use example::{Ending, Port, RUNS, SEED, WALKERS, body, swarm, swarm_until_all_end};
use selvedge::{Explorer, Keep, Outcome, Report, Strategy};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn fixed(port: Port) -> Port {
    Port { empties_idle: true, ..port }
}

fn outcomes(report: &Report<bool>) -> Vec<Outcome<bool>> {
    report.outcomes().keys().cloned().collect()
}

/// The number of deadlocks in [`RUNS`] runs from this seed.
fn deadlocks(port: Port, seed: u64) -> u64 {
    let count = AtomicU64::new(0);
    let keep = |outcome: &Outcome<bool>| {
        count.fetch_add(u64::from(*outcome == Outcome::Deadlock), Relaxed);
        Keep::Nothing
    };
    Explorer::new().strategy(Strategy::swarm(seed, RUNS)).explore_keeping(|| body(port), keep);
    count.into_inner()
}

#[test]
fn a_hundred_swarm_runs_find_the_deadlock_and_none_when_the_list_is_emptied() {
    assert_eq!(outcomes(&swarm(WALKERS, SEED, RUNS)), [Outcome::Returned(true), Outcome::Deadlock]);
    assert_eq!(outcomes(&swarm(fixed(WALKERS), SEED, RUNS)), [Outcome::Returned(true)]);
}

#[test]
fn each_of_five_seeds_finds_its_known_number_of_deadlocks_in_a_hundred_runs() {
    let seeds = [1, 2, 3, 4, 5];
    assert_eq!(seeds.map(|seed| deadlocks(WALKERS, seed)), [7, 6, 3, 1, 0]);
    assert_eq!(seeds.map(|seed| deadlocks(fixed(WALKERS), seed)), [0; 5]);
}

#[test]
fn each_seed_finds_its_first_deadlock_after_its_known_number_of_runs() {
    let first = |seed| {
        let explorer = Explorer::new().strategy(Strategy::swarm(seed, RUNS)).stop_at_failure(true);
        explorer.explore(|| body(WALKERS)).executions()
    };
    assert_eq!([1, 2, 3, 4].map(first), [1, 4, 23, 36]);
}

#[test]
fn with_victims_drawn_among_all_workers_the_deadlock_takes_few_tries_and_more_runs() {
    let port = Port { victims: 2, tries: 1, ..WALKERS };
    let runs = 500;
    assert_eq!(outcomes(&swarm(port, 2, runs)), [Outcome::Returned(true), Outcome::Deadlock]);
    assert_eq!(outcomes(&swarm(fixed(port), 2, runs)), [Outcome::Returned(true)]);
    // With as many tries as the library makes, a worker always finds the work that it can steal.
    assert_eq!(outcomes(&swarm(Port { victims: 2, ..WALKERS }, 2, runs)), [Outcome::Returned(true)]);
}

/// Walker's second bug: a worker has seen that the computation is not over, then the computation ends, and
/// then the worker becomes idle. No worker is left to wake it.
#[test]
fn an_idle_worker_is_forgotten_at_the_end_of_the_computation() {
    let ends = |ending| outcomes(&swarm_until_all_end(Port { ending, ..fixed(WALKERS) }, SEED, RUNS));
    let both = [Outcome::Returned(true), Outcome::Deadlock];
    assert_eq!(ends(Ending::IsMissed), both);
    // The computation can also end between the check and the wait.
    assert_eq!(ends(Ending::IsChecked), both);
    assert_eq!(ends(Ending::WakesIdle), [Outcome::Returned(true)]);
}

#[test]
fn in_the_deadlock_at_the_end_worker_0_has_ended_and_another_one_waits_in_the_list() {
    let report = swarm_until_all_end(fixed(WALKERS), SEED, RUNS);
    let endings = &report.outcomes()[&Outcome::Deadlock].endings;
    let [body, worker_0, worker_1] = [0, 1, 2].map(|thread| endings[thread].state.as_str());
    assert_eq!([body, worker_0], ["waits for the end of all others", "has ended"]);
    assert!(worker_1.starts_with("waits until mvar#") && worker_1.ends_with(" is full"), "{worker_1}");
}

/// Déjà Fu's bounded search finds no deadlock in 6,140 schedules (Table 6), and its unbounded search does
/// not finish.
#[test]
fn a_systematic_exploration_finds_the_deadlock() {
    let explorer = Explorer::new().strategy(Strategy::systematic()).stop_at_failure(true);
    let report = explorer.explore(|| body(WALKERS));
    assert!(report.outcomes().contains_key(&Outcome::Deadlock), "{report}");
    assert_eq!(report.executions(), 587);
}
