//! Reachability by several workers, level by level.
//!
//! Workers take the states of a level in batches. They store the successors in one table without locks; the
//! new ones are the next level. Workers note the states that the visitor needs. Between two levels the
//! visitor sees them, in the order of their words, so that timing does not matter. One worker does a small
//! level alone. It also begins alone, with the sequential search (`first_levels`), up to the level in which
//! there are [`Budget::alone`] states: a small search costs what it costs one worker.
//!
//! Promise: the visitor's calls, the paths, and the figures except bytes and time are the same for every
//! number of workers, if no limit is reached; paths are shortest. A visitor stops the search at the end of a
//! level; if a limit was reached in that level, the states discovered before it count. Between two levels
//! the search can be written to a checkpoint (`level_records`).

use super::first_levels::{FirstLevels, first_levels};
use super::level_table::{LevelTable, Parent};
use super::level_worker::{BATCH, Level, LevelResult, Store, Worker};
use super::{MAX_WORKERS, StopSignal, run_workers};
use crate::ltl::Step;
use crate::search::{Budget, End, Exploration, Limit, Limits, Meter, Progress, Stats, Visitor, with_actions};
use crate::store::StateId;
use crate::sync::atomic::AtomicUsize;
use crate::system::{States, Steps, System, Word};

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

/// The largest number of states in a level that one worker does alone.
const SMALL_LEVEL: usize = 8 * BATCH;

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
    Shared(Box<LevelTable>),
}

/// Expands the system's states breadth first with the budget's workers, until all are expanded, the visitor
/// stops it, or a limit is reached.
pub fn explore_by_levels<S: System>(
    system: &S,
    budget: Budget<'_>,
    visitor: &mut impl ParallelVisitor<S>,
) -> LevelSearch {
    if budget.checkpoint.is_some() {
        return explore_kept_levels(system, budget, visitor);
    }
    let FirstLevels { exploration, next } = first_levels(system, budget, visitor);
    let Some(next) = next else {
        let Exploration { end, stats, .. } = exploration;
        return LevelSearch { end, stats, found: LevelStates::Alone(exploration) };
    };
    let time = exploration.stats.time;
    let limits = Limits { time: budget.limits.time.map(|most| most.saturating_sub(time)), ..budget.limits };
    let budget = Budget { limits, ..budget };
    let mut meter = Meter::start(budget);
    let store = Store::new(system.words(), budget);
    store.copy(&exploration);
    drop(exploration);
    let mut search = LevelExploration::new(system, &store, budget);
    search.transitions = next.transitions;
    let level = Level { numbers: next.level.0..store.table.states.given(), depth: next.depth };
    let end = search.run(level, visitor, &mut meter);
    let stats = search.stats(time + meter.elapsed());
    LevelSearch { end: end.unless_cut(system), stats, found: LevelStates::Shared(Box::new(store.table)) }
}

/// The same with a checkpoint, which has all states from the first level on.
fn explore_kept_levels<S: System>(
    system: &S,
    budget: Budget<'_>,
    visitor: &mut impl ParallelVisitor<S>,
) -> LevelSearch {
    let mut meter = Meter::start(budget);
    let store = Store::new(system.words(), budget);
    let mut search = LevelExploration::new(system, &store, budget);
    let end = match search.begin(visitor, &mut meter) {
        Ok(level) => search.run(level, visitor, &mut meter),
        Err(end) => end,
    };
    let stats = search.stats(meter.elapsed());
    LevelSearch { end: end.unless_cut(system), stats, found: LevelStates::Shared(Box::new(store.table)) }
}

impl LevelSearch {
    /// The state with this number.
    pub fn state(&self, id: StateId) -> Box<[Word]> {
        match &self.found {
            LevelStates::Alone(exploration) => exploration.states.state(id),
            LevelStates::Shared(table) => table.state(id),
        }
    }

    /// The path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        let table = match &self.found {
            LevelStates::Alone(exploration) => return exploration.path(system, end),
            LevelStates::Shared(table) => table,
        };
        let parent = |id: &StateId| table.parent(*id).filter(|parent| parent != id);
        let mut ids: Vec<StateId> = std::iter::successors(Some(end), parent).collect();
        ids.reverse();
        with_actions(system, ids.iter().map(|id| table.state(*id)))
    }
}

impl Store {
    fn new(width: usize, budget: Budget<'_>) -> Store {
        Store { table: LevelTable::new(width, budget.limits.states), signal: StopSignal::default() }
    }

    fn figures<S: System>(&self, system: &S, transitions: usize, depth: usize) -> Stats {
        let states = self.table.states.len();
        Stats {
            states,
            transitions,
            product_states: states,
            depth,
            bytes: self.table.states.memory() + system.table_bytes(),
            ..Stats::default()
        }
    }

    /// Stores the states of a search that one worker has begun, with their numbers and parents.
    fn copy(&self, exploration: &Exploration) {
        let mut session = self.table.states.session_with_range(1);
        session.copy(&exploration.states, |id| {
            let parent = exploration.parent(id);
            Some(Parent::new(parent, exploration.states.get(parent)).0)
        });
        session.give_back();
    }
}

/// A search by levels.
pub(super) struct LevelExploration<'a, S: System> {
    pub(super) system: &'a S,
    workers: usize,
    pub(super) store: &'a Store,
    pub(super) transitions: usize,
    pub(super) depth: usize,
    /// The numbers below are in the checkpoint.
    pub(super) written: u32,
}

impl<'a, S: System> LevelExploration<'a, S> {
    fn new(system: &'a S, store: &'a Store, budget: Budget<'_>) -> Self {
        let workers = budget.workers.clamp(1, MAX_WORKERS);
        LevelExploration { system, workers, store, transitions: 0, depth: 0, written: 0 }
    }

    fn stats(&self, time: std::time::Duration) -> Stats {
        Stats { time, ..self.store.figures(self.system, self.transitions, self.depth) }
    }

    /// Expands the states of this level, and of those after it.
    fn run(&mut self, mut level: Level, visitor: &mut impl ParallelVisitor<S>, meter: &mut Meter<'_>) -> End {
        loop {
            self.write(&level, visitor, meter);
            if level.numbers.is_empty() {
                return End::Complete;
            }
            self.depth = level.depth as usize;
            let result = self.level(&level, visitor, meter);
            if let Some(end) = self.notify(visitor, &result, meter) {
                return end;
            }
            if let Some(limit) = self.store.signal.limit() {
                return End::Limit(limit);
            }
            level =
                Level { numbers: level.numbers.end..self.store.table.states.given(), depth: level.depth + 1 };
        }
    }

    /// The level to begin with where a checkpoint is kept: that of its last record, or the initial states.
    fn begin(&mut self, visitor: &mut impl ParallelVisitor<S>, meter: &mut Meter<'_>) -> Result<Level, End> {
        if let Some(level) = self.go_on(visitor, meter).map_err(End::Limit)? {
            return Ok(level);
        }
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let table = &self.store.table;
        let mut session = table.states.session_with_range(1);
        let mut result = LevelResult::default();
        for state in initial.iter() {
            let Some((id, is_new)) = table.add_initial(&mut session, state) else {
                self.store.signal.stop_by(Limit::States);
                break;
            };
            if is_new && visitor.needs_state(self.system, state) {
                result.discovered.push(id);
            }
        }
        session.give_back();
        drop(session);
        match self.notify(visitor, &result, meter) {
            Some(end) => Err(end),
            None => Ok(Level { numbers: 0..table.states.given(), depth: 0 }),
        }
    }

    /// Divides a level among the workers, and checks the limits meanwhile.
    fn level(
        &mut self,
        level: &Level,
        visitor: &impl ParallelVisitor<S>,
        meter: &mut Meter<'_>,
    ) -> LevelResult {
        let (system, store) = (self.system, self.store);
        let workers = if level.numbers.len() <= SMALL_LEVEL { 1 } else { self.workers };
        let cursor = AtomicUsize::new(0);
        let mut seen = self.transitions;
        let lead = || {
            Worker::new(system, store, level).work(&cursor, visitor, &mut |states, transitions| {
                seen += transitions;
                // The other workers do about as much. The number of states is checked where states are
                // stored.
                for _ in 0..states * workers {
                    meter.tick();
                }
                if meter.is_due()
                    && let Some(limit) = meter.read(store.figures(system, seen, level.depth as usize))
                {
                    store.signal.stop_by(limit);
                }
            })
        };
        let help = |_| Worker::new(system, store, level).work(&cursor, visitor, &mut |_, _| {});
        let results = run_workers(&store.signal, workers, help, lead);
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
        let table = &self.store.table;
        let mut steps = Steps::new(self.system.words());
        for (state, id) in table.sorted(&result.expanded) {
            steps.clear();
            self.system.successors(&state, &mut steps);
            if visitor.expanded(self.system, id, &state, &steps) {
                return Some(End::Stopped(id));
            }
        }
        let progress = Progress { states: table.states.len(), transitions: self.transitions, meter };
        let mut discovered = table.sorted(&result.discovered).into_iter();
        let stop = discovered.find(|(state, id)| visitor.discovered(self.system, *id, state, progress));
        stop.map(|(_, id)| End::Stopped(id))
    }
}
