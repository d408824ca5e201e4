//! Threads that wait without blocking: spin loops, timed waits, sleeps, and the virtual clock.

mod daemon;
mod environment;
mod rounds;
mod spin;
mod unroll_bound;

pub(crate) use daemon::MAX_DAEMON_VISITS;
pub(in crate::control) use daemon::{DaemonSteps, count_daemon_step, is_cut_off};
pub(in crate::control) use environment::Environment;
pub(crate) use environment::{Deadline, TimeUses};
pub(in crate::control) use spin::{SpinState, awaited, record_step, wakes_no_waiter, would_repeat};
pub(crate) use unroll_bound::UNBOUNDED;
pub(in crate::control) use unroll_bound::{
    BoundState, PlaceCounts, block_at_bound, can_time_out, count_timeout, has_thread_at_bound, is_at_bound,
};
