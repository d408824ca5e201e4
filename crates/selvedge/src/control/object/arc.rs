//! The counts of the owners of a value: `Arc` and `Weak` of `sync::tracked`.
//!
//! The counts themselves are those of `std`'s `Arc`; no thread ever waits for them. An `Arc` has no room for
//! a [`Tag`](super::Tag), since it can be turned into a raw pointer and back. So a run knows the value by
//! its address. An allocation of `sync::tracked` at an address that was used before is a new object.

use super::sync::{ObjectKind, Sync};
use super::table::ObjectTable;
use selvedge_explore::{ObjectId, ThreadId, VectorClock};
use std::collections::HashMap;
use std::panic::Location;

/// What the execution knows of a value with owners, beside the clock of its object, which is that of the
/// strong count.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArcState {
    /// All that happened before weak references were dropped.
    pub(in crate::control) weak_clock: VectorClock,
}

/// The values with owners, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct ArcTable {
    by_address: HashMap<usize, KnownArc>,
    /// The threads that are dropping an owner: once for each owner.
    dropping: Vec<ThreadId>,
}

#[derive(Clone, Copy, Debug)]
struct KnownArc {
    created_at: &'static Location<'static>,
    /// From the first visible action on.
    object: Option<ObjectId>,
}

impl ArcTable {
    /// A run begins.
    pub(in crate::control) fn clear(&mut self) {
        let ArcTable { by_address, dropping } = self;
        by_address.clear();
        dropping.clear();
    }

    /// The thread begins to drop an owner; if it is the last, the destructor of the value runs.
    pub(in crate::control) fn begin_drop(&mut self, thread: ThreadId) {
        self.dropping.push(thread);
    }

    /// The owner is dropped.
    pub(in crate::control) fn end_drop(&mut self, thread: ThreadId) {
        if let Some(at) = self.dropping.iter().rposition(|dropping| *dropping == thread) {
            self.dropping.remove(at);
        }
    }

    /// How many owners the thread is dropping.
    pub(in crate::control) fn count_drops(&self, thread: ThreadId) -> usize {
        self.dropping.iter().filter(|dropping| **dropping == thread).count()
    }

    /// A value was allocated at this address.
    pub(in crate::control) fn add(&mut self, address: usize, created_at: &'static Location<'static>) {
        self.by_address.insert(address, KnownArc { created_at, object: None });
    }

    /// The object of the value at this address, if a visible action has used it.
    pub(in crate::control) fn find(&self, address: usize) -> Option<ObjectId> {
        self.by_address.get(&address)?.object
    }

    /// The object of the value at this address. A value that was allocated elsewhere gets the place of this
    /// use.
    pub(in crate::control) fn object(
        &mut self,
        objects: &mut ObjectTable,
        address: usize,
        place: &'static Location<'static>,
    ) -> ObjectId {
        let new = KnownArc { created_at: place, object: None };
        let known = self.by_address.entry(address).or_insert(new);
        let sync = || Sync::first(ObjectKind::Arc);
        *known.object.get_or_insert_with(|| objects.add_untagged(ObjectKind::Arc, sync(), known.created_at))
    }
}
