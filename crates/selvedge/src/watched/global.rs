//! The monitor of the process: events of all threads, in one order.
//!
//! In place, the order is that in which threads take the monitor's lock: the thread of an event progresses
//! the formulas before it goes on, so a violation is handled by the thread that caused it, before its next
//! action. By a ring, the order is that of tickets ([`delivery`](super::delivery)).

use super::Change;
use super::delivery::{Pipe, pipe};
use super::event::{Action, Event};
use super::interest::INTEREST;
use selvedge_monitor::lock_order::{self, LockOrder};
use selvedge_monitor::{Fact, Monitor, Property};
use std::cell::Cell;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static GLOBAL: LazyLock<Mutex<Shared>> = LazyLock::new(Mutex::default);

/// The monitor, behind its lock.
#[derive(Default)]
struct Shared {
    monitor: Monitor<Fact>,
    /// The number of dropped events that the monitor knows of.
    known_dropped: usize,
}

thread_local! {
    /// Is this thread inside of the monitor, so that it handles a violation?
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The name of the thread in paths.
    static NAME: Name = Name(Some(name_of_this_thread()));
}

const EARLY_NOTE: &str = "propositions were changed before the first `selvedge::check` or \
                          `selvedge::monitor::global` of the process: these changes are not known";

/// Calls a function with the monitor of the process, which [`prop`](crate::prop) and
/// [`check`](crate::check()) use: to decide what a violation does, or to get the verdicts at the end.
///
/// Propositions are kept from the first call of this function, or of [`check`](crate::check()), on. If
/// events go by a ring ([`deliver`](super::deliver())), this function waits until the monitor has seen all
/// events before the call.
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
/// If it is called by a function that handles a violation. If events go by a ring: inside of an exploration,
/// and if a handler has panicked since the last call.
pub fn global<R>(work: impl FnOnce(&mut Monitor<Fact>) -> R) -> R {
    assert!(!IS_INSIDE.get(), "{INSIDE}");
    if let Some(pipe) = pipe() {
        pipe.flush();
    }
    let is_early = INTEREST.begin();
    with_monitor(|monitor| {
        if is_early {
            monitor.add_note(EARLY_NOTE);
        }
        let result = work(monitor);
        INTEREST.update(monitor);
        result
    })
}

/// From now on the orders in which threads take the locks of [`sync`](crate::sync) are recorded: a
/// program that takes two locks in both orders can deadlock, even if it does not in this run. Cycles are
/// told as soon as they are known, and deadlocks as they happen: by default, on standard error.
///
/// Call it before the first thread is spawned: the order that spawns and joins make is known from then on.
///
/// ```
/// use selvedge::monitor::{Reaction, lock_order::LockOrder, watch_lock_order};
/// use selvedge::{prop, sync::Mutex, thread};
/// let order: &LockOrder = watch_lock_order();
/// order.on_finding(Reaction::Keep);
/// let (log, queue) = (Mutex::new(()), Mutex::new(()));
/// prop::name_lock(&log, "log");
/// prop::name_lock(&queue, "queue");
/// let take_both = |first: &Mutex<()>, second: &Mutex<()>| drop((first.lock(), second.lock()));
/// thread::scope(|scope| {
///     scope.spawn(|| take_both(&log, &queue)).join().unwrap();
///     scope.spawn(|| take_both(&queue, &log)).join().unwrap();
/// });
/// assert!(order.cycles().is_empty()); // the first thread has ended before the second begins
/// assert_eq!(order.suppressed().len(), 1);
/// ```
pub fn watch_lock_order() -> &'static LockOrder {
    INTEREST.add_lock_order();
    lock_order::watch()
}

const INSIDE: &str = "a function that handles a violation cannot use the monitor that calls it";

/// Checks a property from the present state on.
pub(super) fn check(name: &str, property: &Property<Fact>) {
    assert!(!IS_INSIDE.get(), "{INSIDE}");
    let is_early = INTEREST.begin();
    INTEREST.add(property);
    if is_early {
        with_monitor(|monitor| monitor.add_note(EARLY_NOTE));
    }
    tell(Action::Check { name: name.to_owned(), property: property.clone() });
}

/// A change by the calling thread, and a state. A change by a function that handles a violation has no
/// effect. The caller has asked [`INTEREST`].
pub(super) fn change(change: Change, fact: Fact) {
    tell(Action::Change((change, fact)));
}

/// A state without a change: the path shows that the calling thread acts. The caller has asked [`INTEREST`].
pub(super) fn step() {
    tell(Action::Changes(Vec::new()));
}

fn tell(action: Action) {
    if IS_INSIDE.get() {
        return;
    }
    // While a thread ends, its name may be gone.
    let name = NAME.try_with(|name| name.0.clone()).ok().flatten();
    let event = Event { actor: name.unwrap_or_else(name_of_this_thread), action };
    match pipe() {
        Some(pipe) => pipe.send(event),
        None => with_monitor(|monitor| event.apply(monitor)),
    }
}

/// The calling thread is inside of the monitor. Events that were dropped before are told to it.
pub(super) fn with_monitor<R>(work: impl FnOnce(&mut Monitor<Fact>) -> R) -> R {
    let mut shared = GLOBAL.lock().unwrap_or_else(PoisonError::into_inner);
    let _leaves = Leaves;
    IS_INSIDE.set(true);
    let Shared { monitor, known_dropped } = &mut *shared;
    let dropped = pipe().map_or(0, Pipe::dropped);
    let new = dropped.wrapping_sub(std::mem::replace(known_dropped, dropped));
    monitor.add_dropped(new as u64);
    work(monitor)
}

/// The thread leaves the monitor, also if a violation panics.
struct Leaves;

impl Drop for Leaves {
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}

/// The name of a thread that has made events; there until the thread ends.
struct Name(Option<Arc<str>>);

fn name_of_this_thread() -> Arc<str> {
    let thread = std::thread::current();
    thread.name().map_or_else(|| format!("{:?}", thread.id()).into(), Arc::from)
}

impl Drop for Name {
    /// The events of the thread share the name. If this thread freed it, it would have to acquire what the
    /// monitor's thread has released.
    fn drop(&mut self) {
        if let (Some(pipe), Some(name)) = (pipe(), self.0.take()) {
            pipe.send_end(name);
        }
    }
}
