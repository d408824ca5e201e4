//! Every run, one after the other, without any reduction: the reference that all others are tested against.
//!
//! Depth first over the tree of choices. Only the path is stored, so memory does not grow with the number of runs.
//!
//! Promise: each sequence of choices comes once; there are as many runs as the tree has leaves.

use crate::event::Event;
use crate::ids::EventId;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Exhaustive exploration.
#[derive(Clone, Debug, Default)]
pub struct Exhaustive {
    /// For each step of the present run, which choice was made and how many there were.
    path: Vec<Choice>,
    /// How far the present run is.
    depth: usize,
}

#[derive(Clone, Copy, Debug)]
struct Choice {
    index: usize,
    count: usize,
}

impl Exhaustive {
    /// From the first run on.
    pub fn new() -> Exhaustive {
        Exhaustive::default()
    }
}

impl Scheduler for Exhaustive {
    fn begin(&mut self) {
        self.depth = 0;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if self.depth == self.path.len() {
            self.path.push(Choice { index: 0, count: enabled.len() });
        }
        let choice = self.path[self.depth];
        assert_eq!(
            choice.count,
            enabled.len(),
            "the same choices led to something else: the program is not deterministic"
        );
        self.depth += 1;
        Some(enabled[choice.index].id)
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        self.path.truncate(self.depth);
        while self.path.pop_if(|last| last.index + 1 == last.count).is_some() {}
        match self.path.last_mut() {
            None => Next::Done,
            Some(last) => {
                last.index += 1;
                Next::Another
            }
        }
    }
}
