//! A variable that is full or empty: controlled inside an exploration, `crate::production::mvar` outside.
//!
//! In a run production's variable only stores the value, by operations that do not wait. A `put` happens
//! before the `take` or `read` that gets its value, and a `take` happens before the next `put`.

use super::ObjectInRun;
use crate::control::fiber::outside;
use crate::control::object::MVarState;
use crate::control::{ObjectKind, Pending, Persistence, Stop, Sync, Tag};
use crate::controlled::{current, current_for};
use crate::production::interrupt::Masking;
use crate::production::mvar;
use selvedge_explore::{Action, Kind};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

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
    tag: Tag,
    inner: mvar::MVar<T>,
}

impl<T> MVar<T> {
    /// A full variable.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> MVar<T> {
        MVar { tag: Tag::new(), inner: mvar::MVar::new(value) }
    }

    /// An empty variable.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn empty() -> MVar<T> {
        MVar { tag: Tag::new(), inner: mvar::MVar::empty() }
    }

    /// Announces an action on the variable. `None` outside of explorations.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<ObjectInRun<'e>> {
        let execution = current_for(&self.tag, Persistence::KeepsState)?;
        let is_full = || outside(|| self.inner.peek(|value| value.is_some()));
        let first = || Sync::MVar(MVarState { is_full: is_full() });
        let object = execution.object(&self.tag, ObjectKind::MVar, Persistence::KeepsState, first);
        execution.visible(execution.at_point(Pending::here(Action::on(kind, object))));
        let is_marked_full =
            execution.with_sync(object, |sync, _| matches!(sync, Sync::MVar(mvar) if mvar.is_full));
        if is_marked_full && !is_full() {
            execution.end_run(Stop::Refused(
                "the value of an MVar is used while `read` clones it: its `clone` must not do anything that other \
                 threads can notice; put it into an `Arc`"
                    .to_owned(),
            ));
        }
        Some(ObjectInRun { execution, object })
    }

    /// Waits until the variable is empty, and fills it. If an exception interrupts the wait, the value is
    /// dropped.
    #[track_caller]
    pub fn put(&self, value: T) {
        match self.announce(Kind::Put) {
            Some(variable) => {
                set_full(variable, true);
                assert!(self.store_value(value).is_ok(), "{NO_OTHER_USE}");
            }
            None => self.inner.put(value),
        }
    }

    /// Waits until the variable is full, and empties it.
    #[track_caller]
    pub fn take(&self) -> T {
        match self.announce(Kind::Take) {
            Some(variable) => {
                set_full(variable, false);
                self.take_value().expect(NO_OTHER_USE)
            }
            None => self.inner.take(),
        }
    }

    /// Waits until the variable is full, and clones the value. Inside an exploration the clone must not
    /// perform a visible action.
    #[track_caller]
    pub fn read(&self) -> T
    where
        T: Clone,
    {
        match self.announce(Kind::Read) {
            Some(variable) => {
                variable.execution.acquire(variable.object);
                self.with_value(|value| value.cloned()).expect(NO_OTHER_USE)
            }
            None => self.inner.read(),
        }
    }

    /// Fills the variable, if it is empty.
    ///
    /// # Errors
    /// The value, if the variable is full.
    #[track_caller]
    pub fn try_put(&self, value: T) -> Result<(), T> {
        let Some(variable) = self.announce(Kind::TryPut) else { return self.inner.try_put(value) };
        let result = self.store_value(value);
        record_try(variable, result.is_ok(), true);
        result
    }

    /// Empties the variable, if it is full.
    #[track_caller]
    pub fn try_take(&self) -> Option<T> {
        let Some(variable) = self.announce(Kind::TryTake) else { return self.inner.try_take() };
        let result = self.take_value();
        record_try(variable, result.is_some(), false);
        result
    }

    /// Clones the value, if the variable is full.
    #[track_caller]
    pub fn try_read(&self) -> Option<T>
    where
        T: Clone,
    {
        let Some(variable) = self.announce(Kind::TryRead) else { return self.inner.try_read() };
        self.with_value(|value| {
            if value.is_some() {
                variable.execution.acquire(variable.object);
            }
            value.cloned()
        })
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
        if current_for(&self.tag, Persistence::KeepsState).is_none() {
            return self.inner.with(function);
        }
        let mut value = self.take();
        // Not by a destructor: a thread that unwinds cannot let other threads run first.
        let result = catch_unwind(AssertUnwindSafe(|| function(&mut value)));
        self.put_back(value);
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// [`put`](MVar::put) that no exception interrupts, so that the value is not lost.
    #[track_caller]
    fn put_back(&self, value: T) {
        let masking = current().map(|execution| execution.set_masking(Masking::Uninterruptible));
        self.put(value);
        if let (Some(execution), Some(masking)) = (current(), masking) {
            execution.set_masking(masking);
        }
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

    /// Stores the value, if there is none.
    fn store_value(&self, value: T) -> Result<(), T> {
        outside(|| self.inner.try_put_past_point(value))
    }

    /// Takes the stored value.
    fn take_value(&self) -> Option<T> {
        outside(|| self.inner.try_take_past_point())
    }

    /// Calls the function with the stored value. The function is code of the program, so it is part of the
    /// run and may unwind; the value is not stored meanwhile.
    fn with_value<R>(&self, function: impl FnOnce(Option<&T>) -> R) -> R {
        let taken = TakenValue { mvar: self, value: self.take_value() };
        function(taken.value.as_ref())
    }
}

/// A value that is stored again when this is dropped.
struct TakenValue<'a, T> {
    mvar: &'a MVar<T>,
    value: Option<T>,
}

impl<T> Drop for TakenValue<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            // Another value can be stored only if the run was refused meanwhile.
            let _ = self.mvar.store_value(value);
        }
    }
}

const NO_OTHER_USE: &str = "no other thread runs during a step";

/// Records whether a `try_put` or `try_take` has succeeded, and made the variable full or empty.
fn record_try(variable: ObjectInRun<'_>, has_succeeded: bool, is_full: bool) {
    if has_succeeded {
        set_full(variable, is_full);
    } else {
        variable.execution.read_only();
    }
}

/// Records that the running thread has made the variable full or empty.
fn set_full(variable: ObjectInRun<'_>, is_full: bool) {
    let ObjectInRun { execution, object } = variable;
    execution.acquire(object);
    execution.release(object);
    execution.with_sync(object, |sync, _| *sync = Sync::MVar(MVarState { is_full }));
}

impl<T: fmt::Debug> fmt::Debug for MVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match current() {
            Some(_) => self.with_value(|value| mvar::fmt_value(value, f)),
            None => fmt::Debug::fmt(&self.inner, f),
        }
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
