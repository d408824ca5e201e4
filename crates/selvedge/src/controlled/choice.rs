//! Nondeterministic choices of the program itself.

use crate::control::Pending;
use crate::controlled::current;
use selvedge_explore::{Action, Kind};

/// Chooses a number below `n`. A complete exploration explores every choice. Outside of explorations the
/// result is 0.
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
