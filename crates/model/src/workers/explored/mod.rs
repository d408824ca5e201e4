//! The workers under every interleaving of small searches.
//!
//! Mailboxes and figures take their locks, atomics and threads from [`crate::sync`], which is Selvedge in
//! unit tests. `levels` explores the search for states and the parents of its states, `nodes` that for
//! accepted runs.
//!
//! Promise: every exploration is complete.

mod levels;
mod nodes;

use super::level_worker::Sizes;
use super::partition::partition_of;
use crate::store::hash;
use selvedge::{Explorer, MemoryModel, Report};
use std::fmt::Debug;

/// Every step is a batch of its own.
const TINY: Sizes = Sizes { small_level: 0, places: 1, batch: 1, most_waiting: 1 };

/// Explores a body completely; panics if a run fails or is left out.
#[track_caller]
fn explore_all<T>(memory: MemoryModel, body: impl Fn() -> T + Send + Sync) -> Report<T>
where
    T: Ord + Clone + Debug + Send + 'static,
{
    let report = Explorer::new().memory(memory).stop_at_failure(true).explore(body);
    let failures: Vec<_> = report.outcomes().keys().filter(|outcome| !outcome.is_returned()).collect();
    assert!(failures.is_empty(), "{failures:?}\n{report}");
    assert!(report.is_complete(), "{}", report.extent());
    report
}

/// Numbers of states of one word with these partitions of two, in increasing order; the first is 0.
#[track_caller]
fn nodes_of(partitions: &[usize]) -> Vec<u32> {
    let mut next = 0;
    let place = |partition: &usize| {
        while partition_of(hash(&[u64::from(next)]), 2) != *partition {
            next += 1;
        }
        next += 1;
        next - 1
    };
    let nodes: Vec<u32> = partitions.iter().map(place).collect();
    assert_eq!(nodes[0], 0, "state 0 has this partition");
    nodes
}

/// The partition of state 0, and the other one.
fn own_and_other() -> (usize, usize) {
    let own = partition_of(hash(&[0]), 2);
    (own, 1 - own)
}
