//! A part of an explored body that is run to its end, whatever that is (Walker's thesis, §5.4: subconcurrency).

use super::Outcome;
use super::ended::body_result;
use crate::control::exception::Unwound;
use crate::control::{Pending, current};
use selvedge_explore::{Action, Kind};
use std::cell::Cell;

/// Runs a part of an explored body, with the threads that it spawns, to its end: it returns, it panics, or nobody in it
/// can go on. Then what is left of it is stopped, and the body can look at what became of the state.
///
/// It is explored like everything else. A data race or too many steps end the whole run, not only this part.
///
/// # Panics
/// Outside of explorations, and while other threads of the run are alive.
#[track_caller]
pub fn contained<T>(body: impl Fn() -> T) -> Outcome<T> {
    let execution = current().expect("selvedge: `contained` is for use inside of explored bodies");
    let outer = {
        let state = execution.state.borrow();
        let running = state.running;
        assert!(
            state.live().all(|thread| thread == running),
            "selvedge: `contained` cannot begin while other threads are alive; join them first"
        );
        running
    };
    execution.visible(Pending::here(Action::new(Kind::Spawn)));
    let result: Cell<Option<std::thread::Result<T>>> = Cell::new(None);
    let inner = execution.spawn(Some("contained".into()), 0, || result.set(Some(body_result(&body))));
    execution.state.borrow_mut().contained = Some((outer, inner));
    execution.visible(Pending::here(Action::to(Kind::Contain, inner)));
    // Before the rest is stopped: a thread that is stopped leaves a result too, and may panic on its way out.
    let ended = result.take();
    let unheard = {
        let state = &mut *execution.state.borrow_mut();
        let threads = &mut state.threads[inner.index()..state.thread_count];
        threads.iter_mut().filter_map(|thread| thread.unwound.take()).find(Unwound::is_news)
    };
    execution.stop_others();
    execution.joined(inner);
    execution.state.borrow_mut().contained = None;
    match (ended, unheard) {
        (Some(Err(payload)), _) => Unwound::by(&*payload).into(),
        (_, Some(unwound)) => unwound.into(),
        (Some(Ok(value)), None) => Outcome::Returned(value),
        (None, None) => Outcome::Deadlock,
    }
}
