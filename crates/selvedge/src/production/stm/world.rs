//! Where transactions meet: a clock, and the seat of the senior.
//!
//! The algorithm is TL2 (Dice, Shalev and Shavit, Transactional Locking II, DISC 2006): a transaction reads the values of one moment, its
//! *time*; it writes into its log; a commit locks what was written, ticks the clock, makes sure that what was read is as it was, and
//! publishes. Where a value is newer than the transaction's time, it tries to go on as of now (Riegel, Felber and Fetzer, A Lazy
//! Snapshot Algorithm with Eager Validation, DISC 2006). We differ in one place: who has failed too often becomes the *senior*, one
//! at a time. It reserves each variable when it first touches it, and then nobody else can commit to that one.
//!
//! Promise: a transaction sees values that were there together at one moment, even if it comes to nothing. A senior never fails, so
//! every transaction whose body ends is committed after finitely many attempts, once it has the seat.

// Tests use worlds of their own, with the feature `check`.
#![cfg_attr(not(feature = "check"), allow(unreachable_pub))]

use super::core::{Refusal, Version};
use super::log::{Log, Place};
use super::variable::Variable;
use super::{Abort, Stm, Transaction, sleep};
use crate::production::interrupt::Thrown;
use crate::production::mailbox;
use crate::sync::atomic::{AtomicU64, Ordering::*};
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A transaction that has failed so often becomes the senior.
pub(super) const PATIENCE: u32 = 8;

/// What all transactions share that may meet: a clock, and the seat of the senior.
pub struct World {
    clock: Clock,
    senior: Mutex<()>,
}

/// The time of the last commit. Everybody uses it, so nothing else is near it.
#[repr(align(128))]
struct Clock(AtomicU64);

/// The world that a transaction is in.
#[derive(Clone)]
pub(super) enum Home {
    /// Everybody's.
    Global,
    /// One of its own, so that an exploration finds each run's as it was made.
    #[cfg(feature = "check")]
    Own(Arc<World>),
}

static GLOBAL: World = World::of_its_own();

impl Home {
    #[inline]
    pub(super) fn world(&self) -> &World {
        match self {
            Home::Global => &GLOBAL,
            #[cfg(feature = "check")]
            Home::Own(world) => world,
        }
    }
}

impl World {
    const fn of_its_own() -> World {
        World { clock: Clock(AtomicU64::new(Version::FIRST.0)), senior: Mutex::new(()) }
    }

    /// A world of its own.
    #[cfg(feature = "check")]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "for tests")]
    pub fn new() -> World {
        World::of_its_own()
    }

    /// [`atomically`](super::atomically) in this world, for one that becomes the senior after so many failures. A variable must be
    /// used in one world only.
    #[cfg(feature = "check")]
    pub fn atomically<T>(self: &Arc<World>, patience: u32, body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
        run(&Home::Own(self.clone()), patience, body)
    }

    #[inline]
    fn now(&self) -> Version {
        Version(self.clock.0.load(Acquire))
    }

    /// The next moment, which nobody else has.
    fn tick(&self) -> Version {
        Version(self.clock.0.fetch_add(1, AcqRel) + 1)
    }

    fn take_seat(&self) -> MutexGuard<'_, ()> {
        self.senior.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What came of an attempt.
pub(super) enum Outcome<T> {
    Committed(T),
    Retry,
    Thrown(Thrown),
    Conflict,
}

/// Runs a transaction until it is committed, or throws.
pub(super) fn run<T>(home: &Home, patience: u32, body: impl Fn(&mut Transaction) -> Stm<T>) -> T {
    mailbox::point();
    let mut tx = Transaction::begin(Memory::Shared(Snapshot::new(home.clone())));
    let mut failures = 0;
    loop {
        let seat = (failures >= patience).then(|| home.world().take_seat());
        let outcome = attempt(&mut tx, seat.is_some(), &body);
        drop(seat);
        match outcome {
            Outcome::Committed(value) => return value,
            Outcome::Thrown(exception) => {
                drop(tx);
                exception.raise()
            }
            Outcome::Retry => {
                if let Some(exception) = sleep::until_changed(&tx.log) {
                    drop(tx);
                    exception.raise();
                }
                failures = 0;
            }
            Outcome::Conflict => failures += 1,
        }
    }
}

/// Runs the body once, and commits what it did.
fn attempt<T>(
    tx: &mut Transaction,
    is_senior: bool,
    body: impl Fn(&mut Transaction) -> Stm<T>,
) -> Outcome<T> {
    tx.start_again(is_senior);
    let mut reserved = Reserved { tx, is_senior, is_committed: false };
    let result = body(reserved.tx);
    if reserved.tx.is_doomed {
        return Outcome::Conflict;
    }
    match result {
        Ok(value) if reserved.tx.commit() => {
            reserved.is_committed = true;
            Outcome::Committed(value)
        }
        Ok(_) | Err(Abort(super::Reason::Conflict)) => Outcome::Conflict,
        Err(Abort(super::Reason::Retry)) => Outcome::Retry,
        Err(Abort(super::Reason::Thrown(exception))) => Outcome::Thrown(exception),
    }
}

/// What a senior has reserved is given back, however its attempt ends.
struct Reserved<'t> {
    tx: &'t mut Transaction,
    is_senior: bool,
    is_committed: bool,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if self.is_senior {
            self.tx.log.give_back(self.is_committed);
        }
    }
}

/// Where the values of variables come from and go to.
pub(super) enum Memory {
    /// Other threads use it, too.
    Shared(Snapshot),
    /// Nobody else is there: an exploration has made the transaction one step.
    #[cfg(feature = "check")]
    Alone,
}

impl Memory {
    /// An attempt begins.
    pub(super) fn start(&mut self, is_senior: bool) {
        match self {
            Memory::Shared(snapshot) => snapshot.start(is_senior),
            #[cfg(feature = "check")]
            Memory::Alone => {}
        }
    }

    /// The value of a variable that the transaction has not written: the one way by which shared values come into a transaction.
    #[inline]
    pub(super) fn fetch<T: Send + Sync + 'static>(
        &mut self,
        log: &mut Log,
        variable: &Arc<Variable<T>>,
        known: Option<Place>,
    ) -> Option<Arc<T>> {
        match self {
            Memory::Shared(snapshot) if snapshot.is_senior => {
                Some(Snapshot::fetch_reserved(log, variable, known))
            }
            Memory::Shared(snapshot) => snapshot.fetch(log, variable, known),
            #[cfg(feature = "check")]
            Memory::Alone => {
                let place = known.unwrap_or_else(|| log.add(variable));
                log.note_read(place, Version::FIRST);
                Some(crate::control::fiber::outside(|| variable.glance().1))
            }
        }
    }

    /// The place of a variable that will be written and has not been touched.
    pub(super) fn touch<T: Send + Sync + 'static>(
        &self,
        log: &mut Log,
        variable: &Arc<Variable<T>>,
    ) -> Place {
        if let Memory::Shared(Snapshot { is_senior: true, .. }) = self {
            variable.core.reserve();
        }
        log.add(variable)
    }

    /// Makes what was written visible to all, at once: the one way by which values come out of a transaction.
    pub(super) fn apply(&mut self, log: &mut Log) -> bool {
        match self {
            Memory::Shared(snapshot) => snapshot.commit(log),
            #[cfg(feature = "check")]
            Memory::Alone => {
                crate::control::fiber::outside(|| log.publish_alone());
                true
            }
        }
    }
}

/// The values of one moment.
pub(super) struct Snapshot {
    home: Home,
    time: Version,
    is_senior: bool,
}

impl Snapshot {
    fn new(home: Home) -> Snapshot {
        Snapshot { home, time: Version::FIRST, is_senior: false }
    }

    fn start(&mut self, is_senior: bool) {
        self.is_senior = is_senior;
        self.time = self.home.world().now();
    }

    /// `None` where there is no moment at which all that was read was there together with this.
    #[inline]
    fn fetch<T: Send + Sync + 'static>(
        &mut self,
        log: &mut Log,
        variable: &Arc<Variable<T>>,
        known: Option<Place>,
    ) -> Option<Arc<T>> {
        loop {
            let (version, value) = variable.read();
            if version > self.time {
                self.extend(log)?;
                continue;
            }
            let place = known.unwrap_or_else(|| log.add(variable));
            match log.read(place) {
                None => log.note_read(place, version),
                Some(first) if first == version => {}
                Some(_) => return None,
            }
            return Some(value);
        }
    }

    /// What the senior has reserved stays as it is.
    fn fetch_reserved<T: Send + Sync + 'static>(
        log: &mut Log,
        variable: &Arc<Variable<T>>,
        known: Option<Place>,
    ) -> Arc<T> {
        let place = known.unwrap_or_else(|| {
            variable.core.reserve();
            log.add(variable)
        });
        let (version, value) = variable.glance();
        log.note_read(place, version);
        value
    }

    /// Goes on as of now, if everything that was read is still there.
    #[cold]
    fn extend(&mut self, log: &Log) -> Option<()> {
        let now = self.home.world().now();
        log.is_valid().then(|| self.time = now)
    }

    /// Publishes what was written, if everything that was read is still there.
    fn commit(&mut self, log: &mut Log) -> bool {
        if log.only_reads() {
            // All of it was there at `time`.
            return true;
        }
        let world = self.home.world();
        if self.is_senior {
            log.lock_reserved();
            log.publish(world.tick());
            return true;
        }
        if let Err((refusal, core)) = log.lock() {
            match refusal {
                Refusal::Changed => {}
                Refusal::Locked => core.wait_unlocked(),
                Refusal::Reserved => drop(world.take_seat()),
            }
            return false;
        }
        if log.has_locked_nothing() {
            return true;
        }
        let version = world.tick();
        // Where nobody has committed since, nothing can have changed.
        let is_valid = version == Version(self.time.0 + 1) || log.is_valid_but_for_locked();
        if is_valid {
            log.publish(version);
        } else {
            log.unlock();
        }
        is_valid
    }
}
