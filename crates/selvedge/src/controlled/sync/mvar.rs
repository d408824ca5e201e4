//! A variable that is full or empty, controlled inside of an exploration: the production one outside.
//!
//! In a run the production one only keeps the value, by operations that do not wait.
//! A `put` happens before the `take` or `read` that gets its value, and a `take` before the next `put`.

use crate::control::fiber::outside;
use crate::control::{Carries, Execution, Pending, Sort, Stop, Sync, Tag, current};
use crate::production::interrupt::Masking;
use crate::production::mvar;
use selvedge_explore::{Action, Kind, ObjectId};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A variable that is full or empty. [`take`](MVar::take) waits until it is full and empties it, [`put`](MVar::put)
/// waits until it is empty and fills it.
pub struct MVar<T> {
    tag: Tag,
    inner: mvar::MVar<T>,
}

impl<T> MVar<T> {
    /// A full one.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new(value: T) -> MVar<T> {
        MVar { tag: Tag::new(), inner: mvar::MVar::new(value) }
    }

    /// An empty one.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn empty() -> MVar<T> {
        MVar { tag: Tag::new(), inner: mvar::MVar::empty() }
    }

    /// Announces an action.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<(&'e Execution, ObjectId)> {
        let execution = self.tag.current(Carries::State)?;
        let is_full = || outside(|| self.inner.peek(|value| value.is_some()));
        let first = || Sync::MVar { is_full: is_full() };
        let object = execution.object(&self.tag, Sort::MVar, Carries::State, first);
        execution.visible(execution.at_point(Pending::here(Action::on(kind, object))));
        let is_out =
            execution.with_sync(object, |sync, _| matches!(sync, Sync::MVar { is_full: true })) && !is_full();
        if is_out {
            execution.end_run(Stop::Refused(
                "the value of an MVar is used while `read` clones it: its `clone` must not do anything that other \
                 threads can notice; put it into an `Arc`"
                    .to_owned(),
            ));
        }
        Some((execution, object))
    }

    /// Waits until it is empty, and fills it.
    #[track_caller]
    pub fn put(&self, value: T) {
        match self.announce(Kind::Put) {
            Some(here) => {
                change(here, true);
                assert!(self.keep(value).is_ok(), "{ALONE}");
            }
            None => self.inner.put(value),
        }
    }

    /// Waits until it is full, and empties it.
    #[track_caller]
    pub fn take(&self) -> T {
        match self.announce(Kind::Take) {
            Some(here) => {
                change(here, false);
                self.fetch().expect(ALONE)
            }
            None => self.inner.take(),
        }
    }

    /// Waits until it is full, and clones the value. In an exploration the clone must not do anything that other
    /// threads can notice.
    #[track_caller]
    pub fn read(&self) -> T
    where
        T: Clone,
    {
        match self.announce(Kind::Read) {
            Some((execution, object)) => {
                execution.acquire(object);
                self.look(|value| value.cloned()).expect(ALONE)
            }
            None => self.inner.read(),
        }
    }

    /// Fills it, if it is empty.
    ///
    /// # Errors
    /// The value, if the variable is full.
    #[track_caller]
    pub fn try_put(&self, value: T) -> Result<(), T> {
        let Some(here) = self.announce(Kind::TryPut) else { return self.inner.try_put(value) };
        let result = self.keep(value);
        tried(here, result.is_ok(), true);
        result
    }

    /// Empties it, if it is full.
    #[track_caller]
    pub fn try_take(&self) -> Option<T> {
        let Some(here) = self.announce(Kind::TryTake) else { return self.inner.try_take() };
        let result = self.fetch();
        tried(here, result.is_some(), false);
        result
    }

    /// Clones the value, if it is full.
    #[track_caller]
    pub fn try_read(&self) -> Option<T>
    where
        T: Clone,
    {
        let Some((execution, object)) = self.announce(Kind::TryRead) else { return self.inner.try_read() };
        self.look(|value| {
            if value.is_some() {
                execution.acquire(object);
            }
            value.cloned()
        })
    }

    /// Takes the value, lends it to the function, and puts it back, also if the function unwinds: as the function has
    /// left it.
    ///
    /// It is no lock: if somebody else fills the variable in between, the value waits until it is empty again. That wait cannot be interrupted.
    #[track_caller]
    pub fn with<R>(&self, function: impl FnOnce(&mut T) -> R) -> R {
        if self.tag.current(Carries::State).is_none() {
            return self.inner.with(function);
        }
        let mut value = self.take();
        // Not by a destructor: while a thread unwinds nobody else can go first.
        let result = catch_unwind(AssertUnwindSafe(|| function(&mut value)));
        self.put_back(value);
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Puts the value that was lent where nothing interrupts, so that it is not lost.
    #[track_caller]
    fn put_back(&self, value: T) {
        let masking = current().map(|execution| execution.set_masking(Masking::Uninterruptible));
        self.put(value);
        if let (Some(execution), Some(masking)) = (current(), masking) {
            execution.set_masking(masking);
        }
    }

    /// Takes the value, and puts the one that the function makes of it; if the function unwinds, the old one. As [`with`](MVar::with) otherwise.
    #[track_caller]
    pub fn modify<R>(&self, function: impl FnOnce(&T) -> (T, R)) -> R {
        self.with(|value| {
            let (new, result) = function(value);
            *value = new;
            result
        })
    }

    /// The value, if it is full.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }

    /// Puts the value where a run keeps it, if there is none.
    fn keep(&self, value: T) -> Result<(), T> {
        outside(|| self.inner.try_put_past_point(value))
    }

    /// Takes it from there.
    fn fetch(&self) -> Option<T> {
        outside(|| self.inner.try_take_past_point())
    }

    /// Looks at the value of a run. The function is the program's, so it is a part of the run, and may unwind; the
    /// value is out meanwhile.
    fn look<R>(&self, function: impl FnOnce(Option<&T>) -> R) -> R {
        let looked_at = LookedAt { mvar: self, value: self.fetch() };
        function(looked_at.value.as_ref())
    }
}

/// A value that goes back to where it was.
struct LookedAt<'a, T> {
    mvar: &'a MVar<T>,
    value: Option<T>,
}

impl<T> Drop for LookedAt<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            // Only in a run that was refused meanwhile can there be another one.
            let _ = self.mvar.keep(value);
        }
    }
}

const ALONE: &str = "nobody else uses the variable of a run";

fn tried(here: (&Execution, ObjectId), done: bool, is_full: bool) {
    if done {
        change(here, is_full);
    } else {
        here.0.read_only();
    }
}

/// The variable is full, or empty, from now on.
fn change((execution, object): (&Execution, ObjectId), is_full: bool) {
    execution.acquire(object);
    execution.release(object);
    execution.with_sync(object, |sync, _| *sync = Sync::MVar { is_full });
}

impl<T: fmt::Debug> fmt::Debug for MVar<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match current() {
            Some(_) => self.look(|value| mvar::fmt_value(value, f)),
            None => fmt::Debug::fmt(&self.inner, f),
        }
    }
}

impl<T> Default for MVar<T> {
    /// An empty one.
    #[track_caller]
    fn default() -> MVar<T> {
        MVar::empty()
    }
}

impl<T> From<T> for MVar<T> {
    /// A full one.
    #[track_caller]
    fn from(value: T) -> MVar<T> {
        MVar::new(value)
    }
}
