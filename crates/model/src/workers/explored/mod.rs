//! The shared structures of the workers, under every interleaving of small programs.
//!
//! The table of states and the records take their locks, atomics and threads from [`crate::sync`], which is
//! Selvedge in unit tests. `table` explores the table of states, `levels` the parents of its
//! states, `records` the records of expansions.
//!
//! Promise: every exploration is complete.

mod levels;
mod records;
mod table;

use super::chunked_array::ArrayShape;
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

/// One block of sixteen elements.
const SMALL: ArrayShape = ArrayShape { block_bits: 4, branch_bits: 0, top_bits: 0 };
