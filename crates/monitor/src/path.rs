//! The path: the recorded states of a monitor, as the changes between them.
//!
//! Each proposition keeps the recorded states at which its value changed, so that a formula is judged on
//! the past in time that depends on the changes of its own propositions alone.

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
    steps: VecDeque<Step>,
    /// The number of the last state; the state before the first step has number 0.
    state: u64,
}

/// One step: the propositions whose value changed.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) actor: Option<Arc<str>>,
    pub(crate) changed: Box<[PropId]>,
}

impl Path {
    pub(crate) fn new(recording: Recording) -> Path {
        Path { recording, steps: VecDeque::new(), state: 0 }
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
        self.state - self.steps.len() as u64
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
        let limit = match self.recording {
            Recording::Off => return,
            Recording::Last(limit) => limit,
            Recording::All => usize::MAX,
        };
        self.steps.push_back(Step { actor: actor.cloned(), changed: changed.into() });
        for prop in changed {
            propositions.record_toggle(*prop, self.state);
        }
        self.forget_above(limit, propositions);
    }

    /// Changes how much is recorded.
    pub(crate) fn record<P>(&mut self, recording: Recording, propositions: &mut Propositions<P>) {
        self.recording = recording;
        let limit = match recording {
            Recording::Off => 0,
            Recording::Last(limit) => limit,
            Recording::All => usize::MAX,
        };
        self.forget_above(limit, propositions);
    }

    fn forget_above<P>(&mut self, limit: usize, propositions: &mut Propositions<P>) {
        while self.steps.len() > limit
            && let Some(step) = self.steps.pop_front()
        {
            for prop in step.changed {
                propositions.forget_toggle(prop);
            }
        }
    }

    /// The recorded steps, each with the number of the state after it.
    pub(crate) fn steps(&self) -> impl DoubleEndedIterator<Item = (u64, &Step)> {
        (self.known_since() + 1..).zip(&self.steps).collect::<Vec<_>>().into_iter()
    }

    /// The recorded step that led to this state.
    pub(crate) fn step_to(&self, state: u64) -> Option<&Step> {
        let index = state.checked_sub(self.known_since() + 1)?;
        self.steps.get(usize::try_from(index).ok()?)
    }
}

/// The value of a proposition in a state of which it is known.
pub(crate) fn value_at<P>(propositions: &Propositions<P>, prop: PropId, state: u64) -> bool {
    let later = propositions.toggles(prop).iter().rev().take_while(|toggle| **toggle > state).count();
    propositions.holds_in_state(prop) ^ (later % 2 == 1)
}

/// The letters of an instance from a known state on: at that state, and at each state where one of its
/// propositions changed.
pub(crate) fn letters_since<P>(
    propositions: &Propositions<P>,
    props: &[Option<PropId>],
    since: u64,
) -> Vec<(u64, u64)> {
    let bits = || props.iter().enumerate().filter_map(|(bit, prop)| Some((bit, (*prop)?)));
    let mut letter =
        bits().fold(0, |letter, (bit, prop)| letter | u64::from(value_at(propositions, prop, since)) << bit);
    let mut toggles: Vec<(u64, usize)> = bits()
        .flat_map(|(bit, prop)| {
            let later = propositions.toggles(prop).iter().rev().take_while(|toggle| **toggle > since);
            later.map(move |toggle| (*toggle, bit))
        })
        .collect();
    toggles.sort_unstable();
    let mut letters = vec![(since, letter)];
    for (state, bit) in toggles {
        letter ^= 1 << bit;
        match letters.last_mut() {
            Some((last, same)) if *last == state => *same = letter,
            _ => letters.push((state, letter)),
        }
    }
    letters
}
