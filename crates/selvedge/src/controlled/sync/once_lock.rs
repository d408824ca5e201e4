//! As [`std::sync::OnceLock`].
//!
//! Each run initialises a `static` anew, unless it was set outside before the exploration used it. The value
//! that a run sets is never freed: a reference to it is as good as a reference to the `static`, and may be
//! part of an outcome.

#![allow(unsafe_code)]

use super::once::{OnceControl, Renewal};
use crate::control::Execution;
use crate::control::object::ValuePlace;
use crate::controlled::current;
use crate::controlled::type_id::type_id;
use std::fmt;
use std::panic::resume_unwind;
use std::ptr::NonNull;

/// As [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    control: OnceControl,
    /// Has the value, unless this is a `static` that a run has anew.
    inner: std::sync::OnceLock<T>,
}

const SET: &str = "the initialisation has set the value";

impl<T> OnceLock<T> {
    /// A lock without a value.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new() -> OnceLock<T> {
        OnceLock { control: OnceControl::new(), inner: std::sync::OnceLock::new() }
    }

    fn is_set(&self) -> bool {
        self.inner.get().is_some()
    }

    /// The value that the lock has in the run.
    fn value_in(&self, execution: &Execution) -> Option<&T> {
        if !self.control.is_anew(execution) {
            return self.inner.get();
        }
        let ValuePlace { type_id, pointer } = execution.value_place(self.control.known(execution)?)?;
        assert!(type_id == self::type_id::<T>(), "a static has one type");
        // SAFETY: `set_in` made the pointer, of a value that is never freed and that only shared references
        // are made of. It is the value of a lock with the same address and the same type, so of this one.
        Some(unsafe { pointer.cast::<T>().as_ref() })
    }

    /// Sets the value that the lock has in the run. The initialisation has begun.
    fn set_in(&self, execution: &Execution, value: T) -> Result<(), T> {
        if !self.control.is_anew(execution) {
            return self.inner.set(value);
        }
        let object = self.control.known(execution).expect("the initialisation has begun");
        let pointer = NonNull::from(Box::leak(Box::new(value))).cast();
        execution.set_value_place(object, ValuePlace { type_id: type_id::<T>(), pointer });
        Ok(())
    }

    /// The value, if it is set.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        self.get_with(Renewal::UnlessInitialised)
    }

    #[track_caller]
    pub(super) fn get_with(&self, renewal: Renewal) -> Option<&T> {
        match self.control.current() {
            Some(execution) => {
                self.control.announce_is_complete(execution, renewal, || self.is_set());
                self.value_in(execution)
            }
            None => self.inner.get(),
        }
    }

    /// The value, by an exclusive reference, if it is set.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Waits until the value is set.
    #[track_caller]
    pub fn wait(&self) -> &T {
        match self.control.current() {
            Some(execution) => {
                let until = OnceControl::UNTIL_COMPLETE;
                self.control.wait(execution, Renewal::UnlessInitialised, self.is_set(), until);
                self.value_in(execution).expect(SET)
            }
            None => self.inner.wait(),
        }
    }

    /// Sets the value, unless it is set. Waits while another thread initialises it.
    ///
    /// # Errors
    /// The argument, if the value is already set.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let Some(execution) = self.control.current() else { return self.inner.set(value) };
        let begun = self.control.begin(execution, Renewal::UnlessInitialised, self.is_set());
        let Some(initialisation) = begun else { return Err(value) };
        initialisation.complete_at_once();
        self.set_in(execution, value)
    }

    /// The value. If it is not set, the function computes it; other threads wait meanwhile.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        self.get_or_init_with(Renewal::UnlessInitialised, |_| f())
    }

    /// The same. The function is told how the initialisations in this run went, if the run has the lock
    /// anew.
    #[track_caller]
    pub(super) fn get_or_init_with(&self, renewal: Renewal, f: impl FnOnce(Option<Anew>) -> T) -> &T {
        let Some(execution) = self.control.current() else { return self.inner.get_or_init(|| f(None)) };
        if let Some(initialisation) = self.control.begin(execution, renewal, self.is_set()) {
            let has_failed = self.control.has_failed(execution);
            let anew = self.control.is_anew(execution).then_some(Anew { has_failed });
            match initialisation.run(|| f(anew)) {
                // A thread outside of the run may have set the value, too; then that one stays.
                Ok(value) => drop(self.set_in(execution, value)),
                Err(payload) => resume_unwind(payload),
            }
        }
        self.value_in(execution).expect(SET)
    }

    /// Consumes the lock, and returns the value, if it is set.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }

    /// Takes the value out of the lock, if it is set.
    pub fn take(&mut self) -> Option<T> {
        self.inner.take()
    }

    /// The output of `Debug`. This is no visible action: no program should depend on it.
    pub(super) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result
    where
        T: fmt::Debug,
    {
        let mut tuple = f.debug_tuple(name);
        let value = current().map_or_else(|| self.inner.get(), |execution| self.value_in(execution));
        match value {
            Some(value) => tuple.field(value),
            None => tuple.field(&format_args!("<uninit>")),
        };
        tuple.finish()
    }
}

/// A `static` that the run has anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anew {
    /// Has the last initialisation in the run panicked?
    pub(super) has_failed: bool,
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as("OnceLock", f)
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> OnceLock<T> {
        self.get().map_or_else(OnceLock::new, |value| OnceLock::from(value.clone()))
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> OnceLock<T> {
        OnceLock { control: OnceControl::new(), inner: std::sync::OnceLock::from(value) }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}
