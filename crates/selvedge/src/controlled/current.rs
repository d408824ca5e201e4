//! The execution of the calling thread.

use crate::control::{self, Execution, Persistence, Tag};

/// The execution that the calling thread belongs to, if it is a thread of a run.
///
/// All functions of this folder use the reference in their own frames only: it goes into arguments, results
/// for their callers in this folder, and guards that they drop themselves. No public type contains it.
#[inline]
pub(super) fn current<'e>() -> Option<&'e Execution> {
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
pub(super) fn current_for<'e>(tag: &Tag, persistence: Persistence) -> Option<&'e Execution> {
    let current = current();
    if current.is_none() {
        tag.check_uncontrolled_use(persistence);
    }
    current
}
