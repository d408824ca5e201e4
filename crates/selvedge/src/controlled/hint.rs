//! As [`std::hint`], with a `spin_loop` that yields inside an exploration.

use crate::control::Pending;
use crate::controlled::current;
use selvedge_explore::{Action, Kind};

pub use std::hint::*;

/// As [`std::hint::spin_loop`]. Inside an exploration the thread yields: see
/// [`yield_now`](crate::thread::yield_now).
#[track_caller]
pub fn spin_loop() {
    match current() {
        Some(execution) => {
            execution.visible(Pending::here(Action::new(Kind::Yield)));
        }
        None => std::hint::spin_loop(),
    }
}
