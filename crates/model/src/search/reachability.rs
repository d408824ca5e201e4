//! Reachability: the one loop.
//!
//! The loop takes states from a frontier, whose order is a parameter, and stores the targets of their steps,
//! each once. A visitor sees every state when it is discovered and again with its steps, and may stop the
//! search. Paths come from parent pointers; actions are not stored, because a state's successors can be made
//! again.
//!
//! Promise: with [`Order::BreadthFirst`] the path to every state is a shortest one. A stopped search says
//! why it stopped.

use super::{Budget, Limit, Meter, Order, Stats};
use crate::checkpoint::{
    Checkpoint, Malformed, OTHER_STATES, Reader, Writer, index_tables, read_all, read_states, refuse_unless,
    write_slots, write_states,
};
use crate::ltl::Step;
use crate::store::{Probe, StateId, StateTable};
use crate::system::{States, Steps, System, Word};
use std::time::Duration;

/// Judges the states of a search.
pub trait Visitor<S: System> {
    /// A state was discovered. Returns true to stop there.
    fn discovered(&mut self, _system: &S, _id: StateId, _state: &[Word], _so_far: Progress<'_>) -> bool {
        false
    }

    /// A state's steps were made. Returns true to stop there.
    fn expanded(&mut self, _system: &S, _id: StateId, _state: &[Word], _steps: &Steps<S::Action>) -> bool {
        false
    }

    /// Writes what it knows to a [checkpoint](crate::checkpoint).
    fn save(&self, _out: &mut Writer) {}

    /// Reads what another process wrote.
    fn load(&mut self, _reader: &mut Reader<'_>) -> Result<(), Malformed> {
        Ok(())
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    pub(crate) meter: &'a Meter<'a>,
}

impl Progress<'_> {
    /// The figures, but for depth and bytes. Reads the clock.
    pub fn stats(self) -> Stats {
        let Progress { states, transitions, meter } = self;
        Stats { states, transitions, product_states: states, time: meter.elapsed(), ..Stats::default() }
    }
}

/// The visitor of a search for its own sake: it never stops the search.
impl<S: System> Visitor<S> for () {}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every reachable state was expanded.
    Complete,
    /// The visitor stopped it at this state.
    Stopped(StateId),
    /// A limit was reached.
    Limit(Limit),
}

impl End {
    /// This end, unless the search is complete but for steps that a bound of the language cut off.
    pub(crate) fn unless_cut<S: System>(self, system: &S) -> End {
        match self {
            End::Complete if system.first_cut().is_some() => End::Limit(Limit::Language),
            end => end,
        }
    }
}

/// The result of a search.
#[derive(Debug)]
pub struct Exploration {
    /// The states, in the order of their discovery.
    pub states: StateTable,
    /// How the search ended.
    pub end: End,
    /// The figures of the search.
    pub stats: Stats,
    parents: Vec<StateId>,
}

/// Expands the system's states in some order, until all are expanded, the visitor stops it, or a limit is
/// reached.
pub fn explore<S: System>(
    system: &S,
    order: Order,
    budget: Budget<'_>,
    visitor: &mut impl Visitor<S>,
) -> Exploration {
    let mut meter = Meter::start(budget);
    let mut search = Search::new(system, order, budget);
    let end = match search.go_on(visitor, &mut meter) {
        Ok(()) => search.run(visitor, &mut meter).unless_cut(system),
        Err(limit) => End::Limit(limit),
    };
    let stats = Stats { time: meter.elapsed(), ..search.stats() };
    Exploration { states: search.states, parents: search.parents, end, stats }
}

impl Exploration {
    /// The state from which this one was discovered; an initial state is its own parent.
    pub(crate) fn parent(&self, id: StateId) -> StateId {
        self.parents[id.index()]
    }

    /// The path from an initial state to this one.
    pub fn path<S: System>(&self, system: &S, end: StateId) -> Vec<Step<S::Action>> {
        let mut ids = vec![end];
        let mut at = end;
        while self.parents[at.index()] != at {
            at = self.parents[at.index()];
            ids.push(at);
        }
        ids.reverse();
        with_actions(system, ids.into_iter().map(|id| self.states.state(id)))
    }
}

/// A path through these states: each is a successor of the one before.
pub(crate) fn with_actions<S: System>(
    system: &S,
    states: impl Iterator<Item = Box<[Word]>>,
) -> Vec<Step<S::Action>> {
    let mut steps = Steps::new(system.words());
    let mut path: Vec<Step<S::Action>> = Vec::new();
    for state in states {
        let action = path.last().map(|last| {
            steps.clear();
            system.successors(&last.state, &mut steps);
            let step = steps.iter().find(|(_, target)| **target == *state);
            step.expect("a state's successors are the same every time").0
        });
        path.push(Step { action, state });
    }
    path
}

struct Search<'s, S: System> {
    system: &'s S,
    states: StateTable,
    most_states: usize,
    /// For each state, the state from which it was discovered; an initial state is its own parent.
    parents: Vec<StateId>,
    frontier: Box<dyn crate::search::Frontier>,
    transitions: usize,
    depth: usize,
    /// The number of states in the checkpoint, and that of the slots.
    written: usize,
    written_slots: usize,
}

/// The number of states that are expanded together. The lookups of their targets overlap, and a search of
/// many states waits for the memory most of the time.
const TOGETHER: usize = 16;

/// States that are expanded together, each with its depth and its steps; lookups of all targets.
struct Expanded<A> {
    states: Vec<(StateId, u32)>,
    steps: [Steps<A>; TOGETHER],
    probes: Vec<Probe>,
}

impl<A: Copy> Expanded<A> {
    fn new(width: usize) -> Expanded<A> {
        let steps = std::array::from_fn(|_| Steps::new(width));
        Expanded { states: Vec::with_capacity(TOGETHER), steps, probes: Vec::new() }
    }
}

impl<'s, S: System> Search<'s, S> {
    fn new(system: &'s S, order: Order, budget: Budget<'_>) -> Search<'s, S> {
        Search {
            system,
            states: StateTable::new(system.words()),
            most_states: budget.limits.states.unwrap_or(usize::MAX),
            parents: Vec::new(),
            frontier: order.frontier(),
            transitions: 0,
            depth: 0,
            written: 0,
            written_slots: 0,
        }
    }

    fn run(&mut self, visitor: &mut impl Visitor<S>, meter: &mut Meter<'_>) -> End {
        if self.states.is_empty()
            && let Some(end) = self.reach_initial((visitor, meter))
        {
            return end;
        }
        let mut expanded = Expanded::new(self.system.words());
        while self.expand(&mut expanded) {
            if let Some(end) = self.store(&expanded, visitor, meter) {
                return end;
            }
            if meter.is_due() {
                let limit = meter.read(self.stats());
                let checkpoint = if limit.is_some() { meter.checkpoint() } else { meter.due_checkpoint() };
                self.write(checkpoint, visitor, meter);
                if let Some(limit) = limit {
                    return End::Limit(limit);
                }
            }
        }
        self.write(meter.checkpoint(), visitor, meter);
        End::Complete
    }

    /// Makes the steps of the next states, and begins to look up their targets. False if there are no more
    /// states.
    fn expand(&mut self, expanded: &mut Expanded<S::Action>) -> bool {
        expanded.states.clear();
        for steps in &mut expanded.steps {
            let Some((id, depth)) = self.frontier.pop() else { break };
            steps.clear();
            self.system.successors(self.states.get(id), steps);
            expanded.states.push((id, depth));
            if !self.frontier.is_next_known() {
                break;
            }
        }
        let found = &expanded.steps[..expanded.states.len()];
        self.states.reserve(found.iter().map(Steps::len).sum());
        self.states.probe_all(found, &mut expanded.probes);
        !expanded.states.is_empty()
    }

    /// Stores the targets of the steps, in the order of the states.
    fn store(
        &mut self,
        expanded: &Expanded<S::Action>,
        visitor: &mut impl Visitor<S>,
        meter: &mut Meter<'_>,
    ) -> Option<End> {
        let mut probes = expanded.probes.iter();
        for ((id, depth), steps) in expanded.states.iter().zip(&expanded.steps) {
            self.depth = self.depth.max(*depth as usize);
            self.transitions += steps.len();
            if visitor.expanded(self.system, *id, self.states.get(*id), steps) {
                return Some(End::Stopped(*id));
            }
            for ((_, target), probe) in steps.iter().zip(&mut probes) {
                let end = self.reach((target, *probe), Some(*id), depth + 1, (visitor, meter));
                if end.is_some() {
                    return end;
                }
            }
            meter.tick();
        }
        None
    }

    fn reach_initial(&mut self, (visitor, meter): (&mut impl Visitor<S>, &Meter<'_>)) -> Option<End> {
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        for state in initial.iter() {
            self.states.reserve(1);
            let probe = self.states.probe(state);
            let end = self.reach((state, probe), None, 0, (visitor, meter));
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// A step leads to this state. Ends the search if the state is new and above the limit, or the visitor
    /// stops there.
    #[inline]
    fn reach(
        &mut self,
        (state, probe): (&[Word], Probe),
        parent: Option<StateId>,
        depth: u32,
        (visitor, meter): (&mut impl Visitor<S>, &Meter<'_>),
    ) -> Option<End> {
        if self.states.len() >= self.most_states && self.states.find(state).is_none() {
            return Some(End::Limit(Limit::States));
        }
        let (id, new) = self.states.insert_at(state, probe);
        if !new {
            return None;
        }
        self.parents.push(parent.unwrap_or(id));
        self.frontier.push(id, depth);
        let progress = Progress { states: self.states.len(), transitions: self.transitions, meter };
        visitor.discovered(self.system, id, state, progress).then_some(End::Stopped(id))
    }

    fn stats(&self) -> Stats {
        let parents = self.parents.capacity() * size_of::<StateId>();
        Stats {
            states: self.states.len(),
            transitions: self.transitions,
            product_states: self.states.len(),
            automaton_states: 0,
            depth: self.depth,
            bytes: self.states.memory() + self.frontier.memory() + parents + self.system.table_bytes(),
            ..Stats::default()
        }
    }
}

/// Checkpoints, of a frontier whose position says all.
impl<S: System> Search<'_, S> {
    /// Writes what is new since the last record.
    fn write(&mut self, checkpoint: Option<&dyn Checkpoint>, visitor: &impl Visitor<S>, meter: &Meter<'_>) {
        let (Some(checkpoint), Some(position)) = (checkpoint, self.frontier.position()) else { return };
        let mut record = Writer::default();
        write_states(&self.states, self.written, &mut record);
        record.halves(self.parents[self.written..].iter().map(|parent| parent.0));
        record.halves(position.into_iter());
        record.number(self.transitions);
        record.number(self.depth);
        record.word(meter.elapsed().as_nanos() as u64);
        record.word(self.system.remembered());
        visitor.save(&mut record);
        checkpoint.write(record.bytes());
        self.written = self.states.len();
        let slots = self.states.slot_count();
        write_slots(checkpoint, &mut self.written_slots, slots, |out| self.states.write_slots(out));
    }

    /// Reads the records of another process, if there are any.
    fn go_on(&mut self, visitor: &mut impl Visitor<S>, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let Some(checkpoint) = meter.checkpoint().filter(|_| self.frontier.position().is_some()) else {
            return Ok(());
        };
        let has_records = read_all(checkpoint, |reader| self.read(reader, visitor, meter))?;
        if has_records {
            self.written_slots = index_tables(checkpoint, |slots| self.states.index(slots))?;
            refuse_unless(checkpoint, self.fits(), OTHER_STATES)?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        visitor: &mut impl Visitor<S>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Malformed> {
        read_states(&mut self.states, self.system.words(), reader)?;
        let count = self.states.len();
        let parents = reader.halves(count - self.written)?;
        let mut are_before = true;
        self.parents.extend((self.written as u32..).zip(parents).map(|(id, parent)| {
            are_before &= parent <= id;
            StateId(parent)
        }));
        Malformed::unless(are_before, "a state comes before its parent")?;
        self.written = count;
        let position = [reader.half()?, reader.half()?, reader.half()?];
        let [next, level_end, _] = position.map(|number| number as usize);
        Malformed::unless(next <= level_end && level_end <= count, "the frontier is not among the states")?;
        self.frontier.go_to(position, count as u32);
        self.transitions = reader.number(usize::MAX)?;
        self.depth = reader.number(usize::MAX)?;
        meter.go_on(Duration::from_nanos(reader.word()?));
        self.system.remember(reader.word()?);
        visitor.load(reader)
    }

    /// Are the first states those of this system?
    fn fits(&self) -> bool {
        let mut initial = States::new(self.system.words());
        self.system.initial(&mut initial);
        let first = initial.iter().next();
        let next = self.frontier.position().map_or(0, |[next, ..]| next);
        let mut steps = Steps::new(self.system.words());
        let are_stored = (0..next.min(MAX_COMPARED)).all(|id| {
            steps.clear();
            self.system.successors(&self.states.state(StateId(id)), &mut steps);
            steps.iter().all(|(_, target)| self.states.find(target).is_some())
        });
        first.is_none_or(|state| self.states.find(state) == Some(StateId(0))) && are_stored
    }
}

/// The number of expanded states that are compared with those of a checkpoint.
const MAX_COMPARED: u32 = 64;
