//! As [`std::sync::LazyLock`].
//!
//! A [`OnceLock`] and the function that computes its value. A function that panicked is consumed, so the
//! next access finds none: then the lock is poisoned, as in `std`.
//!
//! Each run calls the function of a `static` anew, if that is a function pointer, as it is in nearly every
//! `static`: a closure without captures becomes one. Other functions can be called once only. It does not
//! matter whether a thread outside has called the function, too: the value may contain objects that such
//! threads use.

use super::OnceLock;
use super::once::Renewal;
use super::once_lock::Anew;
use crate::control::Stop;
use crate::controlled::current;
use crate::controlled::type_id::{as_function, type_id};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::PoisonError;

/// As [`std::sync::LazyLock`].
pub struct LazyLock<T, F = fn() -> T> {
    cell: OnceLock<T>,
    /// Never locked while the function runs.
    function: std::sync::Mutex<Option<F>>,
    /// A function pointer that was taken from there, for runs that have the value anew.
    taken: std::sync::OnceLock<fn() -> T>,
}

impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that the function computes at the first access.
    #[track_caller]
    #[inline]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            cell: OnceLock::new(),
            function: std::sync::Mutex::new(Some(f)),
            taken: std::sync::OnceLock::new(),
        }
    }

    /// The value. Computes it, or waits until another thread has computed it.
    ///
    /// # Panics
    /// If the function panics or has panicked.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.cell.get_or_init_with(LazyLock::<T, F>::renewal(), |anew| match anew {
            Some(Anew { has_failed: true }) => poisoned(),
            Some(Anew { has_failed: false }) => this.function_again()(),
            None => this.take_function()(),
        })
    }

    /// The function, which is called once, outside of runs or in a run that does not have the value anew.
    #[track_caller]
    fn take_function(&self) -> F {
        let mut function = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pointer) = function.as_ref().and_then(as_function) {
            self.taken.get_or_init(|| pointer);
        }
        let taken = function.take();
        drop(function);
        taken.unwrap_or_else(|| poisoned())
    }

    /// The function, for a run that has the value anew.
    fn function_again(&self) -> fn() -> T {
        let function = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        let pointer = function.as_ref().and_then(as_function).or_else(|| self.taken.get().copied());
        pointer.expect("a value that a run has anew is made by a function pointer")
    }

    /// The value, by an exclusive reference. Computes it, if necessary.
    ///
    /// # Panics
    /// If the function panics or has panicked.
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        if this.cell.get_mut().is_none() {
            let function = this.function.get_mut().unwrap_or_else(PoisonError::into_inner).take();
            let value = function.unwrap_or_else(|| poisoned())();
            this.cell = OnceLock::from(value);
        }
        this.cell.get_mut().expect("the value was computed above")
    }
}

impl<T, F> LazyLock<T, F> {
    /// Can a run have the value anew, if this is a `static`?
    fn renewal() -> Renewal {
        if type_id::<F>() == type_id::<fn() -> T>() { Renewal::Always } else { Renewal::Never }
    }

    /// The value, by an exclusive reference, if it is computed.
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        this.cell.get_mut()
    }

    /// The value, if it is computed.
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        this.cell.get_with(LazyLock::<T, F>::renewal())
    }
}

#[cold]
#[track_caller]
fn poisoned() -> ! {
    if let Some(execution) = current()
        && execution.is_stopping()
    {
        // The function was stopped, and a destructor accesses the value while its thread unwinds: a panic
        // would abort the process.
        execution.end_run(Stop::Stuck("a LazyLock was needed while its thread was stopped".to_owned()));
    }
    panic!("LazyLock instance has previously been poisoned")
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[track_caller]
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cell.fmt_as("LazyLock", f)
    }
}
