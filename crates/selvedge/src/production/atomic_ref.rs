//! A reference to an immutable value that threads replace as a whole: `CRef` of Walker's thesis (§2.2,
//! Figure 5), Haskell's `IORef`.
//!
//! Built on the crate `arc-swap`: a read takes no lock and never waits for a writer. Every operation of that
//! crate contains a sequentially consistent read-modify-write, so the operations on all references have one
//! total order, and each is visible to all threads at once. In explorations plain stores are weaker: they go
//! through store buffers, as the memory model says.
//!
//! Promise: each value has an [`Arc`] of its own, which identifies the version. A [`Ticket`] keeps that
//! `Arc` alive, so its address is not reused (no ABA problem), and an exchange succeeds only if it replaces
//! exactly the ticket's version.

use arc_swap::ArcSwap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A reference to an immutable value. Any thread can replace the value at any time; a read never waits.
///
/// [`load`](AtomicRef::load) returns an [`Arc`] of the current version, so the type needs no `Clone`; the
/// version does not change when a thread replaces the value. [`store`](AtomicRef::store) and
/// [`swap`](AtomicRef::swap) replace the value unconditionally, [`modify`](AtomicRef::modify) and
/// [`compare_exchange`](AtomicRef::compare_exchange) depending on the current one.
///
/// Every operation is visible to all threads at once, and the operations on all references have one total
/// order. In explorations a plain `store` is weaker: under the memory models `Tso` and `Pso` it goes to a
/// store buffer, like a `Relaxed` store to an atomic. So an exploration finds the programs that rely on
/// immediate visibility; `swap` is never buffered.
///
/// ```
/// use selvedge::sync::AtomicRef;
///
/// let words = AtomicRef::new(vec!["one"]);
/// let before = words.load();
/// let count = words.modify(|words| ([&words[..], &["two"]].concat(), words.len()));
/// assert_eq!((count, before.len(), words.load().len()), (1, 1, 2));
///
/// let ticket = words.ticket();
/// words.store(vec![]);
/// let newer = words.compare_exchange(&ticket, vec!["three"]).unwrap_err();
/// assert!(newer.is_empty());
/// assert!(words.compare_exchange(&newer, vec!["three"]).is_ok());
/// ```
pub struct AtomicRef<T> {
    inner: ArcSwap<T>,
}

/// A version of an [`AtomicRef`], for [`AtomicRef::compare_exchange`]. Dereferences to the value.
pub struct Ticket<T> {
    pub(crate) value: Arc<T>,
}

impl<T> AtomicRef<T> {
    /// A reference to this value.
    #[must_use]
    pub fn new(value: T) -> AtomicRef<T> {
        AtomicRef { inner: ArcSwap::from_pointee(value) }
    }

    /// The value.
    #[inline]
    pub fn load(&self) -> Arc<T> {
        self.inner.load_full()
    }

    /// Replaces the value.
    pub fn store(&self, value: T) {
        self.inner.store(Arc::new(value));
    }

    /// Replaces the value, and returns the old one.
    pub fn swap(&self, value: T) -> Arc<T> {
        self.swap_version(Arc::new(value))
    }

    /// Replaces the value atomically: the function gets the current value and returns the new one and a
    /// result.
    ///
    /// If another thread replaces the value meanwhile, the function runs again, so it should only compute.
    /// In an exploration it must only compute: a run in which it performs a visible action is refused.
    pub fn modify<R>(&self, mut function: impl FnMut(&T) -> (T, R)) -> R {
        let mut ticket = self.ticket();
        loop {
            let (value, result) = function(&ticket);
            match self.compare_exchange(&ticket, value) {
                Ok(_) => return result,
                Err(newer) => ticket = newer,
            }
        }
    }

    /// The current version, as a ticket for [`compare_exchange`](AtomicRef::compare_exchange).
    pub fn ticket(&self) -> Ticket<T> {
        Ticket { value: self.load() }
    }

    /// Replaces the value, if the current version is still that of the ticket; an equal value is not enough.
    /// Returns a ticket of the new version.
    ///
    /// # Errors
    /// A ticket of the current version, if the value was replaced since the ticket was taken. `value` is
    /// dropped.
    pub fn compare_exchange(&self, ticket: &Ticket<T>, value: T) -> Result<Ticket<T>, Ticket<T>> {
        let new = Ticket { value: Arc::new(value) };
        let current = self.inner.compare_and_swap(&ticket.value, new.value.clone());
        if Arc::ptr_eq(&current, &ticket.value) {
            return Ok(new);
        }
        Err(Ticket { value: arc_swap::Guard::into_inner(current) })
    }

    /// The same as [`modify`](AtomicRef::modify), which is also a loop of [`ticket`](AtomicRef::ticket) and
    /// [`compare_exchange`](AtomicRef::compare_exchange). The thesis has both, because they differ in a lazy
    /// language.
    pub fn modify_cas<R>(&self, function: impl FnMut(&T) -> (T, R)) -> R {
        self.modify(function)
    }

    /// Consumes the reference, and returns the value.
    pub fn into_inner(self) -> Arc<T> {
        self.inner.into_inner()
    }

    /// Replaces the version.
    pub(crate) fn swap_version(&self, value: Arc<T>) -> Arc<T> {
        self.inner.swap(value)
    }
}

impl<T> Deref for Ticket<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Clone for Ticket<T> {
    fn clone(&self) -> Ticket<T> {
        Ticket { value: self.value.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Ticket<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ticket").field(&self.value).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for AtomicRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AtomicRef").field(&self.load()).finish()
    }
}

impl<T: Default> Default for AtomicRef<T> {
    fn default() -> AtomicRef<T> {
        AtomicRef::new(T::default())
    }
}

impl<T> From<T> for AtomicRef<T> {
    fn from(value: T) -> AtomicRef<T> {
        AtomicRef::new(value)
    }
}
