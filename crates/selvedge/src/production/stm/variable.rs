//! Transactional variables: a value with its version, and the [`VersionedLock`] that tells whether that
//! version is still the current one.
//!
//! The value is behind a read-write lock. A thread holds it while it changes a reference count or exchanges
//! two pointers, and never while code of the program runs. The crate `arc-swap` would let readers pass
//! without a lock, but its writers visit every thread that ever read, which made short writing transactions
//! three times slower.

use super::versioned_lock::{Version, VersionedLock};
use super::{Stm, Transaction};
use crate::door;
use crate::sync::{PoisonError, RwLock};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value of any type, on its way into a variable.
pub(super) type Value = Arc<dyn Any + Send + Sync>;

/// A variable that transactions read and write. A clone is a second handle to the same variable.
///
/// ```
/// use selvedge::stm::{TVar, atomically};
///
/// let account = TVar::new(100);
/// let same = account.clone();
/// atomically(|tx| same.modify(tx, |balance| balance - 30));
/// assert_eq!(account.load(), 70);
/// ```
pub struct TVar<T>(Arc<Variable<T>>);

/// A variable: what its handles share.
pub(crate) struct Variable<T> {
    pub(super) lock: VersionedLock,
    value: RwLock<(Version, Arc<T>)>,
}

/// A variable with a value of any type.
pub(super) trait AnyVariable: Send + Sync {
    fn lock(&self) -> &VersionedLock;

    /// Replaces the value and its version. Returns the old value.
    ///
    /// Panics if the new value is not of the variable's type.
    fn replace(&self, version: Version, value: Value) -> Value;
}

impl<T: Send + Sync + 'static> AnyVariable for Variable<T> {
    #[inline]
    fn lock(&self) -> &VersionedLock {
        &self.lock
    }

    fn replace(&self, version: Version, value: Value) -> Value {
        let value = value.downcast().expect("a value is written by a handle of its own type");
        let mut current = self.value.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, (version, value)).1
    }
}

impl<T> Variable<T> {
    /// The value and its version, even if a commit is about to replace them.
    #[inline]
    pub(crate) fn read_unvalidated(&self) -> (Version, Arc<T>) {
        self.value.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The value and its version, at a moment during this call at which the variable was unlocked.
    #[inline]
    pub(super) fn read(&self) -> (Version, Arc<T>) {
        loop {
            let (version, value) = self.read_unvalidated();
            let word = self.lock.word();
            if word.is_valid_for(version) {
                return (version, value);
            }
            if word.is_locked() {
                self.lock.wait_until_unlocked();
            }
        }
    }
}

impl<T: Clone + Send + Sync + 'static> TVar<T> {
    /// A variable with this value. A transaction can create variables, too: no other transaction has a
    /// handle to them yet.
    #[must_use]
    #[track_caller]
    pub fn new(value: T) -> TVar<T> {
        let value = door::rwlock((Version::INITIAL, Arc::new(value)));
        TVar(Arc::new(Variable { lock: VersionedLock::new(), value }))
    }

    /// The value as the transaction sees it: the last value that the transaction itself wrote, or else the
    /// committed value.
    pub fn read(&self, tx: &mut Transaction) -> Stm<T> {
        tx.read(&self.0)
    }

    /// Replaces the value. Until the transaction commits, only the transaction itself sees the new value.
    pub fn write(&self, tx: &mut Transaction, value: T) -> Stm<()> {
        tx.write(&self.0, value)
    }

    /// Replaces the value with the function's result for it.
    pub fn modify(&self, tx: &mut Transaction, function: impl FnOnce(T) -> T) -> Stm<()> {
        let value = self.read(tx)?;
        self.write(tx, function(value))
    }

    /// Replaces the value, and returns the old one.
    pub fn replace(&self, tx: &mut Transaction, value: T) -> Stm<T> {
        let before = self.read(tx)?;
        self.write(tx, value)?;
        Ok(before)
    }

    /// The committed value, as a transaction that reads only this variable would see it.
    #[must_use]
    #[track_caller]
    pub fn load(&self) -> T {
        door::load_as_step(self).unwrap_or_else(|| T::clone(&self.0.read().1))
    }
}

impl<T> TVar<T> {
    /// Are these two handles to the same variable?
    #[must_use]
    pub fn same_as(&self, other: &TVar<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Clone for TVar<T> {
    /// A second handle to the same variable.
    fn clone(&self) -> TVar<T> {
        TVar(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for TVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TVar").field(&&*self.0.read_unvalidated().1).finish()
    }
}

impl<T: Clone + Send + Sync + Default + 'static> Default for TVar<T> {
    #[track_caller]
    fn default() -> TVar<T> {
        TVar::new(T::default())
    }
}

impl<T: Clone + Send + Sync + 'static> From<T> for TVar<T> {
    #[track_caller]
    fn from(value: T) -> TVar<T> {
        TVar::new(value)
    }
}
