//! A variable that is full or empty, made of a mutex and two condition variables.
//!
//! Haskell's `MVar` (Peyton Jones, Gordon and Finne, Concurrent Haskell, POPL 1996), without its fairness: any of those who wait
//! may go first. std has none. This one is used without the feature `check`, and outside of explorations.

// Public without the feature `check`; with it, behind the controlled one of the same name.
#![cfg_attr(feature = "check", allow(unreachable_pub))]

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A variable that is full or empty. [`take`](MVar::take) waits until it is full and empties it, [`put`](MVar::put)
/// waits until it is empty and fills it.
pub struct MVar<T> {
    value: Mutex<Option<T>>,
    was_filled: Condvar,
    was_emptied: Condvar,
}

impl<T> MVar<T> {
    /// A full one.
    #[must_use]
    pub const fn new(value: T) -> MVar<T> {
        MVar::of(Some(value))
    }

    /// An empty one.
    #[must_use]
    pub const fn empty() -> MVar<T> {
        MVar::of(None)
    }

    const fn of(value: Option<T>) -> MVar<T> {
        MVar { value: Mutex::new(value), was_filled: Condvar::new(), was_emptied: Condvar::new() }
    }

    /// Waits until it is empty, and fills it.
    pub fn put(&self, value: T) {
        let mut place = wait_while(&self.was_emptied, self.lock(), Option::is_some);
        *place = Some(value);
        self.filled(place);
    }

    /// Waits until it is full, and empties it.
    pub fn take(&self) -> T {
        let mut place = wait_while(&self.was_filled, self.lock(), Option::is_none);
        let value = place.take().expect(FULL);
        self.emptied(place);
        value
    }

    /// Waits until it is full, and clones the value.
    pub fn read(&self) -> T
    where
        T: Clone,
    {
        let place = wait_while(&self.was_filled, self.lock(), Option::is_none);
        place.as_ref().expect(FULL).clone()
    }

    /// Fills it, if it is empty.
    pub fn try_put(&self, value: T) -> Result<(), T> {
        let mut place = self.lock();
        if place.is_some() {
            return Err(value);
        }
        *place = Some(value);
        self.filled(place);
        Ok(())
    }

    /// Empties it, if it is full.
    pub fn try_take(&self) -> Option<T> {
        let mut place = self.lock();
        let value = place.take()?;
        self.emptied(place);
        Some(value)
    }

    /// Clones the value, if it is full.
    pub fn try_read(&self) -> Option<T>
    where
        T: Clone,
    {
        self.lock().clone()
    }

    /// A clone that panics leaves the value as it was, so a poisoned lock is as good as another.
    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All are told: some may only want to read, and leave the value to others.
    fn filled(&self, place: MutexGuard<'_, Option<T>>) {
        drop(place);
        self.was_filled.notify_all();
    }

    fn emptied(&self, place: MutexGuard<'_, Option<T>>) {
        drop(place);
        self.was_emptied.notify_one();
    }
}

#[cfg(feature = "check")]
impl<T> MVar<T> {
    /// Is it full now?
    pub(crate) fn is_full(&self) -> bool {
        self.lock().is_some()
    }

    /// Is somebody in the middle of a `read`?
    pub(crate) fn is_being_cloned(&self) -> bool {
        matches!(self.value.try_lock(), Err(std::sync::TryLockError::WouldBlock))
    }
}

const FULL: &str = "a wait for a value ends when there is one";

fn wait_while<'a, T>(
    condvar: &Condvar,
    guard: MutexGuard<'a, Option<T>>,
    condition: impl Fn(&Option<T>) -> bool,
) -> MutexGuard<'a, Option<T>> {
    condvar.wait_while(guard, |place| condition(place)).unwrap_or_else(PoisonError::into_inner)
}

impl<T: fmt::Debug> fmt::Debug for MVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("MVar");
        match self.value.try_lock() {
            Ok(place) => debug_value(&mut tuple, &place),
            Err(std::sync::TryLockError::Poisoned(place)) => debug_value(&mut tuple, place.get_ref()),
            Err(std::sync::TryLockError::WouldBlock) => tuple.field(&format_args!("<locked>")).finish(),
        }
    }
}

fn debug_value<T: fmt::Debug>(tuple: &mut fmt::DebugTuple<'_, '_>, place: &Option<T>) -> fmt::Result {
    match place {
        Some(value) => tuple.field(value),
        None => tuple.field(&format_args!("<empty>")),
    };
    tuple.finish()
}

impl<T> Default for MVar<T> {
    /// An empty one.
    fn default() -> MVar<T> {
        MVar::empty()
    }
}

impl<T> From<T> for MVar<T> {
    /// A full one.
    fn from(value: T) -> MVar<T> {
        MVar::new(value)
    }
}
