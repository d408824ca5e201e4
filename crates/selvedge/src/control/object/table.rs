//! The objects of a run, by number.
//!
//! Slots are used by one run after another, so that their space is allocated once.

use super::statics::{Statics, ValuePlace};
use super::sync::{ObjectKind, Sync};
use super::tag::Tag;
use selvedge_explore::{ObjectId, VectorClock};
use std::fmt::{self, Display};
use std::ops::{Index, IndexMut};
use std::panic::Location;

/// An object of the present run.
pub(crate) struct Object {
    kind: ObjectKind,
    pub(crate) sync: Sync,
    /// All that happened before the last release of it, by the rules of the Rust memory model.
    pub(crate) clock: VectorClock,
    /// How often it was changed, for spinning threads.
    pub(in crate::control) changes: u32,
    created_at: &'static Location<'static>,
    /// Of a `static`: where the run has its value, if not in the state above.
    pub(crate) value_place: Option<ValuePlace>,
}

impl Object {
    fn new(kind: ObjectKind, sync: Sync, created_at: &'static Location<'static>) -> Object {
        Object { kind, sync, clock: VectorClock::new(), changes: 0, created_at, value_place: None }
    }

    /// Makes the slot ready for another object.
    #[inline]
    fn begin(&mut self, new_kind: ObjectKind, new_sync: Sync, new_created_at: &'static Location<'static>) {
        let Object { kind, sync, clock, changes, created_at, value_place } = self;
        *kind = new_kind;
        *sync = new_sync;
        clock.clear();
        *changes = 0;
        *created_at = new_created_at;
        *value_place = None;
    }

    /// Where it was created.
    pub(in crate::control) fn created_at(&self) -> &'static Location<'static> {
        self.created_at
    }
}

/// Displays an object's name for people.
struct ObjectName {
    kind: ObjectKind,
    id: ObjectId,
    created_at: &'static Location<'static>,
}

impl Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ObjectName { kind, id, created_at } = self;
        write!(f, "{}#{} ({}:{})", kind.text(), id.number(), created_at.file(), created_at.line())
    }
}

/// The objects of a run.
pub(crate) struct ObjectTable {
    /// Slots beyond the count are for later runs.
    slots: Vec<Object>,
    count: usize,
    statics: Statics,
}

impl ObjectTable {
    /// No objects, with the slots of earlier explorations.
    pub(in crate::control) fn new(slots: Vec<Object>) -> ObjectTable {
        ObjectTable { slots, count: 0, statics: Statics::default() }
    }

    /// A run begins.
    pub(in crate::control) fn clear(&mut self) {
        let ObjectTable { slots: _, count, statics } = self;
        *count = 0;
        statics.clear();
    }

    /// The slots, for later explorations.
    pub(in crate::control) fn take_slots(&mut self) -> Vec<Object> {
        self.clear();
        std::mem::take(&mut self.slots)
    }

    /// A new object of this run.
    pub(in crate::control) fn add(&mut self, run: u64, tag: &Tag, kind: ObjectKind, sync: Sync) -> ObjectId {
        let object = self.add_untagged(kind, sync, tag.created_at());
        tag.remember(run, object);
        object
    }

    /// The `static` of this tag, if the run has used it.
    pub(in crate::control) fn find_static(&self, tag: &Tag) -> Option<ObjectId> {
        self.statics.find(tag)
    }

    /// A `static` that the run uses for the first time.
    pub(in crate::control) fn add_static(&mut self, tag: &Tag, kind: ObjectKind, sync: Sync) -> ObjectId {
        let object = self.add_untagged(kind, sync, tag.created_at());
        self.statics.add(tag, object);
        object
    }

    /// A new object of this run that its tag does not know.
    pub(in crate::control) fn add_untagged(
        &mut self,
        kind: ObjectKind,
        sync: Sync,
        created_at: &'static Location<'static>,
    ) -> ObjectId {
        let object = ObjectId::at(self.count);
        self.count += 1;
        match self.slots.get_mut(object.index()) {
            Some(slot) => slot.begin(kind, sync, created_at),
            None => self.slots.push(Object::new(kind, sync, created_at)),
        }
        object
    }

    /// The object's name for people.
    pub(in crate::control) fn name(&self, id: ObjectId) -> String {
        self.display_name(id).to_string()
    }

    /// The same, to be displayed without allocating.
    pub(in crate::control) fn display_name(&self, id: ObjectId) -> impl Display {
        let Object { kind, created_at, .. } = &self[id];
        ObjectName { kind: *kind, id, created_at }
    }

    /// The object's name without its place: `mutex#1`.
    #[cfg(feature = "debug")]
    pub(in crate::control) fn short_name(&self, id: ObjectId) -> String {
        format!("{}#{}", self[id].kind.text(), id.number())
    }

    /// The number of objects.
    #[cfg(any(unix, feature = "debug"))]
    pub(in crate::control) fn count(&self) -> usize {
        self.count
    }

    /// The names of all objects, in order.
    pub(in crate::control) fn names(&self) -> impl Iterator<Item = String> {
        (0..self.count).map(|index| self.name(ObjectId::at(index)))
    }

    /// These objects are changed.
    #[inline]
    pub(in crate::control) fn count_changes(&mut self, changed: [Option<ObjectId>; 2]) {
        for object in changed.into_iter().flatten() {
            let changes = &mut self[object].changes;
            *changes = changes.wrapping_add(1);
        }
    }
}

impl Index<ObjectId> for ObjectTable {
    type Output = Object;

    #[inline(always)]
    fn index(&self, object: ObjectId) -> &Object {
        &self.slots[object.index()]
    }
}

impl IndexMut<ObjectId> for ObjectTable {
    #[inline(always)]
    fn index_mut(&mut self, object: ObjectId) -> &mut Object {
        &mut self.slots[object.index()]
    }
}
