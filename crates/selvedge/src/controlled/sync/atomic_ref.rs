//! A reference to a value that is replaced whole, controlled inside of an exploration: [`production::AtomicRef`] outside.
//!
//! Walker's thesis, Figure 5. To the execution it is an atomic whose values are the numbers of versions: what goes through
//! buffers, what is committed and what an exchange looks for are such numbers; here are the values that they stand for. A
//! version's number is made of its thread's and of how many that thread made before, so that it does not depend on the
//! order of what others do.
//!
//! Promise: each operation is one visible action. A ticket is good as long as its version is in memory, or is its thread's own
//! store on the way there. A version is dropped by who replaces it; one that a *commit* replaced by the next one who swaps, modifies or
//! exchanges, or with the reference, because a commit is nobody's own step and cannot run a destructor.

use crate::control::memory::{Cell, Promises, View};
use crate::control::{AT_ONCE, Carries, Execution, Pending, Sort, Stop, Sync, Tag};
use crate::production::atomic_ref as production;
use selvedge_explore::{Action, Kind, ObjectId, ThreadId};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, PoisonError};

/// A reference to a value that is replaced whole, by any thread at any time, and read without waiting.
///
/// [`load`](AtomicRef::load) gives an [`Arc`]: a version that stays as it is while others replace it, and needs no `Clone`. What
/// replaces the value is [`store`](AtomicRef::store), or, depending on what is there, [`modify`](AtomicRef::modify)
/// and [`compare_exchange`](AtomicRef::compare_exchange).
///
/// Outside of explorations every operation is seen at once by all threads, and those on all references together have one
/// order. In explorations a plain `store` is weaker: under the models [`Tso`](crate::MemoryModel::Tso) and
/// [`Pso`](crate::MemoryModel::Pso) it goes to a buffer of its thread first, as a `Relaxed` store of an atomic does; `load`
/// and `ticket` look there first, all other operations wait until it is empty. A value that such a store replaced is dropped
/// when the next operation that waits so is done, or with the reference: where its destructor matters to other threads, use
/// [`swap`](AtomicRef::swap). Who reads what was stored sees all that its thread had done before, as far as data races go.
pub struct AtomicRef<T> {
    tag: Tag,
    /// What is in memory, as far as that was brought here.
    inner: production::AtomicRef<T>,
    versions: Mutex<Versions<T>>,
}

/// The versions of a reference in a run. Not locked across a visible action or code of the program's.
struct Versions<T> {
    /// By their numbers: what is in memory, in buffers, or was replaced and is not dropped yet. Empty before the first use.
    all: BTreeMap<u64, Arc<T>>,
    /// The number of the one that is in `inner`.
    memory: u64,
    /// How many each thread has made.
    made: Vec<u32>,
    /// Is a function at work that makes the next one of it?
    is_being_modified: bool,
}

/// The number of the version that is there first.
const FIRST: u64 = 0;

/// A number that no version has.
const NONE: u64 = u64::MAX;

/// The version of an [`AtomicRef`] that somebody has seen, for [`AtomicRef::compare_exchange`]. It is the value, too.
pub struct Ticket<T> {
    inner: production::Ticket<T>,
    /// In a run: which reference it is of, and the number of the version.
    seen: Option<(u64, ObjectId, u64)>,
}

/// A reference as it is found in a run, by a thread whose turn it is.
#[derive(Clone, Copy)]
struct Here<'e> {
    execution: &'e Execution,
    object: ObjectId,
}

impl<T> AtomicRef<T> {
    /// A reference to this value.
    #[must_use]
    #[track_caller]
    pub fn new(value: T) -> AtomicRef<T> {
        let versions =
            Versions { all: BTreeMap::new(), memory: FIRST, made: Vec::new(), is_being_modified: false };
        AtomicRef {
            tag: Tag::new(),
            inner: production::AtomicRef::new(value),
            versions: Mutex::new(versions),
        }
    }

    /// The value.
    #[track_caller]
    pub fn load(&self) -> Arc<T> {
        match self.look() {
            Some((_, _, value)) => value,
            None => self.inner.load(),
        }
    }

    /// Replaces the value.
    #[track_caller]
    pub fn store(&self, value: T) {
        let Some((here, is_buffered)) = self.announce_store() else { return self.inner.store(value) };
        let value = Arc::new(value);
        self.catch_up(here, None);
        if is_buffered {
            let (number, memory) = self.with(|versions| {
                let number = versions.next(here.running());
                versions.all.insert(number, value);
                (number, versions.memory)
            });
            here.execution.buffer_with(here.object, number, memory, Promises::Release);
            return;
        }
        drop(self.replace(here, value, false));
    }

    /// Replaces the value, and returns what it was.
    #[track_caller]
    pub fn swap(&self, value: T) -> Arc<T> {
        let Some(here) = self.announce(Kind::Update, None) else { return self.inner.swap(value) };
        let (_, found) = self.catch_up(here, None);
        drop(self.replace(here, Arc::new(value), true));
        found
    }

    /// Replaces the value by what the function makes of it, and returns what it gives beside; nobody comes between.
    ///
    /// Outside of explorations the function is called again where somebody did, so it should only compute. In an exploration
    /// it must: where it does something that other threads can notice, the run is refused.
    #[track_caller]
    pub fn modify<R>(&self, mut function: impl FnMut(&T) -> (T, R)) -> R {
        let Some(here) = self.announce(Kind::Update, None) else { return self.inner.modify(function) };
        let (_, found) = self.catch_up(here, None);
        let (value, result) = {
            let _modifies = Modifies::begin(self);
            function(&found)
        };
        if !here.is_at(Kind::Update) {
            here.execution.end_run(Stop::Refused(IMPURE.to_owned()));
        }
        drop(self.replace(here, Arc::new(value), true));
        result
    }

    /// The value, with the right to replace just this version of it.
    #[track_caller]
    pub fn ticket(&self) -> Ticket<T> {
        match self.look() {
            Some((here, number, value)) => here.ticket(number, value),
            None => Ticket { inner: self.inner.ticket(), seen: None },
        }
    }

    /// Replaces the value if it is still the version that the ticket is of; an equal value is not enough. Returns a ticket
    /// of the new version, or of the one that was found instead.
    ///
    /// # Errors
    /// If somebody replaced the value since the ticket was taken; the new one is dropped.
    #[track_caller]
    pub fn compare_exchange(&self, ticket: &Ticket<T>, value: T) -> Result<Ticket<T>, Ticket<T>> {
        let Some(here) = self.announce(Kind::Update, Some(ticket)) else {
            let result = self.inner.compare_exchange(&ticket.inner, value);
            let bare = |inner| Ticket { inner, seen: None };
            return result.map(bare).map_err(bare);
        };
        let (number, found) = self.catch_up(here, None);
        if here.expected(ticket) != number {
            here.execution.read_only();
            here.execution.loaded(here.object, Acquire);
            return Err(here.ticket(number, found));
        }
        let value = Arc::new(value);
        drop(self.replace(here, value.clone(), true));
        Ok(here.ticket(self.with(|versions| versions.memory), value))
    }

    /// As [`modify`](AtomicRef::modify). Outside of explorations both are loops of [`ticket`](AtomicRef::ticket) and
    /// [`compare_exchange`](AtomicRef::compare_exchange); in an exploration both are one action.
    #[track_caller]
    pub fn modify_cas<R>(&self, function: impl FnMut(&T) -> (T, R)) -> R {
        self.modify(function)
    }

    /// The value, of a reference that nobody else has. In an exploration, a thread that has stores in its buffer waits
    /// until they are in memory.
    #[track_caller]
    pub fn into_inner(self) -> Arc<T> {
        let settled = super::atomic::settled(&self.tag);
        let version = settled.and_then(|number| self.with(|versions| versions.all.get(&number).cloned()));
        version.unwrap_or_else(|| self.inner.load())
    }

    /// Announces that the value is read. Returns the version that the thread sees.
    #[track_caller]
    fn look<'e>(&self) -> Option<(Here<'e>, u64, Arc<T>)> {
        let here = self.announce(Kind::Load, None)?;
        let view = if here.execution.has_buffers() { here.execution.view(here.object) } else { View::Itself };
        let (number, value) = match view {
            View::Own(number) => {
                let value = self.with(|versions| versions.all[&number].clone());
                return Some((here, number, value));
            }
            View::News(number) => self.catch_up(here, Some(number)),
            View::Itself => self.catch_up(here, None),
        };
        here.execution.loaded(here.object, Acquire);
        Some((here, number, value))
    }

    /// Announces an action, and waits for the thread's turn.
    #[track_caller]
    fn announce<'e>(&self, kind: Kind, ticket: Option<&Ticket<T>>) -> Option<Here<'e>> {
        let here = self.here()?;
        let expected = ticket.map(|ticket| here.expected(ticket));
        here.execution.visible(Pending::here(Action { expected, ..Action::on(kind, here.object) }));
        self.check(here);
        Some(here)
    }

    /// The same for a store. Says whether it goes to the thread's buffer.
    #[track_caller]
    fn announce_store<'e>(&self) -> Option<(Here<'e>, bool)> {
        let here = self.here()?;
        let is_buffered = here.execution.has_buffers();
        let action = Action { is_buffered, ..Action::on(Kind::Store, here.object) };
        let alternative = here.execution.visible(Pending::here(action));
        self.check(here);
        Some((here, is_buffered && alternative != AT_ONCE))
    }

    fn here<'e>(&self) -> Option<Here<'e>> {
        let execution = self.tag.current(Carries::State)?;
        let first = || Sync::Atomic(Cell::default());
        Some(Here { execution, object: execution.object(&self.tag, Sort::Ref, Carries::State, first) })
    }

    fn check(&self, here: Here) {
        if self.with(|versions| versions.is_being_modified) {
            here.execution.end_run(Stop::Refused(IMPURE.to_owned()));
        }
    }

    fn with<R>(&self, work: impl FnOnce(&mut Versions<T>) -> R) -> R {
        work(&mut self.versions.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Brings here what was committed since the last access; tells the execution what is in memory, and returns it.
    fn catch_up(&self, here: Here, news: Option<u64>) -> (u64, Arc<T>) {
        let news = news.or_else(|| match here.execution.has_buffers() {
            true => here.execution.news(here.object),
            false => None,
        });
        let (number, value) = self.with(|versions| {
            if versions.all.is_empty() {
                versions.all.insert(FIRST, self.inner.load());
            }
            versions.memory = news.unwrap_or(versions.memory);
            (versions.memory, versions.all[&versions.memory].clone())
        });
        if news.is_some() {
            // Not dropped: the version is among all of them, too.
            self.inner.swap_version(value.clone());
        }
        here.execution.found(number);
        (number, value)
    }

    /// A new version goes to memory. Returns those that nobody can see any more, to be dropped when all is done.
    fn replace(&self, here: Here, value: Arc<T>, is_update: bool) -> BTreeMap<u64, Arc<T>> {
        let Here { execution, object } = here;
        if is_update {
            execution.loaded(object, Acquire);
        }
        execution.stored(object, Release, is_update);
        self.inner.swap_version(value.clone());
        let (number, gone) = self.with(|versions| {
            let number = versions.next(here.running());
            versions.memory = number;
            let is_buffered = |version: &u64| execution.is_buffered(object, *version);
            let gone = versions.all.extract_if(.., |version, _| !is_buffered(version)).collect();
            versions.all.insert(number, value);
            (number, gone)
        });
        execution.wrote(object, number);
        gone
    }
}

/// Why a run is refused.
const IMPURE: &str = "the function that is given to `modify` of an AtomicRef must only compute: it did something that other threads \
                      can notice, or that others could come between; do that before or after";

impl<T> Versions<T> {
    /// The number of the next version that a thread makes.
    fn next(&mut self, thread: ThreadId) -> u64 {
        if self.made.len() <= thread.index() {
            self.made.resize(thread.index() + 1, 0);
        }
        let made = &mut self.made[thread.index()];
        *made += 1;
        (thread.index() as u64) << u32::BITS | u64::from(*made)
    }
}

/// While a function makes the next version of a reference.
struct Modifies<'r, T>(&'r AtomicRef<T>);

impl<T> Modifies<'_, T> {
    fn begin(reference: &AtomicRef<T>) -> Modifies<'_, T> {
        reference.with(|versions| versions.is_being_modified = true);
        Modifies(reference)
    }
}

impl<T> Drop for Modifies<'_, T> {
    fn drop(&mut self) {
        self.0.with(|versions| versions.is_being_modified = false);
    }
}

impl Here<'_> {
    fn running(&self) -> ThreadId {
        self.execution.state.borrow().running
    }

    fn run(&self) -> u64 {
        self.execution.state.borrow().run
    }

    /// Is what the running thread announced last still this, to this reference?
    fn is_at(&self, kind: Kind) -> bool {
        let state = self.execution.state.borrow();
        let last = &state.threads[state.running.index()].pending.action;
        (last.kind, last.object) == (kind, Some(self.object)) || std::thread::panicking()
    }

    fn ticket<T>(&self, number: u64, value: Arc<T>) -> Ticket<T> {
        Ticket { inner: production::Ticket { value }, seen: Some((self.run(), self.object, number)) }
    }

    /// The number that a ticket looks for.
    fn expected<T>(&self, ticket: &Ticket<T>) -> u64 {
        let own = ticket.seen.filter(|(run, object, _)| (*run, *object) == (self.run(), self.object));
        own.map_or(NONE, |(_, _, number)| number)
    }
}

impl<T> Deref for Ticket<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> Clone for Ticket<T> {
    fn clone(&self) -> Ticket<T> {
        Ticket { inner: self.inner.clone(), seen: self.seen }
    }
}

impl<T: fmt::Debug> fmt::Debug for Ticket<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

impl<T: fmt::Debug> fmt::Debug for AtomicRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A look from outside: no visible action, as no program should depend on it.
        let seen = super::atomic::glance(&self.tag);
        let version = seen.and_then(|number| self.with(|versions| versions.all.get(&number).cloned()));
        let value = version.unwrap_or_else(|| self.inner.load());
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
