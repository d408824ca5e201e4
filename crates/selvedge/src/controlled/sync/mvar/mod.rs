//! A variable that is full or empty: controlled inside an exploration, `crate::production::mvar` outside.
//!
//! The controlled side is in `in_run`. Outside of explorations, with the feature `watch`, a variable tells
//! which thread has taken its value ([`crate::watched`]).

#[cfg(feature = "check")]
mod in_run;

#[cfg(feature = "check")]
use crate::control::Tag;
use crate::production::mvar;
use crate::watched::locks::{self, Taker, Watch};
use std::fmt;
use std::panic::Location;

/// A variable that is full or empty. [`take`](MVar::take) waits until it is full and empties it,
/// [`put`](MVar::put) waits until it is empty and fills it.
///
/// Outside of explorations blocked operations complete in the order of their arrival. Inside an exploration
/// any blocked operation may be the next. Every operation is an interruption point: an exception interrupts
/// it before it has any effect.
///
/// ```
/// use selvedge::sync::MVar;
///
/// let (requests, answers) = (MVar::empty(), MVar::empty());
/// std::thread::scope(|scope| {
///     scope.spawn(|| answers.put(requests.take() + 1));
///     requests.put(1);
///     assert_eq!(answers.take(), 2);
/// });
/// ```
pub struct MVar<T> {
    #[cfg(feature = "check")]
    tag: Tag,
    watch: Watch,
    taker: Taker,
    inner: mvar::MVar<T>,
}

impl<T> MVar<T> {
    /// A full variable.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> MVar<T> {
        MVar {
            #[cfg(feature = "check")]
            tag: Tag::new(),
            watch: Watch::new(),
            taker: Taker::new(true),
            inner: mvar::MVar::new(value),
        }
    }

    /// An empty variable.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn empty() -> MVar<T> {
        MVar {
            #[cfg(feature = "check")]
            tag: Tag::new(),
            watch: Watch::new(),
            taker: Taker::new(false),
            inner: mvar::MVar::empty(),
        }
    }

    /// Waits until the variable is empty, and fills it. If an exception interrupts the wait, the value is
    /// dropped.
    #[track_caller]
    pub fn put(&self, value: T) {
        #[cfg(feature = "check")]
        let Some(value) = self.put_in_run(value) else { return };
        self.taker.put(&self.watch);
        self.inner.put(value);
    }

    /// Waits until the variable is full, and empties it.
    #[track_caller]
    pub fn take(&self) -> T {
        #[cfg(feature = "check")]
        if let Some(value) = self.take_in_run() {
            return value;
        }
        let at = Location::caller();
        self.taker.begin_to_take(&self.watch, at);
        let value = self.inner.take();
        self.taker.take(&self.watch, at);
        value
    }

    /// Waits until the variable is full, and clones the value. Inside an exploration the clone must not
    /// perform a visible action.
    #[track_caller]
    pub fn read(&self) -> T
    where
        T: Clone,
    {
        #[cfg(feature = "check")]
        if let Some(value) = self.read_in_run() {
            return value;
        }
        self.inner.read()
    }

    /// Fills the variable, if it is empty.
    ///
    /// # Errors
    /// The value, if the variable is full.
    #[track_caller]
    pub fn try_put(&self, value: T) -> Result<(), T> {
        #[cfg(feature = "check")]
        let value = match self.try_put_in_run(value) {
            Ok(result) => return result,
            Err(value) => value,
        };
        self.taker.put(&self.watch);
        self.inner.try_put(value)
    }

    /// Empties the variable, if it is full.
    #[track_caller]
    pub fn try_take(&self) -> Option<T> {
        #[cfg(feature = "check")]
        if let Some(result) = self.try_take_in_run() {
            return result;
        }
        let value = self.inner.try_take()?;
        self.taker.take(&self.watch, Location::caller());
        Some(value)
    }

    /// Clones the value, if the variable is full.
    #[track_caller]
    pub fn try_read(&self) -> Option<T>
    where
        T: Clone,
    {
        #[cfg(feature = "check")]
        if let Some(result) = self.try_read_in_run() {
            return result;
        }
        self.inner.try_read()
    }

    /// Takes the value, passes it to the function, and puts it back as the function has left it, also if the
    /// function unwinds.
    ///
    /// This is not a lock: another thread can fill the variable meanwhile. Then the value is put back when
    /// the variable is empty again. No exception interrupts that wait, so the value is not lost.
    ///
    /// ```
    /// # use selvedge::sync::MVar;
    /// let names = MVar::new(vec!["one"]);
    /// let count = names.with(|names| {
    ///     names.push("two");
    ///     names.len()
    /// });
    /// assert_eq!((count, names.take()), (2, vec!["one", "two"]));
    /// ```
    #[track_caller]
    pub fn with<R>(&self, function: impl FnOnce(&mut T) -> R) -> R {
        #[cfg(feature = "check")]
        if self.is_in_run() {
            return self.with_in_run(function);
        }
        let at = Location::caller();
        self.taker.begin_to_take(&self.watch, at);
        self.inner.with(|value| {
            self.taker.take(&self.watch, at);
            let _put = PutsBack(self);
            function(value)
        })
    }

    /// Takes the value, and puts the new value that the function returns; if the function unwinds, the old
    /// one. In all else as [`with`](MVar::with).
    #[track_caller]
    pub fn modify<R>(&self, function: impl FnOnce(&T) -> (T, R)) -> R {
        self.with(|value| {
            let (new, result) = function(value);
            *value = new;
            result
        })
    }

    /// Consumes the variable, and returns the value, if it is full.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }
}

/// A value that was taken and is put back: told when this is dropped, also if the function unwinds.
struct PutsBack<'a, T>(&'a MVar<T>);

impl<T> Drop for PutsBack<'_, T> {
    fn drop(&mut self) {
        self.0.taker.put(&self.0.watch);
    }
}

impl<T> locks::Lock for MVar<T> {
    fn set_name(&self, name: &str) {
        #[cfg(feature = "check")]
        if let Some(execution) = crate::controlled::current() {
            return execution.name_lock(self.object(execution), name);
        }
        locks::name(&self.watch, name);
    }
}

impl<T: fmt::Debug> fmt::Debug for MVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "check")]
        if crate::controlled::current().is_some() {
            return self.with_value(|value| mvar::fmt_value(value, f));
        }
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl<T> Default for MVar<T> {
    /// An empty variable.
    #[track_caller]
    fn default() -> MVar<T> {
        MVar::empty()
    }
}

impl<T> From<T> for MVar<T> {
    /// A full variable.
    #[track_caller]
    fn from(value: T) -> MVar<T> {
        MVar::new(value)
    }
}
