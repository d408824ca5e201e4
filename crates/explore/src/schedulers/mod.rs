//! Schedulers: strategies to choose interleavings.
//!
//! A random scheduler has a seed and a number of runs. Run number n depends on these two alone; with change
//! points it also depends on the lengths of the runs before, and a run of [`Mixed`] on their events. A
//! random scheduler allocates during a run only when a thread appears.
//!
//! A phantom, which commits the stores of a store buffer, is a thread like others to a scheduler, with a
//! probability, a priority or a weight of its own; but its steps are no pre-emptions.
//!
//! | scheduler | next thread |
//! |---|---|
//! | [`Uniform`] | any enabled thread, with equal probability |
//! | [`Pct`] | the highest priority, lowered at a few random steps: for bugs that need few orderings |
//! | [`Swarm`] | any enabled thread, by weights that differ from run to run |
//! | [`Pos`] | the highest priority, drawn for each event: samples partial orders |
//! | [`Mixed`] | by one of several schedulers in each run: uniform random walks, PCT, uniform |
//! | [`RoundRobin`] | the next thread in turn; one run |
//! | [`Dpor`] | every Mazurkiewicz trace, one interleaving each; or every trace within bounds |
//! | [`Bounded`] | every interleaving within bounds |
//! | [`Exhaustive`] | every interleaving |
//! | [`Replay`] | the thread of the recorded step |
//! | [`Follow`] | the thread of a list of choices |
//!
//! Any other strategy is an implementation of [`Scheduler`](crate::Scheduler). This one lets a thread run as
//! long as it is enabled:
//!
//! ```
//! use selvedge_explore::{Event, EventId, Next, Scheduler, ThreadId, Trace};
//!
//! #[derive(Default)]
//! struct Stubborn { last: Option<ThreadId> }
//!
//! impl Scheduler for Stubborn {
//!     fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
//!         let same = enabled.iter().find(|event| Some(event.thread()) == self.last);
//!         same.or(enabled.first()).map(|event| event.id)
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
mod mixed;
mod pct;
mod per_thread;
mod pos;
mod replay;
mod round_robin;
mod swarm;
mod uniform;

pub use bounded::Bounded;
pub use bounds::Bounds;
pub use change_points::FIRST_LENGTH_ESTIMATE;
pub(crate) use dpor::HappensBefore;
pub use dpor::{Dpor, Figures, NormalForm, Past};
pub use exhaustive::{Divergence, Exhaustive};
pub use follow::Follow;
pub use mixed::Mixed;
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

/// Counts the runs of a scheduler with a fixed number of runs.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    /// The number of the current run, from 0.
    pub(crate) at: u64,
    total: u64,
    /// The distance to the next run of this worker.
    stride: u64,
}

impl Runs {
    pub(crate) fn new(total: u64) -> Runs {
        Runs { at: 0, total, stride: 1 }
    }

    /// The current run has ended.
    pub(crate) fn next(&mut self) -> Next {
        self.at = self.at.saturating_add(self.stride);
        if self.at < self.total { Next::Another } else { Next::Done }
    }

    /// The number of the next run, if there is one.
    pub(crate) fn number(&self) -> Option<u64> {
        (self.at < self.total).then_some(self.at)
    }

    /// The share of one of several workers in the remaining runs.
    pub(crate) fn share(&self, worker: u64, workers: u64) -> Runs {
        let at = self.at.saturating_add(self.stride.saturating_mul(worker));
        Runs { at, total: self.total, stride: self.stride.saturating_mul(workers.max(1)) }
    }

    /// The checkpoint as text.
    pub(crate) fn save(&self) -> String {
        format!("runs {} {}\n", self.at, self.stride)
    }

    /// Continues from a checkpoint. It does not contain the total number of runs: another process may want
    /// more.
    pub(crate) fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        if !reader.advance_if("runs") {
            return Err("the number of the next run is missing".to_owned());
        }
        (self.at, self.stride) = (reader.number()?, reader.number()?);
        Ok(())
    }
}

/// The part of a [`Scheduler`](crate::Scheduler) that is common to all schedulers with runs that depend on
/// the seed and their number alone.
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

/// The parts of a [`Scheduler`](crate::Scheduler) that chooses by threads alone: it has a `pick_any` and a
/// `done_any`, which take full and light events.
macro_rules! thread_scheduler {
    () => {
        fn choose(&mut self, enabled: &[crate::event::Event]) -> Option<crate::ids::EventId> {
            self.pick_any(enabled).map(|index| enabled[index].id)
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
                let index = self.pick_any(enabled)?;
                self.done_any(&enabled[index]);
                Some(index)
            }
        }
    };
}
pub(crate) use thread_scheduler;

/// The default choice of systematic schedulers, of events in the order of their threads: the thread of the
/// last event continues, unless it has yielded or can continue only by a timeout. Then the other threads
/// take turns, so that a polling loop ends as soon as the other threads allow it.
pub(crate) fn next_in_turn<'e>(
    last: Option<&Event>,
    all: impl Iterator<Item = &'e Event> + Clone,
) -> Option<&'e Event> {
    next_in_turn_after(last, false, all)
}

/// The same; the thread of the last event gives way to the others also if its turn is over.
pub(crate) fn next_in_turn_after<'e>(
    last: Option<&Event>,
    is_turn_over: bool,
    all: impl Iterator<Item = &'e Event> + Clone,
) -> Option<&'e Event> {
    let has_yielded = is_turn_over || last.is_some_and(Candidate::counts_as_yield);
    let thread = last.map(Event::thread);
    let prompted = || all.clone().filter(|event| !event.ends_wait_unprompted());
    let same = || prompted().find(|event| Some(event.thread()) == thread);
    // The order of events is that of paths, and turns go by numbers: the least one is next.
    let is_later = |event: &&Event| Some(event.thread()) > thread;
    let later = || prompted().filter(is_later).min_by_key(|event| event.thread());
    let other = || prompted().find(|event| Some(event.thread()) != thread);
    let chosen = if has_yielded { later().or_else(other).or_else(same) } else { same().or_else(other) };
    // If all threads can continue only by timeouts, they take turns, too.
    let next = || all.clone().filter(is_later).min_by_key(|event| event.thread());
    chosen.or_else(next).or_else(|| { all }.next())
}

/// A random alternative of the thread with its first event at this index. A single alternative draws no
/// random number.
#[inline]
pub(crate) fn alternative_at(start: usize, enabled: &[impl Candidate], random: &mut Random) -> Option<usize> {
    let thread = enabled.get(start)?.thread();
    let count = enabled[start..].iter().take_while(|event| event.thread() == thread).count();
    let chosen = if count == 1 { 0 } else { random.below(count)? };
    Some(start + chosen)
}
