//! The types and functions of `std`, under the same names: controlled inside an exploration, `std`'s
//! outside.
//!
//! Each type contains `std`'s type. Inside an exploration a thread announces each visible action
//! ([`crate::control`]). When the scheduler chooses the thread, no other thread runs; so the thread uses
//! `std`'s type without waiting, and `std`'s type keeps the value and the poisoning.

pub mod cell;
mod choice;
mod effect;
pub mod hint;
pub mod interrupt;
mod plain;
pub mod stm;
pub mod sync;
pub mod thread;
pub mod time;
mod type_id;

pub use choice::choose;
pub use effect::effect;

use crate::control::{self, Execution, Persistence, Tag};

/// The execution that the calling thread belongs to, if it is a thread of a run.
///
/// All functions of this folder use the reference in their own frames only: it goes into arguments, results
/// for their callers in this folder, and guards that they drop themselves. No public type contains it.
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
#[inline]
#[track_caller]
fn current_for<'e>(tag: &Tag, persistence: Persistence) -> Option<&'e Execution> {
    let current = current();
    if current.is_none() {
        tag.check_uncontrolled_use(persistence);
    }
    current
}
