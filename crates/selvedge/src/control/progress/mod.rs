//! Threads that wait without blocking: spin loops, timed waits, sleeps, and the virtual clock.

mod spin;
mod unroll_bound;
mod virtual_clock;

pub(in crate::control) use spin::Looks;
pub(crate) use unroll_bound::ANY;
pub(in crate::control) use unroll_bound::Timeouts;
