//! Reachability by several workers, level by level.
//!
//! Workers take the states of a level in batches. They store the successors; the new ones are the next
//! level. Workers note the states that the visitor needs. Between two levels the visitor sees them, in the
//! order of their words, so that timing does not matter. Of several parents of a state, the one with the
//! least hash is kept. One worker does a small level alone. It also begins alone, with the sequential search
//! (`first_levels`), up to the level in which there are [`Budget::alone`] states: a small search costs what
//! it costs one worker.
//!
//! Promise: the visitor's calls, the paths, and the figures except bytes and time are the same for every
//! number of workers, if no limit is reached; paths are shortest. A visitor stops the search at the end of a
//! level; if a limit was reached in that level, the states discovered before it count. Between two levels
//! the search can be written to a checkpoint (`level_records`).

use super::first_levels::{FirstLevels, first_levels};
use super::level_records::WrittenLevels;
use super::shards::{MAX_LOCAL, SHARDS, Shards, StateQuota, global_state, local_state, shard_of};
use super::{MAX_WORKERS, StopSignal, run_workers};
use crate::ltl::Step;
use crate::search::{Budget, End, Exploration, Limit, Limits, Meter, Progress, Stats, Visitor, with_actions};
use crate::store::{Probe, StateId, StateTable, hash};
use crate::sync::atomic::{AtomicUsize, Ordering};
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

/// The number of states that a worker takes from a level at once.
const BATCH: usize = 64;

/// The largest number of states in a level that one worker does alone.
const SMALL_LEVEL: usize = 8 * BATCH;

/// The number of states that are stored together, under one lock.
const PACKET: usize = 32;

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
    /// The search was small.
    Alone(Exploration),
    /// The first levels, if one worker has made them, and all states.
    Shared { exploration: Option<Exploration>, shards: Vec<LevelShard> },
}

impl LevelStates {
    /// The search that knows the states whose numbers have no [`IN_SHARDS`].
    fn first_levels(&self) -> &Exploration {
        match self {
            LevelStates::Alone(exploration) | LevelStates::Shared { exploration: Some(exploration), .. } => {
                exploration
            }
            LevelStates::Shared { exploration: None, .. } => unreachable!("all states are in shards"),
        }
    }
}

/// The visitor knows the states of the first levels by the numbers of the sequential search, and the others
/// by their numbers in the shards, with this bit.
const IN_SHARDS: u32 = 1 << 31;

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
    let workers = budget.workers.clamp(1, MAX_WORKERS);
    let written = WrittenLevels::default();
    let mut search =
        LevelExploration { system, workers, store: &store, transitions: next.transitions, depth: 0, written };
    let level = Level { states: store.copy(&exploration, next.level), depth: next.depth };
    let end = search.run(level, visitor, &mut meter).unless_cut(system);
    let last = Level { states: Vec::new(), depth: search.depth as u32 };
    let stats = Stats { time: time + meter.elapsed(), ..store.figures(system, search.transitions, &last) };
    let shards = store.shards.into_inner();
    LevelSearch { end, stats, found: LevelStates::Shared { exploration: Some(exploration), shards } }
}

/// The same with a checkpoint, which has all states in shards from the first level on.
fn explore_kept_levels<S: System>(
    system: &S,
    budget: Budget<'_>,
    visitor: &mut impl ParallelVisitor<S>,
) -> LevelSearch {
    let mut meter = Meter::start(budget);
    let store = Store::new(system.words(), budget);
    let workers = budget.workers.clamp(1, MAX_WORKERS);
    let written = WrittenLevels::default();
    let mut search = LevelExploration { system, workers, store: &store, transitions: 0, depth: 0, written };
    let end = match search.begin(visitor, &mut meter) {
        Ok(level) => search.run(level, visitor, &mut meter),
        Err(end) => end,
    };
    let end = end.unless_cut(system);
    let last = Level { states: Vec::new(), depth: search.depth as u32 };
    let stats = Stats { time: meter.elapsed(), ..store.figures(system, search.transitions, &last) };
    let shards = store.shards.into_inner();
    LevelSearch { end, stats, found: LevelStates::Shared { exploration: None, shards } }
}

impl LevelSearch {
    /// The state with this number.
    pub fn state(&self, id: StateId) -> Box<[Word]> {
        match &self.found {
            LevelStates::Shared { shards, .. } if id.0 & IN_SHARDS != 0 => {
                let (shard, id) = local_state(StateId(id.0 & !IN_SHARDS));
                shards[shard].states.state(id)
            }
            found => found.first_levels().states.state(id),
        }
    }

    /// The path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        let shards = match &self.found {
            LevelStates::Shared { shards, .. } if end.0 & IN_SHARDS != 0 => shards,
            found => return found.first_levels().path(system, end),
        };
        let parent = |id: StateId| {
            let (shard, id) = local_state(id);
            shards[shard].parents[id.index()]
        };
        let mut ids = vec![StateId(end.0 & !IN_SHARDS)];
        while parent(ids[ids.len() - 1]) != ids[ids.len() - 1] {
            ids.push(parent(ids[ids.len() - 1]));
        }
        ids.reverse();
        with_actions(system, ids.iter().map(|id| self.state(StateId(id.0 | IN_SHARDS))))
    }
}

/// The states of one shard.
#[derive(Debug)]
pub(super) struct LevelShard {
    pub(super) states: StateTable,
    /// For each state, the state from which it was discovered; an initial state is its own parent.
    pub(super) parents: Vec<StateId>,
    /// The level that is being made, the first state of it in this shard, and the hash of each state's
    /// parent.
    pub(super) level: u32,
    pub(super) level_start: u32,
    parent_ranks: Vec<u64>,
}

impl LevelShard {
    /// Begins a level, if it is new to the shard.
    fn begin(&mut self, level: u32) {
        if self.level != level {
            self.level = level;
            self.level_start = self.states.len() as u32;
            self.parent_ranks.clear();
        }
    }

    /// A state, new or not, was discovered from this parent, or is initial.
    #[inline]
    fn note_parent(&mut self, shard: usize, (id, new): (StateId, bool), parent: Option<Parent>) {
        let rank = parent.map_or(0, |parent| parent.hash);
        if new {
            self.parents.push(parent.map_or(global_state(shard, id), |parent| parent.id));
            self.parent_ranks.push(rank);
        } else if let Some(parent) = parent
            && id.0 >= self.level_start
        {
            let known_rank = &mut self.parent_ranks[(id.0 - self.level_start) as usize];
            if rank < *known_rank {
                *known_rank = rank;
                self.parents[id.index()] = parent.id;
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.states.memory()
            + self.parents.capacity() * size_of::<StateId>()
            + self.parent_ranks.capacity() * size_of::<u64>()
    }
}

/// The state from which another was discovered.
#[derive(Clone, Copy)]
struct Parent {
    id: StateId,
    hash: u64,
}

/// The data that all workers share.
pub(super) struct Store {
    pub(super) shards: Shards<LevelShard>,
    pub(super) quota: StateQuota,
    pub(super) bytes: AtomicUsize,
    signal: StopSignal,
}

impl Store {
    fn new(width: usize, budget: Budget<'_>) -> Store {
        let shard = || LevelShard {
            states: StateTable::new(width),
            parents: Vec::new(),
            level: u32::MAX,
            level_start: 0,
            parent_ranks: Vec::new(),
        };
        let quota = StateQuota::new(budget.limits.states);
        Store { shards: Shards::new(shard), quota, bytes: AtomicUsize::new(0), signal: StopSignal::default() }
    }

    fn figures<S: System>(&self, system: &S, transitions: usize, level: &Level) -> Stats {
        let states = self.quota.taken();
        // An estimate: this level and the next, of the same size.
        let frontier = level.states.len() * size_of::<StateId>() * 2;
        Stats {
            states,
            transitions,
            product_states: states,
            depth: level.depth as usize,
            bytes: self.bytes.load(Ordering::Relaxed) + frontier + system.table_bytes(),
            ..Stats::default()
        }
    }

    /// Stores the states of a search that one worker has begun, with their parents; returns the numbers of
    /// those from `level` on.
    fn copy(&self, exploration: &Exploration, level: StateId) -> Vec<StateId> {
        let mut numbers = Vec::with_capacity(exploration.states.len());
        for shard in 0..SHARDS {
            self.shards.lock(shard).states.reserve(exploration.states.len() / SHARDS);
        }
        for id in (0..exploration.states.len() as u32).map(StateId) {
            let state = exploration.states.get(id);
            let shard = shard_of(hash(state));
            let mut stored = self.shards.lock(shard);
            let (local, _) = stored.states.insert(state);
            let number = global_state(shard, local);
            numbers.push(number);
            // A parent has a smaller number, and is copied before.
            stored.parents.push(numbers[exploration.parent(id).index()]);
        }
        self.quota.add(numbers.len());
        let memory = (0..SHARDS).map(|shard| self.shards.lock(shard).memory()).sum();
        self.bytes.store(memory, Ordering::Relaxed);
        numbers.split_off(level.index())
    }

    /// Stores the states of a packet. Calls `on_new` with each new state.
    fn put(&self, shard: usize, packet: &mut Packet, level: u32, mut on_new: impl FnMut(StateId, &[Word])) {
        let Packet { states, hashes, parents, probes } = packet;
        let mut stored = self.shards.lock(shard);
        if stored.states.len() + parents.len() > MAX_LOCAL {
            return self.signal.stop_by(Limit::States);
        }
        stored.begin(level);
        let bytes = stored.memory();
        stored.states.reserve(parents.len());
        probes.clear();
        probes.extend(hashes.iter().copied().map(Probe::new));
        stored.states.read_probes(probes);
        let is_unlimited = self.quota.is_unlimited();
        let before = stored.states.len();
        for ((state, probe), parent) in states.iter().zip(&*probes).zip(&*parents) {
            let is_allowed = || is_unlimited || self.quota.take();
            let Some((id, is_new)) = stored.states.insert_if(state, *probe, is_allowed) else {
                self.signal.stop_by(Limit::States);
                break;
            };
            stored.note_parent(shard, (id, is_new), *parent);
            if is_new {
                on_new(global_state(shard, id), state);
            }
        }
        if is_unlimited {
            self.quota.add(stored.states.len() - before);
        }
        self.bytes.fetch_add(stored.memory() - bytes, Ordering::Relaxed);
    }
}

/// States to be stored in one shard.
struct Packet {
    states: States,
    hashes: Vec<u64>,
    parents: Vec<Option<Parent>>,
    probes: Vec<Probe>,
}

impl Packet {
    fn new(words: usize) -> Packet {
        Packet { states: States::new(words), hashes: Vec::new(), parents: Vec::new(), probes: Vec::new() }
    }

    #[inline]
    fn push(&mut self, state: &[Word], hash: u64, parent: Option<Parent>) {
        self.states.push(state);
        self.hashes.push(hash);
        self.parents.push(parent);
    }

    fn clear(&mut self) {
        self.states.clear();
        self.hashes.clear();
        self.parents.clear();
    }
}

/// A worker's result of a level.
#[derive(Default)]
struct LevelResult {
    /// The states of the next level.
    next: Vec<StateId>,
    transitions: usize,
    /// The states of this level whose steps the visitor needs, and the states of the next level that it
    /// needs.
    expanded: Vec<StateId>,
    discovered: Vec<StateId>,
}

impl LevelResult {
    fn with(mut self, other: LevelResult) -> LevelResult {
        self.next.extend(other.next);
        self.transitions += other.transitions;
        self.expanded.extend(other.expanded);
        self.discovered.extend(other.discovered);
        self
    }
}

/// A worker's buffers, and its result so far.
struct Worker<'a, S: System> {
    system: &'a S,
    store: &'a Store,
    steps: Steps<S::Action>,
    batch: States,
    packets: Vec<Packet>,
    result: LevelResult,
}

impl<'a, S: System> Worker<'a, S> {
    fn new(system: &'a S, store: &'a Store) -> Self {
        let words = system.words();
        Worker {
            system,
            store,
            steps: Steps::new(words),
            batch: States::new(words),
            packets: (0..SHARDS).map(|_| Packet::new(words)).collect(),
            result: LevelResult::default(),
        }
    }

    /// Takes batches until the level is done; calls `on_batch` after each with the numbers of its states and
    /// steps.
    fn work(
        mut self,
        level: &Level,
        cursor: &AtomicUsize,
        visitor: &impl ParallelVisitor<S>,
        on_batch: &mut dyn FnMut(usize, usize),
    ) -> LevelResult {
        while !self.store.signal.is_stopped() {
            let start = cursor.fetch_add(BATCH, Ordering::Relaxed);
            if start >= level.states.len() {
                break;
            }
            let ids = &level.states[start..(start + BATCH).min(level.states.len())];
            let before = self.result.transitions;
            self.read(ids);
            self.expand(ids, level.depth + 1, visitor);
            on_batch(ids.len(), self.result.transitions - before);
        }
        for shard in 0..SHARDS {
            self.deliver(shard, level.depth + 1, visitor);
        }
        self.result
    }

    /// Copies the states out of the store. Neighbours are mostly in one shard.
    fn read(&mut self, ids: &[StateId]) {
        self.batch.clear();
        for run in ids.chunk_by(|one, other| local_state(*one).0 == local_state(*other).0) {
            let stored = self.store.shards.lock(local_state(run[0]).0);
            for id in run {
                self.batch.push(stored.states.get(local_state(*id).1));
            }
        }
    }

    fn expand(&mut self, ids: &[StateId], next: u32, visitor: &impl ParallelVisitor<S>) {
        let batch = std::mem::take(&mut self.batch);
        for (state, id) in batch.iter().zip(ids) {
            self.steps.clear();
            self.system.successors(state, &mut self.steps);
            self.result.transitions += self.steps.len();
            if visitor.needs_steps(self.system, state, &self.steps) {
                self.result.expanded.push(*id);
            }
            let parent = Some(Parent { id: *id, hash: hash(state) });
            for index in 0..self.steps.len() {
                let (_, target) = self.steps.get(index);
                let hash = hash(target);
                let shard = shard_of(hash);
                self.packets[shard].push(target, hash, parent);
                if self.packets[shard].parents.len() == PACKET {
                    self.deliver(shard, next, visitor);
                }
            }
        }
        self.batch = batch;
    }

    /// Stores the packet of a shard.
    fn deliver(&mut self, shard: usize, next: u32, visitor: &impl ParallelVisitor<S>) {
        let packet = &mut self.packets[shard];
        if packet.parents.is_empty() {
            return;
        }
        let (system, result) = (self.system, &mut self.result);
        self.store.put(shard, packet, next, |id, state| {
            result.next.push(id);
            if visitor.needs_state(system, state) {
                result.discovered.push(id);
            }
        });
        packet.clear();
    }
}

/// The states at one distance from the initial ones.
#[derive(Default)]
pub(super) struct Level {
    pub(super) states: Vec<StateId>,
    pub(super) depth: u32,
}

/// A search by levels.
pub(super) struct LevelExploration<'a, S: System> {
    pub(super) system: &'a S,
    workers: usize,
    pub(super) store: &'a Store,
    pub(super) transitions: usize,
    pub(super) depth: usize,
    pub(super) written: WrittenLevels,
}

impl<S: System> LevelExploration<'_, S> {
    /// Expands the states of this level, and of those after it.
    fn run(&mut self, mut level: Level, visitor: &mut impl ParallelVisitor<S>, meter: &mut Meter<'_>) -> End {
        loop {
            self.write(&level, visitor, meter);
            if level.states.is_empty() {
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
            level = Level { states: result.next, depth: level.depth + 1 };
        }
    }

    /// The level to begin with where a checkpoint is kept: that of its last record, or the initial states.
    fn begin(&mut self, visitor: &mut impl ParallelVisitor<S>, meter: &mut Meter<'_>) -> Result<Level, End> {
        if let Some(level) = self.go_on(visitor, meter).map_err(End::Limit)? {
            return Ok(level);
        }
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let mut worker = Worker::new(self.system, self.store);
        for state in initial.iter() {
            let hash = hash(state);
            let shard = shard_of(hash);
            worker.packets[shard].push(state, hash, None);
            worker.deliver(shard, 0, visitor);
        }
        let result = worker.result;
        match self.notify(visitor, &result, meter) {
            Some(end) => Err(end),
            None => Ok(Level { states: result.next, depth: 0 }),
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
        let workers = if level.states.len() <= SMALL_LEVEL { 1 } else { self.workers };
        let cursor = AtomicUsize::new(0);
        let mut seen = self.transitions;
        let figures = |transitions| store.figures(system, transitions, level);
        let lead = || {
            Worker::new(system, store).work(level, &cursor, visitor, &mut |states, transitions| {
                seen += transitions;
                // The other workers do about as much. The number of states is checked where states are
                // stored.
                for _ in 0..states * workers {
                    meter.tick();
                }
                if meter.is_due()
                    && let Some(limit) = meter.read(figures(seen))
                {
                    store.signal.stop_by(limit);
                }
            })
        };
        let help = |_| Worker::new(system, store).work(level, &cursor, visitor, &mut |_, _| {});
        let harvests = run_workers(&store.signal, workers, help, lead);
        let result = harvests.into_iter().fold(LevelResult::default(), LevelResult::with);
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
        for (state, id) in self.sorted(&result.expanded) {
            steps.clear();
            self.system.successors(&state, &mut steps);
            if visitor.expanded(self.system, id, &state, &steps) {
                return Some(End::Stopped(id));
            }
        }
        let progress = Progress { states: self.store.quota.taken(), transitions: self.transitions, meter };
        let mut discovered = self.sorted(&result.discovered).into_iter();
        let stop = discovered.find(|(state, id)| visitor.discovered(self.system, *id, state, progress));
        stop.map(|(_, id)| End::Stopped(id))
    }

    fn sorted(&self, ids: &[StateId]) -> Vec<(Box<[Word]>, StateId)> {
        let words = |id: &StateId| {
            let (shard, local) = local_state(*id);
            (self.store.shards.lock(shard).states.state(local), StateId(id.0 | IN_SHARDS))
        };
        let mut sorted: Vec<_> = ids.iter().map(words).collect();
        sorted.sort_unstable();
        sorted
    }
}
