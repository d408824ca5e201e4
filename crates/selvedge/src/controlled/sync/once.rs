//! As [`std::sync::Once`], and the part that [`OnceLock`](super::OnceLock) shares with it.
//!
//! Inside an exploration the beginning of an initialisation is one visible action, which is blocked while
//! another initialisation runs, and its end is another, so other threads can observe the state between them.
//! An initialisation that panics poisons as in `std`; an initialisation that is stopped at the end of a run
//! does not.

use crate::control::{Execution, ObjectKind, Pending, Persistence, Sync, Tag, exception};
use crate::controlled::current_for;
use selvedge_explore::{Action, Kind, ObjectId, Site};
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// As [`std::sync::Once`].
pub struct Once {
    control: OnceControl,
    inner: std::sync::Once,
}

/// As [`std::sync::OnceState`].
pub struct OnceState {
    /// In a cell, as in `std`, so that the type is not `Sync`.
    is_poisoned: Cell<bool>,
}

/// As [`std::sync::ONCE_INIT`].
#[deprecated(note = "the `Once::new()` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ONCE_INIT: Once = Once::new();

#[allow(clippy::new_without_default, reason = "`std`'s has no default either")]
impl Once {
    /// An initialisation that has not run.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new() -> Once {
        Once { control: OnceControl::new(), inner: std::sync::Once::new() }
    }

    /// Calls the function, unless an earlier call has completed. Waits while another call runs.
    ///
    /// # Panics
    /// If an earlier call panicked.
    #[track_caller]
    pub fn call_once<F>(&self, f: F)
    where
        F: FnOnce(),
    {
        match self.control.current() {
            None => self.inner.call_once(f),
            Some(execution) => self.call(execution, |run| self.inner.call_once(|| run(false)), |_| f()),
        }
    }

    /// As [`call_once`](Once::call_once), also if an earlier call panicked.
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        let inner = &self.inner;
        match self.control.current() {
            None => {
                inner.call_once_force(|state| f(&OnceState { is_poisoned: Cell::new(state.is_poisoned()) }));
            }
            Some(execution) => {
                self.call(execution, |run| inner.call_once_force(|state| run(state.is_poisoned())), f);
            }
        }
    }

    /// `once` is `std`'s implementation: it calls its argument with whether an earlier call panicked.
    #[track_caller]
    fn call(
        &self,
        execution: &Execution,
        once: impl FnOnce(&mut dyn FnMut(bool)),
        f: impl FnOnce(&OnceState),
    ) {
        let Some(initialisation) = self.control.begin(execution, self.inner.is_completed()) else { return };
        let mut stopped = None;
        let mut f = Some(f);
        once(&mut |is_poisoned| {
            let f = f.take().expect("`std` calls it once");
            match initialisation.run(|| f(&OnceState { is_poisoned: Cell::new(is_poisoned) })) {
                Ok(()) => {}
                Err(payload) if exception::is_stop(&*payload) => stopped = Some(payload),
                Err(payload) => resume_unwind(payload),
            }
        });
        if let Some(payload) = stopped {
            resume_unwind(payload);
        }
    }

    /// Has a call completed?
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if let Some(execution) = self.control.current() {
            self.control.announce_is_complete(execution, || self.inner.is_completed());
        }
        self.inner.is_completed()
    }

    /// Waits until a call has completed.
    ///
    /// # Panics
    /// If a call panicked.
    #[track_caller]
    pub fn wait(&self) {
        match self.control.current() {
            Some(execution) => {
                self.control.wait(execution, self.inner.is_completed(), OnceControl::UNTIL_ATTEMPTED);
                assert!(self.inner.is_completed(), "Once instance has previously been poisoned");
            }
            None => self.inner.wait(),
        }
    }

    /// Waits until a call has completed, also if an earlier call panicked.
    #[track_caller]
    pub fn wait_force(&self) {
        match self.control.current() {
            Some(execution) => {
                self.control.wait(execution, self.inner.is_completed(), OnceControl::UNTIL_COMPLETE);
            }
            None => self.inner.wait_force(),
        }
    }
}

impl OnceState {
    /// Has an earlier call panicked?
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

/// The controlled side of an initialisation.
pub(super) struct OnceControl {
    tag: Tag,
    /// Has a run begun the initialisation? Then the next run would not find it as new.
    was_begun: AtomicBool,
}

/// An initialisation that the running thread has begun. No other thread can begin one before it ends.
pub(super) struct Initialisation<'a> {
    control: &'a OnceControl,
    execution: &'a Execution,
    object: ObjectId,
    site: Site,
}

type Payload = Box<dyn Any + Send>;

impl OnceControl {
    /// For [`OnceControl::wait`]: a failed initialisation ends the wait, too.
    const UNTIL_ATTEMPTED: u64 = 0;
    /// For [`OnceControl::wait`]: no failed initialisation ends the wait.
    pub(super) const UNTIL_COMPLETE: u64 = u64::MAX;

    #[track_caller]
    pub(super) const fn new() -> OnceControl {
        OnceControl { tag: Tag::new(), was_begun: AtomicBool::new(false) }
    }

    /// See [`Tag::current`].
    #[inline]
    #[track_caller]
    pub(super) fn current<'e>(&self) -> Option<&'e Execution> {
        current_for(&self.tag, self.persistence())
    }

    fn persistence(&self) -> Persistence {
        // An initialisation that completed before the exploration is the same in all runs.
        if self.was_begun.load(Ordering::Relaxed) { Persistence::KeepsState } else { Persistence::Stateless }
    }

    fn object(&self, execution: &Execution, is_complete: bool) -> ObjectId {
        let first = || Sync::first(ObjectKind::Once);
        let object = execution.object(&self.tag, ObjectKind::Once, self.persistence(), first);
        execution.with_sync(object, |sync, _| {
            if let Sync::Once(once) = sync {
                once.is_complete = is_complete;
            }
        });
        object
    }

    /// Announces a read of whether the initialisation is complete.
    #[track_caller]
    pub(super) fn announce_is_complete(&self, execution: &Execution, is_complete: impl Fn() -> bool) {
        let object = self.object(execution, is_complete());
        execution.visible(Pending::here(Action::on(Kind::IsComplete, object)));
        if is_complete() {
            execution.acquire(object);
        }
    }

    /// Waits until the initialisation is complete, or has failed more often than `failures`.
    #[track_caller]
    pub(super) fn wait(&self, execution: &Execution, is_complete: bool, failures: u64) {
        let object = self.object(execution, is_complete);
        let wait = Pending::here(Action::on(Kind::Await, object));
        execution.visible(Pending { since: failures, ..wait });
        execution.acquire(object);
    }

    /// Waits until no initialisation runs. Returns `None` if the initialisation is complete then.
    #[track_caller]
    pub(super) fn begin<'a>(
        &'a self,
        execution: &'a Execution,
        is_complete: bool,
    ) -> Option<Initialisation<'a>> {
        let object = self.object(execution, is_complete);
        execution.visible(Pending::here(Action::on(Kind::Begin, object)));
        execution.acquire(object);
        if execution.with_sync(object, |sync, _| matches!(sync, Sync::Once(once) if once.is_complete)) {
            execution.read_only();
            return None;
        }
        Some(Initialisation { control: self, execution, object, site: Site::Rust(Location::caller()) })
    }
}

impl Initialisation<'_> {
    /// Runs the function. The end of the initialisation is the last step before this returns.
    pub(super) fn run<R>(&self, function: impl FnOnce() -> R) -> Result<R, Payload> {
        self.control.was_begun.store(true, Ordering::Relaxed);
        self.execution.with_sync(self.object, |sync, thread| {
            if let Sync::Once(once) = sync {
                once.running = Some(thread);
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

    /// Completes the initialisation in the same step that has begun it.
    pub(super) fn complete_at_once(&self) {
        self.control.was_begun.store(true, Ordering::Relaxed);
        self.end(Kind::Complete);
    }

    fn end(&self, kind: Kind) {
        self.execution.release(self.object);
        self.execution.with_sync(self.object, |sync, _| {
            if let Sync::Once(once) = sync {
                once.end(kind == Kind::Complete);
            }
        });
    }
}
