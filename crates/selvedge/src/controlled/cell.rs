//! As [`std::cell`], with an [`UnsafeCell`] that reports its accesses to an exploration.

use crate::control::{Access, Accesses, Execution, ObjectKind, Persistence, Sync, Tag};
use crate::controlled::plain::{Container, InitialValue, is_plain_static, stand_in, stand_in_for};
use crate::controlled::{current, current_for};
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
    initial: InitialValue,
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
        let value = std::cell::UnsafeCell::new(value);
        UnsafeCell { tag: Tag::new(), initial: InitialValue::new(), value }
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
        function(self.pointer().cast_const())
    }

    /// Calls the function with a pointer for writing. No other thread may read or write meanwhile.
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, function: impl FnOnce(*mut T) -> R) -> R {
        let _access = self.begin_access(Access::Write, Location::caller());
        function(self.pointer())
    }

    /// As [`std::cell::UnsafeCell::get_mut`]. Counts as a write at the time of the call.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        drop(self.begin_access(Access::Write, Location::caller()));
        self.value.get_mut()
    }

    fn begin_access(&self, access: Access, site: &'static Location<'static>) -> Option<OngoingAccess<'_>> {
        let Some(execution) = current_for(&self.tag, Persistence::KeepsState) else {
            self.keep_initial_value();
            return None;
        };
        let object = execution.known(&self.tag).unwrap_or_else(|| self.register(execution));
        let number = execution.begin_access(object, access, site)?;
        Some(OngoingAccess { execution, object, number })
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Registers the cell with the run that uses it for the first time.
    #[inline(never)]
    fn register(&self, execution: &Execution) -> ObjectId {
        let first = || Sync::Cell(Accesses::default());
        if !is_plain_static::<T>(&self.tag) {
            return execution.object(&self.tag, ObjectKind::Cell, Persistence::KeepsState, first);
        }
        let persistence = Persistence::KeepsStateUnlessStatic;
        let object = execution.object(&self.tag, ObjectKind::Cell, persistence, first);
        self.keep_initial_value();
        let id = (&self.tag, object);
        stand_in_for::<T, std::cell::UnsafeCell<T>>(execution, id, &self.initial, Container::Cell);
        object
    }

    /// The pointer to the value that the cell has for the calling thread.
    fn pointer(&self) -> *mut T {
        let in_run = current().filter(|_| self.tag.is_renewed());
        match in_run.and_then(|execution| Some((execution, execution.known(&self.tag)?))) {
            Some((execution, object)) => stand_in::<std::cell::UnsafeCell<T>>(execution, object).get(),
            None => self.value.get(),
        }
    }

    /// Keeps the value that a run begins with, before it can be changed.
    fn keep_initial_value(&self) {
        // SAFETY: this is called at the beginning of each access. An access that is a write waits for this
        // call and comes after it; so no thread writes now, and the caller may read.
        #[allow(unsafe_code)]
        self.initial.keep::<T>(&self.tag, |copy| copy(unsafe { &*self.value.get() }));
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
