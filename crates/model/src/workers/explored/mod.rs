//! The shared structures of the workers, under every interleaving of small programs.
//!
//! The union-find and the search for components take their locks, atomics and threads from [`crate::sync`],
//! which is Selvedge in unit tests. `sets` explores the union-find alone, `components` the search for
//! components of small graphs.
//!
//! Promise: every exploration is complete, and its number of runs is pinned. Larger programs run with
//! `SELVEDGE_LONG=1`.

mod components;
mod sets;

use super::chunked_array::ArrayShape;
use super::union_find::UnionFind;
use selvedge::{Explorer, MemoryModel, Report};
use std::fmt::Debug;

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

/// Sets of up to eight nodes, whose cells exist already: the chunks of the array are not explored here.
fn small_sets() -> UnionFind {
    let sets = UnionFind::with_size(ArrayShape { block_bits: 3, branch_bits: 0, top_bits: 0 }, 8);
    sets.find(0);
    sets
}

fn is_long() -> bool {
    std::env::var_os("SELVEDGE_LONG").is_some()
}
