//! The types and functions of `std`, under the same names: controlled inside an exploration, `std`'s
//! outside.
//!
//! Each type contains `std`'s type. Inside an exploration a thread announces each visible action
//! ([`crate::control`]). When the scheduler chooses the thread, no other thread runs; so the thread uses
//! `std`'s type without waiting, and `std`'s type keeps the value and the poisoning.
//!
//! Without the feature `check` but with `watch`, locks and threads are compiled without their controlled
//! side, because they tell what they do outside of explorations; all else is `std`'s.

#[cfg(feature = "check")]
pub mod cell;
#[cfg(feature = "check")]
mod choice;
#[cfg(feature = "check")]
mod effect;
#[cfg(feature = "check")]
pub mod hint;
#[cfg(feature = "check")]
pub mod interrupt;
#[cfg(feature = "check")]
mod plain;
#[cfg(feature = "check")]
pub mod stm;
pub mod sync;
pub mod thread;
#[cfg(feature = "check")]
pub mod time;
#[cfg(feature = "check")]
mod type_id;

#[cfg(feature = "check")]
pub use choice::choose;
#[cfg(feature = "check")]
pub use effect::effect;

#[cfg(feature = "check")]
use crate::control::{self, Execution, Persistence, Tag};

/// The execution that the calling thread belongs to, if it is a thread of a run.
///
/// All functions of this folder use the reference in their own frames only: it goes into arguments, results
/// for their callers in this folder, and guards that they drop themselves. No public type contains it.
#[cfg(feature = "check")]
#[inline]
fn current<'e>() -> Option<&'e Execution> {
    // SAFETY: see above: the reference does not outlive the frame of the public function that asked for it.
    #[allow(unsafe_code)]
    unsafe {
        control::current()
    }
}

/// The same for a use of the object of this tag. Outside of runs, the use must not be an uncontrolled one.
///
/// # Panics
/// If a run under way uses the object.
#[cfg(feature = "check")]
#[inline]
#[track_caller]
fn current_for<'e>(tag: &Tag, persistence: Persistence) -> Option<&'e Execution> {
    let current = current();
    if current.is_none() {
        tag.check_uncontrolled_use(persistence);
    }
    current
}
