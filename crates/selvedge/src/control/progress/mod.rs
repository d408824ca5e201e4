//! Threads that wait without blocking: spin loops, timed waits, sleeps, and the virtual clock.

mod environment;
mod spin;
mod unroll_bound;

pub(in crate::control) use environment::Environment;
pub(crate) use environment::{Deadline, TimeUses};
pub(in crate::control) use spin::{SpinState, awaited, record_step, wakes_no_waiter, would_repeat};
pub(crate) use unroll_bound::UNBOUNDED;
pub(in crate::control) use unroll_bound::{
    BoundState, TimeoutCounts, block_at_bound, can_time_out, count_timeout, has_thread_at_bound, is_at_bound,
};
