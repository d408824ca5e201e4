//! What the transactions of one domain share: the version clock, and the locks of the
//! transactions that wait for their turn or for priority.
//!
//! A program has one domain. Tests that explore the algorithm make a new one for each run, so that every run
//! begins with the same clock; `crate::door` chooses.

use super::versioned_lock::Version;
use crate::door;
use crate::sync::atomic::{AtomicU64, Ordering::*};
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// The transactions that may use the same variables.
pub(crate) struct Domain {
    pub(super) id: DomainId,
    clock: VersionClock,
    priority: Mutex<()>,
    turn: Mutex<()>,
}

/// Tells the domains of one process from each other. The program's is the default.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DomainId(pub(crate) u64);

/// The global version clock of TL2: the time of the last commit. All threads write it, so it has its own
/// cache lines.
#[repr(align(128))]
struct VersionClock(AtomicU64);

/// The domain of the program.
pub(crate) static GLOBAL: Domain = Domain::new(DomainId(0));

impl Domain {
    pub(crate) const fn new(id: DomainId) -> Domain {
        Domain {
            id,
            clock: VersionClock(AtomicU64::new(Version::INITIAL.0)),
            priority: door::mutex(()),
            turn: door::mutex(()),
        }
    }

    /// The time of the last commit.
    #[inline]
    pub(super) fn now(&self) -> Version {
        Version(self.clock.0.load(Acquire))
    }

    /// Advances the clock. Every commit gets a time of its own.
    pub(super) fn tick(&self) -> Version {
        Version(self.clock.0.fetch_add(1, AcqRel) + 1)
    }

    /// Waits until no other transaction has its turn. The caller has it while it holds the guard. A
    /// transaction that waits here holds no lock of a variable, and no priority.
    #[cold]
    pub(super) fn acquire_turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no transaction has priority. While the caller holds the guard, its transaction has.
    pub(super) fn acquire_priority(&self) -> MutexGuard<'_, ()> {
        self.priority.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
