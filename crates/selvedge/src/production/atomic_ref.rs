//! A reference to a value that is replaced whole: `CRef` of Walker's thesis (§2.2, Figure 5), Haskell's `IORef`.
//!
//! On `arc-swap`: reading takes no lock and never waits for who writes. Every operation of that crate contains a
//! sequentially consistent read-modify-write, so operations on all references together have one order, and each is seen at once. In
//! explorations plain stores are weaker than that: they go through store buffers, as the memory model has it.
//!
//! Promise: a version is known by its [`Arc`], of which [`AtomicRef`] makes a new one for each value that it is given. A
//! [`Ticket`] keeps that alive, so its address is not used again (no ABA), and an exchange that succeeds replaced the
//! very version that the ticket is of.

use arc_swap::ArcSwap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A reference to a value that is replaced whole, by any thread at any time, and read without waiting.
///
/// [`load`](AtomicRef::load) gives an [`Arc`]: a version that stays as it is while others replace it, and needs no `Clone`. What
/// replaces the value is [`store`](AtomicRef::store), or, depending on what is there, [`modify`](AtomicRef::modify)
/// and [`compare_exchange`](AtomicRef::compare_exchange).
///
/// Every operation is seen at once by all threads, and those on all references together have one order. In explorations
/// a plain `store` is weaker: under the models `Tso` and `Pso` it goes to a buffer first, as a `Relaxed` store of an
/// atomic does. So who relies on stores that are seen at once is told; `swap` is never buffered.
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

/// The version of an [`AtomicRef`] that somebody has seen, for [`AtomicRef::compare_exchange`]. It is the value, too.
pub struct Ticket<T> {
    value: Arc<T>,
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

    /// Replaces the value, and returns what it was.
    pub fn swap(&self, value: T) -> Arc<T> {
        self.put(Arc::new(value))
    }

    /// Replaces the value by what the function makes of it, and returns what it gives beside; nobody comes between.
    ///
    /// The function is called again where somebody did, so it should only compute. In an exploration it must: where it does
    /// something that other threads can notice, the run is refused.
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

    /// The value, with the right to replace just this version of it.
    pub fn ticket(&self) -> Ticket<T> {
        Ticket { value: self.load() }
    }

    /// Replaces the value if it is still the version that the ticket is of; an equal value is not enough. Returns a ticket
    /// of the new version, or of the one that was found instead.
    ///
    /// # Errors
    /// If somebody replaced the value since the ticket was taken; the new one is dropped.
    pub fn compare_exchange(&self, ticket: &Ticket<T>, value: T) -> Result<Ticket<T>, Ticket<T>> {
        let new = Ticket { value: Arc::new(value) };
        let found = self.inner.compare_and_swap(&ticket.value, new.value.clone());
        if Arc::ptr_eq(&found, &ticket.value) {
            return Ok(new);
        }
        Err(Ticket { value: arc_swap::Guard::into_inner(found) })
    }

    /// As [`modify`](AtomicRef::modify), which is a loop of [`ticket`](AtomicRef::ticket) and
    /// [`compare_exchange`](AtomicRef::compare_exchange), too: the thesis has both, because a lazy language has.
    pub fn modify_cas<R>(&self, function: impl FnMut(&T) -> (T, R)) -> R {
        self.modify(function)
    }

    /// The value, of a reference that nobody else has.
    pub fn into_inner(self) -> Arc<T> {
        self.inner.into_inner()
    }

    /// Replaces the version.
    pub(crate) fn put(&self, value: Arc<T>) -> Arc<T> {
        self.inner.swap(value)
    }
}

impl<T> Ticket<T> {
    /// Of this version.
    #[cfg(feature = "check")]
    pub(crate) fn of(value: Arc<T>) -> Ticket<T> {
        Ticket { value }
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
