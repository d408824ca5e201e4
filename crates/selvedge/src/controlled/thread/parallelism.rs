//! The number of threads that run in parallel: `getNumCapabilities` and `setNumCapabilities` of Walker's
//! thesis (Figure 4).

use crate::control::Pending;
use crate::controlled::current;
use selvedge_explore::{Action, Kind};
use std::io;
use std::num::NonZero;

/// As [`std::thread::available_parallelism`]. Inside an exploration it is 2, until
/// [`set_available_parallelism`] changes it.
#[track_caller]
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    let Some(execution) = current() else { return std::thread::available_parallelism() };
    execution.visible(Pending::here(Action::new(Kind::Parallelism)));
    Ok(execution.state.borrow().environment.parallelism)
}

/// Sets the result of [`available_parallelism`] for the rest of a run of an exploration, where it is 2 at
/// first.
///
/// Reading and setting the number are visible actions, so an exploration has both orders of a read and a set
/// by two threads. The number does not restrict the scheduler.
///
/// Outside of explorations this has no effect, and `available_parallelism` is `std`'s. So a program that
/// divides its work by that number can be explored with different numbers, and its code need not change for
/// that.
#[track_caller]
pub fn set_available_parallelism(threads: NonZero<usize>) {
    if let Some(execution) = current() {
        execution.visible(Pending::here(Action::new(Kind::SetParallelism)));
        execution.state.borrow_mut().environment.parallelism = threads;
    }
}
