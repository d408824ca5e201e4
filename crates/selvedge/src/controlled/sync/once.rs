//! As [`std::sync::Once`], and what [`OnceLock`](super::OnceLock) shares with it.
//!
//! Beginning is one action, which waits while somebody else is at it; the end is another, so that others can look or wait
//! between. What fails by a panic is poisoned as in std; what is stopped at the end of a run is not.

use crate::control::{Carries, Execution, Pending, Sort, Sync, Tag, exception};
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// As [`std::sync::Once`].
pub struct Once {
    gate: Gate,
    inner: std::sync::Once,
}

/// As [`std::sync::OnceState`].
pub struct OnceState {
    /// In a cell, as in std, so that it cannot be shared between threads.
    is_poisoned: Cell<bool>,
}

/// As [`std::sync::ONCE_INIT`].
#[deprecated(note = "the `Once::new()` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ONCE_INIT: Once = Once::new();

#[allow(clippy::new_without_default)] // std's has none
impl Once {
    /// Nothing has happened yet.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new() -> Once {
        Once { gate: Gate::new(), inner: std::sync::Once::new() }
    }

    /// Calls the function, unless one was called before; waits while somebody else's is running.
    ///
    /// # Panics
    /// If an earlier one panicked.
    #[track_caller]
    pub fn call_once<F>(&self, f: F)
    where
        F: FnOnce(),
    {
        match self.gate.current() {
            None => self.inner.call_once(f),
            Some(execution) => self.call(execution, |run| self.inner.call_once(|| run(false)), |_| f()),
        }
    }

    /// The same, also if an earlier one panicked.
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        let inner = &self.inner;
        match self.gate.current() {
            None => {
                inner.call_once_force(|state| f(&OnceState { is_poisoned: Cell::new(state.is_poisoned()) }));
            }
            Some(execution) => {
                self.call(execution, |run| inner.call_once_force(|state| run(state.is_poisoned())), f);
            }
        }
    }

    /// `once` is std's way to do it: calls its argument, saying whether an earlier call panicked.
    #[track_caller]
    fn call(
        &self,
        execution: &Execution,
        once: impl FnOnce(&mut dyn FnMut(bool)),
        f: impl FnOnce(&OnceState),
    ) {
        let Some(turn) = self.gate.begin(execution, self.inner.is_completed()) else { return };
        let mut stopped = None;
        let mut f = Some(f);
        once(&mut |is_poisoned| {
            let f = f.take().expect("std calls it once");
            match turn.run(|| f(&OnceState { is_poisoned: Cell::new(is_poisoned) })) {
                Ok(()) => {}
                Err(payload) if exception::is_stop(&*payload) => stopped = Some(payload),
                Err(payload) => resume_unwind(payload),
            }
        });
        if let Some(payload) = stopped {
            resume_unwind(payload);
        }
    }

    /// Has it happened?
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if let Some(execution) = self.gate.current() {
            self.gate.look(execution, || self.inner.is_completed());
        }
        self.inner.is_completed()
    }

    /// Waits until it has happened.
    ///
    /// # Panics
    /// If a call panicked.
    #[track_caller]
    pub fn wait(&self) {
        match self.gate.current() {
            Some(execution) => {
                self.gate.wait(execution, self.inner.is_completed(), Gate::OR_FAILS);
                assert!(self.inner.is_completed(), "Once instance has previously been poisoned");
            }
            None => self.inner.wait(),
        }
    }

    /// Waits until it has happened, also if a call panicked.
    #[track_caller]
    pub fn wait_force(&self) {
        match self.gate.current() {
            Some(execution) => self.gate.wait(execution, self.inner.is_completed(), Gate::WHATEVER_FAILS),
            None => self.inner.wait_force(),
        }
    }
}

impl OnceState {
    /// Did an earlier call panic?
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned.get()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState").field("poisoned", &self.is_poisoned()).finish()
    }
}

/// What the execution knows of something that happens once.
pub(super) struct Gate {
    tag: Tag,
    /// Did a run begin it? Then it is not as good as new for the next run.
    was_begun: AtomicBool,
}

/// The right to do what happens once.
pub(super) struct Handoff<'a> {
    gate: &'a Gate,
    execution: &'a Execution,
    object: ObjectId,
    site: Site,
}

type Payload = Box<dyn Any + Send>;

impl Gate {
    /// For [`Gate::wait`]: a failure ends the wait too.
    const OR_FAILS: u64 = 0;
    /// For [`Gate::wait`]: no failure ends the wait.
    pub(super) const WHATEVER_FAILS: u64 = u64::MAX;

    #[track_caller]
    pub(super) const fn new() -> Gate {
        Gate { tag: Tag::new(), was_begun: AtomicBool::new(false) }
    }

    /// See [`Tag::current`].
    #[inline]
    #[track_caller]
    pub(super) fn current<'e>(&self) -> Option<&'e Execution> {
        self.tag.current(self.carries())
    }

    fn carries(&self) -> Carries {
        // What was there before all runs is the same in all of them.
        if self.was_begun.load(Ordering::Relaxed) { Carries::State } else { Carries::Nothing }
    }

    fn object(&self, execution: &Execution, is_complete: bool) -> ObjectId {
        let first = || Sync::first(Sort::Once);
        let object = execution.object(&self.tag, Sort::Once, self.carries(), first);
        execution.with_sync(object, |sync, _| {
            if let Sync::Once { is_complete: known, .. } = sync {
                *known = is_complete;
            }
        });
        object
    }

    /// Announces a look whether it has happened.
    #[track_caller]
    pub(super) fn look(&self, execution: &Execution, is_complete: impl Fn() -> bool) {
        let object = self.object(execution, is_complete());
        execution.visible(Pending::here(Action::on(Kind::IsComplete, object)));
        if is_complete() {
            execution.acquire(object);
        }
    }

    /// Waits until it has happened, or failed more often than `since`.
    #[track_caller]
    pub(super) fn wait(&self, execution: &Execution, is_complete: bool, since: u64) {
        let object = self.object(execution, is_complete);
        let wait = Pending::here(Action::on(Kind::Await, object));
        execution.visible(Pending { since, ..wait });
        execution.acquire(object);
    }

    /// Waits until nobody is at it. Nothing, if it has happened then.
    #[track_caller]
    pub(super) fn begin<'a>(&'a self, execution: &'a Execution, is_complete: bool) -> Option<Handoff<'a>> {
        let object = self.object(execution, is_complete);
        execution.visible(Pending::here(Action::on(Kind::Begin, object)));
        execution.acquire(object);
        if execution.with_sync(object, |sync, _| matches!(sync, Sync::Once { is_complete: true, .. })) {
            execution.read_only();
            return None;
        }
        Some(Handoff { gate: self, execution, object, site: Site::Rust(Location::caller()) })
    }
}

impl Handoff<'_> {
    /// Does it. When this returns, it has happened, and nobody else has taken a step since.
    pub(super) fn run<R>(&self, function: impl FnOnce() -> R) -> Result<R, Payload> {
        self.gate.was_begun.store(true, Ordering::Relaxed);
        self.execution.with_sync(self.object, |sync, thread| {
            if let Sync::Once { running, .. } = sync {
                *running = Some(thread);
            }
        });
        let result = catch_unwind(AssertUnwindSafe(function));
        let kind = match &result {
            Ok(_) => Kind::Complete,
            Err(payload) if exception::is_stop(&**payload) => {
                self.end(Kind::Abort);
                return result;
            }
            Err(_) => Kind::Abort,
        };
        let end = Pending::new(Action::on(kind, self.object), self.site);
        if let Err(stopped) = catch_unwind(AssertUnwindSafe(|| self.execution.visible(end))) {
            self.end(Kind::Abort);
            return Err(stopped);
        }
        self.end(kind);
        result
    }

    /// It happens in the action at hand.
    pub(super) fn run_at_once(&self) {
        self.gate.was_begun.store(true, Ordering::Relaxed);
        self.end(Kind::Complete);
    }

    fn end(&self, kind: Kind) {
        self.execution.release(self.object);
        self.execution.with_sync(self.object, |sync, _| {
            if let Sync::Once { running, is_complete, failures } = sync {
                *running = None;
                *is_complete = kind == Kind::Complete;
                *failures += u64::from(kind == Kind::Abort);
            }
        });
    }
}
