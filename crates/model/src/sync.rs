//! The one door to threads, locks and atomics: `std`'s, and in the unit tests of this crate Selvedge's own.
//!
//! Selvedge's are `std`'s outside of an exploration. Inside of one every access is a step of the explored
//! run, so that `workers/explored` can run the searches of several workers under every interleaving.
//!
//! A [`Counter`] is `std`'s in both cases: it counts bytes for the figures, no verdict depends on it, and
//! its steps would only multiply the interleavings.

#[cfg(test)]
pub(crate) use selvedge::{
    sync::{Mutex, MutexGuard, PoisonError, atomic},
    thread,
};
pub(crate) use std::sync::atomic::AtomicUsize as Counter;
#[cfg(not(test))]
pub(crate) use std::{
    sync::{Mutex, MutexGuard, PoisonError, atomic},
    thread,
};
