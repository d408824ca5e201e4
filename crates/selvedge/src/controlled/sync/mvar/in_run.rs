//! A variable inside an exploration.
//!
//! In a run production's variable only stores the value, by operations that do not wait. A `put` happens
//! before the `take` or `read` that gets its value, and a `take` happens before the next `put`.

use super::super::ObjectInRun;
use super::MVar;
use crate::control::fiber::outside;
use crate::control::object::MVarState;
use crate::control::{Execution, ObjectKind, Pending, Persistence, Stop, Sync};
use crate::controlled::{current, current_for};
use crate::production::interrupt::Masking;
use selvedge_explore::{Action, Kind, ObjectId};
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

impl<T> MVar<T> {
    fn is_full(&self) -> bool {
        outside(|| self.inner.peek(|value| value.is_some()))
    }

    pub(super) fn object(&self, execution: &Execution) -> ObjectId {
        let first = || Sync::MVar(MVarState { is_full: self.is_full() });
        execution.object(&self.tag, ObjectKind::MVar, Persistence::KeepsState, first)
    }

    /// Announces an action on the variable. `None` outside of explorations.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<ObjectInRun<'e>> {
        let execution = current_for(&self.tag, Persistence::KeepsState)?;
        let object = self.object(execution);
        execution.visible(execution.at_point(Pending::here(Action::on(kind, object))));
        let is_marked_full =
            execution.with_sync(object, |sync, _| matches!(sync, Sync::MVar(mvar) if mvar.is_full));
        if is_marked_full && !self.is_full() {
            execution.end_run(Stop::Refused(
                "the value of an MVar is used while `read` clones it: its `clone` must not do anything that other \
                 threads can notice; put it into an `Arc`"
                    .to_owned(),
            ));
        }
        Some(ObjectInRun { execution, object })
    }

    /// Does the calling thread belong to a run?
    #[track_caller]
    pub(super) fn is_in_run(&self) -> bool {
        current_for(&self.tag, Persistence::KeepsState).is_some()
    }

    /// [`put`](MVar::put) in a run; outside it returns the value.
    #[track_caller]
    pub(super) fn put_in_run(&self, value: T) -> Option<T> {
        let at = Location::caller();
        if let Some(execution) = current().filter(|execution| execution.mentions_holds()) {
            execution.begin_to_put(self.object(execution), at);
        }
        let Some(variable) = self.announce(Kind::Put) else { return Some(value) };
        set_full(variable, true);
        assert!(self.store_value(value).is_ok(), "{NO_OTHER_USE}");
        variable.execution.end_put(variable.object, at);
        None
    }

    /// [`take`](MVar::take) in a run; `None` outside.
    #[track_caller]
    pub(super) fn take_in_run(&self) -> Option<T> {
        let variable = self.announce(Kind::Take)?;
        set_full(variable, false);
        let value = self.take_value().expect(NO_OTHER_USE);
        variable.execution.take_to_hold(&self.watch, variable.object, Location::caller());
        Some(value)
    }

    /// [`read`](MVar::read) in a run; `None` outside.
    #[track_caller]
    pub(super) fn read_in_run(&self) -> Option<T>
    where
        T: Clone,
    {
        let variable = self.announce(Kind::Read)?;
        variable.execution.acquire(variable.object);
        Some(self.with_value(|value| value.cloned()).expect(NO_OTHER_USE))
    }

    /// [`try_put`](MVar::try_put) in a run; outside it returns the value.
    #[track_caller]
    pub(super) fn try_put_in_run(&self, value: T) -> Result<Result<(), T>, T> {
        let at = Location::caller();
        if let Some(execution) = current().filter(|execution| execution.mentions_holds()) {
            execution.begin_to_put(self.object(execution), at);
        }
        let Some(variable) = self.announce(Kind::TryPut) else { return Err(value) };
        let result = self.store_value(value);
        record_try(variable, result.is_ok(), true);
        if result.is_ok() {
            variable.execution.end_put(variable.object, at);
        }
        Ok(result)
    }

    /// [`try_take`](MVar::try_take) in a run; `None` outside.
    #[track_caller]
    pub(super) fn try_take_in_run(&self) -> Option<Option<T>> {
        let variable = self.announce(Kind::TryTake)?;
        let result = self.take_value();
        record_try(variable, result.is_some(), false);
        if result.is_some() {
            variable.execution.take_to_hold(&self.watch, variable.object, Location::caller());
        }
        Some(result)
    }

    /// [`try_read`](MVar::try_read) in a run; `None` outside.
    #[track_caller]
    pub(super) fn try_read_in_run(&self) -> Option<Option<T>>
    where
        T: Clone,
    {
        let variable = self.announce(Kind::TryRead)?;
        Some(self.with_value(|value| {
            if value.is_some() {
                variable.execution.acquire(variable.object);
            }
            value.cloned()
        }))
    }

    /// [`with`](MVar::with) in a run.
    #[track_caller]
    pub(super) fn with_in_run<R>(&self, function: impl FnOnce(&mut T) -> R) -> R {
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
    pub(super) fn with_value<R>(&self, function: impl FnOnce(Option<&T>) -> R) -> R {
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
