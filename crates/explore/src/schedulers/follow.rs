//! One run by a list of choices.
//!
//! Less strict than [`Replay`](super::Replay): objects are numbered as a run meets them, so the same steps
//! in another order may have other numbers.
//!
//! Promise: a run that cannot be done as the list says is given up, and so is one that goes on where the
//! list ends, unless it is to [go on](Follow::prefix) there.

use super::next_in_turn;
use crate::event::Event;
use crate::ids::EventId;
use crate::run::{Next, Scheduler};
use crate::trace::Trace;

/// Follows a list of choices.
#[derive(Clone, Debug)]
pub struct Follow {
    choices: Vec<EventId>,
    depth: usize,
    /// Does the run go on where the list ends?
    goes_on: bool,
    last: Option<Event>,
}

impl Follow {
    /// The run of these choices.
    pub fn new(choices: Vec<EventId>) -> Follow {
        Follow { choices, depth: 0, goes_on: false, last: None }
    }

    /// A run that begins with these choices. After them a thread goes on for as long as it can, and lets
    /// others go first where it says so, or is late.
    pub fn prefix(choices: Vec<EventId>) -> Follow {
        Follow { goes_on: true, ..Follow::new(choices) }
    }
}

impl Scheduler for Follow {
    fn begin(&mut self) {
        self.depth = 0;
        self.last = None;
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        let next = match self.choices.get(self.depth) {
            Some(next) => *next,
            None if self.goes_on => {
                return next_in_turn(self.last.as_ref(), enabled.iter()).map(|event| event.id);
            }
            None => return None,
        };
        self.depth += 1;
        enabled.iter().any(|event| event.id == next).then_some(next)
    }

    fn done(&mut self, event: &Event) {
        if !event.thread().is_phantom() {
            self.last = Some(*event);
        }
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        Next::Done
    }
}
