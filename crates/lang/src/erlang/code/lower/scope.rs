//! The variables of a function while it is lowered.
//!
//! A name has one slot in its function. It is bound from its first pattern on; after `case` those names are
//! bound that all clauses bind. What a fun reads of the functions around it is captured.

use crate::erlang::code::{NodeId, Slot};
use crate::erlang::syntax::tree::Name;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(super) struct Scope {
    slots: FxHashMap<Name, Slot>,
    count: usize,
    pub(super) bound: BTreeSet<Name>,
    captured: Vec<(Name, Slot)>,
    /// The calls of a generator to itself, whose captured arguments are added in the end.
    pub(super) self_calls: Vec<NodeId>,
    /// The fun's own name.
    pub(super) itself: Option<(Name, Slot)>,
}

impl Scope {
    /// The first slots are those of arguments.
    pub(super) fn reserve(&mut self, arity: usize) {
        self.count = self.count.max(arity);
    }

    /// A slot without a name.
    pub(super) fn fresh(&mut self) -> Slot {
        self.count += 1;
        Slot::try_from(self.count - 1).expect("fewer than 65,536 variables in a function")
    }

    pub(super) fn slot(&mut self, name: &Name) -> Slot {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = self.fresh();
        self.slots.insert(name.clone(), slot);
        slot
    }

    /// The slot of a name that is bound here, or captured.
    pub(super) fn find(&self, name: &Name) -> Option<Slot> {
        let is_captured = self.captured.iter().find(|(captured, _)| captured == name);
        let itself = self.itself.as_ref().filter(|(itself, _)| itself == name);
        match (self.bound.contains(name), itself, is_captured) {
            (true, ..) => self.slots.get(name).copied(),
            (_, Some((_, slot)), _) | (_, _, Some((_, slot))) => Some(*slot),
            _ => None,
        }
    }

    pub(super) fn bind(&mut self, name: &Name) -> Slot {
        self.bound.insert(name.clone());
        self.slot(name)
    }

    pub(super) fn capture(&mut self, name: &Name) -> Slot {
        let slot = self.fresh();
        self.captured.push((name.clone(), slot));
        slot
    }

    pub(super) fn captured_names(&self) -> Vec<Name> {
        self.captured.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn captured_slots(&self) -> Vec<Slot> {
        self.captured.iter().map(|(_, slot)| *slot).collect()
    }

    /// The names of the slots.
    pub(super) fn names(&self) -> Vec<Option<Name>> {
        let mut names = vec![None; self.count];
        for (name, slot) in self.slots.iter().chain(self.captured.iter().map(|(name, slot)| (name, slot))) {
            names[*slot as usize] = Some(name.clone());
        }
        names
    }
}
