//! Explorations in rounds.
//!
//! A round is repeated with one worker if several workers could have left a run to each other.
//!
//! A loop that sleeps, waits with a timeout, or yields after a change of shared state may have runs of any
//! length. A depth-first search through them sees ever longer runs and nothing else. The first round notices
//! this when a thread times out or yields often at one place
//! ([`unroll_bound`](crate::control::progress)). Then the exploration deepens iteratively: at each place
//! a thread may time out once, then twice, and so on, in growing steps, until the bound blocks no thread or
//! a limit ends the exploration. The same holds for a thread that goes on for ever after the body has
//! returned ([`daemon`](crate::control::progress)): the bound is how often it executes actions at one place
//! after that.
//!
//! A round starts again if a run reads the clock and a run waits with a timeout: from then on timed waits
//! fix their deadlines by steps of their own ([`environment`](crate::control::progress)). The runs of that
//! round before are forgotten.
//!
//! Promise: a program without such loops is explored once. A round makes every run within its bound, so
//! failures that need few timeouts are found first.

use super::checkpoint::Checkpoint;
use super::exploration::explore_round;
use super::findings::Findings;
use super::notes::Note;
use super::run_once::Body;
use super::worker::RunRules;
use crate::control::SharedThreadTree;
use crate::control::progress::{MAX_DAEMON_VISITS, UNBOUNDED};
use crate::explorer::api::{DeadlinePolicy, FailurePolicy, Options, Report, Strategy, Value};
use std::time::Instant;

/// A thread that times out or yields this often at one place is in a loop. No round has a larger bound.
const MAX_UNROLL_BOUND: u32 = 100;

/// The round of an exploration: how often a thread may time out or yield at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnrollRound {
    /// The only round, without a bound.
    Unbounded,
    /// The first round, which notices loops. If there is one, the exploration starts again with a bound.
    LoopDetection,
    /// A round with this bound.
    Bounded(u32),
}

impl UnrollRound {
    /// How often a thread may time out or yield at one place.
    pub(super) fn unroll_bound(self) -> u32 {
        match self {
            UnrollRound::Unbounded => UNBOUNDED,
            UnrollRound::LoopDetection => MAX_UNROLL_BOUND,
            UnrollRound::Bounded(bound) => bound,
        }
    }

    /// How often a thread may execute actions at one place after the body has returned.
    pub(super) fn daemon_bound(self) -> u32 {
        match self {
            UnrollRound::Unbounded | UnrollRound::LoopDetection => MAX_DAEMON_VISITS,
            UnrollRound::Bounded(bound) => bound,
        }
    }

    /// With a checkpoint there is one round: the checkpoint does not say which round it belongs to.
    fn first(options: &Options, strategy: &Strategy) -> UnrollRound {
        let deepens = strategy.allows_unbounded_runs() && !Checkpoint::is_wanted(options);
        if deepens { UnrollRound::LoopDetection } else { UnrollRound::Unbounded }
    }

    /// The round after one in which the bound blocked a thread.
    fn next(self) -> Option<UnrollRound> {
        match self {
            UnrollRound::Unbounded => None,
            UnrollRound::LoopDetection => Some(UnrollRound::Bounded(1)),
            // Each round repeats the runs of the rounds before: with these steps, about as many as the last
            // round has.
            UnrollRound::Bounded(bound) => (bound < MAX_UNROLL_BOUND)
                .then_some(UnrollRound::Bounded(MAX_UNROLL_BOUND.min(bound + 1 + bound / 3))),
        }
    }
}

/// Whether deadlines are fixed by steps of their own in the first round. Without reads of the clock these
/// steps only make more runs; but an exploration that cannot start again must have them from the beginning.
fn keeps_time_at_first(options: &Options, can_restart: bool) -> bool {
    match options.deadlines {
        DeadlinePolicy::IfClockIsRead => !can_restart || Checkpoint::is_wanted(options),
        DeadlinePolicy::Always => true,
        DeadlinePolicy::Never => false,
    }
}

const CLOCK_IS_READ: &str = "selvedge: the body reads the clock and waits with timeouts, so deadlines make a difference; \
     leave `deadlines(false)` out";

/// Explores a body, in as many rounds as it takes.
pub(crate) fn explore(
    strategy: Strategy,
    mut options: Options,
    body: Body<'_>,
    rules: RunRules<'_>,
) -> Report<Value> {
    let (restart, started, max_time) = (strategy.restarted(), Instant::now(), options.max_time);
    options.round = UnrollRound::first(&options, &strategy);
    options.threads = SharedThreadTree::new(strategy.thread_tree());
    options.keeps_time = keeps_time_at_first(&options, restart.is_some());
    let (mut strategy, mut before, mut inconclusive_workers) = (Some(strategy), Findings::default(), None);
    // The bound of the last round that was finished.
    let mut finished_bound = 0;
    loop {
        let present = strategy.take().or_else(|| restart.as_ref()?.restarted());
        let present = present.expect("only a strategy that can restart has another round");
        options.max_time = max_time.map(|max| max.saturating_sub(started.elapsed()));
        let retry = before.clone();
        let mut round = explore_round(&options, present, body, rules, before);
        if round.findings.is_inconclusive && round.findings.is_complete {
            // One worker is inconclusive only if it resumes a checkpoint of several.
            let workers = std::mem::replace(&mut options.workers, 1);
            inconclusive_workers = (workers > 1).then_some(workers).or(inconclusive_workers);
            before = retry;
            continue;
        }
        if round.findings.time_uses.needs_deadlines() && !options.keeps_time {
            assert!(options.deadlines != DeadlinePolicy::Never, "{}", CLOCK_IS_READ);
            options.keeps_time = true;
            before = retry;
            continue;
        }
        let stops_at_failure = options.on_failure == FailurePolicy::Stop && round.findings.has_failure();
        let is_cut_short = round.limit.is_some() || stops_at_failure;
        if !is_cut_short && let UnrollRound::Bounded(bound) = options.round {
            finished_bound = bound;
        }
        let next = options.round.next().filter(|_| round.findings.is_bounded() && !is_cut_short);
        if let Some(next) = next {
            options.round = next;
            before = round.findings.before_next_round();
            continue;
        }
        if round.findings.blocked_by_bound || finished_bound > 0 && is_cut_short {
            round.findings.note(Note::UnrollBounded(finished_bound));
        }
        if round.findings.cut_off_daemon {
            round.findings.note(Note::DaemonCutOff);
        }
        if let Some(workers) = inconclusive_workers {
            round.findings.note(Note::ExploredAgain { workers });
        }
        // The report makes runs of all rounds once more.
        options.round = UnrollRound::Unbounded;
        return round.into_report(&options, body);
    }
}
