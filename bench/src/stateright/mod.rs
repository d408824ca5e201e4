//! The models of `models/*.par` for stateright, in its own style: a state is a struct, an action an enum.
//!
//! The steps are those of the PARALLEL texts, so that both checkers have the same states to visit and their
//! numbers can be compared: a position of a process is a place between two of its steps.

pub mod leader_election;
pub mod peterson;
pub mod philosophers;
pub mod ring;
pub mod sliding_window;
pub mod szymanski;

use crate::tools::Measurement;
use selvedge_bench_harness::Clock;
use stateright::{Checker, Model};
use std::hash::Hash;
use std::time::{Duration, Instant};

/// A search that takes longer is cut off.
const LIMIT: Duration = Duration::from_secs(120);

/// Checks all properties of a model by one thread. A search that is cut off has the verdict `cut short`.
pub fn check<M>(model: M) -> Measurement
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + PartialEq + Hash + Send + Sync + 'static,
    M::Action: Clone + PartialEq,
{
    let (begin, clock) = (Instant::now(), Clock::Process.now());
    let builder = model.checker().threads(1).timeout(LIMIT);
    let checker = builder.spawn_bfs().join();
    let search = Clock::Process.since(clock);
    let verdict = if !checker.discoveries().is_empty() {
        "violated"
    } else if begin.elapsed() >= LIMIT {
        "cut short"
    } else {
        "holds"
    };
    Measurement {
        verdict: verdict.to_owned(),
        states: checker.unique_state_count() as f64,
        search,
        bytes: f64::NAN,
        whole: search,
    }
}

/// The check of a model by its name in `models`, with its constants.
pub fn check_named(name: &str, constants: &[(&str, i64)]) -> Measurement {
    let value = |index: usize| constants[index].1 as usize;
    match name {
        "peterson" => check(peterson::Peterson { count: value(0) }),
        "philosophers" => check(philosophers::Philosophers { count: value(0) }),
        "sliding window" => check(sliding_window::SlidingWindow {
            window: value(0) as u8,
            numbers: value(1) as u8,
            capacity: value(2),
        }),
        "leader election" => check(leader_election::LeaderElection { count: value(0) }),
        "szymanski" => check(szymanski::Szymanski { count: value(0) }),
        other => panic!("there is no model {other} for stateright"),
    }
}
