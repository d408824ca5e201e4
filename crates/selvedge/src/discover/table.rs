//! Behaviours, sets of them, and rows of sets, each stored once.
//!
//! A row has the set of a ground term for each seed under each interference, without interference first.
//! Two rows are equal if their numbers are; whether one is contained in another is worked out once for each
//! pair.

use super::behaviour::{Explored, Seen};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// The number of a behaviour.
pub(crate) type SeenId = u32;
/// The number of a set of behaviours.
pub(crate) type SetId = u32;
/// The number of a row of sets.
pub(crate) type RowId = u32;

/// A set of behaviours.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Set {
    /// In order.
    pub(crate) seen: Box<[SeenId]>,
    /// Whether the exploration was complete.
    pub(crate) is_complete: bool,
}

/// How two sets, or two rows, are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Containment {
    Equal,
    /// The first is contained in the second, and is not equal to it.
    Less,
    /// The second is contained in the first, and is not equal to it.
    Greater,
    Neither,
}

impl Containment {
    /// The relation of two things whose parts are related so.
    pub(crate) fn and(self, other: Containment) -> Containment {
        match (self, other) {
            (Containment::Equal, other) => other,
            (this, Containment::Equal) => this,
            (this, other) if this == other => this,
            _ => Containment::Neither,
        }
    }

    pub(crate) fn reversed(self) -> Containment {
        match self {
            Containment::Less => Containment::Greater,
            Containment::Greater => Containment::Less,
            other => other,
        }
    }
}

/// Things, each stored once.
#[derive(Debug)]
pub(crate) struct Interned<T> {
    things: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Interned<T> {
        Interned { things: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    pub(crate) fn number(&mut self, thing: T) -> u32 {
        let (next, things) = (self.things.len() as u32, &mut self.things);
        *self.numbers.entry(thing).or_insert_with_key(|thing| {
            things.push(thing.clone());
            next
        })
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        &self.things[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.things.len()
    }
}

/// All tables of behaviours.
#[derive(Default)]
pub(crate) struct Table {
    seen: Vec<Seen>,
    seen_numbers: BTreeMap<Seen, SeenId>,
    sets: Interned<Set>,
    rows: Interned<Box<[SetId]>>,
    /// What is known of pairs of rows; the lesser number comes first.
    related: RefCell<HashMap<(RowId, RowId), Containment>>,
}

impl Table {
    /// The number of a behaviour.
    pub(crate) fn seen_number(&mut self, seen: Seen) -> SeenId {
        let (next, all) = (self.seen.len() as SeenId, &mut self.seen);
        *self.seen_numbers.entry(seen).or_insert_with_key(|seen| {
            all.push(seen.clone());
            next
        })
    }

    /// The set of these behaviours.
    pub(crate) fn set(&mut self, seen: impl IntoIterator<Item = Seen>, is_complete: bool) -> SetId {
        let mut seen: Vec<SeenId> = seen.into_iter().map(|seen| self.seen_number(seen)).collect();
        seen.sort_unstable();
        seen.dedup();
        self.sets.number(Set { seen: seen.into(), is_complete })
    }

    /// The row of these explorations, of which only some parts count.
    pub(crate) fn row(&mut self, cells: &[Explored], part: impl Fn(&Seen) -> Seen) -> RowId {
        let sets = cells.iter().map(|cell| self.set(cell.seen.iter().map(&part), cell.is_complete));
        let sets: Box<[SetId]> = sets.collect();
        self.rows.number(sets)
    }

    /// The row of the same behaviours as if their explorations had been complete.
    pub(crate) fn as_if_complete(&mut self, row: RowId) -> RowId {
        let Some(sets) = self.rows.things.get(row as usize).cloned() else { return row };
        let complete = |set: &SetId| Set { is_complete: true, ..self.sets.get(*set).clone() };
        let complete: Vec<Set> = sets.iter().map(complete).collect();
        let sets = complete.into_iter().map(|set| self.sets.number(set)).collect();
        self.rows.number(sets)
    }

    pub(crate) fn sets_of(&self, row: RowId) -> &[SetId] {
        self.rows.get(row)
    }

    pub(crate) fn get_set(&self, set: SetId) -> &Set {
        self.sets.get(set)
    }

    pub(crate) fn get_seen(&self, seen: SeenId) -> &Seen {
        &self.seen[seen as usize]
    }

    /// Whether all sets of the row are complete.
    pub(crate) fn is_complete(&self, row: RowId) -> bool {
        self.sets_of(row).iter().all(|set| self.get_set(*set).is_complete)
    }

    /// Whether every behaviour of the row is a failure.
    pub(crate) fn always_fails(&self, row: RowId) -> bool {
        let fails = |seen: &SeenId| self.get_seen(*seen).failure.is_some();
        self.sets_of(row).iter().all(|set| self.get_set(*set).seen.iter().all(fails))
    }

    /// Whether no behaviour of the row is a failure.
    pub(crate) fn never_fails(&self, row: RowId) -> bool {
        let fails = |seen: &SeenId| self.get_seen(*seen).failure.is_some();
        !self.sets_of(row).iter().any(|set| self.get_set(*set).seen.iter().any(fails))
    }

    /// How two sets are related.
    pub(crate) fn compare_sets(&self, first: SetId, second: SetId) -> Containment {
        if first == second {
            return Containment::Equal;
        }
        let (one, other) = (&self.get_set(first).seen, &self.get_set(second).seen);
        match (is_subset(one, other), is_subset(other, one)) {
            (true, true) => Containment::Equal,
            (true, false) => Containment::Less,
            (false, true) => Containment::Greater,
            (false, false) => Containment::Neither,
        }
    }

    /// How two rows are related: in all of their sets.
    pub(crate) fn compare(&self, first: RowId, second: RowId) -> Containment {
        if first == second {
            return Containment::Equal;
        }
        let key = (first.min(second), first.max(second));
        let known = *self.related.borrow_mut().entry(key).or_insert_with(|| {
            let pairs = self.sets_of(key.0).iter().zip(self.sets_of(key.1));
            let mut related = Containment::Equal;
            for (one, other) in pairs {
                related = related.and(self.compare_sets(*one, *other));
                if related == Containment::Neither {
                    break;
                }
            }
            related
        });
        if key.0 == first { known } else { known.reversed() }
    }

    /// How many bytes the tables take, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let width = self.rows.things.first().map_or(0, |row| row.len());
        self.seen.len() * 200
            + self.sets.len() * 128
            + self.rows.len() * (96 + 8 * width)
            + self.related.borrow().len() * 24
    }
}

fn is_subset(one: &[u32], other: &[u32]) -> bool {
    let mut rest = other.iter();
    one.len() <= other.len() && one.iter().all(|element| rest.any(|candidate| candidate == element))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(number: i32) -> Seen {
        let observation = Some(crate::discover::signature::Datum::new(number));
        Seen { failure: None, observation, result: None, state: None }
    }

    #[test]
    fn rows_are_compared_in_all_their_sets() {
        let mut table = Table::default();
        let none = table.set([], true);
        let [one, two] = [table.set([seen(1)], true), table.set([seen(2)], true)];
        let both = table.set([seen(2), seen(1), seen(1)], true);
        let mut row = |sets: [SetId; 2]| table.rows.number(sets.into());
        let [a, b, c, d] = [row([one, none]), row([both, none]), row([one, two]), row([two, two])];
        assert_eq!(table.compare(a, a), Containment::Equal);
        assert_eq!((table.compare(a, b), table.compare(b, a)), (Containment::Less, Containment::Greater));
        assert_eq!(table.compare(a, c), Containment::Less);
        assert_eq!(table.compare(b, c), Containment::Neither);
        assert_eq!(table.compare(c, d), Containment::Neither);
    }
}
