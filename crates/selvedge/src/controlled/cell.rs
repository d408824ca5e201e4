//! As [`std::cell`], with an [`UnsafeCell`] that reports its accesses to an exploration.

use crate::control::{Access, Accesses, Execution, ObjectKind, Persistence, Sync, Tag};
use crate::controlled::current_for;
use selvedge_explore::ObjectId;
use std::fmt;
use std::panic::Location;

pub use std::cell::{BorrowError, BorrowMutError, Cell, LazyCell, OnceCell, Ref, RefCell, RefMut};

/// As [`std::cell::UnsafeCell`], but an access is a closure that gets a pointer, so its beginning and its
/// end are known.
///
/// Inside an exploration each access is compared with the accesses of other threads. Two accesses end the
/// run as a data race if at least one of them is a write, and if they overlap or neither happens before the
/// other.
///
/// An access is not a step of its own. Creating and dropping a cell are not accesses. So if a thread hands a
/// cell over without synchronisation, that is a data race only if the creating thread, or the thread that
/// hands it over, accesses the cell, too. The counts of `sync::Arc` are `std`'s and
/// order nothing here: if the destructor of the last owner makes the second access, the race is a note of
/// the report, not a failure. [`tracked::Arc`](crate::sync::tracked::Arc) has counts that are known.
pub struct UnsafeCell<T: ?Sized> {
    tag: Tag,
    value: std::cell::UnsafeCell<T>,
}

/// An access, while its closure runs; the destructor ends it.
struct OngoingAccess<'e> {
    execution: &'e Execution,
    object: ObjectId,
    number: usize,
}

impl Drop for OngoingAccess<'_> {
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

    /// As [`std::cell::UnsafeCell::into_inner`]. Counts as a write.
    #[track_caller]
    pub fn into_inner(self) -> T {
        drop(self.begin_access(Access::Write, Location::caller()));
        self.value.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls the function with a pointer for reading. No thread may write meanwhile.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, function: impl FnOnce(*const T) -> R) -> R {
        let _access = self.begin_access(Access::Read, Location::caller());
        function(self.value.get().cast_const())
    }

    /// Calls the function with a pointer for writing. No other thread may read or write meanwhile.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, function: impl FnOnce(*mut T) -> R) -> R {
        let _access = self.begin_access(Access::Write, Location::caller());
        function(self.value.get())
    }

    /// As [`std::cell::UnsafeCell::get_mut`]. Counts as a write at the time of the call.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        drop(self.begin_access(Access::Write, Location::caller()));
        self.value.get_mut()
    }

    fn begin_access(&self, access: Access, site: &'static Location<'static>) -> Option<OngoingAccess<'_>> {
        let execution = current_for(&self.tag, Persistence::KeepsState)?;
        let first = || Sync::Cell(Accesses::default());
        let object = execution.object(&self.tag, ObjectKind::Cell, Persistence::KeepsState, first);
        let number = execution.begin_access(object, access, site)?;
        Some(OngoingAccess { execution, object, number })
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
