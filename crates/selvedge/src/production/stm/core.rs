//! What every transactional variable has, whatever the type of its value: its versioned lock, and those who wait for a change.
//!
//! The lock of Dice, Shalev and Shavit's TL2 (Transactional Locking II, DISC 2006) is one word: the version of the value and, in
//! its lowest bits, who has hold of it. Two bits are ours:
//!
//! | bit | set by | while it is set |
//! |---|---|---|
//! | locked | who commits | the value may be replaced at any moment; nobody else changes the word |
//! | reserved | the senior transaction | nobody else may lock; the value can be read |
//! | awaited | who goes to sleep | the next who commits a value wakes those in the list |
//!
//! The bit *awaited* is set by an exchange that succeeds only where the version is the one that was read, and nobody has locked the word.
//! So who locks it sees the bit, or the sleeper sees the lock: no wake-up is lost, and nobody needs a fence for it.
//!
//! Promise: a thread that [`Core::sleep_on`] has let sleep is woken by the next commit to this variable.

use crate::hint;
use crate::production::wait::Waiter;
use crate::sync::atomic::{AtomicU64, Ordering::*};
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use crate::thread;

/// The time of a commit, by the clock of the world. A variable's version is the time of the last commit to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u64);

impl Version {
    /// Of values that no commit has made: older than all, so that a new variable can be read at any time.
    pub(super) const FIRST: Version = Version(0);
}

/// The word of a variable, as somebody saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen(u64);

const LOCKED: u64 = 1;
const RESERVED: u64 = 2;
const AWAITED: u64 = 4;
const VERSION_SHIFT: u32 = 3;

impl Seen {
    /// Of a word that nobody has looked at yet.
    pub(super) const NOTHING: Seen = Seen(0);

    #[inline]
    pub(super) fn version(self) -> Version {
        Version(self.0 >> VERSION_SHIFT)
    }

    #[inline]
    pub(super) fn is_locked(self) -> bool {
        self.0 & LOCKED != 0
    }

    #[inline]
    pub(super) fn is_awaited(self) -> bool {
        self.0 & AWAITED != 0
    }

    /// Is this the value of that version, and nobody is about to replace it?
    #[inline]
    pub(super) fn still_is(self, version: Version) -> bool {
        !self.is_locked() && self.version() == version
    }
}

/// Why a variable could not be locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Somebody commits to it.
    Locked,
    /// The senior transaction has touched it.
    Reserved,
    /// It is not what was read any more.
    Changed,
}

/// The part of a variable that does not know the type of its value.
pub(super) struct Core {
    word: AtomicU64,
    sleepers: Mutex<Vec<Arc<Waiter>>>,
    /// What explorations know it by.
    #[cfg(feature = "check")]
    pub(super) tag: crate::control::Tag,
    /// Its bit among those of a run's variables.
    #[cfg(feature = "check")]
    pub(super) bit: u32,
}

impl Core {
    #[cfg_attr(feature = "check", track_caller)]
    pub(super) fn new() -> Core {
        Core {
            word: AtomicU64::new(Version::FIRST.0 << VERSION_SHIFT),
            sleepers: Mutex::new(Vec::new()),
            #[cfg(feature = "check")]
            tag: crate::control::Tag::new(),
            #[cfg(feature = "check")]
            bit: crate::control::current().map_or(0, crate::control::Execution::variable_bit),
        }
    }

    /// The word, as it is now.
    #[inline]
    pub(super) fn look(&self) -> Seen {
        Seen(self.word.load(Acquire))
    }

    /// Waits until nobody has it locked. Who commits waits for nobody, so this is soon.
    #[cold]
    pub(super) fn wait_unlocked(&self) {
        let mut pause = Pause::default();
        while self.look().is_locked() {
            pause.turn();
        }
    }

    /// Locks it for a commit, if nobody has it; and if its version is this one, where one is given. Returns it as it was before.
    pub(super) fn try_lock(&self, read: Option<Version>) -> Result<Seen, Refusal> {
        // Most often it is as it was when it was read.
        let mut seen = read.map_or_else(|| self.look(), |version| Seen(version.0 << VERSION_SHIFT));
        loop {
            if seen.is_locked() {
                return Err(Refusal::Locked);
            }
            if seen.0 & RESERVED != 0 {
                return Err(Refusal::Reserved);
            }
            if read.is_some_and(|version| version != seen.version()) {
                return Err(Refusal::Changed);
            }
            match self.word.compare_exchange(seen.0, seen.0 | LOCKED, Acquire, Relaxed) {
                Ok(_) => return Ok(seen),
                Err(other) => seen = Seen(other),
            }
        }
    }

    /// Gives a lock back, and nothing was changed.
    pub(super) fn unlock_as(&self, before: Seen) {
        self.word.store(before.0, Release);
    }

    /// Gives a lock back: the value is of this version now. Who was seen to wait when it was locked is to be woken.
    pub(super) fn unlock_new(&self, version: Version) {
        self.word.store(version.0 << VERSION_SHIFT, Release);
    }

    /// Reserves it for the senior transaction, of which there is one at a time.
    pub(super) fn reserve(&self) -> Seen {
        let mut pause = Pause::default();
        loop {
            let seen = self.look();
            if seen.is_locked() {
                pause.turn();
            } else if self.word.compare_exchange(seen.0, seen.0 | RESERVED, Acquire, Relaxed).is_ok() {
                return seen;
            }
        }
    }

    /// The senior transaction gives it back unchanged.
    pub(super) fn give_back(&self) {
        self.word.fetch_and(!RESERVED, Release);
    }

    /// Locks what the caller has reserved. Only sleepers can come between.
    pub(super) fn lock_reserved(&self) -> Seen {
        Seen(self.word.fetch_or(LOCKED, Acquire))
    }

    /// Puts a sleeper into the list, if the value is still of this version.
    pub(super) fn sleep_on(&self, version: Version, sleeper: &Arc<Waiter>) -> bool {
        let mut sleepers = self.sleepers();
        let mut seen = self.look();
        while seen.still_is(version) {
            if seen.is_awaited() {
                sleepers.push(sleeper.clone());
                return true;
            }
            match self.word.compare_exchange(seen.0, seen.0 | AWAITED, Relaxed, Relaxed) {
                Ok(old) => seen = Seen(old | AWAITED),
                Err(other) => seen = Seen(other),
            }
        }
        false
    }

    /// Takes a sleeper out of the list, if it is still there. The bit may stay: it costs the next commit a look.
    pub(super) fn forget(&self, sleeper: &Arc<Waiter>) {
        self.sleepers().retain(|other| !Arc::ptr_eq(other, sleeper));
    }

    /// Wakes all who sleep until this variable changes. Some of them may have come after the change that is told of: they look again,
    /// and sleep again.
    #[cold]
    pub(super) fn wake(&self) {
        let sleepers = std::mem::take(&mut *self.sleepers());
        for sleeper in sleepers {
            sleeper.wake();
        }
    }

    fn sleepers(&self) -> MutexGuard<'_, Vec<Arc<Waiter>>> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waiting for somebody who waits for nobody: spinning first, then letting others have the processor.
#[derive(Default)]
pub(super) struct Pause {
    turns: u32,
}

/// So often it spins before it lets others go.
const SPINS: u32 = 64;

impl Pause {
    pub(super) fn turn(&mut self) {
        if self.turns < SPINS {
            self.turns += 1;
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}
