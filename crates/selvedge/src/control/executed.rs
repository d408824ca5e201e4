//! What was done, as far as it concerns others.

use selvedge_explore::{Action, Event, Kind, ObjectId, ThreadId};

/// What was done, or is being done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecutedAction {
    pub(super) thread: ThreadId,
    pub(super) kind: Kind,
    pub(super) is_buffered: bool,
    pub(super) object: Option<ObjectId>,
    pub(super) second: Option<ObjectId>,
    pub(super) target: Option<ThreadId>,
}

impl ExecutedAction {
    /// Something that was announced, which may turn out to be of another kind: a wait whose time is up.
    #[inline(always)]
    pub(super) fn of(thread: ThreadId, kind: Kind, announced: &Action) -> ExecutedAction {
        let Action { is_buffered, object, second, target, .. } = *announced;
        ExecutedAction { thread, kind, is_buffered, object, second, target }
    }

    /// An event.
    #[inline(always)]
    pub(super) fn from(event: &Event) -> ExecutedAction {
        ExecutedAction::of(event.id.thread, event.action.kind, &event.action)
    }
}
