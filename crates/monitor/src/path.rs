//! The path: the recorded states of a monitor, as the changes between them.
//!
//! The changes of all steps are in one queue, and each names the change before it of the same proposition.
//! So a formula is judged on the past in time that depends on the changes of its own propositions alone, and
//! a step that is no longer recorded is forgotten without a look at the propositions that it changed.

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
    /// The number of the last state; the state before the first step has number 0.
    state: u64,
    /// The steps after this state are recorded.
    known_since: u64,
    /// The changes of the recorded steps.
    changes: VecDeque<Change>,
    /// The number of changes that are no longer recorded.
    forgotten: u64,
    /// The states after recorded steps by threads that are known, with their names.
    actors: VecDeque<(u64, Arc<str>)>,
}

/// One change of a proposition's value.
#[derive(Debug)]
struct Change {
    prop: PropId,
    /// The state that shows it.
    state: u64,
    /// The change before it of the same proposition.
    before: ChangeId,
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

impl Path {
    pub(crate) fn new(recording: Recording) -> Path {
        let (changes, actors) = (VecDeque::new(), VecDeque::new());
        Path { recording, state: 0, known_since: 0, changes, forgotten: 0, actors }
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
        self.known_since
    }

    /// Records a step.
    #[inline]
    pub(crate) fn add<P>(
        &mut self,
        propositions: &mut Propositions<P>,
        changed: &[PropId],
        actor: Option<&Arc<str>>,
    ) {
        self.state += 1;
        if self.recording == Recording::Off {
            self.known_since = self.state;
            return;
        }
        for prop in changed {
            let number = ChangeId(self.forgotten + self.changes.len() as u64 + 1);
            let before = propositions.replace_last_change(*prop, number);
            self.changes.push_back(Change { prop: *prop, state: self.state, before });
        }
        if let Some(actor) = actor {
            self.actors.push_back((self.state, actor.clone()));
        }
        self.known_since = self.known_since.max(self.state.saturating_sub(self.limit()));
        // Not at every step: how many changes a step has is hard to predict for a processor.
        if self.state.is_multiple_of(FORGET_EVERY) {
            self.forget();
        }
    }

    /// Changes how much is recorded.
    pub(crate) fn record(&mut self, recording: Recording) {
        self.recording = recording;
        self.forget();
    }

    /// The number of steps that are recorded.
    #[inline]
    fn limit(&self) -> u64 {
        match self.recording {
            Recording::Off => 0,
            Recording::Last(limit) => limit as u64,
            Recording::All => u64::MAX,
        }
    }

    /// Forgets the oldest steps, beyond the limit.
    fn forget(&mut self) {
        self.known_since = self.known_since.max(self.state.saturating_sub(self.limit()));
        while self.changes.front().is_some_and(|change| change.state <= self.known_since) {
            self.changes.pop_front();
            self.forgotten += 1;
        }
        while self.actors.front().is_some_and(|(state, _)| *state <= self.known_since) {
            self.actors.pop_front();
        }
    }

    /// The last change that is no longer recorded.
    pub(crate) fn last_forgotten(&self) -> ChangeId {
        ChangeId(self.forgotten)
    }

    /// The propositions that changed with the recorded step to this state.
    pub(crate) fn changed_at(&self, state: u64) -> Vec<PropId> {
        let first = self.changes.partition_point(|change| change.state < state);
        let changes = self.changes.range(first..).take_while(|change| change.state == state);
        changes.map(|change| change.prop).collect()
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
            let index = next.0.checked_sub(self.forgotten + 1)?;
            let change = &self.changes[index as usize];
            next = change.before;
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
