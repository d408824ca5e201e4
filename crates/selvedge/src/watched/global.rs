//! The monitor of the process: changes of all threads, in the order in which they take its lock.
//!
//! A change is made in place: the thread that makes it progresses the formulas before it goes on, so a
//! violation is handled by the thread that caused it, before its next action.

use selvedge_monitor::{Fact, Monitor};
use std::cell::{Cell, LazyCell};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static GLOBAL: LazyLock<Mutex<Monitor<Fact>>> = LazyLock::new(|| Mutex::new(Monitor::new()));

thread_local! {
    /// Is this thread inside of the monitor, so that it handles a violation?
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The name of the thread in paths.
    static NAME: LazyCell<Arc<str>> = LazyCell::new(|| {
        let thread = std::thread::current();
        thread.name().map_or_else(|| format!("{:?}", thread.id()).into(), Arc::from)
    });
}

/// Calls a function with the monitor of the process, which [`prop`](crate::prop) and
/// [`check`](crate::check()) use: to decide what a violation does, or to get the verdicts at the end.
///
/// ```
/// use selvedge::monitor::{OnViolation, global};
/// global(|monitor| { monitor.on_violation(OnViolation::Keep); });
/// selvedge::check("exclusive", "G !(critical(1) & critical(2))");
/// selvedge::prop::set(("critical", 1));
/// selvedge::prop::set(("critical", 2));
/// assert!(global(|monitor| monitor.finish()).has_violations());
/// ```
///
/// # Panics
/// If it is called by a function that handles a violation.
pub fn global<R>(work: impl FnOnce(&mut Monitor<Fact>) -> R) -> R {
    assert!(!IS_INSIDE.get(), "a function that handles a violation cannot use the monitor that calls it");
    let mut monitor = GLOBAL.lock().unwrap_or_else(PoisonError::into_inner);
    let _leaves = Leaves;
    IS_INSIDE.set(true);
    work(&mut monitor)
}

/// The same for a change by the calling thread. A change by a function that handles a violation has no
/// effect.
pub(super) fn step(work: impl FnOnce(&mut Monitor<Fact>, &Arc<str>)) {
    if !IS_INSIDE.get() {
        NAME.with(|name| global(|monitor| work(monitor, name)));
    }
}

/// The thread leaves the monitor, also if a violation panics.
struct Leaves;

impl Drop for Leaves {
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}
