//! The first thread of a run, and how the run ended.

use super::Outcome;
use crate::control::exception::Unwound;
use crate::control::{Execution, Pending, Stop, Thread, current, diagnose};
use selvedge_explore::{Action, Kind, RunEnd, Site};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the first thread does: the body, and its return.
pub(crate) fn body_result<T>(body: &dyn Fn() -> T) -> std::thread::Result<T> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let value = body();
        let execution = current().expect("the body runs inside of its execution");
        execution.drop_locals();
        if execution.has_others() {
            // Those that still run may go on for a while before the body's return ends them.
            let since = u64::from(execution.settings.waits_for_all);
            execution.visible(Pending { since, ..Pending::new(Action::new(Kind::Return), Site::Unknown) });
        }
        value
    }));
    if let (Err(payload), Some(execution)) = (&result, current()) {
        execution.fell(&**payload);
    }
    result
}

/// How a run ended. An error is something that cannot be explored.
pub(super) fn outcome<T>(
    execution: &Execution,
    end: RunEnd,
    result: Option<std::thread::Result<T>>,
) -> Result<Outcome<T>, String> {
    let state = execution.state.borrow();
    if let Some(message) = diagnose::told(state.run) {
        return Err(message);
    }
    if let Some(stop) = &state.stop {
        return match stop {
            Stop::Race(what, _) => Ok(Outcome::DataRace(what.clone())),
            Stop::Stuck(note) => Ok(Outcome::Panicked(note.clone())),
            Stop::Refused(message) => Err(message.clone()),
        };
    }
    let threads = &state.threads[..state.thread_count];
    let news = |thread: &Thread| thread.unwound.clone().filter(Unwound::is_news);
    let unheard = || threads.iter().find_map(news).map(Outcome::from);
    Ok(match (result, end) {
        (Some(Err(payload)), _) => Unwound::by(&*payload).into(),
        (Some(Ok(value)), _) => unheard().unwrap_or(Outcome::Returned(value)),
        (None, RunEnd::Finished) => unheard().unwrap_or(Outcome::Deadlock),
        (None, RunEnd::StepLimit | RunEnd::GivenUp) => Outcome::StepLimit,
    })
}
