//! Where the changes go: a monitor, or a function of the user. Facts of several spans are counted.
//!
//! Promise: a fact is set when the first span with it is entered and released when the last one is left, in
//! the order in which that happens on all threads.

use rustc_hash::FxHashMap;
use selvedge_monitor::{Fact, Monitor};
use std::cell::{Cell, LazyCell};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a proposition changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It holds from now on.
    Set,
    /// It does not hold any more.
    Release,
    /// It holds in one state.
    Pulse,
}

type Function = dyn Fn(Change, &Fact) + Send + Sync;

/// Where the changes go.
pub(crate) struct Sink {
    function: Box<Function>,
    counts: Mutex<FxHashMap<Fact, usize>>,
}

thread_local! {
    /// Is this thread inside of the function, so that it handles a violation?
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The name of the thread in paths.
    static NAME: LazyCell<Arc<str>> = LazyCell::new(|| {
        let thread = std::thread::current();
        thread.name().map_or_else(|| format!("{:?}", thread.id()).into(), Arc::from)
    });
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}

impl Sink {
    pub(crate) fn new(function: impl Fn(Change, &Fact) + Send + Sync + 'static) -> Sink {
        Sink { function: Box::new(function), counts: Mutex::default() }
    }

    /// A monitor that all threads share. The path names the thread that makes a change.
    pub(crate) fn of(monitor: Arc<Mutex<Monitor<Fact>>>) -> Sink {
        Sink::new(move |change, fact| {
            let mut monitor = monitor.lock().unwrap_or_else(PoisonError::into_inner);
            match change {
                Change::Set | Change::Pulse => monitor.set(fact),
                Change::Release => monitor.release(fact),
            }
            // A violation may panic: what follows is done in any case.
            let releases = Releases(&mut monitor, (change == Change::Pulse).then_some(fact));
            NAME.with(|name| releases.0.step_by(name));
        })
    }

    /// Makes changes in one piece; `None` if the thread handles a violation.
    pub(crate) fn lock(&self) -> Option<Changes<'_>> {
        if IS_INSIDE.get() {
            return None;
        }
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Changes { sink: self, counts })
    }
}

/// Changes that no change of another thread separates.
pub(crate) struct Changes<'s> {
    sink: &'s Sink,
    counts: MutexGuard<'s, FxHashMap<Fact, usize>>,
}

impl Changes<'_> {
    /// So many more spans with this fact are entered.
    pub(crate) fn enter(&mut self, fact: &Fact, times: usize) {
        let count = self.counts.entry(fact.clone()).or_insert(0);
        *count += times;
        if *count == times && times > 0 {
            self.call(Change::Set, fact);
        }
    }

    /// So many spans with this fact are left.
    pub(crate) fn leave(&mut self, fact: &Fact, times: usize) {
        let Some(count) = self.counts.get_mut(fact) else { return };
        *count = count.saturating_sub(times);
        if *count == 0 {
            self.counts.remove(fact);
            self.call(Change::Release, fact);
        }
    }

    /// An event with this fact.
    pub(crate) fn pulse(&mut self, fact: &Fact) {
        if !self.counts.contains_key(fact) {
            self.call(Change::Pulse, fact);
        }
    }

    fn call(&self, change: Change, fact: &Fact) {
        let _leaves = Leaves;
        IS_INSIDE.set(true);
        (self.sink.function)(change, fact);
    }
}

/// Releases the proposition of an event after its state, also if a violation panics.
struct Releases<'m>(&'m mut Monitor<Fact>, Option<&'m Fact>);

impl Drop for Releases<'_> {
    fn drop(&mut self) {
        if let Some(fact) = self.1 {
            self.0.release(fact);
        }
    }
}

/// The thread leaves the function, also if a violation panics.
struct Leaves;

impl Drop for Leaves {
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}
