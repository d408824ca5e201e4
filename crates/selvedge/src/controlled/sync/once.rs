//! As [`std::sync::Once`], and the part that [`OnceLock`](super::OnceLock) shares with it.
//!
//! Inside an exploration the beginning of an initialisation is one visible action, which is blocked while
//! another initialisation runs, and its end is another, so other threads can observe the state between them.
//! An initialisation that panics poisons as in `std`; an initialisation that is stopped at the end of a run
//! does not.
//!
//! A `static` is initialised anew in each run, unless it was initialised outside before the exploration used
//! it: then all runs find it complete. (The function of a `LazyLock` is called anew in any case.) All state
//! of a `static` that a run initialises anew is in the run.

use crate::control::{Execution, ObjectKind, Pending, Persistence, Sync, Tag, exception, object};
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
            Some(execution) => self.call(execution, Poisoned::Refused, |_| f()),
        }
    }

    /// As [`call_once`](Once::call_once), also if an earlier call panicked.
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        match self.control.current() {
            None => {
                let state = |state: &std::sync::OnceState| OnceState::new(state.is_poisoned());
                self.inner.call_once_force(|inner| f(&state(inner)));
            }
            Some(execution) => self.call(execution, Poisoned::Permitted, f),
        }
    }

    #[track_caller]
    fn call(&self, execution: &Execution, poisoned: Poisoned, f: impl FnOnce(&OnceState)) {
        let Some(initialisation) = self.begin(execution) else { return };
        let mut stopped = None;
        let mut f = Some(f);
        self.once(execution, poisoned, &mut |is_poisoned| {
            let f = f.take().expect("`std` calls it once");
            match initialisation.run(|| f(&OnceState::new(is_poisoned))) {
                Ok(()) => {}
                Err(payload) if exception::is_stop(&*payload) => stopped = Some(payload),
                Err(payload) => resume_unwind(payload),
            }
        });
        if let Some(payload) = stopped {
            resume_unwind(payload);
        }
    }

    /// Calls the function with whether an earlier call panicked, as `std` does.
    fn once(&self, execution: &Execution, poisoned: Poisoned, call: &mut dyn FnMut(bool)) {
        if self.control.is_anew(execution) {
            let is_poisoned = self.control.has_failed(execution);
            assert!(!is_poisoned || poisoned == Poisoned::Permitted, "{POISONED}");
            return call(is_poisoned);
        }
        match poisoned {
            Poisoned::Refused => self.inner.call_once(|| call(false)),
            Poisoned::Permitted => self.inner.call_once_force(|state| call(state.is_poisoned())),
        }
    }

    #[track_caller]
    fn begin<'a>(&'a self, execution: &'a Execution) -> Option<Initialisation<'a>> {
        self.control.begin(execution, Renewal::UnlessInitialised, self.inner.is_completed())
    }

    /// Has a call completed?
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        match self.control.current() {
            Some(execution) => {
                let is_completed = || self.inner.is_completed();
                self.control.announce_is_complete(execution, Renewal::UnlessInitialised, is_completed)
            }
            None => self.inner.is_completed(),
        }
    }

    /// Waits until a call has completed.
    ///
    /// # Panics
    /// If a call panicked.
    #[track_caller]
    pub fn wait(&self) {
        match self.control.current() {
            Some(execution) => {
                let is_complete = self.wait_until(execution, OnceControl::UNTIL_ATTEMPTED);
                assert!(is_complete, "{POISONED}");
            }
            None => self.inner.wait(),
        }
    }

    /// Waits until a call has completed, also if an earlier call panicked.
    #[track_caller]
    pub fn wait_force(&self) {
        match self.control.current() {
            Some(execution) => _ = self.wait_until(execution, OnceControl::UNTIL_COMPLETE),
            None => self.inner.wait_force(),
        }
    }

    #[track_caller]
    fn wait_until(&self, execution: &Execution, failures: u64) -> bool {
        self.control.wait(execution, Renewal::UnlessInitialised, self.inner.is_completed(), failures)
    }
}

const POISONED: &str = "Once instance has previously been poisoned";

/// What if an earlier call panicked?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Poisoned {
    Refused,
    Permitted,
}

impl OnceState {
    fn new(is_poisoned: bool) -> OnceState {
        OnceState { is_poisoned: Cell::new(is_poisoned) }
    }

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

/// Can a run have the value of a `static` anew?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renewal {
    /// It can, but does not if the `static` was initialised outside before the exploration used it: a run
    /// could not make that value.
    UnlessInitialised,
    /// It can always: it knows how the value is made.
    Always,
    /// The function that makes the value can be called once only.
    Never,
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

    /// The object in the run. `is_complete` says whether the initialisation is complete outside of the run,
    /// or in a run that does not have it anew.
    fn object(&self, execution: &Execution, renewal: Renewal, is_complete: bool) -> ObjectId {
        if let Some(object) = execution.known(&self.tag).filter(|_| self.tag.is_renewed()) {
            return object;
        }
        let first = || Sync::first(ObjectKind::Once);
        let persistence = match renewal {
            Renewal::Never => self.persistence(),
            _ if self.tag.is_renewed() || self.tag.is_unused() && self.tag.is_static() => Persistence::InRun,
            _ => self.persistence(),
        };
        let object = execution.object(&self.tag, ObjectKind::Once, persistence, first);
        let is_complete = match renewal {
            Renewal::Always if self.tag.is_renewed() => false,
            Renewal::UnlessInitialised if self.tag.is_renewed() => {
                execution.outside_values.had_value(&self.tag, is_complete)
            }
            _ => is_complete,
        };
        execution.with_sync(object, |sync, _| {
            if let Sync::Once(once) = sync {
                once.is_complete = is_complete;
                once.was_complete = is_complete;
            }
        });
        object
    }

    /// Is this a `static` whose initialisation the run has anew?
    pub(super) fn is_anew(&self, execution: &Execution) -> bool {
        self.tag.is_renewed() && self.state(execution).is_some_and(|once| !once.was_complete)
    }

    /// Has the last initialisation in this run failed?
    pub(super) fn has_failed(&self, execution: &Execution) -> bool {
        self.state(execution).is_some_and(|once| once.failures > 0 && !once.is_complete)
    }

    /// The object in the run, if the run has used it.
    pub(super) fn known(&self, execution: &Execution) -> Option<ObjectId> {
        execution.known(&self.tag)
    }

    fn state(&self, execution: &Execution) -> Option<object::OnceState> {
        let object = self.known(execution)?;
        execution.with_sync(object, |sync, _| match sync {
            Sync::Once(once) => Some(*once),
            _ => None,
        })
    }

    /// Announces a read of whether the initialisation is complete, and returns that.
    #[track_caller]
    pub(super) fn announce_is_complete(
        &self,
        execution: &Execution,
        renewal: Renewal,
        is_complete: impl Fn() -> bool,
    ) -> bool {
        let object = self.object(execution, renewal, is_complete());
        execution.visible(Pending::here(Action::on(Kind::IsComplete, object)));
        let is_complete = match self.tag.is_renewed() {
            true => self.state(execution).is_some_and(|once| once.is_complete),
            false => is_complete(),
        };
        if is_complete {
            execution.acquire(object);
        }
        is_complete
    }

    /// Waits until the initialisation is complete, or has failed more often than `failures`. Returns whether
    /// it is complete.
    #[track_caller]
    pub(super) fn wait(
        &self,
        execution: &Execution,
        renewal: Renewal,
        is_complete: bool,
        failures: u64,
    ) -> bool {
        let object = self.object(execution, renewal, is_complete);
        let wait = Pending::here(Action::on(Kind::Await, object));
        execution.visible(Pending { since: failures, ..wait });
        execution.acquire(object);
        self.state(execution).is_some_and(|once| once.is_complete)
    }

    /// Waits until no initialisation runs. Returns `None` if the initialisation is complete then.
    #[track_caller]
    pub(super) fn begin<'a>(
        &'a self,
        execution: &'a Execution,
        renewal: Renewal,
        is_complete: bool,
    ) -> Option<Initialisation<'a>> {
        let object = self.object(execution, renewal, is_complete);
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
        self.note_begin();
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
        self.note_begin();
        self.end(Kind::Complete);
    }

    fn note_begin(&self) {
        if !self.control.tag.is_renewed() {
            self.control.was_begun.store(true, Ordering::Relaxed);
        }
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
