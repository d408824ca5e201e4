//! Coroutines: the context switch, their stacks, the current execution, stack overflows and
//! other signals that end the process.

mod context;
#[cfg(unix)]
mod overflow;
#[cfg(unix)]
mod signals;
mod stack;
mod switch;

pub(in crate::control) use context::enter;
pub(crate) use context::{current, outside, with_current};
#[cfg(unix)]
pub(in crate::control) use signals::claim_report;
#[cfg(unix)]
pub(crate) use signals::{end_blocked, install_handlers};
pub(in crate::control) use stack::{Bounds, StackPool};
pub(in crate::control) use switch::{Fiber, Resumable, Resumed, Suspender};
