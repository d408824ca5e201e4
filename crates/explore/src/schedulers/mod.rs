//! Ways to choose runs.
//!
//! A random scheduler is a seed and a number of runs; run number n depends on these two alone, and for
//! change points also on the length of the runs before. None of them allocates while a run goes on, but
//! where a thread appears.
//!
//! A phantom, which commits the stores of a buffer, is a thread like others to them, with a chance, a
//! priority or a weight of its own; but its steps are no pre-emptions.
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
//! Any other way is an implementation of [`Scheduler`](crate::Scheduler). This one lets a thread go on for
//! as long as it can:
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
pub(crate) use dpor::HappensBefore;
pub use dpor::{Dpor, Figures, NormalForm};
pub use exhaustive::{Divergence, Exhaustive};
pub use follow::Follow;
pub use pct::Pct;
pub use pos::Pos;
pub use replay::{Difference, Replay};
pub use round_robin::RoundRobin;
pub use swarm::Swarm;
pub use uniform::Uniform;

use crate::checkpoint::Reader;
use crate::event::Event;
use crate::light::Candidate;
use crate::random::Random;
use crate::run::Next;

/// Counts the runs of a scheduler that makes so many.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    /// The number of the present run, from 0.
    pub(crate) at: u64,
    total: u64,
    /// Every so-manyth run is made here.
    stride: u64,
}

impl Runs {
    pub(crate) fn new(total: u64) -> Runs {
        Runs { at: 0, total, stride: 1 }
    }

    /// The present run has ended.
    pub(crate) fn next(&mut self) -> Next {
        self.at = self.at.saturating_add(self.stride);
        if self.at < self.total { Next::Another } else { Next::Done }
    }

    /// The number of the next run, if there is one.
    pub(crate) fn number(&self) -> Option<u64> {
        (self.at < self.total).then_some(self.at)
    }

    /// The share of one of several workers in the runs that are left.
    pub(crate) fn share(&self, worker: u64, workers: u64) -> Runs {
        let at = self.at.saturating_add(self.stride.saturating_mul(worker));
        Runs { at, total: self.total, stride: self.stride.saturating_mul(workers.max(1)) }
    }

    /// As text.
    pub(crate) fn save(&self) -> String {
        format!("runs {} {}\n", self.at, self.stride)
    }

    /// From text. How many runs there are is not part of it: another process may want more.
    pub(crate) fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        if !reader.advance_if("runs") {
            return Err("the number of the next run is missing".to_owned());
        }
        (self.at, self.stride) = (reader.number()?, reader.number()?);
        Ok(())
    }
}

/// The part of a [`Scheduler`](crate::Scheduler) that is the same for all whose runs depend on the seed and
/// their number alone.
macro_rules! numbered {
    () => {
        fn run_number(&self) -> Option<u64> {
            self.runs.number()
        }

        fn share(&self, worker: u64, workers: u64) -> Option<Box<dyn Scheduler + Send>> {
            Some(Box::new(Self { runs: self.runs.share(worker, workers), ..self.clone() }))
        }

        fn save(&self) -> Option<String> {
            Some(self.runs.save())
        }

        fn load(&mut self, saved: &str) -> Result<(), String> {
            self.runs.load(&mut crate::checkpoint::Reader::new(saved))
        }
    };
}
pub(crate) use numbered;

/// The parts of a [`Scheduler`](crate::Scheduler) that goes by threads alone: it has a `pick_any` and a
/// `done_any` that take events in full and in light.
macro_rules! thread_scheduler {
    () => {
        fn choose(&mut self, enabled: &[crate::event::Event]) -> Option<crate::ids::EventId> {
            self.pick_any(enabled).map(|place| enabled[place].id)
        }

        fn done(&mut self, event: &crate::event::Event) {
            self.done_any(event);
        }

        fn as_thread_scheduler(&mut self) -> Option<&mut dyn crate::light::ThreadScheduler> {
            Some(self)
        }
    };
    (light: $scheduler:ty) => {
        impl crate::light::ThreadScheduler for $scheduler {
            #[inline]
            fn pick(&mut self, enabled: &[crate::light::LightEvent]) -> Option<usize> {
                let place = self.pick_any(enabled)?;
                self.done_any(&enabled[place]);
                Some(place)
            }
        }
    };
}
pub(crate) use thread_scheduler;

/// What goes on freely, of these events that are in the order of their threads: the thread that went last,
/// unless it has let others go first or its time must be up for that. Then the others take turns. So a loop
/// that asks again and again comes to its end where others let it.
pub(crate) fn next_in_turn<'e>(
    last: Option<&Event>,
    all: impl Iterator<Item = &'e Event> + Clone,
) -> Option<&'e Event> {
    let gave_way = last.is_some_and(Candidate::counts_as_yield);
    let thread = last.map(Event::thread);
    let timely = || all.clone().filter(|event| !event.ends_wait_unprompted());
    let same = || timely().find(|event| Some(event.thread()) == thread);
    let later = || timely().find(|event| Some(event.thread()) > thread);
    let other = || timely().find(|event| Some(event.thread()) != thread);
    let chosen = if gave_way { later().or_else(other).or_else(same) } else { same().or_else(other) };
    // Where all would be late, they take turns too.
    let next = || all.clone().find(|event| Some(event.thread()) > thread);
    chosen.or_else(next).or_else(|| { all }.next())
}

/// One of the alternatives, by chance, of the thread whose first event is at this place; the generator is
/// left alone where there is only one.
#[inline]
pub(crate) fn alternative_at(start: usize, enabled: &[impl Candidate], random: &mut Random) -> Option<usize> {
    let thread = enabled.get(start)?.thread();
    let count = enabled[start..].iter().take_while(|event| event.thread() == thread).count();
    let chosen = if count == 1 { 0 } else { random.below(count)? };
    Some(start + chosen)
}
