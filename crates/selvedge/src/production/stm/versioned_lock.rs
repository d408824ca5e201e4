//! The versioned write-lock of a transactional variable, and the transactions that wait for its next
//! version.
//!
//! Dice, Shalev and Shavit, Transactional Locking II (TL2), DISC 2006. One word holds the version of the
//! value and, in its lowest bits, the state of the lock. The last two bits are our addition:
//!
//! | bit | set by | while it is set |
//! |---|---|---|
//! | locked | a committing transaction | only this transaction changes the word and the value |
//! | reserved | the priority transaction | no other transaction locks the word; all can read the value |
//! | awaited | a transaction that goes to sleep | the next commit wakes the sleeping transactions |
//!
//! A compare-exchange sets the bit *awaited*. It succeeds only if the word is unlocked and the version is
//! still the one that the transaction read. So either the committing transaction sees the bit when it locks
//! the word, or the transaction that goes to sleep sees the lock. No wake-up is lost, and no additional
//! fence is necessary.
//!
//! Promise: after [`VersionedLock::add_waiter`] returned true, the next commit to this variable wakes the
//! waiter.

use crate::door::{VariableIdentity, new_variable};
use crate::hint;
use crate::production::wait::Waiter;
use crate::sync::atomic::{AtomicU64, Ordering::*};
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use crate::thread;

/// The time of a commit by the version clock. The version of a variable is the time of the last commit to
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(super) u64);

impl Version {
    /// The version of a value that no commit has written. It precedes all other versions, so every
    /// transaction can read a new variable.
    pub(crate) const INITIAL: Version = Version(0);
}

/// A value of the word of a [`VersionedLock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LockWord(u64);

const LOCKED: u64 = 1;
const RESERVED: u64 = 2;
const AWAITED: u64 = 4;
const VERSION_SHIFT: u32 = 3;

impl LockWord {
    /// Unlocked, not reserved, not awaited.
    #[inline]
    pub(super) const fn unlocked(version: Version) -> LockWord {
        LockWord(version.0 << VERSION_SHIFT)
    }

    #[inline]
    pub(super) fn version(self) -> Version {
        Version(self.0 >> VERSION_SHIFT)
    }

    #[inline]
    pub(super) fn is_locked(self) -> bool {
        self.0 & LOCKED != 0
    }

    #[inline]
    fn is_reserved(self) -> bool {
        self.0 & RESERVED != 0
    }

    #[inline]
    pub(super) fn is_awaited(self) -> bool {
        self.0 & AWAITED != 0
    }

    /// Does the variable still have the value of this version, with no commit to it under way?
    #[inline]
    pub(super) fn is_valid_for(self, version: Version) -> bool {
        !self.is_locked() && self.version() == version
    }
}

/// Why a transaction could not lock a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockError {
    /// Another transaction commits to it.
    Locked,
    /// The priority transaction has reserved it.
    Reserved,
    /// Its version is no longer the one that the transaction read.
    Changed,
}

/// The part of a variable that does not depend on the type of its value.
pub(crate) struct VersionedLock {
    word: AtomicU64,
    waiters: Mutex<Vec<Arc<Waiter>>>,
    pub(crate) identity: VariableIdentity,
}

impl VersionedLock {
    #[track_caller]
    pub(super) fn new() -> VersionedLock {
        VersionedLock {
            word: AtomicU64::new(LockWord::unlocked(Version::INITIAL).0),
            waiters: crate::door::mutex(Vec::new()),
            identity: new_variable(),
        }
    }

    /// The current value of the word.
    #[inline]
    pub(super) fn word(&self) -> LockWord {
        LockWord(self.word.load(Acquire))
    }

    /// Waits until the word is unlocked. A committing transaction waits for no other, so this is a short
    /// wait.
    #[cold]
    pub(super) fn wait_until_unlocked(&self) {
        let mut backoff = Backoff::default();
        while self.word().is_locked() {
            backoff.pause();
        }
    }

    /// Locks the word for a commit. If a version is given, the current version must be equal to it. Returns
    /// the word before.
    pub(super) fn try_lock(&self, read: Option<Version>) -> Result<LockWord, LockError> {
        // Usually nothing has changed since the transaction read the variable, so this guess saves a load.
        let mut word = read.map_or_else(|| self.word(), LockWord::unlocked);
        loop {
            if word.is_locked() {
                return Err(LockError::Locked);
            }
            if word.is_reserved() {
                return Err(LockError::Reserved);
            }
            if read.is_some_and(|version| version != word.version()) {
                return Err(LockError::Changed);
            }
            match self.word.compare_exchange(word.0, word.0 | LOCKED, Acquire, Relaxed) {
                Ok(_) => return Ok(word),
                Err(current) => word = LockWord(current),
            }
        }
    }

    /// Unlocks a variable with an unchanged value: restores the word before.
    pub(super) fn unlock_unchanged(&self, before: LockWord) {
        self.word.store(before.0, Release);
    }

    /// Unlocks a variable with a new value, which has this version. The caller wakes the waiters if the bit
    /// *awaited* was set when it locked the word.
    pub(super) fn unlock_with(&self, version: Version) {
        self.word.store(LockWord::unlocked(version).0, Release);
    }

    /// Reserves the variable for the priority transaction. There is at most one at a time.
    pub(super) fn reserve(&self) {
        let mut backoff = Backoff::default();
        loop {
            let word = self.word();
            if word.is_locked() {
                backoff.pause();
            } else if self.word.compare_exchange(word.0, word.0 | RESERVED, Acquire, Relaxed).is_ok() {
                return;
            }
        }
    }

    /// Ends the reservation of a variable with an unchanged value.
    pub(super) fn cancel_reservation(&self) {
        self.word.fetch_and(!RESERVED, Release);
    }

    /// Locks a variable that the caller has reserved. Meanwhile other transactions can only have set the bit
    /// *awaited*.
    pub(super) fn lock_reserved(&self) -> LockWord {
        LockWord(self.word.fetch_or(LOCKED, Acquire))
    }

    /// Adds a waiter, if the value still has this version. Returns whether it does.
    pub(super) fn add_waiter(&self, version: Version, waiter: &Arc<Waiter>) -> bool {
        let mut waiters = self.lock_waiters();
        let mut word = self.word();
        while word.is_valid_for(version) {
            if word.is_awaited() {
                waiters.push(waiter.clone());
                return true;
            }
            match self.word.compare_exchange(word.0, word.0 | AWAITED, Relaxed, Relaxed) {
                Ok(before) => word = LockWord(before | AWAITED),
                Err(current) => word = LockWord(current),
            }
        }
        false
    }

    /// Removes a waiter, if it is still there. The bit *awaited* may stay set: then the next commit finds an
    /// empty list.
    pub(super) fn remove_waiter(&self, waiter: &Arc<Waiter>) {
        self.lock_waiters().retain(|other| !Arc::ptr_eq(other, waiter));
    }

    /// Wakes all waiters. A waiter that was added after the commit wakes up without need: its transaction
    /// runs again and goes to sleep again.
    #[cold]
    pub(super) fn wake_waiters(&self) {
        let waiters = std::mem::take(&mut *self.lock_waiters());
        for waiter in waiters {
            waiter.wake();
        }
    }

    fn lock_waiters(&self) -> MutexGuard<'_, Vec<Arc<Waiter>>> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for a thread that itself waits for no other: spins first, then yields the processor.
#[derive(Default)]
struct Backoff {
    spins: u32,
}

/// The number of spins before the first yield.
const MAX_SPINS: u32 = 64;

impl Backoff {
    fn pause(&mut self) {
        if self.spins < MAX_SPINS {
            self.spins += 1;
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}
