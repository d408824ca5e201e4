//! As [`std::sync::OnceLock`].

use super::once::OnceControl;
use std::fmt;
use std::panic::resume_unwind;

/// As [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    control: OnceControl,
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

    /// The value, if it is set.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if let Some(execution) = self.control.current() {
            self.control.announce_is_complete(execution, || self.is_set());
        }
        self.inner.get()
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
                self.control.wait(execution, self.is_set(), OnceControl::UNTIL_COMPLETE);
                self.inner.get().expect(SET)
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
        let Some(initialisation) = self.control.begin(execution, self.is_set()) else { return Err(value) };
        initialisation.complete_at_once();
        self.inner.set(value)
    }

    /// The value. If it is not set, the function computes it; other threads wait meanwhile.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        let Some(execution) = self.control.current() else { return self.inner.get_or_init(f) };
        if let Some(initialisation) = self.control.begin(execution, self.is_set()) {
            match initialisation.run(f) {
                Ok(value) => self.inner.get_or_init(|| value),
                Err(payload) => resume_unwind(payload),
            };
        }
        self.inner.get().expect(SET)
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
        match self.inner.get() {
            Some(value) => tuple.field(value),
            None => tuple.field(&format_args!("<uninit>")),
        };
        tuple.finish()
    }
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
