//! A run that was written down, again.
//!
//! Promise: the first step that differs from what was written ends the replay, and both are told. Steps
//! after the last one that was written go to the lowest thread.

use crate::event::Event;
use crate::ids::EventId;
use crate::run::{Next, Scheduler};
use crate::trace::{RecordedStep, Recording, Trace};

/// Replays one run.
#[derive(Clone, Debug)]
pub struct Replay {
    steps: Vec<RecordedStep>,
    depth: usize,
    difference: Option<Difference>,
}

/// Where a replay left what was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the step, from 0.
    pub step: usize,
    /// What was written down.
    pub expected: RecordedStep,
    /// What the thread would do instead; nothing if it can do nothing.
    pub found: Option<Event>,
}

impl Replay {
    /// Follows the recording.
    pub fn new(recording: Recording) -> Replay {
        Replay { steps: recording.steps, depth: 0, difference: None }
    }

    /// What was chosen.
    pub fn choices(&self) -> impl Iterator<Item = EventId> {
        self.steps.iter().map(|step| step.id)
    }

    /// Where the run went differently, if it did.
    pub fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }
}

impl Scheduler for Replay {
    fn begin(&mut self) {
        self.depth = 0;
        self.difference = None;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let Some(expected) = self.steps.get(self.depth) else { return enabled.first().map(|event| event.id) };
        let same = enabled.iter().find(|event| event.id == expected.id);
        if same.is_some_and(|event| expected.matches(event)) {
            self.depth += 1;
            return Some(expected.id);
        }
        let found = same.or_else(|| enabled.iter().find(|event| event.thread() == expected.id.thread));
        self.difference =
            Some(Difference { step: self.depth, expected: expected.clone(), found: found.copied() });
        None
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        Next::Done
    }
}
