//! The propositions of a monitor: which hold, which changed, and which instances mention each.
//!
//! What a step needs of a proposition is its [`Record`], sixteen bytes in a table of their own. The
//! proposition itself is read to find its number, and for texts.
//!
//! Which propositions change is hard to predict for a processor. So a change is written in any case, and the
//! list of changes ends behind it only if it is one; and a step with up to two changes looks at two entries
//! of the list whether they are changes or not ([`Propositions::take_pair`]).
//!
//! Promise: the number that a user was given, or that an instance mentions, stays that proposition's. The
//! value of a proposition differs from that in the last state if the list has it an odd number of times.

use crate::index::Index;
use crate::instances::{InstanceId, Instances};
use crate::mentions::{Mention, Mentions};
use crate::path::ChangeId;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};
use std::hint::black_box;

/// A proposition's number in a monitor: see [`Monitor::prop_id`](crate::Monitor::prop_id).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PropId(u32);

impl PropId {
    /// The number of the first proposition.
    pub(crate) const FIRST: PropId = PropId(0);
}

/// All propositions that were set, or that a formula mentions.
#[derive(Debug)]
pub(crate) struct Propositions<P> {
    index: Index,
    props: Vec<P>,
    records: Vec<Record>,
    /// Numbers of forgotten propositions.
    free: Vec<u32>,
    mentions: Mentions,
    /// The changes of values since the last state, in their order, and behind them at least two entries of
    /// no meaning.
    changes: Vec<PropId>,
    change_count: usize,
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

/// An entry of the list of changes, and the only instance that mentions its proposition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) prop: PropId,
    /// Does the proposition change its value?
    pub(crate) is_change: bool,
    pub(crate) instance: InstanceId,
    /// The bit of the instance's letter that stands for the proposition.
    pub(crate) bit: u8,
}

/// Up to this number of propositions, the caches of a processor have what a step needs.
const MANY: usize = 1 << 12;
/// The greatest number of propositions to look ahead for.
pub(crate) const GROUP: usize = 32;

/// The number of entries behind the changes in their list.
const OTHERS: usize = 2;
/// The length of that list at first.
const FIRST_LENGTH: usize = 16;

/// A set of the constants below.
#[derive(Clone, Copy, Debug)]
struct Flags(u8);

impl Flags {
    /// It holds now, after changes that no state shows yet.
    const HOLDS: u8 = 1;
    /// While the changes are counted: the list has it an odd number of times, so far.
    const IS_ODD: u8 = 2;
    /// While the list is made shorter: the new one has it.
    const IS_SEEN: u8 = 4;
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
            changes: vec![PropId::FIRST; FIRST_LENGTH],
            change_count: 0,
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

    /// Sets or releases a proposition. Releasing what was never set has no effect.
    #[inline(always)]
    pub(crate) fn assign(&mut self, prop: &P, holds: bool) {
        let hash = FxBuildHasher.hash_one(prop);
        match self.find_hashed(prop, hash) {
            Some(id) => self.change(id, holds),
            None if holds => {
                let id = self.add(prop, hash);
                self.change_new(id);
            }
            None => {}
        }
    }

    /// Sets a proposition that is new.
    #[cold]
    #[inline(never)]
    fn change_new(&mut self, id: PropId) {
        self.change(id, true);
    }

    #[inline(always)]
    fn find_hashed(&self, prop: &P, hash: u64) -> Option<PropId> {
        self.index.find(hash, |number| self.props[number as usize] == *prop).map(PropId)
    }

    /// Loads what changes of these propositions need, if there are many. The loads of each loop do not wait
    /// for each other; the loops have few instructions, so that a processor has many of the loads in
    /// progress.
    pub(crate) fn look_ahead(&self, props: &[P], instances: &Instances) {
        if self.records.len() <= MANY {
            return;
        }
        let props = &props[..props.len().min(GROUP)];
        let mut hashes = [0; GROUP];
        for (prop, hash) in props.iter().zip(&mut hashes) {
            *hash = FxBuildHasher.hash_one(prop);
        }
        let hashes = &hashes[..props.len()];
        black_box(hashes.iter().fold(0, |all, hash| all ^ self.index.look_ahead(*hash)));
        // What is not found gets the first number: it is loaded, too.
        let mut numbers = [0; GROUP];
        for (hash, number) in hashes.iter().zip(&mut numbers) {
            *number = self.index.candidate(*hash).unwrap_or(0) as usize;
        }
        let numbers = &numbers[..props.len()];
        black_box(numbers.iter().fold(0, |all, number| all ^ self.records[*number].mention));
        black_box(props.iter().zip(numbers).fold(false, |all, (prop, at)| all ^ (self.props[*at] == *prop)));
        black_box(numbers.iter().fold(0, |all, at| all ^ instances.look_ahead(self.records[*at].mention())));
    }

    #[cold]
    #[inline(never)]
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
        self.index.insert(hash, number, |number| FxBuildHasher.hash_one(&self.props[number as usize]));
        PropId(number)
    }

    /// Forgets the propositions that make no difference: they do not hold, no instance mentions them, no
    /// user has their number, and no change of them after this one is recorded.
    pub(crate) fn forget_unused(&mut self, last_forgotten: ChangeId) {
        debug_assert_eq!(self.change_count, 0, "all changes are in a state");
        const IN_USE: u8 = Flags::HOLDS | Flags::IS_KEPT | Flags::IS_FREE;
        for (number, record) in (0..).zip(&mut self.records) {
            let is_used = record.flags.has(IN_USE) || !record.mention().is_none();
            if !is_used && record.last_change <= last_forgotten {
                record.flags = Flags(Flags::IS_FREE);
                self.free.push(number);
            }
        }
        self.index.retain(|number| {
            let is_free = self.records[number as usize].flags.has(Flags::IS_FREE);
            (!is_free).then(|| FxBuildHasher.hash_one(&self.props[number as usize]))
        });
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
    #[inline(always)]
    pub(crate) fn change(&mut self, id: PropId, holds: bool) {
        let flags = &mut self.records[id.0 as usize].flags;
        let is_change = flags.has(Flags::HOLDS) != holds;
        flags.0 ^= u8::from(is_change) * Flags::HOLDS;
        self.changes[self.change_count] = id;
        self.change_count += usize::from(is_change);
        if self.change_count + OTHERS > self.changes.len() {
            self.make_room();
        }
    }

    /// Makes room in the list of changes: it has each proposition once or twice, in the order of their first
    /// changes. Its length is about four times the number of propositions in it, at most.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let (mut changed, mut shorter) = (Vec::new(), Vec::new());
        let list = self.changes[..self.change_count].to_vec();
        self.count_changes(&mut changed);
        changed.iter().for_each(|id| self.records[id.0 as usize].flags.0 |= Flags::IS_ODD);
        for id in list {
            let flags = &mut self.records[id.0 as usize].flags;
            if !flags.has(Flags::IS_SEEN) {
                flags.0 |= Flags::IS_SEEN;
                let count = if flags.has(Flags::IS_ODD) { 1 } else { 2 };
                shorter.extend([id; 2].into_iter().take(count));
            }
        }
        for id in &shorter {
            self.records[id.0 as usize].flags.0 &= !(Flags::IS_ODD | Flags::IS_SEEN);
        }
        self.changes[..shorter.len()].copy_from_slice(&shorter);
        self.change_count = shorter.len();
        self.changes.resize(self.changes.len().max(2 * shorter.len() + OTHERS), PropId::FIRST);
    }

    /// Moves the propositions whose value differs from that in the last state to `changed`, in the order of
    /// their first changes, and ends the list of changes.
    fn count_changes(&mut self, changed: &mut Vec<PropId>) {
        changed.clear();
        for id in &self.changes[..self.change_count] {
            self.records[id.0 as usize].flags.0 ^= Flags::IS_ODD;
        }
        for id in &self.changes[..self.change_count] {
            let flags = &mut self.records[id.0 as usize].flags;
            if flags.has(Flags::IS_ODD) {
                flags.0 &= !Flags::IS_ODD;
                changed.push(*id);
            }
        }
        self.change_count = 0;
    }

    /// Was nothing set or released since the last state?
    #[inline]
    pub(crate) fn is_unchanged(&self) -> bool {
        self.change_count == 0
    }

    /// Is there a change that no state shows yet?
    pub(crate) fn has_changes(&self) -> bool {
        self.changes[..self.change_count].iter().any(|id| self.is_odd(*id))
    }

    /// Has the list of changes this proposition an odd number of times?
    fn is_odd(&self, id: PropId) -> bool {
        self.changes[..self.change_count].iter().filter(|other| **other == id).count() % 2 == 1
    }

    /// Are there at most two changes, of propositions that one instance mentions and that some state had
    /// before? This is the most frequent case.
    #[inline]
    pub(crate) fn is_pair(&self) -> bool {
        let is_simple = |id: PropId| {
            let record = &self.records[id.0 as usize];
            record.mention().single().is_some() && record.flags.has(Flags::IS_KNOWN)
        };
        let [first, second] = self.pair_ids();
        self.change_count <= 2 && !self.records.is_empty() && is_simple(first) && is_simple(second)
    }

    /// The two entries of the list of changes. If it has one, it is both of them; if it has none, another
    /// one is.
    #[inline]
    fn pair_ids(&self) -> [PropId; 2] {
        [self.changes[0], self.changes[usize::from(self.change_count == 2)]]
    }

    /// A new state, if [there are at most two changes](Self::is_pair). What is no change is marked.
    #[inline]
    pub(crate) fn take_pair(&mut self) -> [Touch; 2] {
        let [first, second] = self.pair_ids();
        let is_second = self.change_count == 2;
        // A value that changes twice is the same again.
        let is_same = is_second & (first == second);
        let touch = |prop: PropId, is_change: bool| {
            let Mention { number, bit } = self.records[prop.0 as usize].mention();
            Touch { prop, is_change, instance: InstanceId(number), bit }
        };
        let pair = [touch(first, (self.change_count != 0) & !is_same), touch(second, is_second & !is_same)];
        self.change_count = 0;
        pair
    }

    /// A new state: moves the propositions whose value changed to `changed`. Returns whether there is one
    /// that no state had before.
    pub(crate) fn take_changes(&mut self, changed: &mut Vec<PropId>) -> bool {
        self.count_changes(changed);
        changed.iter().any(|id| !self.flags(*id).has(Flags::IS_KNOWN))
    }

    /// Does it hold in the last state?
    pub(crate) fn holds_in_state(&self, id: PropId) -> bool {
        self.flags(id).has(Flags::HOLDS) ^ self.is_odd(id)
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

    /// Calls `visit` with each instance that mentions it, and the bit of its letter; some may be freed.
    #[inline]
    pub(crate) fn visit_mentions(&self, id: PropId, visit: impl FnMut(InstanceId, u8)) {
        self.mentions.visit(self.records[id.0 as usize].mention(), visit);
    }

    /// The last change of its value that was recorded.
    #[inline]
    pub(crate) fn last_change(&self, id: PropId) -> ChangeId {
        self.records[id.0 as usize].last_change
    }

    #[inline]
    pub(crate) fn set_last_change(&mut self, id: PropId, change: ChangeId) {
        self.records[id.0 as usize].last_change = change;
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
        assert!(!propositions.has_changes());
    }

    #[test]
    fn values_and_changes_are_those_of_a_naive_list_however_often_they_change() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut propositions: Propositions<u64> = Propositions::default();
        let ids: Vec<PropId> = (0..40).map(|prop| propositions.intern(&prop)).collect();
        let (mut now, mut state, mut changed) = ([false; 40], [false; 40], Vec::new());
        for round in 0..2_000 {
            let mut order = Vec::new();
            for _ in 0..round % 97 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let (at, holds) = ((random >> 8) as usize % (1 + round % 40), random >> 60 & 1 == 1);
                if now[at] != holds && !order.contains(&at) {
                    order.push(at);
                }
                now[at] = holds;
                propositions.change(ids[at], holds);
            }
            assert!((0..40).all(|at| propositions.holds_in_state(ids[at]) == state[at]));
            assert_eq!(propositions.has_changes(), now != state);
            propositions.take_changes(&mut changed);
            let expected = order.into_iter().filter(|at| now[*at] != state[*at]).map(|at| ids[at]);
            assert_eq!(changed, expected.collect::<Vec<PropId>>());
            state = now;
        }
        assert!(propositions.changes.len() <= 4 * 40 + OTHERS);
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
