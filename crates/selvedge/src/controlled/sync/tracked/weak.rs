//! A weak reference to a shared value: `std`'s `Weak`, with visible counts.

#![allow(unsafe_code)]

use super::{Arc, announce, announce_at};
use crate::controlled::current;
use crate::controlled::sync::ObjectInRun;
use selvedge_explore::counts::Counts;
use selvedge_explore::{Action, Kind, Site};
use std::fmt;
use std::panic::Location;
use std::sync::Weak as StdWeak;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use crate::control::Pending;

/// As [`std::sync::Weak`], with counts that an exploration sees; see the [module](super).
pub struct Weak<T: ?Sized> {
    /// `None` only when the `Weak` of `std` was moved out, just before the end of this one.
    inner: Option<StdWeak<T>>,
}

impl<T> Weak<T> {
    /// As [`std::sync::Weak::new`]. Actions on it are not visible.
    #[must_use]
    pub const fn new() -> Weak<T> {
        Weak { inner: Some(StdWeak::new()) }
    }
}

impl<T: ?Sized> Weak<T> {
    /// As [`std::sync::Weak::upgrade`].
    #[must_use]
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let announced = self.announce(Kind::Upgrade);
        let upgraded = self.inner().upgrade();
        if let Some(arc) = announced {
            match upgraded {
                Some(_) => arc.execution.acquire(arc.object),
                None => arc.changed_nothing(),
            }
        }
        upgraded.map(Arc::of)
    }

    /// As [`std::sync::Weak::strong_count`].
    #[must_use]
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        if let Some(arc) = self.announce(Kind::StrongCount) {
            arc.execution.loaded(arc.object, Relaxed);
        }
        self.inner().strong_count()
    }

    /// As [`std::sync::Weak::weak_count`].
    #[must_use]
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        if let Some(arc) = self.announce(Kind::WeakCount) {
            arc.execution.loaded_weak(arc.object, Acquire);
        }
        self.inner().weak_count()
    }

    /// As [`std::sync::Weak::ptr_eq`].
    #[must_use]
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool {
        self.inner().ptr_eq(other.inner())
    }

    /// As [`std::sync::Weak::as_ptr`].
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.inner().as_ptr()
    }

    /// As [`std::sync::Weak::into_raw`]. Turning a `Weak` into a pointer and back is not visible.
    #[must_use]
    pub fn into_raw(self) -> *const T {
        self.into_inner_weak().into_raw()
    }

    /// As [`std::sync::Weak::from_raw`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn from_raw(ptr: *const T) -> Weak<T> {
        // SAFETY: the pointer is one of `into_raw` above, or of `std`'s.
        Weak::of(unsafe { StdWeak::from_raw(ptr) })
    }

    /// The value gets its first owner next, after this reference has gone, which is not visible. This is
    /// visible if there can be another reference to the value.
    pub(super) fn initialise(&mut self, place: &'static Location<'static>) {
        let known = current().and_then(|execution| Some((execution, execution.known_arc(self.address())?)));
        if let Some((execution, object)) = known {
            execution.visible(Pending::new(Action::on(Kind::InitArc, object), Site::Rust(place)));
            ObjectInRun { execution, object }.observe_counts(self.counts());
            execution.release(object);
        }
        self.inner = None;
    }

    pub(super) fn of(inner: StdWeak<T>) -> Weak<T> {
        Weak { inner: Some(inner) }
    }

    /// The `Weak` of `std`; this is no visible action.
    pub(super) fn into_inner_weak(mut self) -> StdWeak<T> {
        self.inner.take().expect(ALIVE)
    }

    fn inner(&self) -> &StdWeak<T> {
        self.inner.as_ref().expect(ALIVE)
    }

    pub(super) fn address(&self) -> usize {
        self.as_ptr().cast::<()>().addr()
    }

    /// Announces an action on the counts, if there are any.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind) -> Option<ObjectInRun<'e>> {
        if self.is_dangling() { None } else { announce(self.address(), kind, || self.counts()) }
    }

    /// Is it a `Weak::new()`, with no value and no counts? All of these have the same address.
    fn is_dangling(&self) -> bool {
        self.address() == StdWeak::<()>::new().as_ptr().addr()
    }

    fn counts(&self) -> Counts {
        let (strong, weak) = (self.inner().strong_count(), self.inner().weak_count());
        Counts { strong: strong as u32, weak: weak as u32 }
    }
}

const ALIVE: &str = "a `Weak` that was not taken apart";

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Weak<T> {
        self.announce(Kind::CloneWeak);
        Weak::of(self.inner().clone())
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        // The reference goes after this, by the destructor of the field: also if the thread is stopped here.
        if self.inner.is_none() || self.is_dangling() {
            return;
        }
        let announced = announce_at(self.address(), Kind::DropWeak, Site::Unknown, || self.counts());
        if let Some(arc) = announced {
            arc.execution.release_weak(arc.object);
        }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
