//! An `MVar`: a variable that is full or empty.

use super::kinds::KindSet;
use selvedge_explore::{Enabledness, Kind};

/// A thread waits for these.
pub(super) const BLOCKING: KindSet = KindSet::of(&[Kind::Put, Kind::Take, Kind::Read]);

/// These enable or disable threads that wait for the `MVar`, and no other thread.
pub(super) const CONCERNS_ONLY_WAITERS: KindSet =
    KindSet::of(&[Kind::Put, Kind::Take, Kind::Read, Kind::TryPut, Kind::TryTake, Kind::TryRead]);

/// Is the variable full?
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MVarState {
    pub(crate) is_full: bool,
}

impl MVarState {
    /// Can a thread put, take or read now?
    #[inline(always)]
    pub(super) fn allows(self, kind: Kind) -> bool {
        match kind {
            Kind::Put => !self.is_full,
            Kind::Take | Kind::Read => self.is_full,
            _ => true,
        }
    }

    /// The enabled actions.
    pub(super) fn enabled_actions(self) -> u64 {
        if self.is_full { Enabledness::TAKE } else { Enabledness::PUT }
    }

    /// What a thread waits for, in words.
    pub(super) fn awaited(kind: Kind, name: &str) -> String {
        match kind {
            Kind::Put => format!("waits until {name} is empty"),
            _ => format!("waits until {name} is full"),
        }
    }
}
