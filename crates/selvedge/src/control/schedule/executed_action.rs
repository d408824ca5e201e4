//! An executed action, as far as it concerns other threads.

use selvedge_explore::{Action, Event, Kind, ObjectId, ThreadId};

/// An action that was executed, or is being executed.
#[derive(Clone, Copy, Debug)]
pub(in crate::control) struct ExecutedAction {
    pub(in crate::control) thread: ThreadId,
    pub(in crate::control) kind: Kind,
    pub(in crate::control) is_buffered: bool,
    pub(in crate::control) object: Option<ObjectId>,
    pub(in crate::control) second: Option<ObjectId>,
    pub(in crate::control) target: Option<ThreadId>,
}

impl ExecutedAction {
    /// An announced action, which may be executed as another kind: a wait that times out.
    #[inline(always)]
    pub(super) fn of(thread: ThreadId, kind: Kind, announced: &Action) -> ExecutedAction {
        let Action { is_buffered, object, second, target, .. } = *announced;
        ExecutedAction { thread, kind, is_buffered, object, second, target }
    }

    /// The action of an event.
    #[inline(always)]
    pub(super) fn from(event: &Event) -> ExecutedAction {
        ExecutedAction::of(event.id.thread, event.action.kind, &event.action)
    }
}
