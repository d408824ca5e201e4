//! A part of an explored body that runs to any end (Walker's thesis, §5.5.1, subconcurrency).
//!
//! The part's threads are frozen when it ends: they keep their locks and their places in queues, and are
//! never scheduled again. They are unwound before the frame of the part is left, because they may borrow
//! from it: at once by [`contained`], and after a look at the state by [`contained_then`].
//!
//! Promise: when either function returns or unwinds, no thread of the part is alive.

use super::Outcome;
use crate::control::exception::Unwound;
use crate::control::{ContainedPart, Execution, Pending, current};
use crate::explorer::engine::body_result;
use selvedge_explore::{Action, Kind, ThreadId};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs a part of an explored body, with the threads that it spawns, to its end: the part returns, it
/// panics, or none of its threads can continue. Then its remaining threads are stopped and unwound, and the
/// body goes on.
///
/// Destructors of the stopped threads run before this function returns: locks that were held in a deadlock
/// are free then. [`contained_then`] shows the state as it was.
///
/// The part is explored like the rest of the body. A data race or too many steps end the whole run, not only
/// this part.
///
/// # Panics
/// Outside of explorations, and while other threads of the run are alive. The threads of other parts, which
/// wait or are frozen, do not count.
#[track_caller]
pub fn contained<T>(part: impl Fn() -> T) -> Outcome<T> {
    with_part(&part, |execution, outcome, frozen| {
        execution.unwind_frozen(&frozen);
        execution.discard_stores();
        outcome
    })
}

/// Runs a part of an explored body to its end, as [`contained`] does. Then the second function inspects the
/// state as it is at that end: the threads of the part are frozen, with their locks and their places in
/// queues, and are never scheduled. They are unwound after that.
///
/// ```
/// # #[cfg(feature = "check")] {
/// use selvedge::sync::{Arc, MVar, Mutex};
/// use selvedge::{Outcome, contained_then, explore};
///
/// let report = explore(|| {
///     let lock = Arc::new(Mutex::new(()));
///     contained_then(
///         || {
///             let _guard = lock.lock();
///             MVar::<()>::empty().take()
///         },
///         |outcome| (outcome == Outcome::Deadlock, lock.try_lock().is_err()),
///     )
/// });
/// // The deadlock holds the lock.
/// assert_eq!(report.values().collect::<Vec<_>>(), [&(true, true)]);
/// # }
/// ```
///
/// Stores of the part's threads that have not reached memory at its end never do. The second function may
/// spawn threads, and contain other parts.
///
/// # Panics
/// As [`contained`], and if the second function does.
#[track_caller]
pub fn contained_then<T, R>(part: impl Fn() -> T, then: impl FnOnce(Outcome<T>) -> R) -> R {
    with_part(&part, |execution, outcome, frozen| {
        execution.discard_stores();
        let result = catch_unwind(AssertUnwindSafe(|| then(outcome)));
        execution.unwind_frozen(&frozen);
        result.unwrap_or_else(|payload| resume_unwind(payload))
    })
}

/// Runs a part to its end, and then the other function, which must unwind the frozen threads.
#[track_caller]
fn with_part<T, R>(part: &dyn Fn() -> T, then: impl FnOnce(&Execution, Outcome<T>, Vec<ThreadId>) -> R) -> R {
    // SAFETY: the reference is used in this frame only.
    #[allow(unsafe_code)]
    let execution = unsafe { current() };
    let execution = execution.expect("selvedge: `contained` is for use inside of explored bodies");
    let outer = {
        let state = execution.state.borrow();
        let running = state.running;
        assert!(
            !state.has_others(running) && !state.conditions.is_body_over,
            "selvedge: `contained` cannot begin while other threads are alive; join them first"
        );
        running
    };
    execution.visible(Pending::here(Action::to(Kind::Spawn, execution.next_child())));
    let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
    // SAFETY: the thread borrows from this frame, and `then` unwinds it; at the end of a run it is unwound
    // before the thread of this frame, since it is its child.
    #[allow(unsafe_code)]
    let inner =
        unsafe { execution.spawn(Some("contained".into()), 0, || result.set(Some(body_result(part)))) };
    execution.state.borrow_mut().parts.push(ContainedPart { outer, inner });
    execution.visible(Pending::here(Action::to(Kind::Contain, inner)));
    // Read before the remaining threads are stopped: a stopped thread leaves a result too, and may panic
    // while it unwinds.
    let ended = result.take();
    let unjoined_panic = execution.state.borrow_mut().threads.take_failure_of_part(inner);
    let outcome = match (ended, unjoined_panic) {
        (Some(Err(payload)), _) => Unwound::by(&*payload).into(),
        (_, Some(unwound)) => unwound.into(),
        (Some(Ok(value)), None) => Outcome::Returned(value),
        (None, None) => Outcome::Deadlock,
    };
    let frozen = execution.freeze_part();
    let value = then(execution, outcome, frozen);
    execution.joined(inner);
    value
}
