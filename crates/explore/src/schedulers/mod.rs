//! Ways to choose runs.
//!
//! A random scheduler is a seed and a number of runs; run number n depends on these two alone, and for change points also on
//! the length of the runs before. None of them allocates while a run goes on, but where a thread appears.
//!
//! A phantom, which commits the stores of a buffer, is a thread like others to them, with a chance, a priority or a weight of its
//! own; but its steps are no pre-emptions.
//!
//! | scheduler | who goes next |
//! |---|---|
//! | [`Uniform`] | anybody |
//! | [`Pct`] | the highest priority, lowered at a few random steps: for bugs that need few orderings |
//! | [`Swarm`] | anybody, by weights that differ from run to run |
//! | [`Pos`] | the highest priority, drawn for each event: fewer runs that differ only in independent steps |
//! | [`RoundRobin`] | the next thread in turn; one run |
//! | [`Dpor`] | whoever leads to a run that differs in more than the order of independent events |
//! | [`Bounded`] | each in turn, over all runs within bounds, reduced |
//! | [`Exhaustive`] | each in turn, over all runs |
//! | [`Replay`] | whoever it was |
//! | [`Follow`] | whoever a list says |
//!
//! Any other way is an implementation of [`Scheduler`](crate::Scheduler). This one lets a thread go on for as long as it can:
//!
//! ```
//! use selvedge_explore::{Event, EventId, Next, Scheduler, ThreadId, Trace};
//!
//! #[derive(Default)]
//! struct Stubborn { last: Option<ThreadId> }
//!
//! impl Scheduler for Stubborn {
//!     fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
//!         let goes_on = enabled.iter().find(|event| Some(event.thread()) == self.last);
//!         goes_on.or(enabled.first()).map(|event| event.id)
//!     }
//!     fn done(&mut self, event: &Event) { self.last = Some(event.thread()); }
//!     fn finish(&mut self, _run: &Trace) -> Next { Next::Done }
//! }
//! # let _: Box<dyn Scheduler> = Box::new(Stubborn::default());
//! ```

mod bounded;
mod bounds;
mod change_points;
mod dpor;
mod exhaustive;
mod follow;
mod pct;
mod per_thread;
mod pos;
mod replay;
mod round_robin;
mod swarm;
mod uniform;

pub use bounded::Bounded;
pub use bounds::Bounds;
pub use change_points::FIRST_GUESS;
pub(crate) use dpor::History;
pub use dpor::{Dpor, Figures};
pub use exhaustive::{Divergence, Exhaustive};
pub use follow::Follow;
pub use pct::Pct;
pub use pos::Pos;
pub use replay::{Difference, Replay};
pub use round_robin::RoundRobin;
pub use swarm::Swarm;
pub use uniform::Uniform;

use crate::event::{Event, Kind};
use crate::ids::{EventId, ThreadId};
use crate::random::Random;
use crate::run::Next;

/// Counts the runs of a scheduler that makes so many.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    /// The number of the present run, from 0.
    pub(crate) at: u64,
    total: u64,
}

impl Runs {
    pub(crate) fn new(total: u64) -> Runs {
        Runs { at: 0, total }
    }

    /// The present run has ended.
    pub(crate) fn next(&mut self) -> Next {
        self.at += 1;
        if self.at < self.total { Next::Another } else { Next::Done }
    }
}

/// Did the thread let others go first?
pub(crate) fn is_yield(event: &Event) -> bool {
    matches!(event.action.kind, Kind::Yield | Kind::Sleep)
}

/// One of the thread's alternatives, by chance; the generator is left alone where there is only one.
pub(crate) fn alternative_of(thread: ThreadId, enabled: &[Event], random: &mut Random) -> Option<EventId> {
    let start = enabled.iter().position(|event| event.thread() == thread)?;
    alternative_at(start, enabled, random)
}

/// The same, of the thread whose first event is at this place.
#[inline]
pub(crate) fn alternative_at(start: usize, enabled: &[Event], random: &mut Random) -> Option<EventId> {
    let thread = enabled.get(start)?.thread();
    let count = enabled[start..].iter().take_while(|event| event.thread() == thread).count();
    let chosen = if count == 1 { 0 } else { random.below(count)? };
    Some(enabled[start + chosen].id)
}
