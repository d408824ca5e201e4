//! A variable that is full or empty, controlled inside of an exploration: [`crate::mvar::MVar`] outside.
//!
//! A `put` happens before the `take` or `read` that gets its value, and a `take` before the next `put`.

use crate::control::{Carries, Execution, Pending, Sort, Stop, Sync, Tag, current};
use crate::mvar;
use selvedge_explore::{Action, Kind, ObjectId};
use std::fmt;

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
        let execution = current()?;
        let first = || Sync::MVar { is_full: self.inner.is_full() };
        let object = execution.object(&self.tag, Sort::MVar, Carries::State, first);
        execution.visible(execution.at_point(Pending::here(Action::on(kind, object))));
        if self.inner.is_being_cloned() {
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
                assert!(self.inner.try_put(value).is_ok(), "{ALONE}");
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
                self.inner.try_take().expect(ALONE)
            }
            None => self.inner.take(),
        }
    }

    /// Waits until it is full, and clones the value.
    #[track_caller]
    pub fn read(&self) -> T
    where
        T: Clone,
    {
        match self.announce(Kind::Read) {
            Some((execution, object)) => {
                execution.acquire(object);
                self.inner.try_read().expect(ALONE)
            }
            None => self.inner.read(),
        }
    }

    /// Fills it, if it is empty.
    #[track_caller]
    pub fn try_put(&self, value: T) -> Result<(), T> {
        let here = self.announce(Kind::TryPut);
        let result = self.inner.try_put(value);
        tried(here, result.is_ok(), true);
        result
    }

    /// Empties it, if it is full.
    #[track_caller]
    pub fn try_take(&self) -> Option<T> {
        let here = self.announce(Kind::TryTake);
        let result = self.inner.try_take();
        tried(here, result.is_some(), false);
        result
    }

    /// Clones the value, if it is full.
    #[track_caller]
    pub fn try_read(&self) -> Option<T>
    where
        T: Clone,
    {
        if let Some((execution, object)) = self.announce(Kind::TryRead)
            && self.inner.is_full()
        {
            execution.acquire(object);
        }
        self.inner.try_read()
    }
}

const ALONE: &str = "nobody else uses the variable of a run";

fn tried(here: Option<(&Execution, ObjectId)>, done: bool, is_full: bool) {
    match here {
        Some(here) if done => change(here, is_full),
        Some((execution, _)) => execution.only_looked(),
        None => {}
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
        fmt::Debug::fmt(&self.inner, f)
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
