//! The propositions of a monitor: which hold, which changed, and which instances mention each.

use crate::instances::InstanceId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;

/// A proposition's number in a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PropId(u32);

/// All propositions that were set, or that a formula mentions.
#[derive(Debug)]
pub(crate) struct Propositions<P> {
    numbers: FxHashMap<P, PropId>,
    entries: Vec<Entry<P>>,
    /// The propositions that were set or released since the last state, each once.
    changed: Vec<PropId>,
}

/// One proposition.
#[derive(Debug)]
struct Entry<P> {
    prop: P,
    /// Does it hold now, after changes that no state shows yet?
    holds: bool,
    /// Does it hold in the last state?
    holds_in_state: bool,
    is_in_changed: bool,
    /// Has some state shown it? Templates are instantiated with such propositions.
    is_known: bool,
    mentions: Vec<Mention>,
    /// The recorded states at which its value changed.
    toggles: VecDeque<u64>,
}

/// An instance that mentions a proposition, and the bits of its letter that stand for the proposition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention {
    pub(crate) instance: InstanceId,
    pub(crate) bits: u64,
}

impl<P> Default for Propositions<P> {
    fn default() -> Self {
        Propositions { numbers: FxHashMap::default(), entries: Vec::new(), changed: Vec::new() }
    }
}

impl<P: Clone + Eq + Hash> Propositions<P> {
    /// The number of a proposition; a new one does not hold.
    pub(crate) fn intern(&mut self, prop: &P) -> PropId {
        if let Some(known) = self.numbers.get(prop) {
            return *known;
        }
        let number = PropId(u32::try_from(self.entries.len()).expect("fewer than 2^32 propositions"));
        self.entries.push(Entry {
            prop: prop.clone(),
            holds: false,
            holds_in_state: false,
            is_in_changed: false,
            is_known: false,
            mentions: Vec::new(),
            toggles: VecDeque::new(),
        });
        self.numbers.insert(prop.clone(), number);
        number
    }

    /// The number of a proposition that was set or mentioned.
    pub(crate) fn find(&self, prop: &P) -> Option<PropId> {
        self.numbers.get(prop).copied()
    }
}

impl<P> Propositions<P> {
    /// The proposition with this number.
    pub(crate) fn prop(&self, id: PropId) -> &P {
        &self.entry(id).prop
    }

    /// Sets or releases a proposition; the next state shows it.
    #[inline]
    pub(crate) fn change(&mut self, id: PropId, holds: bool) {
        let entry = &mut self.entries[id.0 as usize];
        entry.holds = holds;
        if !entry.is_in_changed {
            entry.is_in_changed = true;
            self.changed.push(id);
        }
    }

    /// Is there a change that no state shows yet?
    pub(crate) fn has_changes(&self) -> bool {
        self.changed.iter().any(|id| self.entry(*id).holds != self.entry(*id).holds_in_state)
    }

    /// A new state: moves the propositions whose value changed to `changed`.
    #[inline]
    pub(crate) fn take_changes(&mut self, changed: &mut Vec<PropId>) {
        changed.clear();
        for id in self.changed.drain(..) {
            let entry = &mut self.entries[id.0 as usize];
            entry.is_in_changed = false;
            if entry.holds != entry.holds_in_state {
                entry.holds_in_state = entry.holds;
                changed.push(id);
            }
        }
    }

    /// Does it hold in the last state?
    pub(crate) fn holds_in_state(&self, id: PropId) -> bool {
        self.entry(id).holds_in_state
    }

    /// Has some state shown it?
    #[inline]
    pub(crate) fn is_known(&self, id: PropId) -> bool {
        self.entry(id).is_known
    }

    /// A state shows it for the first time.
    pub(crate) fn make_known(&mut self, id: PropId) {
        self.entries[id.0 as usize].is_known = true;
    }

    /// The propositions that some state has shown.
    pub(crate) fn known(&self) -> impl Iterator<Item = PropId> {
        let known = (0..).zip(&self.entries).filter(|(_, entry)| entry.is_known);
        known.map(|(index, _)| PropId(index))
    }

    /// Adds an instance to those that mention the proposition.
    pub(crate) fn mention(&mut self, id: PropId, mention: Mention) {
        self.entries[id.0 as usize].mentions.push(mention);
    }

    /// The instances that mention it, freed ones among them, which can be removed.
    #[inline]
    pub(crate) fn mentions(&mut self, id: PropId) -> &mut Vec<Mention> {
        &mut self.entries[id.0 as usize].mentions
    }

    /// The recorded states at which its value changed.
    pub(crate) fn toggles(&self, id: PropId) -> &VecDeque<u64> {
        &self.entry(id).toggles
    }

    /// Records that its value changed at this state.
    pub(crate) fn record_toggle(&mut self, id: PropId, state: u64) {
        self.entries[id.0 as usize].toggles.push_back(state);
    }

    /// Drops its oldest recorded change.
    pub(crate) fn forget_toggle(&mut self, id: PropId) {
        self.entries[id.0 as usize].toggles.pop_front();
    }

    fn entry(&self, id: PropId) -> &Entry<P> {
        &self.entries[id.0 as usize]
    }
}
