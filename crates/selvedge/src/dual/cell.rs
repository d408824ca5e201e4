//! As [`std::cell`], with an [`UnsafeCell`] whose accesses are told to it.

use crate::control::{Access, Accesses, Carries, Execution, Sort, Sync, Tag};
use selvedge_explore::ObjectId;
use std::fmt;
use std::panic::Location;

pub use std::cell::{BorrowError, BorrowMutError, Cell, LazyCell, OnceCell, Ref, RefCell, RefMut};

/// As [`std::cell::UnsafeCell`], with closures for accesses instead of a pointer that stays.
///
/// Inside of an exploration each access is compared with those of other threads: two of which at least one is a write
/// and neither happened before the other, or that overlap, end the run as a data race. An access is no
/// step of its own. The making and the dropping of a cell are no accesses: that a cell is handed over without any order is
/// noticed where its maker, or who hands it over, accesses it too. What the counts of `Arc` order is not seen, as `Arc` is `std`'s: where the last owner
/// accesses cells in its destructor, let the body join the others first.
pub struct UnsafeCell<T: ?Sized> {
    tag: Tag,
    value: std::cell::UnsafeCell<T>,
}

/// An access that is under way.
struct Open<'e> {
    execution: &'e Execution,
    object: ObjectId,
    number: usize,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.execution.end_access(self.object, self.number);
    }
}

impl<T> UnsafeCell<T> {
    /// As [`std::cell::UnsafeCell::new`].
    #[track_caller]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell { tag: Tag::new(), value: std::cell::UnsafeCell::new(value) }
    }

    /// As [`std::cell::UnsafeCell::into_inner`]; an access.
    #[track_caller]
    pub fn into_inner(self) -> T {
        drop(self.open(Access::Write, Location::caller()));
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Gives the function a pointer to read by, while nobody writes.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, function: impl FnOnce(*const T) -> R) -> R {
        let _open = self.open(Access::Read, Location::caller());
        function(self.value.get().cast_const())
    }

    /// Gives the function a pointer to write by, while nobody else reads or writes.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, function: impl FnOnce(*mut T) -> R) -> R {
        let _open = self.open(Access::Write, Location::caller());
        function(self.value.get())
    }

    /// As [`std::cell::UnsafeCell::get_mut`]; an access that lasts a moment.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        drop(self.open(Access::Write, Location::caller()));
        self.value.get_mut()
    }

    fn open(&self, access: Access, place: &'static Location<'static>) -> Option<Open<'_>> {
        let execution = self.tag.current(Carries::State)?;
        let first = || Sync::Cell(Accesses::default());
        let object = execution.object(&self.tag, Sort::Cell, Carries::State, first);
        let number = execution.begin_access(object, access, place)?;
        Some(Open { execution, object, number })
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}
