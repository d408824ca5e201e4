//! The value of an atomic for a thread that owns it alone, while that value is in a buffer or in the
//! execution.
//!
//! A commit happens without access to the atomic, which may have been moved or dropped meanwhile. So the
//! value goes to memory of the execution, the atomic's shadow, and the atomic finds it there. `into_inner`
//! is a `const fn`, which can neither ask for the current execution nor announce an action, but can follow a
//! pointer.
//!
//! Promise: shadows are never freed, so that a pointer to a shadow is valid for ever; each belongs to one
//! run at a time, and says to which.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The content of a shadow.
#[derive(Clone, Copy, Debug)]
struct ShadowValue {
    /// The run that it belongs to.
    run: u64,
    /// The value for a thread that owns the atomic alone; nothing if the value is in the atomic itself.
    value: Option<u64>,
}

/// The execution's side of a shadow: it writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow(&'static UnsafeCell<ShadowValue>);

impl Shadow {
    fn new() -> Shadow {
        Shadow(Box::leak(Box::new(UnsafeCell::new(ShadowValue { run: 0, value: None }))))
    }

    /// Sets the value for a thread that owns the atomic alone; nothing if the value is in the atomic itself.
    #[inline]
    pub(crate) fn set(self, value: Option<u64>) {
        // SAFETY: a shadow is written and read on the one thread of the operating system of its run (see
        // `Link`), and no reference to its content is kept.
        unsafe { (*self.0.get()).value = value }
    }
}

/// The shadows of an execution; each run uses them again.
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
        unsafe { *shadow.0.get() = ShadowValue { run, value: None } }
        shadow
    }

    /// A run begins.
    pub(crate) fn clear(&mut self) {
        let Shadows { all: _, used } = self;
        *used = 0;
    }
}

/// The atomic's side of a shadow: it reads, for a thread that owns the atomic alone.
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

    /// The value for a thread that owns the atomic alone, which was last used in this run.
    pub(crate) const fn into_value(self, run: u64) -> Option<u64> {
        let shadow: *const UnsafeCell<ShadowValue> = self.0.into_inner().cast();
        if shadow.is_null() {
            return None;
        }
        // SAFETY: the pointer comes from `set`, so the shadow is alive. An atomic of a run is taken apart by
        // a thread of that run, on the thread of the operating system that writes its shadow; or, if it left
        // the exploration, after the run: no other part of a run leaves it.
        let ShadowValue { run: of, value } = unsafe { *(*shadow).get() };
        if of == run { value } else { None }
    }
}
