//! Keeps concurrent programs from unravelling.
//!
//! [`sync`], [`thread`] and the other modules have the names and signatures of `std`'s. Without features they *are*
//! `std`'s. With the feature `check` they are controlled inside of an exploration, and behave as `std`'s outside of one: write
//! `selvedge` under dependencies and the same with `features = ["check"]` under dev-dependencies, and tests can run
//! a body under every schedule.
//!
#![cfg_attr(feature = "check", doc = "```")]
#![cfg_attr(not(feature = "check"), doc = "```ignore")]
//! use selvedge::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
//!
//! let report = selvedge::explore(|| {
//!     let counter = Arc::new(AtomicU32::new(0));
//!     let other = counter.clone();
//!     let thread = selvedge::thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
//!     counter.store(counter.load(SeqCst) + 1, SeqCst);
//!     thread.join().unwrap();
//!     counter.load(SeqCst)
//! });
//! assert_eq!(report.values().collect::<Vec<_>>(), [&1, &2]); // one increment can be lost
//! ```

#[cfg(feature = "check")]
mod control;
#[cfg(feature = "check")]
mod dual;
#[cfg(feature = "check")]
mod explorer;
pub mod future;
#[cfg(not(feature = "check"))]
mod plain;
mod production;
pub mod task;

#[cfg(feature = "check")]
pub use dual::{cell, choose, hint, interrupt, stm, sync, thread, time};
#[cfg(feature = "check")]
pub use explorer::{
    DEFAULT_PATIENCE, DEFAULT_STACK, DEFAULT_STEPS, Explorer, Keep, Limit, MemoryModel, Outcome, Report,
    Strategy, autocheck, contained, explore, predicate,
};
#[cfg(not(feature = "check"))]
pub use plain::{cell, hint, stm, sync, thread, time};
#[cfg(not(feature = "check"))]
pub use production::interrupt;
#[cfg(feature = "check")]
pub use selvedge_explore as runs;
#[cfg(feature = "check")]
pub use selvedge_explore::schedulers::Bounds;
#[cfg(feature = "check")]
pub use selvedge_macros::test;
#[cfg(not(feature = "check"))]
pub use std::thread_local;

/// The guide, whose code is run with the tests of documentation.
#[cfg(all(doctest, feature = "check"))]
#[doc = include_str!("../../../docs/explore.md")]
struct Guide;

/// What the macros call, and what only tests of this crate need.
#[doc(hidden)]
pub mod private {
    #[cfg(feature = "check")]
    pub use crate::explorer::{TestOptions, run_test};

    /// The production types, which the public ones stand before: for tests that explore their insides.
    pub mod production {
        pub use crate::production::mvar::MVar;
        pub use crate::production::{atomic_ref, interrupt, stm};
    }
}
