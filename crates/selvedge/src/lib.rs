//! Keeps concurrent programs from unravelling.
//!
//! [`sync`], [`thread`] and the other modules have the names and signatures of `std`'s. Without features
//! they *are* `std`'s. With the feature `check` they are controlled inside an exploration, and behave as
//! `std`'s outside. Write `selvedge` under dependencies, and the same with `features = ["check"]` under
//! dev-dependencies: then a test can run a body under every schedule.
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
#[cfg(any(feature = "check", feature = "watch"))]
mod controlled;
#[cfg(feature = "check")]
pub mod discover;
mod door;
#[cfg(feature = "check")]
mod explorer;
pub mod future;
mod production;
pub mod task;
#[cfg(not(feature = "check"))]
mod uncontrolled;
#[cfg(not(any(feature = "check", feature = "watch")))]
mod unwatched;
#[cfg(any(feature = "check", feature = "watch"))]
mod watched;

/// Monitors: formulas that are checked on the states of one run, with templates. The monitor of
/// [`prop`] and [`check`] is [`global`](monitor::global); [`deliver`](monitor::deliver) decides which thread
/// progresses its formulas.
#[cfg(feature = "watch")]
pub mod monitor {
    pub use crate::watched::{Delivery, WhenFull, deliver, global, watch_lock_order};
    pub use selvedge_monitor::*;
}
#[cfg(not(any(feature = "check", feature = "watch")))]
pub use unwatched::{check, prop};
#[cfg(any(feature = "check", feature = "watch"))]
pub use watched::{check, prop};

#[cfg(all(feature = "watch", not(feature = "check")))]
pub use controlled::{sync, thread};
#[cfg(not(any(feature = "check", feature = "watch")))]
pub use uncontrolled::{sync, thread};
#[cfg(feature = "check")]
pub use {
    controlled::{cell, choose, effect, hint, interrupt, stm, sync, thread, time},
    explorer::{
        DEFAULT_PATIENCE, DEFAULT_STACK, DEFAULT_STEPS, Explorer, FormulaRuns, Keep, Limit, MemoryModel,
        Outcome, Report, Strategy, autocheck, contained, contained_then, explore, predicate, replay,
    },
    selvedge_explore as runs,
    selvedge_explore::schedulers::Bounds,
    selvedge_macros::test,
};
#[cfg(not(feature = "check"))]
pub use {
    std::thread_local,
    uncontrolled::{cell, effect, hint, interrupt, stm, time},
};

/// The guide. Its code blocks run as documentation tests.
#[cfg(all(doctest, feature = "check"))]
#[doc = include_str!("../../../docs/explore.md")]
struct Guide;

/// The guide to the debugger. Its code block is compiled as a documentation test.
#[cfg(all(doctest, feature = "debug"))]
#[doc = include_str!("../../../docs/debug-rust.md")]
struct DebugGuide;

/// The guide to laws. Its code blocks run as documentation tests.
#[cfg(all(doctest, feature = "check"))]
#[doc = include_str!("../../../docs/discover.md")]
struct LawGuide;

/// The guide to monitors. Its code blocks run as documentation tests.
#[cfg(all(doctest, feature = "watch"))]
#[doc = include_str!("../../../docs/monitor.md")]
struct MonitorGuide;

/// For the macros and for the tests of this crate; not part of the interface.
#[doc(hidden)]
pub mod private {
    #[cfg(feature = "check")]
    pub use crate::{
        controlled::stm::{attempt::Attempt, attempt::AttemptEnd, memory::TestDomain},
        explorer::{TestOptions, run_test},
    };

    /// The production types, for tests that explore their implementation.
    pub mod production {
        pub use crate::production::mvar::MVar;
        pub use crate::production::{atomic_ref, interrupt, stm};
    }
}
