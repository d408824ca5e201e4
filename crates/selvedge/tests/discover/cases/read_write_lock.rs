//! A read-write lock: a mutex, a condition variable, and who holds it.
//!
//! Readers are preferred. Beside it a reader comes, or a writer, and stays.

use selvedge::discover::{self, Signature};
use selvedge::sync::{Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;

/// The state of the lock at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Held {
    /// No thread has it.
    Free,
    /// So many readers and one more have it.
    Reading(bool),
    /// A writer has it.
    Writing,
}

discover::value!(Held as "h": Held::Free, Held::Writing, Held::Reading(bool));

/// How many readers there are, and whether there is a writer.
type Holders = (u8, bool);

/// A lock for readers and writers.
pub(crate) struct ReadWriteLock {
    holders: Mutex<Holders>,
    changed: Condvar,
}

impl ReadWriteLock {
    /// A lock in this state.
    pub(crate) fn of(held: &Held) -> ReadWriteLock {
        let holders = match held {
            Held::Free => (0, false),
            Held::Reading(is_second) => (1 + u8::from(*is_second), false),
            Held::Writing => (0, true),
        };
        ReadWriteLock { holders: Mutex::new(holders), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Holders> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state once it satisfies the condition.
    fn change_when(&self, condition: fn(&Holders) -> bool, change: fn(&mut Holders)) {
        let holders = self.changed.wait_while(self.lock(), |holders| !condition(holders));
        change(&mut holders.unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// Changes the state if it satisfies the condition.
    fn change_if(&self, condition: fn(&Holders) -> bool, change: fn(&mut Holders)) -> bool {
        let mut holders = self.lock();
        let holds = condition(&holders);
        if holds {
            change(&mut holders);
            self.changed.notify_all();
        }
        holds
    }

    /// Waits until there is no writer.
    pub(crate) fn take_read(&self) {
        self.change_when(|(_, is_written)| !is_written, |(readers, _)| *readers += 1);
    }

    /// Waits until no other thread has the lock.
    pub(crate) fn take_write(&self) {
        self.change_when(|holders| *holders == (0, false), |(_, is_written)| *is_written = true);
    }

    /// Whether there was no writer.
    pub(crate) fn try_read(&self) -> bool {
        self.change_if(|(_, is_written)| !is_written, |(readers, _)| *readers += 1)
    }

    /// Whether no other thread had the lock.
    pub(crate) fn try_write(&self) -> bool {
        self.change_if(|holders| *holders == (0, false), |(_, is_written)| *is_written = true)
    }

    /// A reader leaves.
    pub(crate) fn give_read(&self) {
        let was_read = self.change_if(|(readers, _)| *readers > 0, |(readers, _)| *readers -= 1);
        assert!(was_read, "no reader has the lock");
    }

    /// The writer leaves.
    pub(crate) fn give_write(&self) {
        let was_written =
            self.change_if(|(_, is_written)| *is_written, |(_, is_written)| *is_written = false);
        assert!(was_written, "no writer has the lock");
    }

    /// The writer becomes a reader.
    pub(crate) fn downgrade(&self) {
        let was_written = self.change_if(|(_, is_written)| *is_written, |holders| *holders = (1, false));
        assert!(was_written, "no writer has the lock");
    }

    fn holders(&self) -> Holders {
        *self.lock()
    }
}

/// The lock's operations, with `|||`.
pub(crate) fn read_write_lock() -> Signature<ReadWriteLock, Held, Holders> {
    type L = ReadWriteLock;
    Signature::new(|held: &Held| L::of(held), |lock: &L, _seed| lock.holders())
        .named("read-write lock")
        .op("take_read", |lock: &L| lock.take_read())
        .op("take_write", |lock: &L| lock.take_write())
        .op("try_read", |lock: &L| lock.try_read())
        .op("try_write", |lock: &L| lock.try_write())
        .op("give_read", |lock: &L| lock.give_read())
        .op("give_write", |lock: &L| lock.give_write())
        .op("downgrade", |lock: &L| lock.downgrade())
        .op("readers", |lock: &L| lock.holders().0)
        .parallel()
        .back_to_seed(|lock: &L, _seed| lock.holders())
        .interfere("take_read", |lock: &L, _seed| lock.take_read())
        .interfere("take_write", |lock: &L, _seed| lock.take_write())
}
