//! When a yield of the reference machine waits: what a thread has looked at since its last lasting change.
//!
//! Written from `docs/memory.md`: a yield waits if the thread has repeated a round of looks, and would
//! repeat it again, until one of the objects that it looked at changes.

use super::steps::Step;
use std::mem::discriminant;

/// The number of objects.
const OBJECTS: usize = 16;

/// What a thread has looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ReadHistory {
    /// The rounds that yields have ended.
    rounds: Vec<Vec<Look>>,
    current: Vec<Look>,
    /// The thread has done more than look since its last yield.
    is_busy: bool,
    /// The objects that the thread has looked at, as bits.
    seen: u16,
    /// The objects that have changed since their first look in the last round that looks at them.
    changed: u16,
    /// The objects that have changed since their last look, and how many changes the thread has come across.
    stale: u16,
    versions: [u8; OBJECTS],
}

/// A step that changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Look {
    kind: std::mem::Discriminant<Step>,
    /// The operands of a failed exchange.
    operands: Option<(u8, u8)>,
    object: usize,
    /// The value of an atomic, or the version of another object.
    observed: u8,
}

impl ReadHistory {
    /// The step has looked at an object, and has read the value of an atomic there.
    pub(crate) fn look(&mut self, step: &Step, object: usize, value: Option<u8>) {
        if self.is_busy {
            return;
        }
        let bit = 1 << object;
        if self.stale & bit != 0 {
            self.versions[object] += 1;
        }
        if !self.current.iter().any(|look| look.object == object) {
            self.changed &= !bit;
        }
        self.stale &= !bit;
        self.seen |= bit;
        let (kind, operands) = match (step, value) {
            (Step::Exchange(_, from, to), Some(value)) if value != *from => {
                (discriminant(step), Some((*from, *to)))
            }
            // An update that stores the old value.
            (Step::Exchange(..) | Step::Swap(..), _) => (discriminant(&Step::Swap(0, 0)), None),
            _ => (discriminant(step), None),
        };
        let observed = value.unwrap_or(self.versions[object]);
        self.current.push(Look { kind, operands, object, observed });
    }

    /// The thread has done more than look.
    pub(crate) fn change(&mut self, is_needed: bool) {
        *self = ReadHistory { is_busy: is_needed, ..ReadHistory::default() };
    }

    /// The thread has yielded.
    pub(crate) fn end_round(&mut self) {
        if self.is_busy {
            *self = ReadHistory::default();
        } else if !self.current.is_empty() {
            self.rounds.push(std::mem::take(&mut self.current));
        }
    }

    /// An object has changed.
    pub(crate) fn has_changed(&mut self, object: usize) {
        let bit = self.seen & 1 << object;
        self.changed |= bit;
        self.stale |= bit;
    }

    /// The thread's own store to this object is in memory: it shows the thread no new value.
    pub(crate) fn has_committed(&mut self, object: usize) {
        self.changed &= !(1 << object);
    }

    /// Does the thread have to wait at a yield?
    pub(crate) fn spins(&self) -> bool {
        let repeated = self.repeated();
        !repeated.is_empty() && repeated.iter().all(|look| self.changed & 1 << look.object == 0)
    }

    /// The looks of the rounds that the thread would repeat; none if it would observe something else.
    fn repeated(&self) -> Vec<Look> {
        let is_same = |round: &Vec<Look>| *round == self.current;
        let Some(latest) = self.rounds.iter().rposition(is_same).filter(|_| !self.current.is_empty()) else {
            return Vec::new();
        };
        let all: Vec<Vec<Look>> = self.rounds.iter().chain([&self.current]).cloned().collect();
        let is_fixed = all.windows(2).any(|pair| pair.iter().all(is_same));
        let from = if is_fixed { self.rounds.len() } else { latest + 1 };
        let looks: Vec<Look> = all[from..].concat();
        let differs = |one: &Look| {
            looks.iter().any(|other| one.object == other.object && one.observed != other.observed)
        };
        if looks.iter().any(differs) { Vec::new() } else { looks }
    }
}
