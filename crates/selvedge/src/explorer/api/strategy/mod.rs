//! Strategies: how the runs of an exploration are chosen.
//!
//! A strategy is a scheduler with a name and with what the engine has to know of it. [`queries`] has what
//! the engine asks of a strategy, [`dispatch`] how it decides, [`parts`] how it is divided among workers and
//! saved, [`parameters`] the parameters of random strategies.

mod dispatch;
mod parameters;
mod parts;
mod queries;

use parameters::MAX_CHANGE_POINTS;

pub(crate) use queries::ReplayDivergence;

use crate::explorer::report::{RecordedOrigin, recorded_origin};
use selvedge_explore::Scheduler;
use selvedge_explore::schedulers::{
    Bounded, Bounds, Dpor, Exhaustive, Follow, Mixed, Pct, Pos, Replay, RoundRobin, Swarm, Uniform,
};
use selvedge_explore::trace::Recording;
use std::fmt;
use std::sync::Arc;

/// How the runs of an exploration are chosen.
pub struct Strategy {
    scheduler: SchedulerKind,
    /// Whether the end of the scheduler means that every run was made.
    pub(crate) is_systematic: bool,
    /// Whether the scheduler needs little stack, so that threads of the program can call it on their own
    /// stacks.
    pub(crate) needs_little_stack: bool,
    /// Whether it is a scheduler of this crate, which does not panic and does not use explored objects.
    pub(crate) is_trusted: bool,
    name: String,
    /// The number of runs, if it is known beforehand.
    total: Option<u64>,
    /// The seed, if it is random.
    seed: Option<u64>,
    /// For a replay: how the run was found.
    replayed: Option<Arc<RecordedOrigin>>,
}

/// The schedulers. Frequent ones have a variant of their own, so that a call needs no dynamic dispatch.
#[repr(u8)]
enum SchedulerKind {
    Bounded(Box<Bounded>),
    Dpor(Box<Dpor>),
    Exhaustive(Exhaustive),
    Pct(Box<Pct>),
    Swarm(Box<Swarm>),
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
    /// Every Mazurkiewicz trace, by one run each: two runs that differ only in the order of independent
    /// steps count as one. Complete.
    ///
    /// This is optimal dynamic partial-order reduction; see [`selvedge_explore::schedulers::Dpor`].
    ///
    /// A loop that sleeps, waits with a timeout, or yields after a change of shared state may have runs of
    /// any length. When a thread does so a hundred times at one place, the exploration starts again with a
    /// bound: first with runs in which no thread does so more than once at one place, then twice, and so on.
    /// Then it is complete only if a bound excludes no run; a note says which bound was reached.
    pub fn systematic() -> Strategy {
        let strategy = Strategy::trusted("systematic".to_owned(), SchedulerKind::Dpor(Box::default()));
        Strategy { is_systematic: true, needs_little_stack: false, ..strategy }
    }

    /// Every interleaving, without any reduction: the reference for all other strategies. Complete.
    pub fn exhaustive() -> Strategy {
        let scheduler = SchedulerKind::Exhaustive(Exhaustive::new());
        Strategy { is_systematic: true, ..Strategy::trusted("exhaustive".to_owned(), scheduler) }
    }

    /// The same strategy within bounds. Every outcome that is possible within the bounds is found.
    ///
    /// After [`Strategy::systematic`] this is the same reduction; runs beyond the bounds are left out, so
    /// there are never more runs than without bounds. A few runs beyond the bounds are made, because others
    /// are found by way of them; [`Report::beyond_bounds`](crate::Report::beyond_bounds) has the outcomes
    /// that only these showed. After [`Strategy::exhaustive`] there is no reduction, and no run beyond the
    /// bounds. [`Bounds::NONE`] changes nothing.
    ///
    /// # Panics
    /// If the strategy cannot be bounded: only `systematic` and `exhaustive` can, and only once.
    #[must_use]
    #[track_caller]
    pub fn bounded(self, bounds: Bounds) -> Strategy {
        let scheduler = match &self.scheduler {
            _ if bounds == Bounds::NONE => return self,
            SchedulerKind::Dpor(dpor) if !dpor.is_bounded() => {
                SchedulerKind::Dpor(Box::new(Dpor::bounded(bounds)))
            }
            SchedulerKind::Exhaustive(_) => SchedulerKind::Bounded(Box::new(Bounded::new(bounds))),
            _ => panic!(
                "selvedge: the strategy `{self}` cannot be bounded; `Strategy::systematic()` and `Strategy::exhaustive()` can, once"
            ),
        };
        let name = format!("{}, {}", self.name, bounds_text(&bounds));
        Strategy { scheduler, name, ..self }
    }

    /// Iterative deepening: first the runs without pre-emptions, then those with one, and so on, up to the
    /// bound if there is one. So the first failure that is found has the fewest pre-emptions.
    ///
    /// # Panics
    /// If the strategy is not [`Strategy::systematic`], bounded or not.
    #[must_use]
    #[track_caller]
    pub fn deepening(self, bounds: Bounds) -> Strategy {
        match self.scheduler {
            SchedulerKind::Dpor(_) => {
                let name = format!("systematic, {}, deepening", bounds_text(&bounds));
                let scheduler = SchedulerKind::Dpor(Box::new(Dpor::deepening(bounds)));
                Strategy { scheduler, name, ..self }
            }
            _ => panic!("selvedge: the strategy `{self}` cannot be deepened; `Strategy::systematic()` can"),
        }
    }

    /// A mixture of random schedulers, without parameters: the first to try on a program that is too large
    /// for [`Strategy::systematic`]. A run goes by a uniform random walk, PCT or a plain random walk; the
    /// numbers of events that a uniform walk needs are estimated from earlier runs. See
    /// [`selvedge_explore::schedulers::Mixed`].
    pub fn mixed(seed: u64, runs: u64) -> Strategy {
        let name = format!("mixed({seed}, {runs})");
        Strategy { total: Some(runs), seed: Some(seed), ..Strategy::other(name, Mixed::new(seed, runs)) }
    }

    /// A random walk: at every step, each thread that can continue is chosen with the same probability.
    /// Makes this many runs.
    pub fn random(seed: u64, runs: u64) -> Strategy {
        let scheduler = SchedulerKind::Uniform(Uniform::new(seed, runs));
        let name = format!("random({seed}, {runs})");
        Strategy { total: Some(runs), seed: Some(seed), ..Strategy::trusted(name, scheduler) }
    }

    /// Probabilistic concurrency testing (PCT): threads have random priorities, which change at `depth - 1`
    /// points of the run. [`Strategy::expected_steps`] is its other parameter.
    ///
    /// # Panics
    /// If the depth is 0, or exceeds a million.
    #[track_caller]
    pub fn pct(depth: usize, seed: u64, runs: u64) -> Strategy {
        let depths = 1..=MAX_CHANGE_POINTS;
        assert!(
            depths.contains(&depth),
            "selvedge: the depth of PCT is from 1 to {MAX_CHANGE_POINTS}, not {depth}"
        );
        let scheduler = SchedulerKind::Pct(Box::new(Pct::new(depth, seed, runs)));
        let name = format!("pct({depth}, {seed}, {runs})");
        Strategy { total: Some(runs), seed: Some(seed), ..Strategy::trusted(name, scheduler) }
    }

    /// Swarm scheduling: a random walk in which each thread has a random weight. Its parameters are
    /// [`Strategy::reuse`], [`Strategy::change_points`] and [`Strategy::weights`].
    pub fn swarm(seed: u64, runs: u64) -> Strategy {
        let scheduler = SchedulerKind::Swarm(Box::new(Swarm::new(seed, runs)));
        let name = format!("swarm({seed}, {runs})");
        Strategy { total: Some(runs), seed: Some(seed), ..Strategy::trusted(name, scheduler) }
    }

    /// Partial-order sampling (POS): steps have random priorities, which are drawn anew when steps race.
    pub fn pos(seed: u64, runs: u64) -> Strategy {
        let name = format!("pos({seed}, {runs})");
        Strategy { total: Some(runs), seed: Some(seed), ..Strategy::other(name, Pos::new(seed, runs)) }
    }

    /// One run in which the threads take turns.
    pub fn round_robin() -> Strategy {
        Strategy::other("round robin".to_owned(), RoundRobin::new())
    }

    /// The one run of a recording.
    pub fn replay(recording: Recording) -> Strategy {
        let replayed = recorded_origin(&recording);
        let scheduler = SchedulerKind::Replay(Box::new(Replay::new(recording)));
        let strategy = Strategy::trusted("replay".to_owned(), scheduler);
        Strategy { seed: replayed.seed, replayed: Some(Arc::new(replayed)), ..strategy }
    }

    /// A scheduler of your own. The exploration is never reported as complete.
    ///
    /// [`selvedge_explore::schedulers`] has more schedulers, with more options.
    pub fn custom(scheduler: impl Scheduler + Send + 'static) -> Strategy {
        let strategy = Strategy::other("custom".to_owned(), scheduler);
        Strategy { needs_little_stack: false, is_trusted: false, ..strategy }
    }

    /// Declares that the scheduler needs only a few kilobytes of stack. Then threads of the program call it
    /// on their own stacks, which is faster. If it needs more, a stack overflow of the program is reported.
    #[must_use]
    pub fn takes_little_stack(self) -> Strategy {
        Strategy { needs_little_stack: true, ..self }
    }

    /// A strategy without runs.
    pub(crate) fn nothing() -> Strategy {
        Strategy::custom(Follow::new(Vec::new()))
    }

    /// A strategy that is not systematic, with a scheduler of this crate that needs little stack.
    fn trusted(name: String, scheduler: SchedulerKind) -> Strategy {
        Strategy {
            scheduler,
            is_systematic: false,
            needs_little_stack: true,
            is_trusted: true,
            name,
            total: None,
            seed: None,
            replayed: None,
        }
    }

    fn other(name: String, scheduler: impl Scheduler + Send + 'static) -> Strategy {
        Strategy::trusted(name, SchedulerKind::Other(Box::new(scheduler)))
    }
}

/// Bounds in words.
fn bounds_text(bounds: &Bounds) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Trace;

    const ONE_PREEMPTION: Bounds = Bounds { preemptions: Some(1), ..Bounds::NONE };

    /// The message of the panic, if making the strategy panics.
    fn refusal(make: impl FnOnce() -> Strategy + std::panic::UnwindSafe) -> Option<String> {
        let payload = std::panic::catch_unwind(make).err()?;
        payload.downcast_ref::<String>().cloned()
    }

    /// The name of a strategy, and a function that makes it.
    type Named = (&'static str, fn() -> Strategy);

    fn strategies_without_bounds() -> [Named; 8] {
        [
            ("mixed(1, 2)", || Strategy::mixed(1, 2)),
            ("random(1, 2)", || Strategy::random(1, 2)),
            ("pct(3, 1, 2)", || Strategy::pct(3, 1, 2)),
            ("swarm(1, 2)", || Strategy::swarm(1, 2)),
            ("pos(1, 2)", || Strategy::pos(1, 2)),
            ("round robin", Strategy::round_robin),
            ("replay", || Strategy::replay(Trace::default().recording(&[]))),
            ("custom", || Strategy::custom(RoundRobin::new())),
        ]
    }

    #[test]
    fn a_strategy_that_cannot_be_bounded_says_so_by_its_name() {
        for (name, make) in strategies_without_bounds() {
            let bounded = refusal(|| make().bounded(ONE_PREEMPTION)).expect("it cannot be bounded");
            assert!(bounded.starts_with(&format!("selvedge: the strategy `{name}` cannot be bounded")));
            let deepened = refusal(|| make().deepening(ONE_PREEMPTION)).expect("it cannot be deepened");
            assert!(deepened.starts_with(&format!("selvedge: the strategy `{name}` cannot be deepened")));
            assert_eq!(make().bounded(Bounds::NONE).to_string(), name);
        }
        let twice = || Strategy::systematic().bounded(ONE_PREEMPTION).bounded(ONE_PREEMPTION);
        assert!(
            refusal(twice)
                .is_some_and(|message| message.contains("at most 1 pre-emption` cannot be bounded"))
        );
    }

    #[test]
    fn systematic_and_exhaustive_strategies_can_be_bounded() {
        let check = |strategy: Strategy, name: &str| assert_eq!(strategy.to_string(), name);
        check(Strategy::systematic().bounded(ONE_PREEMPTION), "systematic, at most 1 pre-emption");
        check(Strategy::exhaustive().bounded(ONE_PREEMPTION), "exhaustive, at most 1 pre-emption");
        check(Strategy::systematic().deepening(Bounds::NONE), "systematic, without bounds, deepening");
    }
}
