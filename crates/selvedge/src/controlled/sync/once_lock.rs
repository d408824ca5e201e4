//! As [`std::sync::OnceLock`].

use super::once::Gate;
use std::fmt;
use std::panic::resume_unwind;

/// As [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    gate: Gate,
    inner: std::sync::OnceLock<T>,
}

const SET: &str = "what has happened left its value";

impl<T> OnceLock<T> {
    /// Without a value.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new() -> OnceLock<T> {
        OnceLock { gate: Gate::new(), inner: std::sync::OnceLock::new() }
    }

    fn is_set(&self) -> bool {
        self.inner.get().is_some()
    }

    /// The value, if it is there.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if let Some(execution) = self.gate.current() {
            self.gate.look(execution, || self.is_set());
        }
        self.inner.get()
    }

    /// The value, by a reference that nobody else has.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Waits for the value.
    #[track_caller]
    pub fn wait(&self) -> &T {
        match self.gate.current() {
            Some(execution) => {
                self.gate.wait(execution, self.is_set(), Gate::WHATEVER_FAILS);
                self.inner.get().expect(SET)
            }
            None => self.inner.wait(),
        }
    }

    /// Gives it its value, unless it has one; waits while somebody else does.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let Some(execution) = self.gate.current() else { return self.inner.set(value) };
        let Some(turn) = self.gate.begin(execution, self.is_set()) else { return Err(value) };
        turn.run_at_once();
        self.inner.set(value)
    }

    /// The value. The function makes it, unless it is there; who comes meanwhile waits.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        let Some(execution) = self.gate.current() else { return self.inner.get_or_init(f) };
        if let Some(turn) = self.gate.begin(execution, self.is_set()) {
            match turn.run(f) {
                Ok(value) => self.inner.get_or_init(|| value),
                Err(payload) => resume_unwind(payload),
            };
        }
        self.inner.get().expect(SET)
    }

    /// The value, if it is there.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }

    /// The value, if it is there; then it is not there any more.
    pub fn take(&mut self) -> Option<T> {
        self.inner.take()
    }

    /// What `Debug` writes: a look from outside, no visible action.
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
        OnceLock { gate: Gate::new(), inner: std::sync::OnceLock::from(value) }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}
