//! Reachability by several workers, level by level.
//!
//! Each worker has a [partition](super::partition) of the states, and expands those of the level in it. The
//! targets of steps go to the worker of their partition, in batches ([`level_worker`](super::level_worker));
//! the new ones are the next level. Workers note the states that the visitor needs. Between two levels the
//! visitor sees them, in the order of their words, so that timing does not matter. One worker does a small
//! level alone. It also begins alone, with the sequential search (`first_levels`), up to the level in which
//! there are [`Budget::alone`] states: a small search costs what it costs one worker.
//!
//! Promise: the visitor's calls, the paths, and the figures except bytes and time are the same for every
//! number of workers, if no limit is reached; paths are shortest. A visitor stops the search at the end of a
//! level; if a limit was reached in that level, the states discovered before it count. Between two levels
//! the search can be written to a checkpoint (`level_records`).

use super::MAX_WORKERS;
use super::first_levels::{FirstLevels, first_levels};
use super::level_worker::{Level, Shared, Sizes};
use super::partition::{Parent, Partitions};
use super::quota::StateQuota;
use super::state_task::{ExpandStates, LevelResult};
use crate::ltl::Step;
use crate::search::{Budget, End, Exploration, Limit, Limits, Meter, Progress, Stats, Visitor, with_actions};
use crate::store::StateId;
use crate::system::{States, Steps, System, Word};
use std::time::Duration;

/// A visitor that tells any worker in advance which states it needs.
pub trait ParallelVisitor<S: System>: Visitor<S> + Sync {
    /// Must [`discovered`](Visitor::discovered) be called with this state?
    fn needs_state(&self, _system: &S, _state: &[Word]) -> bool {
        false
    }

    /// Must [`expanded`](Visitor::expanded) be called with this state and its steps?
    fn needs_steps(&self, _system: &S, _state: &[Word], _steps: &Steps<S::Action>) -> bool {
        false
    }
}

impl<S: System> ParallelVisitor<S> for () {}

/// The result of a search by levels.
#[derive(Debug)]
pub struct LevelSearch {
    /// How the search ended.
    pub end: End,
    /// The figures of the search.
    pub stats: Stats,
    found: LevelStates,
}

/// The states that were found.
#[derive(Debug)]
enum LevelStates {
    /// By one worker: the search was small.
    Alone(Exploration),
    /// By all workers.
    Shared(Partitions),
}

/// Expands the system's states breadth first with the budget's workers, until all are expanded, the visitor
/// stops it, or a limit is reached.
pub fn explore_by_levels<S: System>(
    system: &S,
    budget: Budget<'_>,
    visitor: &mut impl ParallelVisitor<S>,
) -> LevelSearch {
    explore_in_sizes(system, budget, Sizes::USUAL, visitor)
}

pub(super) fn explore_in_sizes<S: System>(
    system: &S,
    budget: Budget<'_>,
    sizes: Sizes,
    visitor: &mut impl ParallelVisitor<S>,
) -> LevelSearch {
    let mut search = LevelExploration::new(system, sizes, budget);
    if budget.checkpoint.is_some() {
        // The checkpoint has all states from the first level on.
        let mut meter = Meter::start(budget);
        let begun = search.begin(visitor, &mut meter);
        let end = begun.unwrap_or_else(|| search.run(visitor, &mut meter));
        return search.end(end, meter.elapsed());
    }
    let FirstLevels { exploration, next } = first_levels(system, budget, visitor);
    let Some(next) = next else {
        let Exploration { end, stats, .. } = exploration;
        return LevelSearch { end, stats, found: LevelStates::Alone(exploration) };
    };
    let time = exploration.stats.time;
    let limits = Limits { time: budget.limits.time.map(|most| most.saturating_sub(time)), ..budget.limits };
    let mut meter = Meter::start(Budget { limits, ..budget });
    search.partitions.copy(&exploration.states, |id| exploration.parent(id), next.level);
    drop(exploration);
    search.states_are_known();
    (search.transitions, search.next_depth) = (next.transitions, next.depth);
    let end = search.run(visitor, &mut meter);
    search.end(end, time + meter.elapsed())
}

impl LevelSearch {
    /// The state with this number.
    pub fn state(&self, id: StateId) -> Box<[Word]> {
        match &self.found {
            LevelStates::Alone(exploration) => exploration.states.state(id),
            LevelStates::Shared(partitions) => partitions.words(id).into(),
        }
    }

    /// Is there a state with this number?
    #[cfg(test)]
    pub(super) fn has(&self, id: StateId) -> bool {
        match &self.found {
            LevelStates::Alone(exploration) => id.index() < exploration.states.len(),
            LevelStates::Shared(partitions) => partitions.has(id),
        }
    }

    /// The path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        let partitions = match &self.found {
            LevelStates::Alone(exploration) => return exploration.path(system, end),
            LevelStates::Shared(partitions) => partitions,
        };
        let ids = std::iter::successors(Some(end), |id: &StateId| partitions.parent(*id));
        let mut ids: Vec<StateId> = ids.collect();
        ids.reverse();
        with_actions(system, ids.iter().map(|id| partitions.words(*id).into()))
    }
}

/// A search by levels.
pub(super) struct LevelExploration<'a, S: System> {
    pub(super) system: &'a S,
    workers: usize,
    pub(super) partitions: Partitions,
    shared: Shared<Parent>,
    pub(super) transitions: usize,
    /// The depth of the last level that was begun, and that of the next one.
    pub(super) depth: usize,
    pub(super) next_depth: u32,
    /// By partition, the number of states in the checkpoint; and the number of slots there.
    pub(super) written: Vec<usize>,
    pub(super) written_slots: usize,
}

impl<'a, S: System> LevelExploration<'a, S> {
    fn new(system: &'a S, sizes: Sizes, budget: Budget<'_>) -> Self {
        let workers = budget.workers.clamp(1, MAX_WORKERS);
        let shared = Shared::new(sizes, workers, budget.limits.states);
        let mut search = LevelExploration {
            system,
            workers,
            partitions: Partitions::new(workers, system.words()),
            shared,
            transitions: 0,
            depth: 0,
            next_depth: 0,
            written: Vec::new(),
            written_slots: 0,
        };
        search.divide(workers);
        search
    }

    /// Begins anew, with so many partitions.
    pub(super) fn divide(&mut self, partitions: usize) {
        self.partitions = Partitions::new(partitions, self.system.words());
        self.shared.divide(partitions);
        self.written = vec![0; partitions];
    }

    /// States were stored by no worker of this search.
    pub(super) fn states_are_known(&mut self) {
        if let Some(quota) = &self.shared.quota {
            quota.set(self.partitions.len());
        }
        self.partitions.all.iter().for_each(|partition| self.shared.tell(partition));
    }

    fn end(self, end: End, time: Duration) -> LevelSearch {
        let stats = Stats {
            states: self.partitions.len(),
            transitions: self.transitions,
            product_states: self.partitions.len(),
            depth: self.depth,
            bytes: self.partitions.memory() + self.system.table_bytes(),
            time,
            ..Stats::default()
        };
        LevelSearch { end: end.unless_cut(self.system), stats, found: LevelStates::Shared(self.partitions) }
    }

    /// Expands the states of the level, and of those after it.
    fn run(&mut self, visitor: &mut impl ParallelVisitor<S>, meter: &mut Meter<'_>) -> End {
        loop {
            self.write(visitor, meter);
            if self.partitions.level_len() == 0 {
                return End::Complete;
            }
            self.depth = self.next_depth as usize;
            self.next_depth += 1;
            let result = self.level(visitor, meter);
            self.partitions.next_level();
            if let Some(end) = self.notify(visitor, &result, meter) {
                return end;
            }
            if let Some(limit) = self.shared.signal.limit() {
                return End::Limit(limit);
            }
        }
    }

    /// The level to begin with where a checkpoint is kept: that of its last record, or the initial states.
    /// Returns how the search ended, if it did.
    fn begin(&mut self, visitor: &mut impl ParallelVisitor<S>, meter: &mut Meter<'_>) -> Option<End> {
        match self.go_on(visitor, meter) {
            Ok(true) => return None,
            Ok(false) => {}
            Err(limit) => return Some(End::Limit(limit)),
        }
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let mut result = LevelResult::default();
        for state in initial.iter() {
            if self.shared.quota.as_ref().is_some_and(|quota| !quota.take()) {
                self.shared.signal.stop_by(Limit::States);
                break;
            }
            match self.partitions.add_initial(state) {
                Some(id) if visitor.needs_state(self.system, state) => result.discovered.push(id),
                Some(_) => {}
                None => self.shared.quota.iter().for_each(StateQuota::give_back),
            }
        }
        self.partitions.next_level();
        self.notify(visitor, &result, meter)
    }

    /// Expands the states of the level.
    fn level<V: ParallelVisitor<S>>(&mut self, visitor: &V, meter: &mut Meter<'_>) -> LevelResult {
        let (system, workers) = (self.system, self.workers);
        let so_far = Stats { transitions: self.transitions, depth: self.depth, ..Stats::default() };
        let level = Level { system, workers, so_far, meter };
        let task = || ExpandStates::new(system, visitor);
        let results = level.work(&mut self.shared, &mut self.partitions.all, task);
        let result = results.into_iter().fold(LevelResult::default(), LevelResult::with);
        self.transitions += result.transitions;
        result
    }

    /// Calls the visitor with the states that it needs, in the order of their words.
    fn notify(
        &self,
        visitor: &mut impl ParallelVisitor<S>,
        result: &LevelResult,
        meter: &Meter<'_>,
    ) -> Option<End> {
        let mut steps = Steps::new(self.system.words());
        for (state, id) in self.partitions.sorted(&result.expanded) {
            steps.clear();
            self.system.successors(state, &mut steps);
            if visitor.expanded(self.system, id, state, &steps) {
                return Some(End::Stopped(id));
            }
        }
        let progress = Progress { states: self.partitions.len(), transitions: self.transitions, meter };
        let mut discovered = self.partitions.sorted(&result.discovered).into_iter();
        let stop = discovered.find(|(state, id)| visitor.discovered(self.system, *id, state, progress));
        stop.map(|(_, id)| End::Stopped(id))
    }
}
