//! The versions of an `AtomicRef` in a run, and tickets of them.

use super::ObjectInRun;
use crate::production::atomic_ref as production;
use selvedge_explore::{ObjectId, ThreadId};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The versions of a reference in a run. Never locked across a visible action or code of the program.
pub(super) struct Versions<T> {
    /// By version number: all versions in memory or in store buffers, and replaced versions that are not yet
    /// dropped. Empty before the first use.
    pub(super) by_number: BTreeMap<u64, Arc<T>>,
    /// The number of the version in `inner`.
    pub(super) in_memory: u64,
    /// For each thread, the count of versions that it has created.
    created: Vec<u32>,
    /// Does a function passed to `modify` run?
    pub(super) is_being_modified: bool,
}

/// The number of the initial version.
pub(super) const INITIAL: u64 = 0;

/// The number of no version.
const NO_VERSION: u64 = u64::MAX;

/// A version of an [`AtomicRef`](super::AtomicRef), for
/// [`compare_exchange`](super::AtomicRef::compare_exchange). Dereferences to the value.
pub struct Ticket<T> {
    pub(super) inner: production::Ticket<T>,
    /// In a run: the run, the object of the reference, and the number of the version.
    version: Option<(u64, ObjectId, u64)>,
}

impl<T> Versions<T> {
    pub(super) const fn new() -> Versions<T> {
        Versions {
            by_number: BTreeMap::new(),
            in_memory: INITIAL,
            created: Vec::new(),
            is_being_modified: false,
        }
    }

    /// The number of the next version that a thread creates.
    pub(super) fn next_number(&mut self, thread: ThreadId) -> u64 {
        if self.created.len() <= thread.index() {
            self.created.resize(thread.index() + 1, 0);
        }
        let created = &mut self.created[thread.index()];
        *created += 1;
        (thread.index() as u64) << u32::BITS | u64::from(*created)
    }
}

impl<T> Ticket<T> {
    /// A ticket from outside of explorations.
    pub(super) fn outside_of_run(inner: production::Ticket<T>) -> Ticket<T> {
        Ticket { inner, version: None }
    }

    /// A ticket of a version of this run.
    pub(super) fn in_run(access: ObjectInRun<'_>, number: u64, value: Arc<T>) -> Ticket<T> {
        let version = Some((run_number(access), access.object, number));
        Ticket { inner: production::Ticket { value }, version }
    }

    /// The number of the ticket's version, if that is a version of this object in this run.
    pub(super) fn number_in(&self, access: ObjectInRun<'_>) -> u64 {
        match self.version {
            Some((run, object, number)) if run == run_number(access) && object == access.object => number,
            _ => NO_VERSION,
        }
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
        Ticket { inner: self.inner.clone(), version: self.version }
    }
}

impl<T: fmt::Debug> fmt::Debug for Ticket<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inner, f)
    }
}

fn run_number(access: ObjectInRun<'_>) -> u64 {
    access.execution.state.borrow().run
}
