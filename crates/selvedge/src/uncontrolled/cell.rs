//! As [`std::cell`], with an [`UnsafeCell`] that can report its accesses to an exploration.

use std::fmt;

pub use std::cell::{BorrowError, BorrowMutError, Cell, LazyCell, OnceCell, Ref, RefCell, RefMut};

/// As [`std::cell::UnsafeCell`], but an access is a closure that gets a pointer, so its beginning and its
/// end are known.
///
/// With the feature `check`, explorations report two unordered accesses as a data race.
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// As [`std::cell::UnsafeCell::new`].
    #[inline(always)]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// As [`std::cell::UnsafeCell::into_inner`].
    #[inline(always)]
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls the function with a pointer for reading. No thread may write meanwhile.
    #[inline(always)]
    pub fn with<R>(&self, function: impl FnOnce(*const T) -> R) -> R {
        function(self.0.get().cast_const())
    }

    /// Calls the function with a pointer for writing. No other thread may read or write meanwhile.
    #[inline(always)]
    pub fn with_mut<R>(&self, function: impl FnOnce(*mut T) -> R) -> R {
        function(self.0.get())
    }

    /// As [`std::cell::UnsafeCell::get_mut`].
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}
