//! What the engine asks of a strategy, before, between and after its runs.

use super::{SchedulerKind, Strategy};
use crate::control::Execution;
use crate::explorer::engine::{Rank, has_deadline_choice, has_give_up_choice};
use crate::explorer::report::{RunOrigin, WorkerProgress};
use selvedge_explore::schedulers::{Bounds, Difference, Divergence, Dpor, Figures};
use selvedge_explore::{Scheduler, ThreadTree};
use std::fmt;

impl Strategy {
    /// Whether it replays one recorded run. Such a run is shown as it is.
    pub(crate) fn is_replay(&self) -> bool {
        matches!(self.scheduler, SchedulerKind::Replay(_))
    }

    /// The name for trace files: a replay has that of the strategy that found the run.
    pub(crate) fn origin_name(&self) -> &str {
        self.replayed.as_ref().map_or(&self.name, |replayed| &replayed.strategy)
    }

    /// The seed, if it is random, or that of the strategy that found the replayed run.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// For a replay: where its run comes from.
    pub(crate) fn replayed_run(&self) -> Option<RunOrigin> {
        self.replayed.as_ref().map(|replayed| replayed.run)
    }

    /// The threads that the exploration begins with: those of a recorded run have the recorded numbers.
    pub(crate) fn thread_tree(&self) -> ThreadTree {
        let tree = match &self.scheduler {
            SchedulerKind::Replay(replay) => replay.thread_tree(),
            SchedulerKind::Other(scheduler) => scheduler.thread_tree(),
            _ => None,
        };
        tree.unwrap_or_default()
    }

    /// Before the first run: a fresh copy of a systematic strategy, for another round.
    pub(crate) fn restarted(&self) -> Option<Strategy> {
        let scheduler = match &self.scheduler {
            SchedulerKind::Dpor(dpor) => SchedulerKind::Dpor(Box::new(dpor.restarted())),
            SchedulerKind::Bounded(bounded) => SchedulerKind::Bounded(bounded.clone()),
            SchedulerKind::Exhaustive(exhaustive) => SchedulerKind::Exhaustive(exhaustive.clone()),
            _ => return None,
        };
        Some(self.with_scheduler(scheduler))
    }

    /// Whether it makes every run of a program, so that it never ends if the program has runs of any length.
    pub(crate) fn allows_unbounded_runs(&self) -> bool {
        match &self.scheduler {
            SchedulerKind::Exhaustive(_) => true,
            SchedulerKind::Dpor(_) | SchedulerKind::Bounded(_) => self.bounds().allow_unbounded_runs(),
            _ => false,
        }
    }

    /// The number of runs, if it is known beforehand.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    /// Whether spinning threads go on in the next run: it replays a run in which a spinning thread gave up.
    pub(crate) fn spins_freely(&self) -> bool {
        matches!(&self.scheduler, SchedulerKind::Replay(replay) if has_give_up_choice(replay.choices()))
    }

    /// Whether deadlines are fixed by steps of their own, if the strategy knows that: it replays a run.
    pub(crate) fn keeps_time(&self) -> Option<bool> {
        match &self.scheduler {
            SchedulerKind::Replay(replay) => Some(has_deadline_choice(replay.choices())),
            _ => None,
        }
    }

    /// Whether the last run was given up: everything it could still do was explored before, or exceeds a
    /// bound.
    pub(crate) fn was_given_up(&self) -> bool {
        match &self.scheduler {
            SchedulerKind::Bounded(bounded) => bounded.was_cut(),
            SchedulerKind::Dpor(dpor) => dpor.was_given_up(),
            _ => false,
        }
    }

    /// Whether the bounds of the strategy cut off the last run, maybe after its body returned.
    pub(crate) fn was_cut_by_bounds(&self) -> bool {
        self.as_dpor().is_some_and(Dpor::was_cut)
    }

    /// Whether the next run is a probe, which belongs to the last run.
    pub(crate) fn is_probing(&self) -> bool {
        self.as_dpor().is_some_and(Dpor::is_probing)
    }

    /// Whether several workers may have left a run to each other, so that no worker made it.
    pub(crate) fn is_inconclusive(&self) -> bool {
        self.as_dpor().is_some_and(Dpor::is_inconclusive)
    }

    /// The bounds of the exploration.
    pub(crate) fn bounds(&self) -> Bounds {
        match &self.scheduler {
            SchedulerKind::Dpor(dpor) => dpor.bounds(),
            SchedulerKind::Bounded(bounded) => bounded.bounds(),
            _ => Bounds::NONE,
        }
    }

    /// Whether a bound excluded a run.
    pub(crate) fn has_cut(&self) -> bool {
        match &self.scheduler {
            SchedulerKind::Dpor(dpor) => dpor.has_cut(),
            SchedulerKind::Bounded(bounded) => bounded.has_cut(),
            _ => false,
        }
    }

    /// How good the last run is to show. With several workers, the rank does not depend on their speed.
    pub(crate) fn rank(&self, execution: &Execution, is_only_worker: bool) -> Rank {
        let run = &*execution.trace.borrow();
        let weight = run.weight();
        match &self.scheduler {
            _ if is_only_worker => Rank { weight, ..Rank::default() },
            SchedulerKind::Dpor(dpor) => {
                let form = dpor.normal_form(execution.state.borrow().has_body_ended());
                Rank::by_choices((form.switches, form.steps), form.choices, run)
            }
            SchedulerKind::Exhaustive(_) => Rank::by_choices(weight, run.choices().collect(), run),
            _ => Rank { weight, number: self.run_number().unwrap_or(0), ..Rank::default() },
        }
    }

    /// Where the same choices led to other events than before.
    pub(crate) fn divergence(&self) -> Option<&Divergence> {
        match &self.scheduler {
            SchedulerKind::Bounded(bounded) => bounded.divergence(),
            SchedulerKind::Dpor(dpor) => dpor.divergence(),
            SchedulerKind::Exhaustive(exhaustive) => exhaustive.divergence(),
            _ => None,
        }
    }

    /// Where a replay left its recording.
    pub(crate) fn replay_divergence(&self) -> Option<ReplayDivergence> {
        let SchedulerKind::Replay(replay) = &self.scheduler else { return None };
        let difference = Box::new(replay.difference()?.clone());
        let thread = replay.run_threads().label(difference.expected.id.thread);
        Some(ReplayDivergence { thread, difference })
    }

    /// Between two runs: how far the worker with this strategy is.
    pub(crate) fn progress(&self) -> WorkerProgress {
        let (depth, remaining) = match &self.scheduler {
            SchedulerKind::Dpor(dpor) => (dpor.depth(), dpor.remaining()),
            SchedulerKind::Exhaustive(exhaustive) => (exhaustive.depth(), exhaustive.remaining()),
            SchedulerKind::Bounded(bounded) => (bounded.depth(), bounded.remaining()),
            _ => return WorkerProgress::default(),
        };
        WorkerProgress { depth, remaining: Some(remaining) }
    }

    /// Statistics of the reduction, if there is one.
    pub(crate) fn figures(&self) -> Option<Figures> {
        self.as_dpor().map(Dpor::figures)
    }
}

/// The first step of a replay that differs from its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplayDivergence {
    thread: String,
    difference: Box<Difference>,
}

impl fmt::Display for ReplayDivergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { step, expected, found } = &*self.difference;
        let (thread, kind, site) = (&self.thread, expected.action.kind.text(), &expected.site);
        let found = match found {
            Some(event) => format!("{} at {}", event.action.kind.text(), event.site),
            None => "it cannot go on".to_owned(),
        };
        write!(
            f,
            "the replay differs at step {step} of thread {thread}: expected {kind} at {site}, but {found} came"
        )
    }
}
