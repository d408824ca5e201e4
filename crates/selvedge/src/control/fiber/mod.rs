//! Coroutines: the context switch, their stacks, the current execution, and stack overflows.

mod context;
#[cfg(unix)]
mod overflow;
mod stack;
mod switch;

pub(in crate::control) use context::enter;
pub(crate) use context::{current, outside, with_current};
#[cfg(unix)]
pub(crate) use overflow::install_handler;
pub(in crate::control) use stack::{Bounds, StackPool};
pub(in crate::control) use switch::{Fiber, Resumable, Resumed, Suspender};
