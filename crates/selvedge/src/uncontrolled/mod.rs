//! The modules of a build without the feature `check`: `std`'s own, and the types that `std` lacks.
//!
//! Promise: what `std` has is re-exported, so its types are the same types (`tests/main/identity.rs`).

pub mod cell;

use std::num::NonZero;

/// Calls the function. Inside an exploration, with the feature `check`, it is one visible step that depends
/// on all other effects, for uses of things that are not of `selvedge`: a file, a log, a lock of another
/// crate.
#[inline(always)]
pub fn effect<R>(function: impl FnOnce() -> R) -> R {
    function()
}

pub use crate::production::{interrupt, stm};

pub mod hint {
    //! As [`std::hint`].
    pub use std::hint::spin_loop;
}

pub mod tracked {
    //! [`Arc`] and [`Weak`], whose counts an exploration sees (with the feature `check`).
    pub use std::sync::{Arc, Weak};

    /// The same `Arc`.
    #[inline(always)]
    pub fn from_std<T: ?Sized>(arc: Arc<T>) -> Arc<T> {
        arc
    }

    /// The same `Arc`.
    #[inline(always)]
    pub fn into_std<T: ?Sized>(arc: Arc<T>) -> Arc<T> {
        arc
    }

    /// The same `Weak`.
    #[inline(always)]
    pub fn weak_from_std<T: ?Sized>(weak: Weak<T>) -> Weak<T> {
        weak
    }

    /// The same `Weak`.
    #[inline(always)]
    pub fn weak_into_std<T: ?Sized>(weak: Weak<T>) -> Weak<T> {
        weak
    }
}

/// Sets the result of [`available_parallelism`](std::thread::available_parallelism) for the rest of a run
/// of an exploration, where it is 2 at first.
///
/// Outside of explorations this has no effect, and `available_parallelism` is `std`'s. So a program that
/// divides its work by that number can be explored with different numbers, and its code need not change
/// for that.
#[inline(always)]
pub fn set_available_parallelism(_threads: NonZero<usize>) {}

#[cfg(not(feature = "watch"))]
pub mod sync {
    //! As [`std::sync`], with [`MVar`], [`AtomicRef`] and [`tracked`] in addition.
    pub use super::tracked;
    pub use crate::production::atomic_ref::{AtomicRef, Ticket};
    pub use crate::production::mvar::MVar;
    pub use std::sync::*;
}

#[cfg(not(feature = "watch"))]
pub mod thread {
    //! As [`std::thread`], with [`set_available_parallelism`] in addition.
    pub use super::set_available_parallelism;
    pub use std::thread::*;
}

pub mod time {
    //! As [`std::time`].
    pub use std::time::*;
}
