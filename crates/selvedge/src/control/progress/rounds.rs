//! Rounds: what a thread has observed between two of its yields, and the rounds before that one.
//!
//! A *look* is an action that changes nothing, with what it observed: a load and its value, a failed
//! exchange with its operands and the value that it found, a failed try, a poll for the end of a thread. A
//! *round* is the looks between two yields, with the place of the second one. A thread remembers its rounds
//! since its last lasting change: a step that is no look.
//!
//! | the thread | the round |
//! |---|---|
//! | yields without a look since its last yield | goes on: a back-off of several hints is one hint |
//! | changes an object or its own buffer, sleeps, chooses, reads the clock | ends; rounds are forgotten |
//!
//! Promise: whether rounds are equal depends on the actions of the thread, and on what they observed,
//! alone.

use selvedge_explore::{Kind, ObjectId, Site, ThreadId};

/// A round of more looks counts as a lasting change.
const MAX_LOOKS: usize = 256;

/// More looks in all rounds together are not remembered.
const MAX_REMEMBERED: usize = 4 * MAX_LOOKS;

/// What a thread looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Object(ObjectId),
    /// A thread, which had not ended.
    Alive(ThreadId),
    /// A state that cannot change any more.
    Final,
}

/// What a look observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Observed {
    /// The value of an atomic.
    Value(u64),
    /// The state of another object: how often it had been changed.
    State(u32),
    /// A thread that had not ended, or had.
    Nothing,
}

/// An action that changed nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) kind: Kind,
    pub(super) target: Target,
    /// For a failed exchange: the expected value and the new one.
    pub(super) operands: Option<(u64, u64)>,
    pub(super) observed: Observed,
    /// How often the object had been changed.
    pub(super) changes: u32,
}

impl Look {
    /// The same action on the same object, with the same operands and the same observation.
    fn is_same(&self, other: &Look) -> bool {
        let Look { kind, target, operands, observed, changes: _ } = *self;
        (kind, target, operands, observed) == (other.kind, other.target, other.operands, other.observed)
    }

    /// Do both look at one object, and observe different states of it?
    fn contradicts(&self, other: &Look) -> bool {
        self.target == other.target && self.observed != other.observed
    }
}

/// The current round of a thread, and its earlier rounds.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The looks of the current round.
    current: Vec<Look>,
    /// The looks of all earlier rounds, one round after the other.
    earlier: Vec<Look>,
    /// Where each earlier round ends, and the place of its yield.
    ends: Vec<(usize, Site)>,
    /// The thread has changed something in the current round.
    has_changed: bool,
    /// How many yields in a row came without a look before.
    idle_yields: usize,
    /// Since its last lasting change, the thread has made more different looks than are remembered.
    is_endless: bool,
}

impl Rounds {
    /// Another thread has the slot from now on.
    pub(super) fn clear(&mut self) {
        let Rounds { current, earlier, ends, has_changed, idle_yields, is_endless } = self;
        current.clear();
        earlier.clear();
        ends.clear();
        (*has_changed, *idle_yields, *is_endless) = (false, 0, false);
    }

    /// The current round does more than to look.
    pub(super) fn change(&mut self) {
        self.clear();
        self.has_changed = true;
    }

    /// Has the thread changed something in the current round?
    #[inline(always)]
    pub(super) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Since its last lasting change, has the thread made more looks than are remembered?
    pub(super) fn is_endless(&self) -> bool {
        self.is_endless
    }

    /// Has the current round no looks? Yields in a row after a round of looks, up to this number, are the
    /// back-off of that round, and no rounds of their own.
    pub(super) fn is_idle(&self, max_backoff: usize) -> bool {
        self.current.is_empty() && (self.ends.is_empty() || self.idle_yields >= max_backoff)
    }

    pub(super) fn look(&mut self, look: Look) {
        if self.current.len() == MAX_LOOKS {
            self.change();
        } else if !self.has_changed {
            self.current.push(look);
        }
    }

    /// The yield at this place is executed: the next round begins.
    pub(super) fn end(&mut self, at: Site) {
        if std::mem::take(&mut self.has_changed) {
            return;
        }
        if self.current.is_empty() {
            self.idle_yields += 1;
            return;
        }
        self.idle_yields = 0;
        if self.earlier.len() + self.current.len() > MAX_REMEMBERED {
            self.earlier.clear();
            self.ends.clear();
            self.is_endless = true;
        }
        self.earlier.append(&mut self.current);
        self.ends.push((self.earlier.len(), at));
    }

    /// A store of the thread itself is committed; the object has changed so often now. The thread has read
    /// this store from its buffer, and no other value.
    pub(super) fn own_store_committed(&mut self, of: ObjectId, changes_now: u32) {
        for look in self.current.iter_mut().chain(&mut self.earlier) {
            if look.target == Target::Object(of) {
                look.changes = changes_now;
            }
        }
    }

    /// The looks of an earlier round, and the place of its yield.
    fn round(&self, number: usize) -> (&[Look], Site) {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, site) = self.ends[number];
        (&self.earlier[start..end], site)
    }

    /// Is an earlier round the same as the current one, which ends with a yield at this place?
    fn is_repeated(&self, number: usize, at: Site) -> bool {
        let (looks, site) = self.round(number);
        site == at && looks.len() == self.current.len() && {
            looks.iter().zip(&self.current).all(|(one, other)| one.is_same(other))
        }
    }

    /// The rounds that the thread would go through again if nothing changed, the last one first; none if
    /// that is not known, or if they contradict each other. The current round ends with a yield at this
    /// place.
    ///
    /// If the current round is the same as an earlier one, the thread repeats the rounds since then. If it
    /// is the same as an earlier one that was repeated at once, the thread repeats that round alone.
    pub(super) fn repetition(&self, at: Site) -> Vec<&[Look]> {
        if self.has_changed || self.current.is_empty() {
            return Vec::new();
        }
        let count = self.ends.len();
        let Some(latest) = (0..count).rev().find(|number| self.is_repeated(*number, at)) else {
            return Vec::new();
        };
        let is_fixed = |number: usize| {
            let next = number + 1;
            self.is_repeated(number, at) && (next == count || self.is_repeated(next, at))
        };
        let mut rounds = vec![self.current.as_slice()];
        if !(0..count).any(is_fixed) {
            rounds.extend((latest + 1..count).rev().map(|number| self.round(number).0));
        }
        let looks: Vec<&Look> = rounds.iter().copied().flatten().collect();
        let contradicts = |look: &&Look| looks.iter().any(|other| look.contradicts(other));
        if looks.iter().any(contradicts) { Vec::new() } else { rounds }
    }
}
