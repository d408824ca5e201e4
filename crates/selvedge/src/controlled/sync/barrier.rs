//! As [`std::sync::Barrier`].
//!
//! Inside an exploration the arrival of a thread is one visible action and its departure another. The last
//! thread to arrive departs at once and is the leader, as in `std`.

use crate::control::{Arrival, ObjectKind, Pending, Persistence, Sync, Tag};
use crate::controlled::current;
use selvedge_explore::{Action, Kind};
use std::fmt;

/// As [`std::sync::Barrier`].
pub struct Barrier {
    tag: Tag,
    size: usize,
    inner: std::sync::Barrier,
}

/// As [`std::sync::BarrierWaitResult`].
pub struct BarrierWaitResult(bool);

impl Barrier {
    /// A barrier for `n` threads.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new(n: usize) -> Barrier {
        Barrier { tag: Tag::new(), size: n, inner: std::sync::Barrier::new(n) }
    }

    /// Waits until all threads have arrived.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let Some(execution) = current() else {
            return BarrierWaitResult(self.inner.wait().is_leader());
        };
        // The arrived threads are part of the run's state, so the next run finds the barrier as new.
        let first = || Sync::first(ObjectKind::Barrier);
        let object = execution.object(&self.tag, ObjectKind::Barrier, Persistence::InRun, first);
        execution.visible(Pending::here(Action::on(Kind::Arrive, object)));
        match execution.arrive(object, self.size) {
            Arrival::Last => BarrierWaitResult(true),
            Arrival::Waits { generation } => {
                let pass = Pending::here(Action::on(Kind::Pass, object));
                execution.visible(Pending { since: generation, ..pass });
                BarrierWaitResult(false)
            }
        }
    }
}

impl BarrierWaitResult {
    /// Is this the thread that arrived last?
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").field("is_leader", &self.is_leader()).finish()
    }
}
