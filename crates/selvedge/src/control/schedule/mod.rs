//! From one step to the next: a thread announces an action, the enabled events are computed, the scheduler
//! chooses.

mod announce;
mod candidates;
mod driver;
mod enabled;
mod executed_action;
mod fast_path;
mod handoff;
#[cfg(test)]
mod handoff_tests;
mod section;
#[cfg(test)]
mod waiters_tests;

pub(crate) use driver::Driver;
pub(in crate::control) use driver::resume;
pub(crate) use enabled::{FIXES_DEADLINE, GIVES_UP, SPURIOUS, TIME_OUT};
pub(in crate::control) use enabled::{
    can_execute, enabled_actions, list_stopped, list_stopped_part, list_uncommitted, stopped_event,
};
pub(in crate::control) use executed_action::ExecutedAction;
pub(in crate::control) use handoff::{FullHandoff, LightHandoff};
