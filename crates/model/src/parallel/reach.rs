//! Reachability by several workers, level by level.
//!
//! The states of a level are shared out in batches; their successors go to the store, and the new ones are the next
//! level. Workers note what a visitor may want to hear of; between two levels the visitor hears of it, sorted by what
//! the states are, not by when they were met. Of several ways into a state, the one from the least parent is kept, by hash.
//! A small level is not worth a thread.
//!
//! Promise: what the visitor hears, the paths, and the figures but for bytes and time are the same for every number of
//! workers, if no limit is reached; paths are as short as any. A visitor that says stop stops the search at the end of
//! the level; if a limit was reached in that level, what was seen before it counts.

use super::shards::{MAX_LOCAL, Room, SHARDS, Shards, global_state, local_state, shard_of};
use super::{MAX_WORKERS, Signal, team};
use crate::budget::{Budget, Limit, Meter, Stats};
use crate::counterexample::Step;
use crate::search::{End, SoFar, Visitor, with_actions};
use crate::store::{StateId, hash};
use crate::system::{States, Steps, System, Word};
use crate::tree::{Seek, StateSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A visitor that can say in advance, to any worker, what it does not want to hear of.
pub trait Watch<S: System>: Visitor<S> + Sync {
    /// May [`found`](Visitor::found) do anything with this state?
    fn minds_state(&self, _system: &S, _state: &[Word]) -> bool {
        false
    }

    /// May [`expanded`](Visitor::expanded) do anything with this state and its steps?
    fn minds_steps(&self, _system: &S, _state: &[Word], _steps: &Steps<S::Action>) -> bool {
        false
    }
}

impl<S: System> Watch<S> for () {}

/// So many states are taken from a level at once.
const BATCH: usize = 64;

/// A level of up to so many states is left to one worker.
const SMALL_LEVEL: usize = 8 * BATCH;

/// So many states wait before they are stored together, under one lock.
const PACKET: usize = 32;

/// What a search by levels found.
#[derive(Debug)]
pub struct Levels {
    /// Why it ended.
    pub end: End,
    /// What it took.
    pub stats: Stats,
    parts: Vec<Part>,
}

/// Looks at the system's states breadth first with the budget's workers, until all are done, the visitor says stop, or the
/// budget is used up.
pub fn explore_by_levels<S: System>(system: &S, budget: Budget<'_>, visitor: &mut impl Watch<S>) -> Levels {
    let mut meter = Meter::start(budget);
    let store = Store::new(system.words(), budget);
    let workers = budget.workers.clamp(1, MAX_WORKERS);
    let mut search = Search { system, workers, store: &store, transitions: 0, depth: 0 };
    let end = search.run(visitor, &mut meter);
    let last = Level { states: Vec::new(), depth: search.depth as u32 };
    let stats = Stats { time: meter.elapsed(), ..store.figures(search.transitions, &last) };
    Levels { end, stats, parts: store.parts.into_inner() }
}

impl Levels {
    /// The state with this number.
    pub fn state(&self, id: StateId) -> Box<[Word]> {
        let (shard, id) = local_state(id);
        self.parts[shard].states.state(id)
    }

    /// The path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        let parent = |id: StateId| {
            let (shard, id) = local_state(id);
            self.parts[shard].parents[id.index()]
        };
        let mut ids = vec![end];
        while parent(ids[ids.len() - 1]) != ids[ids.len() - 1] {
            ids.push(parent(ids[ids.len() - 1]));
        }
        ids.reverse();
        with_actions(system, ids.iter().map(|id| self.state(*id)))
    }
}

/// The states of one shard.
#[derive(Debug)]
struct Part {
    states: StateSet,
    /// The state from which each was found; an initial state is its own.
    parents: Vec<StateId>,
    /// The level that is being made, its first state here, and the hash of each one's parent.
    level: u32,
    level_start: u32,
    rivals: Vec<u64>,
}

impl Part {
    /// States of this level come.
    fn begin(&mut self, level: u32) {
        if self.level != level {
            self.level = level;
            self.level_start = self.states.len() as u32;
            self.rivals.clear();
        }
    }

    /// A state has this number, which is new or not, and was found from this parent, or is initial.
    #[inline]
    fn meet(&mut self, shard: usize, (id, new): (StateId, bool), parent: Option<Parent>) {
        let rank = parent.map_or(0, |parent| parent.hash);
        if new {
            self.parents.push(parent.map_or(global_state(shard, id), |parent| parent.id));
            self.rivals.push(rank);
        } else if let Some(parent) = parent
            && id.0 >= self.level_start
        {
            let rival = &mut self.rivals[(id.0 - self.level_start) as usize];
            if rank < *rival {
                *rival = rank;
                self.parents[id.index()] = parent.id;
            }
        }
    }

    fn memory(&self) -> usize {
        self.states.memory()
            + self.parents.capacity() * size_of::<StateId>()
            + self.rivals.capacity() * size_of::<u64>()
    }
}

/// Where a state was found from.
#[derive(Clone, Copy)]
struct Parent {
    id: StateId,
    hash: u64,
}

/// What all workers share.
struct Store {
    parts: Shards<Part>,
    room: Room,
    bytes: AtomicUsize,
    signal: Signal,
}

impl Store {
    fn new(width: usize, budget: Budget<'_>) -> Store {
        let part = || Part {
            states: StateSet::new(width, budget.compress),
            parents: Vec::new(),
            level: u32::MAX,
            level_start: 0,
            rivals: Vec::new(),
        };
        let room = Room::new(budget.limits.states);
        Store { parts: Shards::new(part), room, bytes: AtomicUsize::new(0), signal: Signal::default() }
    }

    fn figures(&self, transitions: usize, level: &Level) -> Stats {
        let states = self.room.taken();
        // The next level has at most the states that are not of this one or before it.
        let frontier = level.states.len() * size_of::<StateId>() * 2;
        Stats {
            states,
            transitions,
            product_states: states,
            depth: level.depth as usize,
            bytes: self.bytes.load(Ordering::Relaxed) + frontier,
            ..Stats::default()
        }
    }

    /// Stores the states of a packet. Calls `new` with each that was not known.
    fn put(&self, shard: usize, packet: &mut Packet, level: u32, mut new: impl FnMut(StateId, &[Word])) {
        let Packet { states, hashes, parents, seeks } = packet;
        let mut part = self.parts.lock(shard);
        if part.states.len() + parents.len() > MAX_LOCAL {
            return self.signal.stop_by(Limit::States);
        }
        part.begin(level);
        let bytes = part.memory();
        part.states.reserve(parents.len());
        // Memory answers many questions at once: first all are asked.
        seeks.clear();
        seeks.extend(states.iter().zip(&*hashes).map(|(state, hash)| part.states.look_by(state, || *hash)));
        for ((state, seek), parent) in states.iter().zip(&*seeks).zip(&*parents) {
            let Some((id, is_new)) = part.states.insert_if(state, *seek, || self.room.take()) else {
                self.signal.stop_by(Limit::States);
                break;
            };
            part.meet(shard, (id, is_new), *parent);
            if is_new {
                new(global_state(shard, id), state);
            }
        }
        self.bytes.fetch_add(part.memory() - bytes, Ordering::Relaxed);
    }
}

/// States that wait to be stored.
struct Packet {
    states: States,
    hashes: Vec<u64>,
    parents: Vec<Option<Parent>>,
    seeks: Vec<Seek>,
}

impl Packet {
    fn new(words: usize) -> Packet {
        Packet { states: States::new(words), hashes: Vec::new(), parents: Vec::new(), seeks: Vec::new() }
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

/// What a worker brings back from a level.
#[derive(Default)]
struct Harvest {
    /// The states of the next level.
    next: Vec<StateId>,
    transitions: usize,
    /// States of this level whose steps the visitor minds, and states of the next that it minds.
    expanded: Vec<StateId>,
    found: Vec<StateId>,
}

impl Harvest {
    fn with(mut self, other: Harvest) -> Harvest {
        self.next.extend(other.next);
        self.transitions += other.transitions;
        self.expanded.extend(other.expanded);
        self.found.extend(other.found);
        self
    }
}

/// One who takes batches from levels.
struct Worker<'a, S: System> {
    system: &'a S,
    store: &'a Store,
    steps: Steps<S::Action>,
    batch: States,
    buffer: Vec<Word>,
    packets: Vec<Packet>,
    harvest: Harvest,
}

impl<'a, S: System> Worker<'a, S> {
    fn new(system: &'a S, store: &'a Store) -> Self {
        let words = system.words();
        Worker {
            system,
            store,
            steps: Steps::new(words),
            batch: States::new(words),
            buffer: Vec::new(),
            packets: (0..SHARDS).map(|_| Packet::new(words)).collect(),
            harvest: Harvest::default(),
        }
    }

    /// Takes batches until the level is done; `pause` is told after each how many states and steps were in it.
    fn work(
        mut self,
        level: &Level,
        cursor: &AtomicUsize,
        watch: &impl Watch<S>,
        pause: &mut dyn FnMut(usize, usize),
    ) -> Harvest {
        while !self.store.signal.is_over() {
            let start = cursor.fetch_add(BATCH, Ordering::Relaxed);
            if start >= level.states.len() {
                break;
            }
            let ids = &level.states[start..(start + BATCH).min(level.states.len())];
            let before = self.harvest.transitions;
            self.read(ids);
            self.expand(ids, level.depth + 1, watch);
            pause(ids.len(), self.harvest.transitions - before);
        }
        for shard in 0..SHARDS {
            self.deliver(shard, level.depth + 1, watch);
        }
        self.harvest
    }

    /// Copies the states out of the store. Neighbours are mostly of one part.
    fn read(&mut self, ids: &[StateId]) {
        self.batch.clear();
        for run in ids.chunk_by(|one, other| local_state(*one).0 == local_state(*other).0) {
            let part = self.store.parts.lock(local_state(run[0]).0);
            for id in run {
                self.batch.push(part.states.get(local_state(*id).1, &mut self.buffer));
            }
        }
    }

    fn expand(&mut self, ids: &[StateId], next: u32, watch: &impl Watch<S>) {
        let batch = std::mem::take(&mut self.batch);
        for (state, id) in batch.iter().zip(ids) {
            self.steps.clear();
            self.system.successors(state, &mut self.steps);
            self.harvest.transitions += self.steps.len();
            if watch.minds_steps(self.system, state, &self.steps) {
                self.harvest.expanded.push(*id);
            }
            let parent = Some(Parent { id: *id, hash: hash(state) });
            for index in 0..self.steps.len() {
                let (_, target) = self.steps.get(index);
                let hash = hash(target);
                let shard = shard_of(hash);
                self.packets[shard].push(target, hash, parent);
                if self.packets[shard].parents.len() == PACKET {
                    self.deliver(shard, next, watch);
                }
            }
        }
        self.batch = batch;
    }

    /// Stores what waits for a shard.
    fn deliver(&mut self, shard: usize, next: u32, watch: &impl Watch<S>) {
        let packet = &mut self.packets[shard];
        if packet.parents.is_empty() {
            return;
        }
        let (system, harvest) = (self.system, &mut self.harvest);
        self.store.put(shard, packet, next, |id, state| {
            harvest.next.push(id);
            if watch.minds_state(system, state) {
                harvest.found.push(id);
            }
        });
        packet.clear();
    }
}

/// The states at one distance from the initial ones.
#[derive(Default)]
struct Level {
    states: Vec<StateId>,
    depth: u32,
}

/// A search by levels.
struct Search<'a, S: System> {
    system: &'a S,
    workers: usize,
    store: &'a Store,
    transitions: usize,
    depth: usize,
}

impl<S: System> Search<'_, S> {
    fn run(&mut self, visitor: &mut impl Watch<S>, meter: &mut Meter<'_>) -> End {
        let mut level = Level::default();
        let mut first = self.initial(visitor);
        loop {
            if let Some(end) = self.tell(visitor, &first, meter) {
                return end;
            }
            if let Some(limit) = self.store.signal.limit() {
                return End::Limit(limit);
            }
            level.states = std::mem::take(&mut first.next);
            if level.states.is_empty() {
                return End::Complete;
            }
            self.depth = level.depth as usize;
            first = self.level(&level, visitor, meter);
            level.depth += 1;
        }
    }

    fn initial(&self, watch: &impl Watch<S>) -> Harvest {
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let mut worker = Worker::new(self.system, self.store);
        for state in initial.iter() {
            let hash = hash(state);
            let shard = shard_of(hash);
            worker.packets[shard].push(state, hash, None);
            worker.deliver(shard, 0, watch);
        }
        worker.harvest
    }

    /// Shares a level out, and looks at the limits meanwhile.
    fn level(&mut self, level: &Level, watch: &impl Watch<S>, meter: &mut Meter<'_>) -> Harvest {
        let (system, store) = (self.system, self.store);
        let workers = if level.states.len() <= SMALL_LEVEL { 1 } else { self.workers };
        let cursor = AtomicUsize::new(0);
        let mut seen = self.transitions;
        let figures = |transitions| store.figures(transitions, level);
        let lead = || {
            Worker::new(system, store).work(level, &cursor, watch, &mut |states, transitions| {
                seen += transitions;
                // The others do about as much. How many states there may be is looked at where they are stored.
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
        let help = |_| Worker::new(system, store).work(level, &cursor, watch, &mut |_, _| {});
        let harvests = team(&store.signal, workers, help, lead);
        let harvest = harvests.into_iter().fold(Harvest::default(), Harvest::with);
        self.transitions += harvest.transitions;
        harvest
    }

    /// Tells the visitor what it may want to hear, in the order of the states' words.
    fn tell(&self, visitor: &mut impl Watch<S>, harvest: &Harvest, meter: &Meter<'_>) -> Option<End> {
        let mut steps = Steps::new(self.system.words());
        for (state, id) in self.sorted(&harvest.expanded) {
            steps.clear();
            self.system.successors(&state, &mut steps);
            if visitor.expanded(self.system, id, &state, &steps) {
                return Some(End::Stopped(id));
            }
        }
        let so_far = SoFar { states: self.store.room.taken(), transitions: self.transitions, meter };
        let mut found = self.sorted(&harvest.found).into_iter();
        let stop = found.find(|(state, id)| visitor.found(self.system, *id, state, so_far));
        stop.map(|(_, id)| End::Stopped(id))
    }

    fn sorted(&self, ids: &[StateId]) -> Vec<(Box<[Word]>, StateId)> {
        let words = |id: &StateId| {
            let (shard, local) = local_state(*id);
            (self.store.parts.lock(shard).states.state(local), *id)
        };
        let mut sorted: Vec<_> = ids.iter().map(words).collect();
        sorted.sort_unstable();
        sorted
    }
}
