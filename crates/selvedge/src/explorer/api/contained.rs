//! A part of an explored body that runs to any end (Walker's thesis, §5.5.1, subconcurrency).

use super::Outcome;
use crate::control::exception::Unwound;
use crate::control::{Pending, current};
use crate::explorer::engine::body_result;
use selvedge_explore::{Action, Kind};
use std::cell::Cell;

/// Runs a part of an explored body, with the threads that it spawns, to its end: the part returns, it
/// panics, or none of its threads can continue. Then its remaining threads are stopped, and the body can
/// inspect the state that is left.
///
/// The part is explored like the rest of the body. A data race or too many steps end the whole run, not only
/// this part.
///
/// # Panics
/// Outside of explorations, and while other threads of the run are alive.
#[track_caller]
pub fn contained<T>(body: impl Fn() -> T) -> Outcome<T> {
    // SAFETY: the reference is used in this frame only.
    #[allow(unsafe_code)]
    let execution = unsafe { current() };
    let execution = execution.expect("selvedge: `contained` is for use inside of explored bodies");
    let outer = {
        let state = execution.state.borrow();
        let running = state.running;
        assert!(
            state.threads.live().all(|thread| thread == running),
            "selvedge: `contained` cannot begin while other threads are alive; join them first"
        );
        running
    };
    execution.visible(Pending::here(Action::new(Kind::Spawn)));
    let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
    // SAFETY: the thread borrows from this frame, and has ended when `stop_others` returns; at the end of a
    // run it is unwound before the thread of this frame, since it is younger.
    #[allow(unsafe_code)]
    let inner =
        unsafe { execution.spawn(Some("contained".into()), 0, || result.set(Some(body_result(&body)))) };
    execution.state.borrow_mut().contained = Some((outer, inner));
    execution.visible(Pending::here(Action::to(Kind::Contain, inner)));
    // Read before the remaining threads are stopped: a stopped thread leaves a result too, and may panic
    // while it unwinds.
    let ended = result.take();
    let unjoined_panic = {
        let state = &mut *execution.state.borrow_mut();
        let threads = &mut state.threads.all_mut()[inner.index()..];
        threads.iter_mut().filter_map(|thread| thread.unobserved.take()).find(Unwound::is_failure)
    };
    execution.stop_others();
    execution.joined(inner);
    execution.state.borrow_mut().contained = None;
    match (ended, unjoined_panic) {
        (Some(Err(payload)), _) => Unwound::by(&*payload).into(),
        (_, Some(unwound)) => unwound.into(),
        (Some(Ok(value)), None) => Outcome::Returned(value),
        (None, None) => Outcome::Deadlock,
    }
}
