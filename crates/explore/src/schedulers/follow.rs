//! One run by a list of choices.
//!
//! Less strict than [`Replay`](super::Replay): objects are numbered in the order of their first use, so the
//! same events in another order may have other object numbers.
//!
//! Promise: the run is given up at a choice that is not enabled, and at the end of the list, unless the list
//! is a [prefix](Follow::prefix) or the body is about to return.

use super::next_in_turn;
use crate::event::{Event, Kind};
use crate::ids::EventId;
use crate::run::{Next, Scheduler};
use crate::thread_tree::{RunThreads, ThreadTree};
use crate::trace::Trace;

/// Follows a list of choices.
#[derive(Clone, Debug)]
pub struct Follow {
    choices: Vec<EventId>,
    depth: usize,
    /// Does the run continue after the list?
    is_prefix: bool,
    last: Option<Event>,
    /// The threads of the choices, if they come from another exploration.
    threads: Option<ThreadTree>,
}

impl Follow {
    /// The run with exactly these choices, of a run of the same exploration.
    pub fn new(choices: Vec<EventId>) -> Follow {
        Follow { choices, depth: 0, is_prefix: false, last: None, threads: None }
    }

    /// The run with exactly these choices, of a run of another exploration, which had these threads.
    pub fn of_run(threads: &RunThreads, mut choices: Vec<EventId>) -> Follow {
        let canonical = threads.canonical();
        choices.iter_mut().for_each(|choice| choice.thread = canonical(choice.thread));
        Follow { threads: Some(threads.tree()), ..Follow::new(choices) }
    }

    /// A run that begins with these choices. After them a thread continues as long as it is enabled, until
    /// it yields or could continue only by a timeout.
    pub fn prefix(choices: Vec<EventId>) -> Follow {
        Follow { is_prefix: true, ..Follow::new(choices) }
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
            None if self.is_prefix => {
                return next_in_turn(self.last.as_ref(), enabled.iter()).map(|event| event.id);
            }
            None => {
                let returns = enabled.iter().find(|event| event.action.kind == Kind::Return);
                return returns.map(|event| event.id);
            }
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

    fn thread_tree(&self) -> Option<ThreadTree> {
        self.threads.clone()
    }
}
