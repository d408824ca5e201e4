//! What was done, as far as it concerns others.

use selvedge_explore::{Action, Event, Kind, ObjectId, ThreadId};

/// What was done, or is being done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecutedAction {
    pub(in crate::control) thread: ThreadId,
    pub(in crate::control) kind: Kind,
    pub(in crate::control) is_buffered: bool,
    pub(in crate::control) object: Option<ObjectId>,
    pub(in crate::control) second: Option<ObjectId>,
    pub(in crate::control) target: Option<ThreadId>,
}

impl ExecutedAction {
    /// Something that was announced, which may turn out to be of another kind: a wait whose time is up.
    #[inline(always)]
    pub(in crate::control) fn of(thread: ThreadId, kind: Kind, announced: &Action) -> ExecutedAction {
        let Action { is_buffered, object, second, target, .. } = *announced;
        ExecutedAction { thread, kind, is_buffered, object, second, target }
    }

    /// An event.
    #[inline(always)]
    pub(in crate::control) fn from(event: &Event) -> ExecutedAction {
        ExecutedAction::of(event.id.thread, event.action.kind, &event.action)
    }
}
