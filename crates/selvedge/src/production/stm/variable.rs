//! Transactional variables: a value with its version, and the [`Core`] that says whether that is still the one.
//!
//! The value is behind a lock of its own, which is held while a count is changed, or two pointers are exchanged, and nobody else's code
//! runs meanwhile. The crate `arc-swap` would let readers pass without one, but its writers look at every thread that ever read, which made short
//! transactions that write three times slower.

use super::core::{Core, Version};
use super::{Stm, Transaction};
use crate::sync::{PoisonError, RwLock};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value of any type, on its way into a variable.
pub(super) type Value = Arc<dyn Any + Send + Sync>;

/// A variable that transactions read and write. Clones are handles to the same variable.
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

/// What the handles share.
pub(super) struct Variable<T> {
    pub(super) core: Core,
    value: RwLock<(Version, Arc<T>)>,
}

/// A variable, whatever the type of its value.
pub(super) trait AnyVariable: Send + Sync {
    fn core(&self) -> &Core;

    /// Puts a value there, which must be of the variable's type, and is of this version. Returns the old one.
    fn replace(&self, version: Version, value: Value) -> Value;
}

impl<T: Send + Sync + 'static> AnyVariable for Variable<T> {
    #[inline]
    fn core(&self) -> &Core {
        &self.core
    }

    fn replace(&self, version: Version, value: Value) -> Value {
        let value = value.downcast().expect("a value is written by a handle of its own type");
        let mut place = self.value.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, (version, value)).1
    }
}

impl<T> Variable<T> {
    /// The value, whoever may be about to replace it, and its version.
    #[inline]
    pub(super) fn glance(&self) -> (Version, Arc<T>) {
        self.value.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The value, and its version, which were there when this returned, or a moment before: nobody had it locked.
    #[inline]
    pub(super) fn read(&self) -> (Version, Arc<T>) {
        loop {
            let (version, value) = self.glance();
            let seen = self.core.look();
            if seen.still_is(version) {
                return (version, value);
            }
            if seen.is_locked() {
                self.core.wait_unlocked();
            }
        }
    }
}

impl<T: Clone + Send + Sync + 'static> TVar<T> {
    /// A variable with this value. It can be made inside of a transaction as well: nobody else knows it yet.
    #[must_use]
    #[cfg_attr(feature = "check", track_caller)]
    pub fn new(value: T) -> TVar<T> {
        let value = RwLock::new((Version::FIRST, Arc::new(value)));
        TVar(Arc::new(Variable { core: Core::new(), value }))
    }

    /// The value, as the transaction sees it: its own last write, or what is there for all.
    pub fn read(&self, tx: &mut Transaction) -> Stm<T> {
        tx.read(&self.0)
    }

    /// Replaces the value, when the transaction is committed; until then, as far as the transaction sees.
    pub fn write(&self, tx: &mut Transaction, value: T) -> Stm<()> {
        tx.write(&self.0, value)
    }

    /// Writes what the function makes of the value.
    pub fn modify(&self, tx: &mut Transaction, function: impl FnOnce(T) -> T) -> Stm<()> {
        let value = self.read(tx)?;
        self.write(tx, function(value))
    }

    /// Writes a value and returns the one before.
    pub fn replace(&self, tx: &mut Transaction, value: T) -> Stm<T> {
        let before = self.read(tx)?;
        self.write(tx, value)?;
        Ok(before)
    }

    /// The value that is there now, as a transaction that reads this one variable would see it.
    #[must_use]
    #[cfg_attr(feature = "check", track_caller)]
    pub fn load(&self) -> T {
        #[cfg(feature = "check")]
        if let Some(value) = crate::dual::stm::load(self) {
            return value;
        }
        T::clone(&self.0.read().1)
    }
}

impl<T> TVar<T> {
    /// Are the two handles to the same variable?
    #[must_use]
    pub fn same_as(&self, other: &TVar<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Clone for TVar<T> {
    /// Another handle to the same variable.
    fn clone(&self) -> TVar<T> {
        TVar(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for TVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TVar").field(&&*self.0.glance().1).finish()
    }
}

impl<T: Clone + Send + Sync + Default + 'static> Default for TVar<T> {
    #[cfg_attr(feature = "check", track_caller)]
    fn default() -> TVar<T> {
        TVar::new(T::default())
    }
}

impl<T: Clone + Send + Sync + 'static> From<T> for TVar<T> {
    #[cfg_attr(feature = "check", track_caller)]
    fn from(value: T) -> TVar<T> {
        TVar::new(value)
    }
}
