//! How runs are chosen.

mod parts;

use super::found::Rank;
use super::progress::Seen;
use super::worker::gives_up;
use selvedge_explore::schedulers::{
    Bounded, Bounds, Dpor, Exhaustive, Figures, Follow, Pct, Pos, Replay, RoundRobin, Swarm, Uniform,
};
use selvedge_explore::trace::Recording;
use selvedge_explore::{Event, EventId, Next, Scheduler, ThreadScheduler, Trace};
use std::fmt;

/// How runs are chosen.
pub struct Strategy {
    scheduler: Chosen,
    /// Does the end of the scheduler mean that every run was made?
    pub(super) is_systematic: bool,
    /// Is the scheduler one that is known to take little stack?
    pub(super) needs_little: bool,
    /// Is it none of the user's, so that it does not panic, nor use what is explored?
    pub(super) is_known: bool,
    name: String,
    /// How many runs there are, where that is known.
    total: Option<u64>,
}

/// The schedulers that are used most are called without a detour.
#[repr(u8)]
enum Chosen {
    Bounded(Box<Bounded>),
    Dpor(Box<Dpor>),
    Exhaustive(Exhaustive),
    Pct(Box<Pct>),
    Uniform(Uniform),
    Replay(Box<Replay>),
    Other(Box<dyn Scheduler + Send>),
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Strategy").field(&self.name).finish()
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Strategy {
    /// One that is not systematic, by a scheduler that is known and takes little stack.
    fn known(name: String, scheduler: Chosen) -> Strategy {
        Strategy { scheduler, is_systematic: false, needs_little: true, is_known: true, name, total: None }
    }

    fn other(name: String, scheduler: impl Scheduler + Send + 'static) -> Strategy {
        Strategy::known(name, Chosen::Other(Box::new(scheduler)))
    }

    /// Every run that differs in more than the order of independent steps, once: complete.
    ///
    /// By optimal dynamic partial order reduction; see [`selvedge_explore::schedulers::Dpor`].
    ///
    /// A loop that yields after it did something, sleeps, or waits with a time may go on for ever. Where a thread does so a hundred times at one
    /// place, the exploration begins again: with runs in which nobody does so more than once at one place, then twice, and so on. It is not complete
    /// then, unless a round leaves nothing out; a note says how far it came.
    pub fn systematic() -> Strategy {
        let scheduler = Chosen::Dpor(Box::default());
        let known = Strategy::known("systematic".to_owned(), scheduler);
        Strategy { is_systematic: true, needs_little: false, ..known }
    }

    /// Every run, without any reduction: the reference for all other strategies.
    pub fn exhaustive() -> Strategy {
        let scheduler = Chosen::Exhaustive(Exhaustive::new());
        Strategy { is_systematic: true, ..Strategy::known("exhaustive".to_owned(), scheduler) }
    }

    /// The same within bounds: every outcome that can be had within them is found. A strategy that is not systematic has none, which
    /// its name says.
    ///
    /// By bounded partial order reduction after [`Strategy::systematic`], without reduction after
    /// [`Strategy::exhaustive`].
    #[must_use]
    pub fn bounded(self, bounds: Bounds) -> Strategy {
        let scheduler = match self.scheduler {
            _ if bounds == Bounds::NONE => return self,
            Chosen::Dpor(_) => Bounded::new(bounds),
            Chosen::Exhaustive(_) => Bounded::exhaustive(bounds),
            _ => return self.without_bounds(),
        };
        let name = format!("{}, {}", self.name, in_words(&bounds));
        Strategy { scheduler: Chosen::Bounded(Box::new(scheduler)), name, ..self }
    }

    /// The same, and its name says that bounds are not for it.
    fn without_bounds(self) -> Strategy {
        let name = format!("{}, for which there are no bounds", self.name);
        Strategy { name, ..self }
    }

    /// Without pre-emptions first, then with one, and so on, up to the bound if there is one: the first failure that is
    /// found has the fewest. A strategy that is not systematic stays as it is, as its name says.
    #[must_use]
    pub fn deepening(self, bounds: Bounds) -> Strategy {
        match self.scheduler {
            Chosen::Dpor(_) | Chosen::Bounded(_) => {
                let name = format!("systematic, {}, deepening", in_words(&bounds));
                let scheduler = Chosen::Bounded(Box::new(Bounded::deepening(bounds)));
                Strategy { scheduler, name, ..self }
            }
            _ => self.without_bounds(),
        }
    }

    /// So many runs in which every thread that can go on is as likely as every other, at every step.
    pub fn random(seed: u64, runs: u64) -> Strategy {
        let scheduler = Chosen::Uniform(Uniform::new(seed, runs));
        let name = format!("random({seed}, {runs})");
        Strategy { total: Some(runs), ..Strategy::known(name, scheduler) }
    }

    /// Probabilistic concurrency testing: threads go by random priorities, which change at `depth - 1` points.
    pub fn pct(depth: usize, seed: u64, runs: u64) -> Strategy {
        let scheduler = Chosen::Pct(Box::new(Pct::new(depth, seed, runs)));
        let name = format!("pct({depth}, {seed}, {runs})");
        Strategy { total: Some(runs), ..Strategy::known(name, scheduler) }
    }

    /// Swarm scheduling: threads go by chance, each with a random weight of its own.
    pub fn swarm(seed: u64, runs: u64) -> Strategy {
        let name = format!("swarm({seed}, {runs})");
        Strategy { total: Some(runs), ..Strategy::other(name, Swarm::new(seed, runs)) }
    }

    /// Partial-order sampling: steps go by random priorities, drawn anew where steps race.
    pub fn pos(seed: u64, runs: u64) -> Strategy {
        let name = format!("pos({seed}, {runs})");
        Strategy { total: Some(runs), ..Strategy::other(name, Pos::new(seed, runs)) }
    }

    /// One run in which the threads take turns.
    pub fn round_robin() -> Strategy {
        Strategy::other("round robin".to_owned(), RoundRobin::new())
    }

    /// The one run that was written down.
    pub fn replay(recording: Recording) -> Strategy {
        let scheduler = Chosen::Replay(Box::new(Replay::new(recording)));
        Strategy::known("replay".to_owned(), scheduler)
    }

    /// A scheduler of your own. Its end is not taken for completeness.
    ///
    /// [`selvedge_explore::schedulers`] has more, with more options.
    pub fn custom(scheduler: impl Scheduler + Send + 'static) -> Strategy {
        Strategy { needs_little: false, is_known: false, ..Strategy::other("own".to_owned(), scheduler) }
    }

    /// The same for a scheduler that takes little stack, a few kilobytes: threads of the program ask it on their own stacks, which is
    /// faster. Where it takes more, a stack overflow is reported as one of the program's.
    #[must_use]
    pub fn takes_little_stack(self) -> Strategy {
        Strategy { needs_little: true, ..self }
    }

    /// No run at all.
    pub(super) fn nothing() -> Strategy {
        Strategy::custom(Follow::new(Vec::new()))
    }

    /// How far it is, between two runs.
    pub(super) fn seen(&self) -> Seen {
        match &self.scheduler {
            Chosen::Dpor(dpor) => Seen { depth: dpor.depth(), left: Some(dpor.remaining()) },
            Chosen::Exhaustive(all) => Seen { depth: all.depth(), left: Some(all.remaining()) },
            Chosen::Bounded(bounded) => Seen { depth: bounded.depth(), left: Some(bounded.remaining()) },
            _ => Seen::default(),
        }
    }

    /// How good the run that has just been made is to show. With several workers it must not matter who is faster.
    pub(super) fn rank(&self, run: &Trace, is_alone: bool) -> Rank {
        let weight = run.weight();
        match &self.scheduler {
            _ if is_alone => Rank { weight, ..Rank::default() },
            Chosen::Dpor(dpor) => {
                let form = dpor.normal_form();
                Rank { weight: (form.switches, form.steps), number: 0, choices: form.choices }
            }
            Chosen::Exhaustive(_) => Rank { weight, number: 0, choices: run.choices().collect() },
            _ => Rank { weight, number: self.run_number().unwrap_or(0), choices: Vec::new() },
        }
    }

    /// Where the same choices led to something else than before, in words.
    pub(super) fn divergence(&self) -> Option<String> {
        match &self.scheduler {
            Chosen::Bounded(bounded) => bounded.divergence().map(ToString::to_string),
            Chosen::Dpor(dpor) => dpor.divergence().map(ToString::to_string),
            Chosen::Exhaustive(exhaustive) => exhaustive.divergence().map(ToString::to_string),
            _ => None,
        }
    }

    /// Is it the one run that was written down? That is shown as it is.
    pub(super) fn is_replay(&self) -> bool {
        matches!(self.scheduler, Chosen::Replay(_))
    }

    /// Is it a run in which somebody gave up to wait by yields?
    pub(super) fn spins_freely(&self) -> bool {
        matches!(&self.scheduler, Chosen::Replay(replay) if gives_up(replay.choices()))
    }

    /// Was the last run given up, as all that it could do had been explored before, or was out of bounds?
    pub(super) fn was_given_up(&self) -> bool {
        match &self.scheduler {
            Chosen::Bounded(bounded) => bounded.was_cut(),
            Chosen::Dpor(dpor) => dpor.was_given_up(),
            _ => false,
        }
    }

    /// May workers that share it leave out a run, each to the others?
    pub(super) fn is_in_doubt(&self) -> bool {
        self.as_dpor().is_some_and(Dpor::is_inconclusive)
    }

    /// Before the first run: the same once more, where it is systematic.
    pub(super) fn again(&self) -> Option<Strategy> {
        let scheduler = match &self.scheduler {
            Chosen::Dpor(_) => Chosen::Dpor(Box::default()),
            Chosen::Bounded(bounded) => Chosen::Bounded(bounded.clone()),
            Chosen::Exhaustive(exhaustive) => Chosen::Exhaustive(exhaustive.clone()),
            _ => return None,
        };
        Some(self.with(scheduler))
    }

    /// Does it come to no end where runs go on for ever?
    pub(super) fn has_runs_of_any_length(&self) -> bool {
        match &self.scheduler {
            Chosen::Dpor(_) | Chosen::Exhaustive(_) => true,
            Chosen::Bounded(bounded) => bounded.allows_unbounded_runs(),
            _ => false,
        }
    }

    /// Is the next run a probe, which belongs to the last one?
    pub(super) fn is_probing(&self) -> bool {
        self.as_dpor().is_some_and(Dpor::is_probing)
    }

    /// Was anything left out because of a bound?
    pub(super) fn has_cut(&self) -> bool {
        matches!(&self.scheduler, Chosen::Bounded(bounded) if bounded.has_cut())
    }

    /// What the reduction came to, where there is one.
    pub(super) fn figures(&self) -> Option<Figures> {
        match &self.scheduler {
            Chosen::Dpor(dpor) => Some(dpor.figures()),
            _ => None,
        }
    }

    /// Where a replay left what was written down, in words.
    pub(super) fn difference(&self) -> Option<String> {
        let Chosen::Replay(replay) = &self.scheduler else { return None };
        let difference = replay.difference()?;
        let thread = difference.expected.id.thread;
        let expected = format!("{} at {}", difference.expected.kind.text(), difference.expected.site);
        let found = match &difference.found {
            Some(event) => format!("{} at {}", event.action.kind.text(), event.site),
            None => "it cannot go on".to_owned(),
        };
        let step = difference.step;
        Some(format!("step {step} of thread {thread}: expected {expected}, but {found} came"))
    }
}

impl Scheduler for Strategy {
    fn begin(&mut self) {
        match &mut self.scheduler {
            Chosen::Bounded(scheduler) => scheduler.begin(),
            Chosen::Dpor(scheduler) => scheduler.begin(),
            Chosen::Exhaustive(scheduler) => scheduler.begin(),
            Chosen::Pct(scheduler) => scheduler.begin(),
            Chosen::Uniform(scheduler) => scheduler.begin(),
            Chosen::Replay(scheduler) => scheduler.begin(),
            Chosen::Other(scheduler) => scheduler.begin(),
        }
    }

    #[inline]
    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        match &mut self.scheduler {
            Chosen::Bounded(scheduler) => scheduler.choose(enabled),
            Chosen::Dpor(scheduler) => scheduler.choose(enabled),
            Chosen::Exhaustive(scheduler) => scheduler.choose(enabled),
            Chosen::Pct(scheduler) => scheduler.choose(enabled),
            Chosen::Uniform(scheduler) => scheduler.choose(enabled),
            Chosen::Replay(scheduler) => scheduler.choose(enabled),
            Chosen::Other(scheduler) => scheduler.choose(enabled),
        }
    }

    #[inline]
    fn done(&mut self, event: &Event) {
        match &mut self.scheduler {
            Chosen::Bounded(scheduler) => scheduler.done(event),
            Chosen::Dpor(scheduler) => scheduler.done(event),
            Chosen::Pct(scheduler) => scheduler.done(event),
            Chosen::Other(scheduler) => scheduler.done(event),
            Chosen::Exhaustive(_) | Chosen::Uniform(_) | Chosen::Replay(_) => {}
        }
    }

    fn stopped(&mut self, left: &[Event]) {
        match &mut self.scheduler {
            Chosen::Bounded(scheduler) => scheduler.stopped(left),
            Chosen::Dpor(scheduler) => scheduler.stopped(left),
            Chosen::Pct(scheduler) => scheduler.stopped(left),
            Chosen::Other(scheduler) => scheduler.stopped(left),
            Chosen::Exhaustive(_) | Chosen::Uniform(_) | Chosen::Replay(_) => {}
        }
    }

    fn finish(&mut self, run: &Trace) -> Next {
        match &mut self.scheduler {
            Chosen::Bounded(scheduler) => scheduler.finish(run),
            Chosen::Dpor(scheduler) => scheduler.finish(run),
            Chosen::Exhaustive(scheduler) => scheduler.finish(run),
            Chosen::Pct(scheduler) => scheduler.finish(run),
            Chosen::Uniform(scheduler) => scheduler.finish(run),
            Chosen::Replay(scheduler) => scheduler.finish(run),
            Chosen::Other(scheduler) => scheduler.finish(run),
        }
    }

    fn as_thread_scheduler(&mut self) -> Option<&mut dyn ThreadScheduler> {
        match &mut self.scheduler {
            Chosen::Exhaustive(scheduler) => scheduler.as_thread_scheduler(),
            Chosen::Pct(scheduler) => scheduler.as_thread_scheduler(),
            Chosen::Uniform(scheduler) => scheduler.as_thread_scheduler(),
            Chosen::Bounded(_) | Chosen::Dpor(_) | Chosen::Replay(_) => None,
            Chosen::Other(scheduler) => scheduler.as_thread_scheduler(),
        }
    }
}

/// Bounds, for people.
fn in_words(bounds: &Bounds) -> String {
    let Bounds { preemptions, yields, length } = *bounds;
    let all =
        [(preemptions, "pre-emption", ""), (yields, "yield", " more than others"), (length, "step", "")];
    let word = |(bound, what, more): (Option<usize>, &str, &str)| {
        let bound = bound?;
        let plural = if bound == 1 { "" } else { "s" };
        Some(format!("at most {bound} {what}{plural}{more}"))
    };
    let words: Vec<String> = all.into_iter().filter_map(word).collect();
    if words.is_empty() { "without bounds".to_owned() } else { words.join(", ") }
}
