//! One run by a list of choices.
//!
//! Less strict than [`Replay`](super::Replay): objects are numbered as a run meets them, so the same steps in another order
//! may have other numbers.
//!
//! Promise: a run that cannot be done as the list says is given up, and so is one that goes on where the list ends.

use crate::event::Event;
use crate::ids::EventId;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Follows a list of choices.
#[derive(Clone, Debug)]
pub struct Follow {
    choices: Vec<EventId>,
    depth: usize,
}

impl Follow {
    /// The run of these choices.
    pub fn new(choices: Vec<EventId>) -> Follow {
        Follow { choices, depth: 0 }
    }
}

impl Scheduler for Follow {
    fn begin(&mut self) {
        self.depth = 0;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let next = *self.choices.get(self.depth)?;
        self.depth += 1;
        enabled.iter().any(|event| event.id == next).then_some(next)
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        Next::Done
    }
}
