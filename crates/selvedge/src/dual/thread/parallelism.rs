//! How many threads run at once: `getNumCapabilities` and `setNumCapabilities` of Walker's thesis (Figure 4).

use crate::control::{Pending, current};
use selvedge_explore::{Action, Kind};
use std::io;
use std::num::NonZero;

/// As [`std::thread::available_parallelism`]. In an exploration it is 2, until [`set_available_parallelism`] says otherwise.
#[track_caller]
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    let Some(execution) = current() else { return std::thread::available_parallelism() };
    execution.visible(Pending::here(Action::new(Kind::Parallelism)));
    Ok(execution.state.borrow().environment.parallelism)
}

/// Says how many threads run at once, to an exploration: there, [`available_parallelism`] is 2 at first and this number from now
/// on. Both are visible actions, so that one thread can ask before another says and after it. How many threads really go on
/// is the scheduler's to decide, whatever this says.
///
/// Outside of explorations it changes nothing. How many threads run at once is then for the operating system to say, as
/// `available_parallelism` is std's own; code that divides its work by that number can be tested with others by this, and
/// need not be written differently for it.
#[track_caller]
pub fn set_available_parallelism(threads: NonZero<usize>) {
    if let Some(execution) = current() {
        execution.visible(Pending::here(Action::new(Kind::SetParallelism)));
        execution.state.borrow_mut().environment.parallelism = threads;
    }
}
