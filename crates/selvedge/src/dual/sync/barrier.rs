//! As [`std::sync::Barrier`].
//!
//! Coming is one action and leaving another; the last to come leaves at once and is the leader, as in std.

use crate::control::race::Arrival;
use crate::control::{Carries, Pending, Sort, Sync, Tag, current};
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
    /// A barrier for so many threads.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new(n: usize) -> Barrier {
        Barrier { tag: Tag::new(), size: n, inner: std::sync::Barrier::new(n) }
    }

    /// Waits until all have come.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let Some(execution) = current() else {
            return BarrierWaitResult(self.inner.wait().is_leader());
        };
        // Who has come is known to the run alone, so the next run finds it as good as new.
        let first = || Sync::first(Sort::Barrier);
        let object = execution.object(&self.tag, Sort::Barrier, Carries::Nothing, first);
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
    /// Was it the thread that came last?
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
