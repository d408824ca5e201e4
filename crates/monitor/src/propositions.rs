//! The propositions of a monitor: which hold, which changed, and which instances mention each.
//!
//! What a step needs of a proposition is its [`Record`], sixteen bytes in a table of their own. The
//! proposition itself is read to find its number, and for texts.
//!
//! Promise: the number that a user was given, or that an instance mentions, stays that proposition's.

use crate::index::Index;
use crate::instances::{InstanceId, Instances};
use crate::mentions::{Mention, Mentions};
use crate::path::ChangeId;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// A proposition's number in a monitor: see [`Monitor::prop_id`](crate::Monitor::prop_id).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PropId(u32);

/// All propositions that were set, or that a formula mentions.
#[derive(Debug)]
pub(crate) struct Propositions<P> {
    index: Index,
    props: Vec<P>,
    records: Vec<Record>,
    /// Numbers of forgotten propositions.
    free: Vec<u32>,
    mentions: Mentions,
    /// The propositions that were set or released since the last state, each once.
    changed: Vec<PropId>,
}

/// What a step needs of a proposition.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// The last change of its value that was recorded.
    last_change: ChangeId,
    /// The parts of its [`Mention`], which would be padded.
    mention: u32,
    mention_bit: u8,
    flags: Flags,
}

impl Record {
    /// The record of a proposition that does not hold and that no instance mentions.
    const NEW: Record = Record {
        last_change: ChangeId::NONE,
        mention: Mention::NONE.number,
        mention_bit: Mention::NONE.bit,
        flags: Flags(0),
    };

    #[inline]
    fn mention(&self) -> Mention {
        Mention { number: self.mention, bit: self.mention_bit }
    }

    fn set_mention(&mut self, mention: Mention) {
        (self.mention, self.mention_bit) = (mention.number, mention.bit);
    }
}

/// From this number on, propositions do not fit into the first caches of a processor.
const MANY: usize = 1 << 12;

/// A set of the constants below.
#[derive(Clone, Copy, Debug)]
struct Flags(u8);

impl Flags {
    /// It holds now, after changes that no state shows yet.
    const HOLDS: u8 = 1;
    /// It holds in the last state.
    const HOLDS_IN_STATE: u8 = 2;
    const IS_IN_CHANGED: u8 = 4;
    /// Some state has shown it. Templates are instantiated with such propositions.
    const IS_KNOWN: u8 = 8;
    /// A user has its number.
    const IS_KEPT: u8 = 16;
    /// It is forgotten.
    const IS_FREE: u8 = 32;

    #[inline]
    fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}

impl<P> Default for Propositions<P> {
    fn default() -> Self {
        Propositions {
            index: Index::default(),
            props: Vec::new(),
            records: Vec::new(),
            free: Vec::new(),
            mentions: Mentions::default(),
            changed: Vec::new(),
        }
    }
}

impl<P: Clone + Eq + Hash> Propositions<P> {
    /// The number of a proposition; a new one does not hold.
    #[inline]
    pub(crate) fn intern(&mut self, prop: &P) -> PropId {
        let hash = FxBuildHasher.hash_one(prop);
        self.find_hashed(prop, hash).unwrap_or_else(|| self.add(prop, hash))
    }

    /// The number of a proposition that was set or mentioned.
    #[inline]
    pub(crate) fn find(&self, prop: &P) -> Option<PropId> {
        self.find_hashed(prop, FxBuildHasher.hash_one(prop))
    }

    /// The same as [`intern`](Self::intern), for a monitor with many propositions. What the step needs is
    /// loaded while the proposition is compared, so that the processor waits for its memory once.
    #[inline]
    pub(crate) fn intern_ahead(&mut self, prop: &P, instances: &Instances) -> PropId {
        let hash = FxBuildHasher.hash_one(prop);
        if self.records.len() > MANY
            && let Some(number) = self.index.first(hash)
        {
            instances.look_ahead(self.records[number as usize].mention());
        }
        self.find_hashed(prop, hash).unwrap_or_else(|| self.add(prop, hash))
    }

    #[inline]
    fn find_hashed(&self, prop: &P, hash: u64) -> Option<PropId> {
        self.index.find(hash, |number| self.props[number as usize] == *prop).map(PropId)
    }

    #[cold]
    fn add(&mut self, prop: &P, hash: u64) -> PropId {
        let number = match self.free.pop() {
            Some(number) => {
                self.props[number as usize] = prop.clone();
                self.records[number as usize] = Record::NEW;
                number
            }
            None => {
                self.props.push(prop.clone());
                self.records.push(Record::NEW);
                u32::try_from(self.props.len()).expect("fewer than 2^32 propositions") - 1
            }
        };
        self.index.insert(hash, number);
        PropId(number)
    }

    /// Forgets the propositions that make no difference: they do not hold, no instance mentions them, no
    /// user has their number, and no change of them after this one is recorded.
    pub(crate) fn forget_unused(&mut self, last_forgotten: ChangeId) {
        const IN_USE: u8 =
            Flags::HOLDS | Flags::HOLDS_IN_STATE | Flags::IS_IN_CHANGED | Flags::IS_KEPT | Flags::IS_FREE;
        for (number, record) in (0..).zip(&mut self.records) {
            if record.flags.has(IN_USE) || !record.mention().is_none() || record.last_change > last_forgotten
            {
                continue;
            }
            record.flags = Flags(Flags::IS_FREE);
            self.index.remove(FxBuildHasher.hash_one(&self.props[number as usize]), number);
            self.free.push(number);
        }
    }
}

impl<P> Propositions<P> {
    /// The proposition with this number.
    pub(crate) fn prop(&self, id: PropId) -> &P {
        &self.props[id.0 as usize]
    }

    /// The number of propositions.
    pub(crate) fn count(&self) -> usize {
        self.records.len() - self.free.len()
    }

    /// A user is given its number.
    #[inline]
    pub(crate) fn keep(&mut self, id: PropId) {
        self.records[id.0 as usize].flags.0 |= Flags::IS_KEPT;
    }

    /// Sets or releases a proposition; the next state shows it.
    #[inline]
    pub(crate) fn change(&mut self, id: PropId, holds: bool) {
        let flags = &mut self.records[id.0 as usize].flags;
        if flags.has(Flags::HOLDS) == holds {
            return;
        }
        flags.0 ^= Flags::HOLDS;
        if !flags.has(Flags::IS_IN_CHANGED) {
            flags.0 |= Flags::IS_IN_CHANGED;
            self.changed.push(id);
        }
    }

    /// Was nothing set or released since the last state?
    #[inline]
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
    }

    /// Is there a change that no state shows yet?
    pub(crate) fn has_changes(&self) -> bool {
        let differs = |id: &PropId| {
            let flags = self.flags(*id);
            flags.has(Flags::HOLDS) != flags.has(Flags::HOLDS_IN_STATE)
        };
        self.changed.iter().any(differs)
    }

    /// A new state: moves the propositions whose value changed to `changed`. Returns whether there is one
    /// that no state had before.
    #[inline]
    pub(crate) fn take_changes(&mut self, changed: &mut Vec<PropId>) -> bool {
        changed.clear();
        let mut has_new = false;
        for id in &self.changed {
            let flags = &mut self.records[id.0 as usize].flags;
            flags.0 &= !Flags::IS_IN_CHANGED;
            if flags.has(Flags::HOLDS) != flags.has(Flags::HOLDS_IN_STATE) {
                flags.0 ^= Flags::HOLDS_IN_STATE;
                has_new |= !flags.has(Flags::IS_KNOWN);
                changed.push(*id);
            }
        }
        self.changed.clear();
        has_new
    }

    /// Does it hold in the last state?
    pub(crate) fn holds_in_state(&self, id: PropId) -> bool {
        self.flags(id).has(Flags::HOLDS_IN_STATE)
    }

    /// Has some state shown it?
    pub(crate) fn is_known(&self, id: PropId) -> bool {
        self.flags(id).has(Flags::IS_KNOWN)
    }

    /// Sets whether some state has shown it.
    pub(crate) fn set_known(&mut self, id: PropId, is_known: bool) {
        let flags = &mut self.records[id.0 as usize].flags.0;
        *flags = (*flags & !Flags::IS_KNOWN) | (u8::from(is_known) * Flags::IS_KNOWN);
    }

    /// The propositions that some state has shown.
    pub(crate) fn known(&self) -> impl Iterator<Item = PropId> {
        let known = (0..).zip(&self.records).filter(|(_, record)| record.flags.has(Flags::IS_KNOWN));
        known.map(|(number, _)| PropId(number))
    }

    /// Adds an instance to those that mention the proposition, by this bit of its letter.
    pub(crate) fn mention(&mut self, id: PropId, instance: InstanceId, bit: u8) {
        let record = &mut self.records[id.0 as usize];
        let mut mention = record.mention();
        self.mentions.add(&mut mention, instance, bit);
        record.set_mention(mention);
    }

    /// Removes the mentions of a freed instance.
    pub(crate) fn unmention(
        &mut self,
        props: &[Option<PropId>],
        instance: InstanceId,
        instances: &mut Instances,
    ) {
        let mut stale = 0;
        for prop in props.iter().flatten() {
            let record = &mut self.records[prop.0 as usize];
            let mut mention = record.mention();
            stale += u32::from(self.mentions.remove(&mut mention, instance));
            record.set_mention(mention);
        }
        instances.reuse(instance, stale);
        for prop in props.iter().flatten().filter(|_| stale > 0) {
            let record = &mut self.records[prop.0 as usize];
            let mut mention = record.mention();
            self.mentions.purge(&mut mention, instances);
            record.set_mention(mention);
        }
    }

    /// How it is mentioned.
    #[inline]
    pub(crate) fn mention_of(&self, id: PropId) -> Mention {
        self.records[id.0 as usize].mention()
    }

    /// Calls `visit` with each instance that mentions it, and the bit of its letter; some may be freed.
    #[inline]
    pub(crate) fn visit_mentions(&self, id: PropId, visit: impl FnMut(InstanceId, u8)) {
        self.mentions.visit(self.records[id.0 as usize].mention(), visit);
    }

    /// The last change of its value that was recorded.
    pub(crate) fn last_change(&self, id: PropId) -> ChangeId {
        self.records[id.0 as usize].last_change
    }

    /// A change of its value is recorded; returns the one before it.
    #[inline]
    pub(crate) fn replace_last_change(&mut self, id: PropId, change: ChangeId) -> ChangeId {
        std::mem::replace(&mut self.records[id.0 as usize].last_change, change)
    }

    fn flags(&self, id: PropId) -> Flags {
        self.records[id.0 as usize].flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_needs_sixteen_bytes_of_a_proposition() {
        assert_eq!(size_of::<Record>(), 16);
    }

    #[test]
    fn a_proposition_that_changes_twice_between_two_states_is_listed_once() {
        let mut propositions: Propositions<u8> = Propositions::default();
        let (one, other) = (propositions.intern(&1), propositions.intern(&2));
        let mut changed = Vec::new();
        for holds in [true, false, true] {
            propositions.change(one, holds);
        }
        for holds in [true, true, false] {
            propositions.change(other, holds);
        }
        assert!(propositions.has_changes());
        assert!(propositions.take_changes(&mut changed));
        assert_eq!(changed, [one]);
        assert!(propositions.is_unchanged());
    }

    #[test]
    fn a_forgotten_proposition_is_a_new_one_when_it_comes_back() {
        let mut propositions: Propositions<u32> = Propositions::default();
        let kept = propositions.intern(&0);
        propositions.keep(kept);
        for prop in 1..1_000 {
            propositions.intern(&prop);
        }
        propositions.forget_unused(ChangeId::NONE);
        assert_eq!(propositions.count(), 1);
        assert_eq!(propositions.find(&0), Some(kept));
        for prop in 1..1_000 {
            assert_eq!(propositions.find(&prop), None);
        }
        let again: Vec<PropId> = (500..600).map(|prop| propositions.intern(&prop)).collect();
        assert!((500..600).zip(again).all(|(prop, id)| propositions.find(&prop) == Some(id)));
    }
}
