//! An owner of a shared value: `std`'s `Arc`, with visible counts.

#![allow(unsafe_code)]

use super::{Weak, announce, announce_at};
use crate::control::Execution;
use crate::controlled::current;
use crate::controlled::sync::ObjectInRun;
use selvedge_explore::counts::Counts;
use selvedge_explore::{Kind, Site};
use std::any::Any;
use std::ffi::{CStr, OsStr};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::Deref;
use std::panic::Location;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc as StdArc;
use std::sync::atomic::Ordering::Relaxed;

/// As [`std::sync::Arc`], with counts that an exploration sees; see the [module](super).
pub struct Arc<T: ?Sized> {
    /// `None` only when the `Arc` of `std` was moved out, just before the end of this one.
    inner: Option<StdArc<T>>,
}

impl<T> Arc<T> {
    /// As [`std::sync::Arc::new`].
    #[track_caller]
    pub fn new(value: T) -> Arc<T> {
        Arc::allocated(StdArc::new(value))
    }

    /// As [`std::sync::Arc::new_cyclic`].
    #[track_caller]
    pub fn new_cyclic<F: FnOnce(&Weak<T>) -> T>(data_fn: F) -> Arc<T> {
        let created_at = Location::caller();
        Arc::of(StdArc::new_cyclic(|inner| {
            let mut weak = Weak::of(inner.clone());
            if let Some(execution) = current() {
                execution.new_arc(weak.address(), created_at);
            }
            let value = data_fn(&weak);
            weak.initialise(created_at);
            value
        }))
    }

    /// As [`std::sync::Arc::new_uninit`].
    #[must_use]
    #[track_caller]
    pub fn new_uninit() -> Arc<MaybeUninit<T>> {
        Arc::allocated(StdArc::new_uninit())
    }

    /// As [`std::sync::Arc::new_zeroed`].
    #[must_use]
    #[track_caller]
    pub fn new_zeroed() -> Arc<MaybeUninit<T>> {
        Arc::allocated(StdArc::new_zeroed())
    }

    /// As [`std::sync::Arc::pin`].
    #[must_use]
    #[track_caller]
    pub fn pin(data: T) -> Pin<Arc<T>> {
        // SAFETY: the value is in an `Arc` of `std`, which never moves it while it is shared; `get_mut` and
        // the like need an `Arc` that is not pinned.
        unsafe { Pin::new_unchecked(Arc::new(data)) }
    }

    /// As [`std::sync::Arc::try_unwrap`].
    ///
    /// # Errors
    /// The same `Arc`, if the value has another owner.
    #[track_caller]
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        let announced = announce(this.address(), Kind::TryUnwrap, || this.counts());
        let result = StdArc::try_unwrap(this.into_inner_arc());
        if let Some(arc) = announced {
            match result {
                Ok(_) => arc.execution.acquire(arc.object),
                Err(_) => arc.changed_nothing(),
            }
        }
        result.map_err(Arc::of)
    }

    /// As [`std::sync::Arc::into_inner`].
    #[must_use]
    #[track_caller]
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        this.remove(Kind::IntoInner, Site::Rust(Location::caller()));
        StdArc::into_inner(this.into_inner_arc())
    }
}

impl<T> Arc<[T]> {
    /// As [`std::sync::Arc::new_uninit_slice`].
    #[must_use]
    #[track_caller]
    pub fn new_uninit_slice(len: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::allocated(StdArc::new_uninit_slice(len))
    }

    /// As [`std::sync::Arc::new_zeroed_slice`].
    #[must_use]
    #[track_caller]
    pub fn new_zeroed_slice(len: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::allocated(StdArc::new_zeroed_slice(len))
    }
}

impl<T> Arc<MaybeUninit<T>> {
    /// As `assume_init` of [`std::sync::Arc`].
    ///
    /// # Safety
    /// As there: the value is initialised.
    #[must_use]
    pub unsafe fn assume_init(self) -> Arc<T> {
        // SAFETY: the caller promises it.
        Arc::of(unsafe { self.into_inner_arc().assume_init() })
    }
}

impl<T> Arc<[MaybeUninit<T>]> {
    /// As `assume_init` of [`std::sync::Arc`].
    ///
    /// # Safety
    /// As there: the values are initialised.
    #[must_use]
    pub unsafe fn assume_init(self) -> Arc<[T]> {
        // SAFETY: the caller promises it.
        Arc::of(unsafe { self.into_inner_arc().assume_init() })
    }
}

impl<T: ?Sized> Arc<T> {
    /// As [`std::sync::Arc::into_raw`]. Turning an `Arc` into a pointer and back is not visible.
    #[must_use]
    pub fn into_raw(this: Arc<T>) -> *const T {
        StdArc::into_raw(this.into_inner_arc())
    }

    /// As [`std::sync::Arc::from_raw`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn from_raw(ptr: *const T) -> Arc<T> {
        // SAFETY: the pointer is one of `into_raw` above, or of `std`'s.
        Arc::of(unsafe { StdArc::from_raw(ptr) })
    }

    /// As [`std::sync::Arc::as_ptr`].
    #[must_use]
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        StdArc::as_ptr(this.inner())
    }

    /// As [`std::sync::Arc::increment_strong_count`].
    ///
    /// # Safety
    /// As there.
    #[track_caller]
    pub unsafe fn increment_strong_count(ptr: *const T) {
        // SAFETY: the caller promises that the value has an owner meanwhile, and that the pointer is one of
        // `into_raw`.
        let arc = ManuallyDrop::new(unsafe { Arc::from_raw(ptr) });
        let _more = ManuallyDrop::new(Arc::clone(&arc));
    }

    /// As [`std::sync::Arc::decrement_strong_count`].
    ///
    /// # Safety
    /// As there.
    #[track_caller]
    pub unsafe fn decrement_strong_count(ptr: *const T) {
        // SAFETY: the caller promises that the pointer is one of `into_raw`, and gives up that owner.
        drop(unsafe { Arc::from_raw(ptr) });
    }

    /// As [`std::sync::Arc::downgrade`].
    #[must_use]
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        announce(this.address(), Kind::CloneWeak, || this.counts());
        Weak::of(StdArc::downgrade(this.inner()))
    }

    /// As [`std::sync::Arc::weak_count`].
    #[must_use]
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        if let Some(arc) = announce(this.address(), Kind::WeakCount, || this.counts()) {
            arc.execution.loaded_weak(arc.object, Relaxed);
        }
        StdArc::weak_count(this.inner())
    }

    /// As [`std::sync::Arc::strong_count`].
    #[must_use]
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        if let Some(arc) = announce(this.address(), Kind::StrongCount, || this.counts()) {
            arc.execution.loaded(arc.object, Relaxed);
        }
        StdArc::strong_count(this.inner())
    }

    /// As [`std::sync::Arc::ptr_eq`].
    #[must_use]
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        StdArc::ptr_eq(this.inner(), other.inner())
    }

    /// As [`std::sync::Arc::get_mut`].
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        if let Some(arc) = announce(this.address(), Kind::GetMut, || this.counts())
            && StdArc::weak_count(this.inner()) == 0
        {
            arc.execution.loaded_weak(arc.object, std::sync::atomic::Ordering::Acquire);
            arc.execution.acquire(arc.object);
        }
        this.inner.as_mut().and_then(StdArc::get_mut)
    }

    /// An owner of a value that was just allocated.
    #[track_caller]
    pub(super) fn allocated(inner: StdArc<T>) -> Arc<T> {
        let arc = Arc::of(inner);
        arc.record_allocation(Location::caller());
        arc
    }

    fn record_allocation(&self, created_at: &'static Location<'static>) {
        if let Some(execution) = current() {
            execution.new_arc(self.address(), created_at);
        }
    }

    pub(super) fn of(inner: StdArc<T>) -> Arc<T> {
        Arc { inner: Some(inner) }
    }

    /// The `Arc` of `std`; this is no visible action.
    pub(super) fn into_inner_arc(mut self) -> StdArc<T> {
        self.inner.take().expect(ALIVE)
    }

    fn inner(&self) -> &StdArc<T> {
        self.inner.as_ref().expect(ALIVE)
    }

    fn address(&self) -> usize {
        Arc::as_ptr(self).cast::<()>().addr()
    }

    fn counts(&self) -> Counts {
        let (strong, weak) = (StdArc::strong_count(self.inner()), StdArc::weak_count(self.inner()));
        Counts { strong: strong as u32, weak: weak as u32 }
    }

    /// Announces that this owner goes. The caller removes it.
    #[track_caller]
    fn remove(&self, kind: Kind, site: Site) {
        let Some(ObjectInRun { execution, object }) =
            announce_at(self.address(), kind, site, || self.counts())
        else {
            return;
        };
        execution.release(object);
        if self.counts().strong == 1 {
            execution.acquire(object);
        }
    }
}

const ALIVE: &str = "an `Arc` that was not taken apart";

/// Values that `make_mut` can copy: as `std`'s, those of types with `Clone`, slices of these, and text.
pub trait CloneToArc {
    /// A copy with one owner.
    #[doc(hidden)]
    fn clone_to_arc(&self) -> StdArc<Self>;

    /// The value has one owner: takes it out of the allocation that weak references refer to.
    #[doc(hidden)]
    fn leave_weak(arc: &mut StdArc<Self>);
}

macro_rules! clone_to_arc {
    ($({$($parameters:tt)*} $type:ty, $copy:expr;)*) => {
        $(impl<$($parameters)*> CloneToArc for $type {
            fn clone_to_arc(&self) -> StdArc<Self> {
                $copy(self)
            }

            fn leave_weak(arc: &mut StdArc<Self>) {
                StdArc::make_mut(arc);
            }
        })*
    };
}

clone_to_arc! {
    {T: Clone} T, |value: &T| StdArc::new(value.clone());
    {T: Clone} [T], StdArc::from;
    {} str, StdArc::from;
    {} CStr, StdArc::from;
    {} OsStr, StdArc::from;
    {} Path, StdArc::from;
}

impl<T: ?Sized + CloneToArc> Arc<T> {
    /// As [`std::sync::Arc::make_mut`].
    #[track_caller]
    pub fn make_mut(this: &mut Arc<T>) -> &mut T {
        let announced = announce(this.address(), Kind::MakeMut, || this.counts());
        let Counts { strong, weak } = this.counts();
        if let Some(arc) = announced {
            if strong == 1 {
                arc.execution.acquire(arc.object);
            }
            if strong != 1 || weak == 0 {
                arc.changed_nothing();
            }
        }
        if strong != 1 {
            let copy = Arc::allocated(T::clone_to_arc(this));
            // Drops the old owner, which may be the last one by now.
            *this = copy;
        } else if weak != 0 {
            T::leave_weak(this.inner.as_mut().expect(ALIVE));
            this.record_allocation(Location::caller());
        }
        this.inner.as_mut().and_then(StdArc::get_mut).expect("there is no other owner")
    }
}

impl<T: Clone> Arc<T> {
    /// As [`std::sync::Arc::unwrap_or_clone`].
    #[track_caller]
    pub fn unwrap_or_clone(this: Arc<T>) -> T {
        Arc::try_unwrap(this).unwrap_or_else(|arc| (*arc).clone())
    }
}

impl Arc<dyn Any + Send + Sync> {
    /// As `downcast` of [`std::sync::Arc`].
    ///
    /// # Errors
    /// The same `Arc`, if the value is of another type.
    pub fn downcast<T: Any + Send + Sync>(self) -> Result<Arc<T>, Arc<dyn Any + Send + Sync>> {
        self.into_inner_arc().downcast().map(Arc::of).map_err(Arc::of)
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Arc<T> {
        announce(self.address(), Kind::CloneArc, || self.counts());
        Arc::of(self.inner().clone())
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        if self.inner.is_some() {
            // If the thread is stopped here, the destructor of the field removes the owner.
            self.remove(Kind::DropArc, Site::Unknown);
            let _ongoing = OngoingDrop::begin();
            self.inner = None;
        }
    }
}

/// The running thread drops an owner, as long as this lives: a data race in the destructor of the value is
/// one, since the counts are known.
struct OngoingDrop<'e>(Option<&'e Execution>);

impl OngoingDrop<'_> {
    fn begin() -> Self {
        let execution = current();
        execution.inspect(|execution| execution.begin_arc_drop());
        OngoingDrop(execution)
    }
}

impl Drop for OngoingDrop<'_> {
    fn drop(&mut self) {
        if let Some(execution) = self.0 {
            execution.end_arc_drop();
        }
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.inner()
    }
}
