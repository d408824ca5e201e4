//! Locks, holders, and the locations of acquisitions.
//!
//! Promise: the numbers of locks and of holders come from counters that only grow. A number is never used
//! again, so that a new lock at the address of an old one has no history.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU64;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

static LAST_LOCK: AtomicU64 = AtomicU64::new(0);
static LAST_HOLDER: AtomicU64 = AtomicU64::new(0);

/// The number of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockId(pub(super) NonZeroU64);

/// The number of a holder: a thread or a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HolderId(pub(super) NonZeroU64);

impl LockId {
    /// The number itself.
    #[inline]
    pub fn number(self) -> u64 {
        self.0.get()
    }

    pub(super) fn new(number: u64) -> LockId {
        LockId(NonZeroU64::new(number).expect("locks are counted from 1"))
    }
}

impl HolderId {
    /// The number itself.
    #[inline]
    pub fn number(self) -> u64 {
        self.0.get()
    }

    /// The holder with this number; none has 0.
    pub fn of_number(number: u64) -> Option<HolderId> {
        NonZeroU64::new(number).map(HolderId)
    }

    pub(super) fn new(number: u64) -> HolderId {
        HolderId(NonZeroU64::new(number).expect("holders are counted from 1"))
    }

    pub(super) fn next() -> HolderId {
        HolderId::new(LAST_HOLDER.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// In the place of a number: the lock is not watched.
const UNWATCHED: u64 = u64::MAX;

/// What a lock carries inside: its number, given at its first use, and where it was made.
///
/// A lock that is watched has a tag as a field; `new` is `const`, so that the lock can be a static.
#[derive(Debug)]
pub struct LockTag {
    id: AtomicU64,
    made_at: &'static Location<'static>,
}

impl LockTag {
    /// The tag of a lock that is made by the caller.
    #[track_caller]
    pub const fn new() -> LockTag {
        LockTag { id: AtomicU64::new(0), made_at: Location::caller() }
    }

    /// The tag of a lock that is not watched: a lock inside of a watched type, say.
    #[track_caller]
    pub const fn unwatched() -> LockTag {
        LockTag { id: AtomicU64::new(UNWATCHED), made_at: Location::caller() }
    }

    /// Is the lock to be watched?
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.id.load(Ordering::Relaxed) != UNWATCHED
    }

    /// The number of the lock, if it was used before, and is watched.
    #[inline]
    pub fn known_id(&self) -> Option<LockId> {
        let number = NonZeroU64::new(self.id.load(Ordering::Relaxed))?;
        (number.get() != UNWATCHED).then_some(LockId(number))
    }

    /// The number of the lock.
    #[inline]
    pub fn id(&self) -> LockId {
        match NonZeroU64::new(self.id.load(Ordering::Relaxed)) {
            Some(id) => LockId(id),
            None => self.number(),
        }
    }

    /// Is the hold one of this lock?
    #[inline]
    pub(super) fn is_in(&self, hold: PackedHold) -> bool {
        // No hold is of a lock without a number, nor of one that is not watched.
        (hold.number() ^ self.id.load(Ordering::Relaxed)) << (u64::BITS - ACCESS_SHIFT) == 0
    }

    /// Where the lock was made.
    #[inline]
    pub fn made_at(&self) -> &'static Location<'static> {
        self.made_at
    }

    #[cold]
    fn number(&self) -> LockId {
        let fresh = LAST_LOCK.fetch_add(1, Ordering::Relaxed) + 1;
        // Another thread may have been first. Its number counts, and the fresh one is left out for good.
        match self.id.compare_exchange(0, fresh, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => LockId::new(fresh),
            Err(first) => LockId::new(first),
        }
    }
}

impl Default for LockTag {
    #[track_caller]
    fn default() -> Self {
        LockTag::new()
    }
}

/// How a lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// As a mutex: alone.
    Lock,
    /// As a reader: beside other readers. A reader waits while a writer waits.
    Read,
    /// As a writer: alone. A writer that waits keeps new readers out.
    Write,
}

impl Access {
    /// Does a holder with this access keep another one out that wants the other access?
    #[inline]
    pub fn excludes(self, other: Access) -> bool {
        !(self == Access::Read && other == Access::Read)
    }

    pub(super) fn verb(self) -> &'static str {
        match self {
            Access::Lock => "waits for",
            Access::Read => "waits to read",
            Access::Write => "waits to write",
        }
    }
}

/// A lock and how it is held or wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Hold {
    pub(super) lock: LockId,
    pub(super) access: Access,
}

impl Hold {
    /// Does a holder of this keep out a holder that wants the other?
    pub(super) fn excludes(self, other: Hold) -> bool {
        self.lock == other.lock && self.access.excludes(other.access)
    }

    /// One number for both, to be compared fast.
    #[inline]
    pub(super) fn packed(self) -> PackedHold {
        PackedHold::new(self.lock, self.access)
    }
}

/// Where a [`PackedHold`] has the access. The number of the lock is in the bits below.
const ACCESS_SHIFT: u32 = 62;
const LOCK_BITS: u64 = (1 << ACCESS_SHIFT) - 1;

/// A [`Hold`] in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PackedHold(NonZeroU64);

impl PackedHold {
    /// A place without a hold has this.
    pub(super) const UNUSED: PackedHold = PackedHold(NonZeroU64::MIN);

    #[inline]
    pub(super) fn new(lock: LockId, access: Access) -> PackedHold {
        PackedHold(lock.0 | (access as u64) << ACCESS_SHIFT)
    }

    #[inline]
    pub(super) fn number(self) -> u64 {
        self.0.get()
    }

    /// Is it a hold of this lock?
    #[inline]
    pub(super) fn is_of(self, lock: LockId) -> bool {
        self.number() & LOCK_BITS == lock.number()
    }

    pub(super) fn unpacked(self) -> Hold {
        let access = match self.number() >> ACCESS_SHIFT {
            0 => Access::Lock,
            1 => Access::Read,
            _ => Access::Write,
        };
        Hold { lock: LockId::new(self.number() & LOCK_BITS), access }
    }
}

/// A location in source text. Those of other runs are read from a file, so it may own its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeLocation(pub(super) Cow<'static, str>, pub(super) u32, pub(super) u32);

impl From<&'static Location<'static>> for CodeLocation {
    fn from(location: &'static Location<'static>) -> Self {
        CodeLocation(Cow::Borrowed(location.file()), location.line(), location.column())
    }
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Hold, LockId, LockTag};

    #[test]
    fn a_packed_hold_has_the_lock_and_the_access() {
        for access in [Access::Lock, Access::Read, Access::Write] {
            let hold = Hold { lock: LockId::new(7), access };
            assert_eq!(hold.packed().unpacked(), hold);
            assert!(hold.packed().is_of(LockId::new(7)));
            assert!(!hold.packed().is_of(LockId::new(6)));
        }
    }

    #[test]
    fn a_new_lock_at_an_old_address_has_a_new_number() {
        let mut tag = LockTag::new();
        let first = tag.id();
        assert_eq!(tag.id(), first);
        tag = LockTag::new();
        assert!(tag.id() > first);
    }

    #[test]
    fn threads_that_number_a_lock_at_once_agree() {
        let tag = LockTag::new();
        let ids = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| tag.id())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(ids.iter().all(|id| *id == tag.id()));
    }
}
