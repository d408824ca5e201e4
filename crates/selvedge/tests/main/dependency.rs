//! The promises of the dependency relation: it is symmetric, and independent events commute.
//!
//! Random schedules bring random programs into random states. There two events of different threads are
//! executed in one order and, if they turn out to be independent, in the other order. Each event must be
//! enabled after the other and have the same effect; the same events must be enabled after both; and the
//! rest of the run, by one fixed schedule, must have the same events and the same outcome. Every step on the
//! way enables or disables only events that depend on it. A run numbers its objects by their first use, so
//! objects are compared up to their numbers.

#![cfg(feature = "check")]

use crate::rich;
use crate::soundness::program;

use program::{Program, SMALL};
use selvedge::{Explorer, Keep, MemoryModel, Outcome, Strategy};
use selvedge_explore::event::{Effect, Footprint};
use selvedge_explore::{
    Action, Event, EventId, Kind, Next, ObjectId, Random, ReadsFrom, Scheduler, Site, ThreadId, Trace,
    dependent,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex};

/// Every program is run under each of these models.
const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// The number of pairs that are tried in each program.
const PAIRS_PER_PROGRAM: u64 = 40;

/// The scheduler draws a pair as early as possible after a random number of steps below this bound.
const MAX_PREFIX: usize = 24;

type Values = Vec<Vec<u32>>;

/// A run: its prefix, the pair, and the rest.
#[derive(Clone, Debug, Default)]
struct Run {
    prefix: Vec<EventId>,
    /// The pair as the threads announced it.
    announced: Vec<Event>,
    /// The pair as executed, in the order of execution.
    pair: Vec<Event>,
    /// Was the second event of the pair disabled after the first?
    is_stuck: bool,
    /// The events enabled after both.
    enabled_after: Vec<Event>,
    /// The events executed after both.
    rest: Vec<Event>,
    outcome: Option<Outcome<Values>>,
}

impl Run {
    /// Did the first event of the pair end the run, so that the second, a commit, was left out? No thread
    /// observes that.
    fn omits_commit(&self) -> bool {
        let is_over = self.pair.len() == 1 && !self.is_stuck;
        is_over && self.announced.get(1).is_some_and(|event| event.action.kind == Kind::Commit)
    }

    /// Is nothing observable after the pair? The return of the body is a step of its own only if other
    /// threads are alive.
    fn is_rest_unobservable(&self) -> bool {
        let returns = self.enabled_after.iter().any(|event| event.action.kind == Kind::Return);
        let commits = self.enabled_after.iter().filter(|event| event.action.kind == Kind::Commit).count();
        commits + usize::from(returns) == self.enabled_after.len() && (returns || commits == 0)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix: Vec<String> =
            self.prefix.iter().map(|id| format!("{}.{}", id.thread, id.alternative)).collect();
        writeln!(f, "  after {}", prefix.join(" "))?;
        let all = [
            ("announced", &self.announced),
            ("pair", &self.pair),
            ("then", &self.enabled_after),
            ("rest", &self.rest),
        ];
        for (name, events) in all {
            writeln!(f, "  {name}:")?;
            for Event { id, action, effect, site } in events {
                writeln!(f, "    {}.{} at {site}: {action:?} {effect:?}", id.thread, id.alternative)?;
            }
        }
        writeln!(f, "  outcome {:?}", self.outcome)
    }
}

/// The results for the pairs.
#[derive(Debug, Default)]
struct Tally {
    commute: usize,
    dependent: usize,
    kinds: BTreeSet<(Kind, Kind)>,
    faults: Vec<String>,
}

/// Executes pairs of one program in both orders.
struct PairScheduler {
    random: Random,
    pairs_left: u64,
    depth: usize,
    /// The run to be repeated with the other order of its pair.
    first: Option<Run>,
    run: Run,
    /// The events enabled before the last step.
    before: Vec<Event>,
    last: Option<Event>,
    outcome: Arc<Mutex<Option<Outcome<Values>>>>,
    tally: Arc<Mutex<Tally>>,
}

impl PairScheduler {
    /// Draws two events of different threads.
    fn draw_pair(&mut self, enabled: &[Event]) -> Option<[Event; 2]> {
        let one = enabled[self.random.below(enabled.len())?];
        let others: Vec<Event> =
            enabled.iter().filter(|event| event.thread() != one.thread()).copied().collect();
        Some([one, others[self.random.below(others.len())?]])
    }

    fn choose_in_first_run(&mut self, enabled: &[Event]) -> Option<EventId> {
        if self.run.announced.is_empty() && self.run.prefix.len() >= self.depth {
            self.run.announced = self.draw_pair(enabled).map_or(Vec::new(), |pair| pair.to_vec());
        }
        if self.run.announced.is_empty() {
            return self.random.below(enabled.len()).map(|chosen| enabled[chosen].id);
        }
        self.choose_pair_then_first_enabled(enabled)
    }

    fn choose_pair_then_first_enabled(&mut self, enabled: &[Event]) -> Option<EventId> {
        if let Some(next) = self.run.announced.get(self.run.pair.len()) {
            // If the event is disabled now, the run is given up, and the pair stays incomplete.
            self.run.is_stuck = !enabled.iter().any(|event| event.id == next.id);
            return (!self.run.is_stuck).then_some(next.id);
        }
        if self.run.rest.is_empty() {
            self.run.enabled_after = enabled.to_vec();
        }
        enabled.first().map(|event| event.id)
    }

    /// The events of other threads that the step enables or disables must depend on it.
    fn check_step(&self, step: &Event, after: &[Event]) {
        let only_in = |events: &[Event], others: &[Event]| -> Vec<Event> {
            let is_new = |event: &&Event| !others.iter().any(|other| other.id == event.id);
            events.iter().filter(is_new).copied().collect()
        };
        let mut changed = only_in(after, &self.before);
        changed.extend(only_in(&self.before, after));
        for event in changed.iter().filter(|event| event.thread() != step.thread()) {
            // A commit follows its store and the commits that block it, also without a dependency.
            let is_own = event.thread().owner() == step.thread().owner();
            let follows = is_own && event.action.kind == Kind::Commit;
            if !follows && !dependent(step, event) {
                let fault = format!("a step enables or disables an independent event:\n{step:?}\n{event:?}");
                self.tally.lock().expect("whole").faults.push(fault);
            }
        }
    }

    /// Returns the first run if it is to be repeated with the other order of its pair.
    fn check_first_order(&self, run: &Run) -> Option<Run> {
        let mut tally = self.tally.lock().expect("whole");
        let (one, other) = match (&run.announced[..], &run.pair[..]) {
            ([], _) => return None,
            ([_, _], [one, other]) => (one, other),
            ([_, other], [one]) => (one, other),
            pairs => unreachable!("{pairs:?}"),
        };
        if dependent(one, other) {
            tally.dependent += 1;
            return None;
        }
        if run.pair.len() < 2 && !run.omits_commit() {
            tally.faults.push(format!("the first event disables the second:\n{run}"));
            return None;
        }
        Some(run.clone())
    }

    /// Compares the two orders of the pair.
    fn check_second_order(&self, first: &Run, second: &Run) {
        let mut tally = self.tally.lock().expect("whole");
        match compare(first, second) {
            Ok(()) => {
                tally.commute += 1;
                let kinds = [&first.announced[0], &first.announced[1]].map(|event| event.action.kind);
                tally.kinds.insert((kinds[0].min(kinds[1]), kinds[0].max(kinds[1])));
            }
            Err(difference) => {
                tally.faults.push(format!("{difference}\none order:\n{first}the other order:\n{second}"));
            }
        }
    }
}

impl Scheduler for PairScheduler {
    fn begin(&mut self) {
        self.run = Run::default();
        self.last = None;
        match &self.first {
            Some(first) => self.run.announced = first.announced.iter().rev().copied().collect(),
            None => self.depth = self.random.below(MAX_PREFIX).unwrap_or(0),
        }
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if let Some(last) = self.last.take() {
            self.check_step(&last, enabled);
        }
        self.before.clear();
        self.before.extend_from_slice(enabled);
        match &self.first {
            Some(first) => match first.prefix.get(self.run.prefix.len()) {
                Some(next) => Some(*next),
                None => self.choose_pair_then_first_enabled(enabled),
            },
            None => self.choose_in_first_run(enabled),
        }
    }

    fn done(&mut self, event: &Event) {
        self.last = Some(*event);
        let is_prefix = match &self.first {
            Some(first) => self.run.prefix.len() < first.prefix.len(),
            None => self.run.announced.is_empty(),
        };
        if is_prefix {
            self.run.prefix.push(event.id);
        } else if self.run.pair.len() < 2 {
            self.run.pair.push(*event);
        } else {
            self.run.rest.push(*event);
        }
    }

    fn finish(&mut self, _run: &Trace) -> Next {
        let outcome = self.outcome.lock().expect("whole").take();
        let run = Run { outcome, ..std::mem::take(&mut self.run) };
        self.first = match self.first.take() {
            Some(first) => {
                self.check_second_order(&first, &run);
                None
            }
            None => self.check_first_order(&run),
        };
        if self.first.is_none() {
            self.pairs_left -= 1;
        }
        if self.pairs_left == 0 { Next::Done } else { Next::Another }
    }
}

/// The correspondence between the objects of two runs.
#[derive(Default)]
struct ObjectMap {
    forward: BTreeMap<ObjectId, ObjectId>,
    backward: BTreeMap<ObjectId, ObjectId>,
}

impl ObjectMap {
    fn match_objects(&mut self, one: Option<ObjectId>, other: Option<ObjectId>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return one == other };
        let is_forward = *self.forward.entry(one).or_insert(other) == other;
        is_forward && *self.backward.entry(other).or_insert(one) == one
    }

    /// Do two yields wait for the same objects? An object that was used before the pair has the same number
    /// in both runs.
    fn match_awaited(&self, one: &Event, other: &Event) -> bool {
        let forward =
            |object: usize| self.forward.get(&ObjectId::at(object)).map_or(object, |object| object.index());
        let is_awaited = |object: &usize| one.action.awaited_objects() >> object & 1 == 1;
        let awaited = (0..64).filter(is_awaited).map(forward);
        awaited.fold(0, |bits: u64, object| bits | 1 << object) == other.action.awaited_objects()
    }

    fn match_events(&mut self, one: &Event, other: &Event) -> bool {
        let comparable = |event: &Event| {
            let is_yield = event.action.kind == Kind::Yield;
            let footprint = if is_yield { Footprint::default() } else { event.action.footprint };
            // A load of the thread's own store is the same load whether that store is still buffered or not.
            let reads_from = if event.action.reads_from == ReadsFrom::Own {
                ReadsFrom::Buffer
            } else {
                event.action.reads_from
            };
            // No thread observes which sender leaves last.
            let wakes_no_waiter = event.effect.wakes_no_waiter && event.action.kind != Kind::Leave;
            let action = Action { object: None, second: None, reads_from, footprint, ..event.action };
            let effect = Effect { observed: 0, wakes_no_waiter, ..event.effect };
            (event.id, action, effect, event.site)
        };
        comparable(one) == comparable(other)
            && self.match_objects(one.action.object, other.action.object)
            && self.match_objects(one.action.second, other.action.second)
            && self.match_awaited(one, other)
    }

    fn match_all(&mut self, one: &[Event], other: &[Event]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.match_events(one, other))
    }
}

/// Are the two runs the same except for the order of the pair?
fn compare(first: &Run, second: &Run) -> Result<(), &'static str> {
    let reordered: Vec<Event> = second.pair.iter().rev().copied().collect();
    let mut same = ObjectMap::default();
    if first.omits_commit() || second.omits_commit() {
        return if first.outcome == second.outcome {
            Ok(())
        } else {
            Err("a commit before the end is observable")
        };
    }
    if second.pair.len() < 2 {
        return Err("the second event disables the first");
    }
    for event in first.announced.iter().chain(&first.pair) {
        // Objects of announced events were used before the pair, so they have the same numbers.
        same.match_objects(event.action.object, event.action.object);
        same.match_objects(event.action.second, event.action.second);
    }
    if !same.match_all(&first.pair, &reordered) {
        return Err("the pair has different effects");
    }
    let is_unobservable = first.is_rest_unobservable() && second.is_rest_unobservable();
    if !is_unobservable && !same.match_all(&first.enabled_after, &second.enabled_after) {
        return Err("different events are enabled after both");
    }
    if !is_unobservable && !same.match_all(&first.rest, &second.rest) {
        return Err("the rest of the run differs");
    }
    if first.outcome != second.outcome {
        return Err("the outcome differs");
    }
    Ok(())
}

/// Executes pairs of a program in both orders.
fn try_pairs(
    program: &(dyn Fn() -> Values + Send + Sync),
    memory: MemoryModel,
    seed: u64,
    tally: &Arc<Mutex<Tally>>,
) {
    let outcome = Arc::new(Mutex::new(None));
    let pairs = PairScheduler {
        random: Random(seed),
        pairs_left: PAIRS_PER_PROGRAM,
        depth: 0,
        first: None,
        run: Run::default(),
        before: Vec::new(),
        last: None,
        outcome: outcome.clone(),
        tally: tally.clone(),
    };
    let explorer = Explorer::new().memory(memory).strategy(Strategy::custom(pairs)).simplify(false);
    explorer.explore_keeping(program, |reached| {
        *outcome.lock().expect("whole") = Some(reached.clone());
        Keep::Nothing
    });
}

/// The number of programs: many more if `SELVEDGE_LONG` is set.
fn count(usual: usize) -> usize {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 20 } else { usual }
}

#[test]
fn independent_events_commute() {
    for memory in MODELS {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let mut random = Random(7);
        for number in 0..count(1500) {
            let program = Program::draw(&mut random, SMALL);
            // The outcomes of two runs are compared, so both runs must use the same values.
            try_pairs(&|| program.run_with(0), memory, random.word(), &tally);
            let tally = tally.lock().expect("whole");
            assert!(tally.faults.is_empty(), "program {number}: {program:?}\n{}", tally.faults[0]);
        }
        let tally = tally.lock().expect("whole");
        println!(
            "{memory:?}: {} pairs commute, of {} different pairs of kinds; {} are dependent",
            tally.commute,
            tally.kinds.len(),
            tally.dependent
        );
        assert!(tally.commute >= 10_000, "{} pairs were tried", tally.commute);
        assert!(tally.kinds.len() >= 200, "pairs of {:?}", tally.kinds);
    }
}

#[test]
fn independent_transactions_and_exceptions_commute() {
    for memory in MODELS {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let mut random = Random(8);
        for number in 0..count(800) {
            let program = rich::Program::draw(&mut random, rich::Flavour::Mixed, [4, 3]);
            try_pairs(&|| program.run(None), memory, random.word(), &tally);
            let tally = tally.lock().expect("whole");
            assert!(tally.faults.is_empty(), "program {number}: {program:?}\n{}", tally.faults[0]);
        }
        let tally = tally.lock().expect("whole");
        println!("{memory:?}: {} pairs commute, of {} kinds", tally.commute, tally.kinds.len());
        assert!(tally.commute >= 1_000, "{} pairs were tried", tally.commute);
        for kind in [Kind::Throw, Kind::Raise, Kind::Atomically] {
            assert!(tally.kinds.iter().any(|pair| pair.0 == kind || pair.1 == kind), "{kind:?} commutes");
        }
    }
}

/// A random event of this kind.
fn draw_event(random: &mut Random, kind: Kind) -> Event {
    let mut below = |bound: usize| random.below(bound).unwrap_or(0);
    let threads = [ThreadId(1), ThreadId(2), ThreadId(3)];
    let thread = threads[below(3)];
    let thread = if below(3) == 0 { ThreadId::phantom(thread, below(2)) } else { thread };
    let object = below(3).checked_sub(1).map(ObjectId::at);
    let (read_only, ends_run) = (below(3) == 0, below(5) == 0);
    let effect = Effect { read_only, ends_run, ..Effect::PENDING };
    let mut action = Action {
        is_buffered: below(3) == 0,
        drains: below(3) == 0,
        reads_from: [ReadsFrom::Memory, ReadsFrom::Own, ReadsFrom::Buffer][below(3)],
        has_alternatives: below(3) == 0,
        object,
        second: below(3).checked_sub(1).map(ObjectId::at),
        target: below(4).checked_sub(1).map(|index| threads[index]),
        ..Action::new(kind)
    };
    if kind == Kind::Step {
        action.footprint = Footprint { reads: below(4) as u64, writes: below(4) as u64 };
    }
    let id = EventId { thread, alternative: below(2) as u32 };
    Event { id, action, effect, site: Site::Unknown }
}

#[test]
fn dependency_is_symmetric_for_all_kinds_and_flags() {
    let mut random = Random(3);
    for one in Kind::ALL {
        for other in Kind::ALL {
            for _ in 0..200 {
                let (one, other) = (draw_event(&mut random, *one), draw_event(&mut random, *other));
                assert_eq!(dependent(&one, &other), dependent(&other, &one), "{one:?}\n{other:?}");
                assert!(one.thread() != other.thread() || dependent(&one, &other), "{one:?}\n{other:?}");
            }
        }
    }
}
