//! Choices that are not the scheduler's.

use crate::control::{Pending, current};
use selvedge_explore::{Action, Kind};

/// Some number below `n`: every one of them, in an exploration that is complete. Outside of explorations it is 0.
///
/// # Panics
/// If `n` is 0.
#[track_caller]
pub fn choose(n: usize) -> usize {
    assert!(n > 0, "a choice among nothing");
    match current() {
        Some(execution) if n > 1 => {
            let alternatives = u32::try_from(n).expect("a choice among fewer than 2^30");
            execution.visible(Pending { alternatives, ..Pending::here(Action::new(Kind::Choose)) }) as usize
        }
        _ => 0,
    }
}
