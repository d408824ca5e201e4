//! What locks tell beside their work: to the recorder of lock orders, and to the monitor, as
//! `holds(thread, lock)`.
//!
//! A lock has a [`Watch`]. Outside of explorations it calls [`acquire`], or [`acquired`] after an attempt
//! that does not wait, and [`release`] before it gives itself back. Inside an exploration the run changes
//! `holds` by steps of its own (`control/propositions`), and asks here for the name of the lock only.
//!
//! Promise: if neither lock orders nor `holds` are asked for, a lock or unlock costs one load more. Without
//! the feature `watch` it costs nothing.

#[cfg(feature = "watch")]
mod names;
#[cfg(feature = "watch")]
mod recorded;
#[cfg(feature = "watch")]
mod taker;
#[cfg(not(feature = "watch"))]
mod unrecorded;

#[cfg(all(feature = "watch", feature = "check"))]
pub(crate) use names::lock_value;
#[cfg(feature = "watch")]
pub(crate) use names::name;
#[cfg(feature = "watch")]
pub(crate) use recorded::{Holding, acquire, acquired, reacquired, release};
#[cfg(feature = "watch")]
pub(crate) use taker::Taker;
#[cfg(not(feature = "watch"))]
pub(crate) use unrecorded::{Holding, Taker, acquire, acquired, lock_value, name, reacquired, release};

pub(crate) use selvedge_monitor::lock_order::Access;
use selvedge_monitor::lock_order::LockTag;

/// A lock that can be named: a `Mutex`, a `RwLock` or an `MVar`.
pub trait Lock {
    #[doc(hidden)]
    fn set_name(&self, name: &str);
}

/// What a lock has inside: its number, and where it was made.
#[derive(Debug)]
pub(crate) struct Watch(pub(in crate::watched) LockTag);

impl Watch {
    #[track_caller]
    #[inline]
    pub(crate) const fn new() -> Watch {
        Watch(LockTag::new())
    }

    /// For a lock that is a part of a type of ours: the program does not know of it.
    #[track_caller]
    #[inline]
    pub(crate) const fn absent() -> Watch {
        Watch(LockTag::unwatched())
    }

    #[inline]
    pub(crate) fn is_present(&self) -> bool {
        self.0.is_watched()
    }

    /// The number of the lock, never used again.
    #[cfg(feature = "watch")]
    fn number(&self) -> u64 {
        self.0.id().number()
    }
}

#[cfg(feature = "watch")]
impl Drop for Watch {
    #[inline]
    fn drop(&mut self) {
        recorded::forget(&self.0);
    }
}
