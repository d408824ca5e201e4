//! A reference to an immutable value that threads replace as a whole: controlled inside an exploration,
//! [`production::AtomicRef`] outside.
//!
//! Walker's thesis, Figure 5. To the execution this is an atomic of version numbers: store
//! buffers, commits and exchanges work with these numbers, and this file maps them to values. The number of
//! a version consists of the thread that created it and of the count of versions that this thread had
//! created before. So it does not depend on the order of the steps of other threads.
//!
//! Promise: each operation is one visible action. An exchange with a ticket succeeds if the ticket's version
//! is in memory after the store buffer of the thread is drained. An operation that replaces a version drops
//! it. A version that a *commit* replaced is dropped by the next `swap`, `modify` or `compare_exchange`, or
//! with the reference: a commit is no step of a program thread, so it cannot run a destructor.

mod versions;

pub use versions::Ticket;

use super::ObjectInRun;
use crate::control::memory::{AtomicState, Promises, View};
use crate::control::{AT_ONCE, ObjectKind, Pending, Persistence, Stop, Sync, Tag};
use crate::controlled::current_for;
use crate::production::atomic_ref as production;
use selvedge_explore::{Action, Kind, ThreadId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, PoisonError};
use versions::{INITIAL, Versions};

/// A reference to an immutable value. Any thread can replace the value at any time; a read never waits.
///
/// [`load`](AtomicRef::load) returns an [`Arc`] of the current version, so the type needs no `Clone`; the
/// version does not change when a thread replaces the value. [`store`](AtomicRef::store) and
/// [`swap`](AtomicRef::swap) replace the value unconditionally, [`modify`](AtomicRef::modify) and
/// [`compare_exchange`](AtomicRef::compare_exchange) depending on the current one.
///
/// Outside of explorations every operation is visible to all threads at once, and the operations on all
/// references have one total order. Inside an exploration a plain `store` is weaker: under the memory models
/// [`Tso`](crate::MemoryModel::Tso) and [`Pso`](crate::MemoryModel::Pso) it goes to the store buffer of its
/// thread, like a `Relaxed` store to an atomic. `load` and `ticket` read the thread's own buffer first; all
/// other operations drain it. A value that such a store replaced is dropped by the next operation that
/// drains, or with the reference. If its destructor matters to other threads, use [`swap`](AtomicRef::swap).
/// For data races, everything that a thread did before a store happens before everything that follows a read
/// of the stored value.
///
/// ```
/// use selvedge::sync::AtomicRef;
///
/// let words = AtomicRef::new(vec!["one"]);
/// let before = words.load();
/// let count = words.modify(|words| ([&words[..], &["two"]].concat(), words.len()));
/// assert_eq!((count, before.len(), words.load().len()), (1, 1, 2));
///
/// let ticket = words.ticket();
/// words.store(vec![]);
/// let newer = words.compare_exchange(&ticket, vec!["three"]).unwrap_err();
/// assert!(newer.is_empty());
/// assert!(words.compare_exchange(&newer, vec!["three"]).is_ok());
/// ```
pub struct AtomicRef<T> {
    tag: Tag,
    /// The version in memory at the last access. A later commit is applied at the next access.
    inner: production::AtomicRef<T>,
    versions: Mutex<Versions<T>>,
}

impl<T> AtomicRef<T> {
    /// A reference to this value.
    #[must_use]
    #[track_caller]
    pub fn new(value: T) -> AtomicRef<T> {
        AtomicRef {
            tag: Tag::new(),
            inner: production::AtomicRef::new(value),
            versions: Mutex::new(Versions::new()),
        }
    }

    /// The value.
    #[track_caller]
    pub fn load(&self) -> Arc<T> {
        match self.announce_load() {
            Some((_, _, value)) => value,
            None => self.inner.load(),
        }
    }

    /// Replaces the value.
    #[track_caller]
    pub fn store(&self, value: T) {
        let Some((access, is_buffered)) = self.announce_store() else { return self.inner.store(value) };
        let value = Arc::new(value);
        self.apply_commit(access, None);
        if is_buffered {
            let (number, in_memory) = self.with_versions(|versions| {
                let number = versions.next_number(running(access));
                versions.by_number.insert(number, value);
                (number, versions.in_memory)
            });
            access.execution.buffer_with(access.object, number, in_memory, Promises::Release);
            return;
        }
        drop(self.replace(access, value, false));
    }

    /// Replaces the value, and returns the old one.
    #[track_caller]
    pub fn swap(&self, value: T) -> Arc<T> {
        let Some(access) = self.announce(Kind::Update, None) else { return self.inner.swap(value) };
        let (_, before) = self.apply_commit(access, None);
        drop(self.replace(access, Arc::new(value), true));
        before
    }

    /// Replaces the value atomically: the function gets the current value and returns the new one and a
    /// result.
    ///
    /// Outside of explorations the function runs again if another thread replaces the value meanwhile, so it
    /// should only compute. Inside an exploration it must only compute: a run in which it performs a visible
    /// action is refused.
    #[track_caller]
    pub fn modify<R>(&self, mut function: impl FnMut(&T) -> (T, R)) -> R {
        let Some(access) = self.announce(Kind::Update, None) else { return self.inner.modify(function) };
        let (_, before) = self.apply_commit(access, None);
        let (value, result) = {
            let _modification = Modification::begin(self);
            function(&before)
        };
        if !is_last_announced(access, Kind::Update) {
            access.execution.end_run(Stop::Refused(IMPURE.to_owned()));
        }
        drop(self.replace(access, Arc::new(value), true));
        result
    }

    /// The current version, as a ticket for [`compare_exchange`](AtomicRef::compare_exchange).
    #[track_caller]
    pub fn ticket(&self) -> Ticket<T> {
        match self.announce_load() {
            Some((access, number, value)) => Ticket::in_run(access, number, value),
            None => Ticket::outside_of_run(self.inner.ticket()),
        }
    }

    /// Replaces the value, if the current version is still that of the ticket; an equal value is not enough.
    /// Returns a ticket of the new version.
    ///
    /// # Errors
    /// A ticket of the current version, if the value was replaced since the ticket was taken. `value` is
    /// dropped.
    #[track_caller]
    pub fn compare_exchange(&self, ticket: &Ticket<T>, value: T) -> Result<Ticket<T>, Ticket<T>> {
        let Some(access) = self.announce(Kind::Update, Some(ticket)) else {
            let result = self.inner.compare_exchange(&ticket.inner, value);
            return result.map(Ticket::outside_of_run).map_err(Ticket::outside_of_run);
        };
        let (number, current) = self.apply_commit(access, None);
        if ticket.number_in(access) != number {
            access.execution.failed_exchange(ticket.number_in(access), 0);
            access.execution.loaded(access.object, Acquire);
            return Err(Ticket::in_run(access, number, current));
        }
        let value = Arc::new(value);
        drop(self.replace(access, value.clone(), true));
        Ok(Ticket::in_run(access, self.with_versions(|versions| versions.in_memory), value))
    }

    /// The same as [`modify`](AtomicRef::modify). Outside of explorations both are loops of
    /// [`ticket`](AtomicRef::ticket) and [`compare_exchange`](AtomicRef::compare_exchange); inside an
    /// exploration both are one action. The thesis has both, because they differ in a lazy language.
    #[track_caller]
    pub fn modify_cas<R>(&self, function: impl FnMut(&T) -> (T, R)) -> R {
        self.modify(function)
    }

    /// Consumes the reference, and returns the value. Inside an exploration this drains the thread's store
    /// buffer.
    #[track_caller]
    pub fn into_inner(self) -> Arc<T> {
        let committed = super::atomic::drain_and_take_committed(&self.tag);
        let version = committed.and_then(|number| self.version(number));
        version.unwrap_or_else(|| self.inner.load())
    }

    /// Announces a load. Returns the version that the thread sees.
    #[track_caller]
    fn announce_load<'e>(&self) -> Option<(ObjectInRun<'e>, u64, Arc<T>)> {
        let access = self.announce(Kind::Load, None)?;
        let ObjectInRun { execution, object } = access;
        let view = if execution.has_buffers() { execution.view(object) } else { View::Itself };
        let (number, value) = match view {
            View::Own(number) => {
                let value = self.with_versions(|versions| versions.by_number[&number].clone());
                return Some((access, number, value));
            }
            View::News(number) => self.apply_commit(access, Some(number)),
            View::Itself => self.apply_commit(access, None),
        };
        execution.loaded(object, Acquire);
        Some((access, number, value))
    }

    /// Announces an action, and returns when it is chosen. `None` outside of explorations.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind, ticket: Option<&Ticket<T>>) -> Option<ObjectInRun<'e>> {
        let access = self.in_current_run()?;
        let expected = ticket.map(|ticket| ticket.number_in(access));
        access.execution.visible(Pending::here(Action { expected, ..Action::on(kind, access.object) }));
        self.refuse_inside_modify(access);
        Some(access)
    }

    /// Announces a store. Returns also whether it goes to the thread's store buffer.
    #[track_caller]
    fn announce_store<'e>(&self) -> Option<(ObjectInRun<'e>, bool)> {
        let access = self.in_current_run()?;
        let is_buffered = access.execution.has_buffers();
        let action = Action { is_buffered, ..Action::on(Kind::Store, access.object) };
        let alternative = access.execution.visible(Pending::here(action));
        self.refuse_inside_modify(access);
        Some((access, is_buffered && alternative != AT_ONCE))
    }

    fn in_current_run<'e>(&self) -> Option<ObjectInRun<'e>> {
        let execution = current_for(&self.tag, Persistence::KeepsState)?;
        let first = || Sync::Atomic(AtomicState::default());
        Some(ObjectInRun {
            execution,
            object: execution.object(&self.tag, ObjectKind::Ref, Persistence::KeepsState, first),
        })
    }

    fn refuse_inside_modify(&self, access: ObjectInRun<'_>) {
        if self.with_versions(|versions| versions.is_being_modified) {
            access.execution.end_run(Stop::Refused(IMPURE.to_owned()));
        }
    }

    fn with_versions<R>(&self, work: impl FnOnce(&mut Versions<T>) -> R) -> R {
        work(&mut self.versions.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn version(&self, number: u64) -> Option<Arc<T>> {
        self.with_versions(|versions| versions.by_number.get(&number).cloned())
    }

    /// Applies the last commit since the last access to `inner`, reports the version in memory to the
    /// execution, and returns it. `committed` is the committed version, if the caller knows it already.
    fn apply_commit(&self, access: ObjectInRun<'_>, committed: Option<u64>) -> (u64, Arc<T>) {
        let committed = committed.or_else(|| match access.execution.has_buffers() {
            true => access.execution.take_committed(access.object),
            false => None,
        });
        let (number, value) = self.with_versions(|versions| {
            if versions.by_number.is_empty() {
                versions.by_number.insert(INITIAL, self.inner.load());
            }
            versions.in_memory = committed.unwrap_or(versions.in_memory);
            (versions.in_memory, versions.by_number[&versions.in_memory].clone())
        });
        if committed.is_some() {
            // This drops no value: `by_number` contains the replaced version, too.
            self.inner.swap_version(value.clone());
        }
        access.execution.observe(number);
        (number, value)
    }

    /// Writes a new version to memory. Returns the versions that no thread can read any more: the caller
    /// drops them after the step, because that runs code of the program.
    fn replace(&self, access: ObjectInRun<'_>, value: Arc<T>, is_update: bool) -> BTreeMap<u64, Arc<T>> {
        let ObjectInRun { execution, object } = access;
        if is_update {
            execution.loaded(object, Acquire);
        }
        execution.stored(object, Release, is_update);
        self.inner.swap_version(value.clone());
        let (number, unreachable) = self.with_versions(|versions| {
            let number = versions.next_number(running(access));
            versions.in_memory = number;
            let is_buffered = |version: &u64| execution.is_buffered(object, *version);
            let unreachable = versions.by_number.extract_if(.., |version, _| !is_buffered(version)).collect();
            versions.by_number.insert(number, value);
            (number, unreachable)
        });
        execution.write_through(object, number);
        unreachable
    }
}

/// Why a run is refused.
const IMPURE: &str = "the function that is given to `modify` of an AtomicRef must only compute: it did something that other \
     threads can notice, or that others could come between; do that before or after";

/// While the function passed to `modify` runs.
struct Modification<'r, T>(&'r AtomicRef<T>);

impl<T> Modification<'_, T> {
    fn begin(reference: &AtomicRef<T>) -> Modification<'_, T> {
        reference.with_versions(|versions| versions.is_being_modified = true);
        Modification(reference)
    }
}

impl<T> Drop for Modification<'_, T> {
    fn drop(&mut self) {
        self.0.with_versions(|versions| versions.is_being_modified = false);
    }
}

fn running(access: ObjectInRun<'_>) -> ThreadId {
    access.execution.state.borrow().running
}

/// Is this action on this object still the last that the running thread has announced?
fn is_last_announced(access: ObjectInRun<'_>, kind: Kind) -> bool {
    let state = access.execution.state.borrow();
    let last = &state.threads[state.running].pending.action;
    (last.kind, last.object) == (kind, Some(access.object)) || std::thread::panicking()
}

impl<T: fmt::Debug> fmt::Debug for AtomicRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // No visible action: no program should depend on the output.
        let number = super::atomic::peek_in_run(&self.tag);
        let value = number.and_then(|number| self.version(number)).unwrap_or_else(|| self.inner.load());
        f.debug_tuple("AtomicRef").field(&value).finish()
    }
}

impl<T: Default> Default for AtomicRef<T> {
    #[track_caller]
    fn default() -> AtomicRef<T> {
        AtomicRef::new(T::default())
    }
}

impl<T> From<T> for AtomicRef<T> {
    #[track_caller]
    fn from(value: T) -> AtomicRef<T> {
        AtomicRef::new(value)
    }
}
