//! The path: the recorded states of a monitor, as the changes between them.
//!
//! The changes of all steps are in one ring, and each names the change before it of the same proposition.
//! So a formula is judged on the past in time that depends on the changes of its own propositions alone, and
//! a step that is no longer recorded is forgotten without a look at the propositions that it changed.
//!
//! Whether a proposition changes is hard to predict for a processor, so a change is written in any case, and
//! the end of the ring moves behind it only if it is one.

use crate::propositions::{PropId, Propositions};
use std::collections::VecDeque;
use std::sync::Arc;

/// How much of the path a monitor records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// Nothing: reports have no path, and formulas cannot be judged on the past.
    Off,
    /// The last steps, at most this number.
    Last(usize),
    /// Every step.
    All,
}

/// The recorded steps.
#[derive(Debug)]
pub(crate) struct Path {
    recording: Recording,
    /// The number of steps that are recorded.
    limit: u64,
    /// The number of the last state; the state before the first step has number 0.
    state: u64,
    /// The steps after this state are recorded, but for those beyond the limit.
    recorded_since: u64,
    /// The changes of the recorded steps, each at its number modulo the length, which is a power of two.
    ring: Vec<Change>,
    /// The last change that is no longer recorded, and the last one of all.
    forgotten: ChangeId,
    last: ChangeId,
    /// The highest number that there is room for.
    max_number: u64,
    /// The states after recorded steps by threads that are known, with their names.
    actors: VecDeque<(u64, Arc<str>)>,
}

/// One change of a proposition's value.
#[derive(Clone, Copy, Debug)]
struct Change {
    prop: PropId,
    /// The change before it of the same proposition has a number that is lower by this. If that one is not
    /// recorded, it can be a number too high, but none of a recorded change.
    distance: u32,
    /// The state that shows it.
    state: u64,
}

/// The number of a change that is or was recorded; the first has number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChangeId(u64);

impl ChangeId {
    /// Before the first one.
    pub(crate) const NONE: ChangeId = ChangeId(0);
}

/// The number of steps after which the changes of the oldest ones are dropped.
const FORGET_EVERY: u64 = 64;
/// The length of the ring at first.
const FIRST_LENGTH: usize = 16;
/// At most so many changes are recorded, but for those of the last steps: distances fit into 32 bits.
const MAX_CHANGES: u64 = 1 << 31;

impl Path {
    pub(crate) fn new(recording: Recording) -> Path {
        let none = Change { prop: PropId::FIRST, distance: 0, state: 0 };
        let mut path = Path {
            recording,
            limit: 0,
            state: 0,
            recorded_since: 0,
            ring: vec![none; FIRST_LENGTH],
            forgotten: ChangeId::NONE,
            last: ChangeId::NONE,
            max_number: 0,
            actors: VecDeque::new(),
        };
        path.record(recording);
        path
    }

    /// How much is recorded.
    pub(crate) fn recording(&self) -> Recording {
        self.recording
    }

    /// The number of the last state.
    #[inline]
    pub(crate) fn state(&self) -> u64 {
        self.state
    }

    /// The first state of which the value of every proposition is known.
    pub(crate) fn known_since(&self) -> u64 {
        self.recorded_since.max(self.state.saturating_sub(self.limit))
    }

    /// Records a step: propositions, and whether each changes its value.
    #[inline]
    pub(crate) fn add<P>(
        &mut self,
        propositions: &mut Propositions<P>,
        changes: impl ExactSizeIterator<Item = (PropId, bool)>,
        actor: Option<&Arc<str>>,
    ) {
        self.state += 1;
        if self.limit == 0 {
            return;
        }
        if self.last.0 + changes.len() as u64 > self.max_number {
            self.grow(changes.len());
        }
        let (mut last, state) = (self.last, self.state);
        for (prop, is_change) in changes {
            let number = ChangeId(last.0 + 1);
            let before = propositions.last_change(prop);
            let distance = (number.0 - before.0).min(u64::from(u32::MAX)) as u32;
            *self.at_mut(number) = Change { prop, distance, state };
            propositions.set_last_change(prop, if is_change { number } else { before });
            last.0 += u64::from(is_change);
        }
        self.last = last;
        if let Some(actor) = actor {
            self.actors.push_back((self.state, actor.clone()));
        }
        // Not at every step: how many changes a step has is hard to predict for a processor.
        if self.state.is_multiple_of(FORGET_EVERY) {
            self.forget(MAX_CHANGES);
        }
    }

    #[inline]
    fn at(&self, number: ChangeId) -> &Change {
        &self.ring[number.0 as usize & (self.ring.len() - 1)]
    }

    #[inline]
    fn at_mut(&mut self, number: ChangeId) -> &mut Change {
        let mask = self.ring.len() - 1;
        &mut self.ring[number.0 as usize & mask]
    }

    /// Makes room in the ring for so many changes.
    #[cold]
    fn grow(&mut self, room: usize) {
        let count = (self.last.0 - self.forgotten.0) as usize;
        let length = (count + room).next_power_of_two().max(self.ring.len());
        let longer = vec![self.ring[0]; length];
        let old = std::mem::replace(&mut self.ring, longer);
        for number in self.forgotten.0 + 1..=self.last.0 {
            *self.at_mut(ChangeId(number)) = old[number as usize & (old.len() - 1)];
        }
        self.max_number = self.forgotten.0 + self.ring.len() as u64;
    }

    /// Changes how much is recorded.
    pub(crate) fn record(&mut self, recording: Recording) {
        self.forget(MAX_CHANGES);
        self.recording = recording;
        self.limit = match recording {
            Recording::Off => 0,
            Recording::Last(limit) => limit as u64,
            Recording::All => u64::MAX,
        };
        self.forget(MAX_CHANGES);
    }

    /// Forgets the oldest steps, beyond the limit of steps or of changes.
    fn forget(&mut self, max_changes: u64) {
        self.recorded_since = self.known_since();
        if self.last.0 - self.forgotten.0 > max_changes {
            self.recorded_since = self.recorded_since.max(self.at(ChangeId(self.last.0 - max_changes)).state);
        }
        while self.forgotten < self.last
            && self.at(ChangeId(self.forgotten.0 + 1)).state <= self.recorded_since
        {
            self.forgotten.0 += 1;
        }
        self.max_number = self.forgotten.0 + self.ring.len() as u64;
        while self.actors.front().is_some_and(|(state, _)| *state <= self.recorded_since) {
            self.actors.pop_front();
        }
    }

    /// The last change that is no longer recorded.
    pub(crate) fn last_forgotten(&self) -> ChangeId {
        self.forgotten
    }

    /// The propositions that changed with the recorded step to this state.
    pub(crate) fn changed_at(&self, state: u64) -> Vec<PropId> {
        let (mut first, mut end) = (self.forgotten.0 + 1, self.last.0 + 1);
        while first < end {
            let middle = first.midpoint(end);
            if self.at(ChangeId(middle)).state < state { first = middle + 1 } else { end = middle }
        }
        let changes = (first..=self.last.0).map(|number| self.at(ChangeId(number)));
        changes.take_while(|change| change.state == state).map(|change| change.prop).collect()
    }

    /// The thread that made the recorded step to this state.
    pub(crate) fn actor_at(&self, state: u64) -> Option<&Arc<str>> {
        let index = self.actors.binary_search_by_key(&state, |(state, _)| *state).ok()?;
        Some(&self.actors[index].1)
    }

    /// The recorded states that show a change of this proposition, the last one first.
    fn changes_of<P>(&self, propositions: &Propositions<P>, prop: PropId) -> impl Iterator<Item = u64> {
        let mut next = propositions.last_change(prop);
        std::iter::from_fn(move || {
            let change = (next > self.forgotten).then(|| self.at(next))?;
            next.0 = next.0.saturating_sub(u64::from(change.distance));
            Some(change.state)
        })
    }

    /// The value of a proposition in a state of which it is known.
    pub(crate) fn value_at<P>(&self, propositions: &Propositions<P>, prop: PropId, state: u64) -> bool {
        let later = self.changes_of(propositions, prop).take_while(|change| *change > state).count();
        propositions.holds_in_state(prop) ^ (later % 2 == 1)
    }

    /// The letters of an instance from a known state on: at that state, and at each state where one of its
    /// propositions changed.
    pub(crate) fn letters_since<P>(
        &self,
        propositions: &Propositions<P>,
        props: &[Option<PropId>],
        since: u64,
    ) -> Vec<(u64, u64)> {
        let bits = || props.iter().enumerate().filter_map(|(bit, prop)| Some((bit, (*prop)?)));
        let value = |prop| u64::from(self.value_at(propositions, prop, since));
        let mut letter = bits().fold(0, |letter, (bit, prop)| letter | value(prop) << bit);
        let mut changes: Vec<(u64, usize)> = bits()
            .flat_map(|(bit, prop)| {
                let later = self.changes_of(propositions, prop).take_while(|change| *change > since);
                later.map(move |change| (change, bit))
            })
            .collect();
        changes.sort_unstable();
        let mut letters = vec![(since, letter)];
        for (state, bit) in changes {
            letter ^= 1 << bit;
            match letters.last_mut() {
                Some((last, same)) if *last == state => *same = letter,
                _ => letters.push((state, letter)),
            }
        }
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path with each proposition of this many changed at each third step, by turns, and the states at
    /// which each changed.
    fn path(recording: Recording, steps: u64) -> (Path, Propositions<u64>, Vec<Vec<u64>>) {
        let (mut path, mut propositions) = (Path::new(recording), Propositions::default());
        let props: Vec<PropId> = (0..5).map(|prop| propositions.intern(&prop)).collect();
        let mut changes = vec![Vec::new(); props.len()];
        for state in 1..=steps {
            let is_change = |prop: u64| (state + prop).is_multiple_of(3);
            path.add(
                &mut propositions,
                props.iter().enumerate().map(|(at, id)| (*id, is_change(at as u64))),
                None,
            );
            (0..5).zip(&mut changes).filter(|(at, _)| is_change(*at)).for_each(|(_, list)| list.push(state));
        }
        (path, propositions, changes)
    }

    fn check(path: &Path, propositions: &Propositions<u64>, changes: &[Vec<u64>]) {
        for (prop, expected) in (0..).zip(changes) {
            let prop = propositions.find(&prop).expect("a proposition");
            let recorded: Vec<u64> = path.changes_of(propositions, prop).collect();
            let is_recorded = |state: &&u64| **state > path.known_since();
            assert!(recorded.iter().filter(is_recorded).eq(expected.iter().rev().filter(is_recorded)));
            for state in path.known_since() + 1..=path.state() {
                assert_eq!(path.changed_at(state).contains(&prop), expected.contains(&state));
            }
        }
    }

    #[test]
    fn the_changes_of_each_proposition_are_found_as_long_as_they_are_recorded() {
        for recording in [Recording::Off, Recording::Last(1), Recording::Last(100), Recording::All] {
            for steps in [0, 1, 63, 64, 65, 1_000] {
                let (path, propositions, changes) = path(recording, steps);
                check(&path, &propositions, &changes);
            }
        }
    }

    #[test]
    fn whole_steps_are_forgotten_if_there_are_too_many_changes() {
        let (mut path, propositions, changes) = path(Recording::All, 200);
        for most in [150, 100, 99, 98, 10, 1, 0] {
            path.forget(most);
            assert!(path.last.0 - path.forgotten.0 <= most);
            check(&path, &propositions, &changes);
        }
    }
}
