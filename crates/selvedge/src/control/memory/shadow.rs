//! What somebody would find in an atomic who has it alone, while its value is in buffers or in the execution.
//!
//! A commit happens without the atomic at hand, which may have been moved or dropped meanwhile. So the value goes to a place
//! of the execution's, its shadow, and the atomic finds it there. `into_inner` is a `const fn`, which can neither
//! look for the current execution nor announce anything, but can follow a pointer.
//!
//! Promise: shadows are never freed, so a pointer to one is good for ever; each belongs to one run at a time, and says to
//! which.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A place beside an atomic of a run.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The run that it belongs to.
    run: u64,
    /// What somebody finds who has the atomic alone; nothing where that is in the atomic itself.
    value: Option<u64>,
}

/// The execution's end: it writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow(&'static UnsafeCell<Place>);

impl Shadow {
    fn new() -> Shadow {
        Shadow(Box::leak(Box::new(UnsafeCell::new(Place { run: 0, value: None }))))
    }

    /// Who has the atomic alone would find this; nothing: what is in the atomic itself.
    #[inline]
    pub(crate) fn set(self, value: Option<u64>) {
        // SAFETY: a shadow is written and read on the one thread of the operating system that its run is on (see `Link`),
        // and no reference to what is in it is kept.
        unsafe { (*self.0.get()).value = value }
    }
}

/// The shadows of an execution; used again by each run.
#[derive(Default)]
pub(crate) struct Shadows {
    all: Vec<Shadow>,
    used: usize,
}

impl Shadows {
    /// A shadow for an atomic of this run.
    pub(crate) fn take(&mut self, run: u64) -> Shadow {
        if self.used == self.all.len() {
            self.all.push(Shadow::new());
        }
        let shadow = self.all[self.used];
        self.used += 1;
        // SAFETY: as in `set`.
        unsafe { *shadow.0.get() = Place { run, value: None } }
        shadow
    }

    /// The run is over.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
    }
}

/// The atomic's end: it reads, when somebody has it alone.
pub(crate) struct Link(AtomicPtr<()>);

impl Link {
    /// Of an atomic that has no shadow.
    pub(crate) const fn new() -> Link {
        Link(AtomicPtr::new(ptr::null_mut()))
    }

    /// The atomic's shadow is this one.
    pub(crate) fn set(&self, shadow: Shadow) {
        self.0.store(ptr::from_ref(shadow.0).cast_mut().cast(), Ordering::Relaxed);
    }

    /// What somebody finds who has the atomic alone, which was last used in this run.
    pub(crate) const fn into_value(self, run: u64) -> Option<u64> {
        let shadow: *const UnsafeCell<Place> = self.0.into_inner().cast();
        if shadow.is_null() {
            return None;
        }
        // SAFETY: the pointer comes from `set`, so the shadow is alive. An atomic of a run is taken apart by a thread of that run,
        // so on the thread of the operating system that writes its shadow, or else, when it was handed out of the
        // exploration, after that: nothing else in a run reaches out of it.
        let Place { run: of, value } = unsafe { *(*shadow).get() };
        if of == run { value } else { None }
    }
}
