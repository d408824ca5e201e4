//! The statics of a run: their values live in the run, not in the `static`.
//!
//! A `static` is as old as the process, and runs of several workers and tests may use it at the same time.
//! So a run knows it by its address, and not by the number that other objects keep in their [`Tag`]; and the
//! run has a value of its own, which begins as the `static` was initialised.
//!
//! Promise: a run finds the number that it gave to a `static` before. An object that is new at the address
//! of an older one never gets that one's number: its tag says that no run has used it.

use super::static_memory;
use super::tag::Tag;
use selvedge_explore::ObjectId;
use std::any::TypeId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

/// The statics that a run has used, by address.
#[derive(Default)]
pub(super) struct Statics(HashMap<usize, ObjectId, BuildHasherDefault<AddressHasher>>);

impl Statics {
    pub(super) fn find(&self, tag: &Tag) -> Option<ObjectId> {
        self.0.get(&address(tag)).copied()
    }

    pub(super) fn add(&mut self, tag: &Tag, object: ObjectId) {
        self.0.insert(address(tag), object);
    }

    /// A run begins.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The address of a tag is the identity of its `static`.
pub(crate) fn address(tag: &Tag) -> usize {
    ptr::from_ref(tag).addr()
}

/// Is the object of this tag a `static`?
pub(super) fn is_static(tag: &Tag) -> bool {
    static_memory::is_static(ptr::from_ref(tag))
}

/// Addresses are different enough; one multiplication spreads them.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, number: usize) {
        // The golden ratio, as Knuth's multiplicative hashing has it.
        self.0 = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// The memory where a run has the value of a `static`, and the type of that value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValuePlace {
    pub(crate) type_id: TypeId,
    pub(crate) pointer: NonNull<()>,
}

/// The lazily initialised statics that had a value before the exploration used them, by address. All workers
/// of an exploration share it.
///
/// What is initialised outside is the same in all runs, and can be used by them as it is. But a thread
/// outside may initialise the `static` while the exploration goes on; then the runs after that would differ
/// from the runs before. So the first use decides for all runs.
#[derive(Debug, Default)]
pub(crate) struct OutsideValues(Mutex<HashMap<usize, bool>>);

impl OutsideValues {
    /// Did the `static` have a value when the exploration used it for the first time? `has_value` says
    /// whether it has one now.
    pub(crate) fn had_value(&self, tag: &Tag, has_value: bool) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(address(tag)).or_insert(has_value)
    }
}

/// A container that stands in for a `static` in the runs of an execution, one after the other.
pub(crate) trait StandIn {
    /// Where it is.
    fn pointer(&self) -> NonNull<()>;

    /// Is there surely no reference to its content?
    fn is_unused(&self) -> bool;

    /// Makes it as new, with the value of these bytes.
    fn renew(&mut self, initial: &MaybeUninit<[u64; 2]>);
}

/// The stand-ins of an execution, by the address and the type of their statics. Those of earlier runs are
/// used again, if they are unused; the others are never freed.
#[derive(Default)]
pub(crate) struct StandIns(HashMap<(usize, TypeId), ManuallyDrop<Box<dyn StandIn>>>);

impl StandIns {
    /// A stand-in that is as new.
    pub(in crate::control) fn take(
        &mut self,
        (tag, type_id): (&Tag, TypeId),
        initial: &MaybeUninit<[u64; 2]>,
        make: fn(&MaybeUninit<[u64; 2]>) -> Box<dyn StandIn>,
    ) -> NonNull<()> {
        let stand_in = match self.0.entry((address(tag), type_id)) {
            Entry::Occupied(known) if known.get().is_unused() => {
                let known = known.into_mut();
                known.renew(initial);
                known
            }
            // What was there is leaked: a reference to it may be left.
            Entry::Occupied(mut known) => {
                known.insert(ManuallyDrop::new(make(initial)));
                known.into_mut()
            }
            Entry::Vacant(new) => new.insert(ManuallyDrop::new(make(initial))),
        };
        stand_in.pointer()
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        for (_, stand_in) in self.0.drain() {
            if stand_in.is_unused() {
                drop(ManuallyDrop::into_inner(stand_in));
            }
        }
    }
}
