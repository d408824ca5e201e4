//! The current step of a run.

use crate::control::memory::WrittenValues;
use crate::control::thread::Pending;
use selvedge_explore::{EventId, ThreadId};

/// The chosen event before the first step of a run.
pub(in crate::control) const NO_EVENT: EventId = EventId { thread: ThreadId::MAIN, alternative: u32::MAX };

/// The current step.
pub(crate) struct Step {
    /// The event that was chosen: the thread and the alternative.
    pub(in crate::control) chosen: EventId,
    /// The action by which the last thread was spawned.
    pub(in crate::control) spawning: Option<Pending>,
    /// The last thread that was spawned.
    pub(in crate::control) spawned: Option<ThreadId>,
    /// The step changes nothing.
    pub(crate) read_only: bool,
    /// A thread fails in this step, or the step observes a failure: see
    /// [`Effect::affects_outcome`](selvedge_explore::event::Effect::affects_outcome).
    pub(in crate::control) affects_outcome: bool,
    /// The state of the object before the step: its value, or its enabled actions.
    pub(crate) observed: u64,
    /// What the step had observed, and whether it changes nothing, before its thread acted while it
    /// unwound: these actions are no steps, and have no part in the effect of this one.
    before_unwinding: Option<(u64, bool)>,
    pub(in crate::control) written: WrittenValues,
    /// The operands of the last exchange that failed: the expected value, and the new one.
    pub(crate) operands: (u64, u64),
}

impl Step {
    /// Before the first step of a run.
    pub(super) fn new() -> Step {
        Step {
            chosen: NO_EVENT,
            spawning: None,
            spawned: None,
            read_only: false,
            affects_outcome: false,
            observed: 0,
            before_unwinding: None,
            written: WrittenValues::default(),
            operands: (0, 0),
        }
    }

    /// A run begins.
    pub(super) fn clear(&mut self) {
        let Step {
            chosen,
            spawning,
            spawned,
            read_only,
            affects_outcome,
            observed,
            before_unwinding,
            written,
            operands,
        } = self;
        *chosen = NO_EVENT;
        *spawning = None;
        *spawned = None;
        *read_only = false;
        *affects_outcome = false;
        *observed = 0;
        *before_unwinding = None;
        written.clear();
        *operands = (0, 0);
    }

    /// A step begins with this event.
    #[inline(always)]
    pub(in crate::control) fn begin(&mut self, chosen: EventId) {
        self.chosen = chosen;
        self.written.begin();
        self.read_only = false;
        self.affects_outcome = false;
    }

    /// The thread of the step acts while it unwinds.
    pub(in crate::control) fn act_while_unwinding(&mut self) {
        self.before_unwinding.get_or_insert((self.observed, self.read_only));
    }

    /// The step is executed: its effect is that before its thread acted while it unwound.
    #[inline(always)]
    pub(super) fn restore_effect(&mut self) {
        if let Some(before) = self.before_unwinding {
            (self.observed, self.read_only) = before;
            self.before_unwinding = None;
        }
    }

    /// Does the update of this step store the old value?
    #[inline]
    pub(in crate::control) fn stores_old_value(&self) -> bool {
        self.written.of_current_step() == Some(self.observed)
    }
}
