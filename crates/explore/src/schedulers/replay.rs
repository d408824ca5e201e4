//! Replay of a recorded run.
//!
//! Promise: the replay ends at the first step that differs from the recording, and reports both. After the
//! last recorded step the first enabled event is chosen.

use crate::event::Event;
use crate::ids::EventId;
use crate::run::{Next, Scheduler};
use crate::thread_tree::{RunThreads, ThreadTree};
use crate::trace::{RecordedStep, Recording, Trace};

/// Replays one run.
#[derive(Clone, Debug)]
pub struct Replay {
    run_threads: RunThreads,
    steps: Vec<RecordedStep>,
    depth: usize,
    difference: Option<Difference>,
}

/// The first difference between a replay and its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the step, from 0.
    pub step: usize,
    /// The recorded step.
    pub expected: RecordedStep,
    /// The pending event of the thread instead; `None` if the thread is not enabled.
    pub found: Option<Event>,
}

impl Replay {
    /// Replays the recording.
    pub fn new(recording: Recording) -> Replay {
        let run_threads = recording.run_threads();
        Replay { run_threads, steps: recording.steps, depth: 0, difference: None }
    }

    /// The threads of the run, as its spawns show them.
    pub fn run_threads(&self) -> &RunThreads {
        &self.run_threads
    }

    /// The recorded choices.
    pub fn choices(&self) -> impl Iterator<Item = EventId> {
        self.steps.iter().map(|step| step.id)
    }

    /// The first difference, if there is one.
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

    fn thread_tree(&self) -> Option<ThreadTree> {
        Some(self.run_threads.tree())
    }
}
