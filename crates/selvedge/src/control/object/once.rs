//! A computation that happens once: `Once`, `OnceLock`, `LazyLock`.

use super::kinds::{KindSet, enabled_bits};
use selvedge_explore::{Enabledness, Kind, ThreadId};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Begin, Kind::Await]);

/// These enable or disable threads that wait for the computation, and no other thread.
pub(super) const CONCERNS_ONLY_WAITERS: KindSet =
    KindSet::of(&[Kind::Begin, Kind::Complete, Kind::Abort, Kind::IsComplete, Kind::Await]);

/// How far the computation is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OnceState {
    /// The thread that computes it now.
    pub(crate) running: Option<ThreadId>,
    pub(crate) is_complete: bool,
    /// Was it complete before the run?
    pub(crate) was_complete: bool,
    /// How often it was begun and failed.
    pub(crate) failures: u64,
}

impl OnceState {
    /// Can a thread begin it, or observe that it is complete?
    #[inline(always)]
    pub(super) fn can_begin(&self) -> bool {
        self.running.is_none()
    }

    /// Is it complete, or has it failed more often than the waiting thread has seen?
    #[inline(always)]
    pub(super) fn can_await(&self, seen_failures: u64) -> bool {
        self.is_complete || self.failures > seen_failures
    }

    /// The enabled actions.
    pub(super) fn enabled_actions(&self) -> u64 {
        enabled_bits([(self.can_begin(), Enabledness::BEGIN), (self.is_complete, Enabledness::COMPLETE)])
    }

    /// The thread that computes it.
    pub(super) fn holders(&self) -> Vec<ThreadId> {
        self.running.into_iter().collect()
    }

    /// The computation ends: it is complete, or has failed.
    pub(crate) fn end(&mut self, is_complete: bool) {
        self.running = None;
        self.is_complete = is_complete;
        self.failures += u64::from(!is_complete);
    }
}
