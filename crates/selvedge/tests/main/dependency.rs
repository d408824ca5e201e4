//! What the dependency relation promises: it is symmetric, and independent events commute.
//!
//! Random programs are brought into random states. There two events of different threads are done, one way round and, if they turned
//! out independent, the other: each must still be possible after the other and turn out the same, the same must be possible after both,
//! and the rest of the run, by one fixed schedule, must go the same way and end alike. Every step on the way makes possible, or
//! impossible, only what depends on it. Objects are numbered as a run meets them,
//! so they are compared up to their numbers.

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

/// Under these every program is run.
const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// So many pairs are tried in each program.
const TRIES: u64 = 40;

/// The last state in which a pair is looked for is at most so many steps from the beginning.
const DEPTH: usize = 24;

type Values = Vec<Vec<u32>>;

/// A run: what was done first, the pair, and all that came after it.
#[derive(Clone, Debug, Default)]
struct Run {
    prefix: Vec<EventId>,
    /// The pair as it was announced.
    announced: Vec<Event>,
    /// The pair as it turned out, in the order in which it was done.
    pair: Vec<Event>,
    /// Was the second of the pair impossible after the first?
    is_stuck: bool,
    /// What could be done after both.
    after: Vec<Event>,
    /// What was done after both.
    rest: Vec<Event>,
    outcome: Option<Outcome<Values>>,
}

impl Run {
    /// Did the first of the pair end the run, so that the second, a commit, was left out? Nobody can tell.
    fn leaves_out_commit(&self) -> bool {
        let is_over = self.pair.len() == 1 && !self.is_stuck;
        is_over && self.announced.get(1).is_some_and(|event| event.action.kind == Kind::Commit)
    }

    /// Can nothing be told after the pair? The return of the body is a step of its own only where others are alive then.
    fn is_over(&self) -> bool {
        let returns = self.after.iter().any(|event| event.action.kind == Kind::Return);
        let commits = self.after.iter().filter(|event| event.action.kind == Kind::Commit).count();
        commits + usize::from(returns) == self.after.len() && (returns || commits == 0)
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
            ("then", &self.after),
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

/// What became of the pairs.
#[derive(Debug, Default)]
struct Tally {
    commute: usize,
    dependent: usize,
    kinds: BTreeSet<(Kind, Kind)>,
    faults: Vec<String>,
}

/// Tries pairs in one program.
struct Pairs {
    random: Random,
    left: u64,
    depth: usize,
    /// The run that is to be done the other way round.
    first: Option<Run>,
    run: Run,
    /// What could be done before the last step, and that step.
    before: Vec<Event>,
    last: Option<Event>,
    outcome: Arc<Mutex<Option<Outcome<Values>>>>,
    tally: Arc<Mutex<Tally>>,
}

impl Pairs {
    /// Two events of different threads.
    fn draw_pair(&mut self, enabled: &[Event]) -> Option<[Event; 2]> {
        let one = enabled[self.random.below(enabled.len())?];
        let others: Vec<Event> =
            enabled.iter().filter(|event| event.thread() != one.thread()).copied().collect();
        Some([one, others[self.random.below(others.len())?]])
    }

    fn next_of_first(&mut self, enabled: &[Event]) -> Option<EventId> {
        if self.run.announced.is_empty() && self.run.prefix.len() >= self.depth {
            self.run.announced = self.draw_pair(enabled).map_or(Vec::new(), |pair| pair.to_vec());
        }
        if self.run.announced.is_empty() {
            return self.random.below(enabled.len()).map(|chosen| enabled[chosen].id);
        }
        self.next_of_pair(enabled)
    }

    fn next_of_pair(&mut self, enabled: &[Event]) -> Option<EventId> {
        if let Some(next) = self.run.announced.get(self.run.pair.len()) {
            // If it cannot be done any more, the run is given up, and the pair stays incomplete.
            self.run.is_stuck = !enabled.iter().any(|event| event.id == next.id);
            return (!self.run.is_stuck).then_some(next.id);
        }
        if self.run.rest.is_empty() {
            self.run.after = enabled.to_vec();
        }
        enabled.first().map(|event| event.id)
    }

    /// What others could do only before the step, or only after it, must depend on it.
    fn judge_step(&self, step: &Event, after: &[Event]) {
        let only_in = |some: &[Event], others: &[Event]| -> Vec<Event> {
            let is_new = |event: &&Event| !others.iter().any(|other| other.id == event.id);
            some.iter().filter(is_new).copied().collect()
        };
        let mut changed = only_in(after, &self.before);
        changed.extend(only_in(&self.before, after));
        for event in changed.iter().filter(|event| event.thread() != step.thread()) {
            // A commit comes after its store, and after commits that hold it up, whatever else depends on what.
            let is_own = event.thread().owner() == step.thread().owner();
            let follows = is_own && event.action.kind == Kind::Commit;
            if !follows && !dependent(step, event) {
                let fault = format!("a step decides whether another is possible:\n{step:?}\n{event:?}");
                self.tally.lock().expect("whole").faults.push(fault);
            }
        }
    }

    /// The first run is over: is the pair to be tried the other way round?
    fn judge_first(&self, run: &Run) -> Option<Run> {
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
        if run.pair.len() < 2 && !run.leaves_out_commit() {
            tally.faults.push(format!("the first keeps the second from being done:\n{run}"));
            return None;
        }
        Some(run.clone())
    }

    /// The pair was done both ways round.
    fn judge_second(&self, first: &Run, second: &Run) {
        let mut tally = self.tally.lock().expect("whole");
        match compare(first, second) {
            Ok(()) => {
                tally.commute += 1;
                let kinds = [&first.announced[0], &first.announced[1]].map(|event| event.action.kind);
                tally.kinds.insert((kinds[0].min(kinds[1]), kinds[0].max(kinds[1])));
            }
            Err(what) => tally.faults.push(format!("{what}\none way:\n{first}the other:\n{second}")),
        }
    }
}

impl Scheduler for Pairs {
    fn begin(&mut self) {
        self.run = Run::default();
        self.last = None;
        match &self.first {
            Some(first) => self.run.announced = first.announced.iter().rev().copied().collect(),
            None => self.depth = self.random.below(DEPTH).unwrap_or(0),
        }
    }

    fn choose(&mut self, enabled: &[Event]) -> Option<EventId> {
        if let Some(last) = self.last.take() {
            self.judge_step(&last, enabled);
        }
        self.before.clear();
        self.before.extend_from_slice(enabled);
        match &self.first {
            Some(first) => match first.prefix.get(self.run.prefix.len()) {
                Some(next) => Some(*next),
                None => self.next_of_pair(enabled),
            },
            None => self.next_of_first(enabled),
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
                self.judge_second(&first, &run);
                None
            }
            None => self.judge_first(&run),
        };
        if self.first.is_none() {
            self.left -= 1;
        }
        if self.left == 0 { Next::Done } else { Next::Another }
    }
}

/// Which objects of two runs are the same.
#[derive(Default)]
struct Same {
    there: BTreeMap<ObjectId, ObjectId>,
    back: BTreeMap<ObjectId, ObjectId>,
}

impl Same {
    fn objects(&mut self, one: Option<ObjectId>, other: Option<ObjectId>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return one == other };
        *self.there.entry(one).or_insert(other) == other && *self.back.entry(other).or_insert(one) == one
    }

    /// Do two yields wait for the same objects? Those that were met before the pair have the same numbers.
    fn awaited(&self, one: &Event, other: &Event) -> bool {
        let there =
            |object: usize| self.there.get(&ObjectId::at(object)).map_or(object, |object| object.index());
        let is_awaited = |object: &usize| one.action.awaited_objects() >> object & 1 == 1;
        let awaited = (0..64).filter(is_awaited).map(there);
        awaited.fold(0, |bits: u64, object| bits | 1 << object) == other.action.awaited_objects()
    }

    fn events(&mut self, one: &Event, other: &Event) -> bool {
        let bare = |event: &Event| {
            let is_yield = event.action.kind == Kind::Yield;
            let footprint = if is_yield { Footprint::default() } else { event.action.footprint };
            // Whether its own store is still in the buffer is all the same to a load.
            let source = if event.action.reads_from == ReadsFrom::Own {
                ReadsFrom::Buffer
            } else {
                event.action.reads_from
            };
            // Which sender is the last to go, nobody can tell.
            let wakes_no_waiter = event.effect.wakes_no_waiter && event.action.kind != Kind::Leave;
            let action = Action { object: None, second: None, reads_from: source, footprint, ..event.action };
            let effect = Effect { observed: 0, wakes_no_waiter, ..event.effect };
            (event.id, action, effect, event.site)
        };
        bare(one) == bare(other)
            && self.objects(one.action.object, other.action.object)
            && self.objects(one.action.second, other.action.second)
            && self.awaited(one, other)
    }

    fn all(&mut self, one: &[Event], other: &[Event]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.events(one, other))
    }
}

/// Are the two runs the same but for the order of the pair?
fn compare(first: &Run, second: &Run) -> Result<(), &'static str> {
    let turned: Vec<Event> = second.pair.iter().rev().copied().collect();
    let mut same = Same::default();
    if first.leaves_out_commit() || second.leaves_out_commit() {
        return if first.outcome == second.outcome {
            Ok(())
        } else {
            Err("a commit before the end can be told")
        };
    }
    if second.pair.len() < 2 {
        return Err("the second keeps the first from being done");
    }
    for event in first.announced.iter().chain(&first.pair) {
        // What was announced before the pair was met before it.
        same.objects(event.action.object, event.action.object);
        same.objects(event.action.second, event.action.second);
    }
    if !same.all(&first.pair, &turned) {
        return Err("the pair turns out differently");
    }
    let is_over = first.is_over() && second.is_over();
    if !is_over && !same.all(&first.after, &second.after) {
        return Err("what can be done after both differs");
    }
    if !is_over && !same.all(&first.rest, &second.rest) {
        return Err("the rest of the run differs");
    }
    if first.outcome != second.outcome {
        return Err("the outcome differs");
    }
    Ok(())
}

/// Tries pairs of a program.
fn try_program(
    program: &(dyn Fn() -> Values + Send + Sync),
    memory: MemoryModel,
    seed: u64,
    tally: &Arc<Mutex<Tally>>,
) {
    let outcome = Arc::new(Mutex::new(None));
    let pairs = Pairs {
        random: Random(seed),
        left: TRIES,
        depth: 0,
        first: None,
        run: Run::default(),
        before: Vec::new(),
        last: None,
        outcome: outcome.clone(),
        tally: tally.clone(),
    };
    let explorer = Explorer::new().memory(memory).strategy(Strategy::custom(pairs)).simplify(false);
    explorer.explore_keeping(program, |found| {
        *outcome.lock().expect("whole") = Some(found.clone());
        Keep::Nothing
    });
}

/// How many programs: many more where `SELVEDGE_LONG` is set.
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
            // What two runs found is compared, so their values must be the same.
            try_program(&|| program.run_with(0), memory, random.word(), &tally);
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
            try_program(&|| program.run(None), memory, random.word(), &tally);
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

/// An event of this kind with everything else by chance.
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
