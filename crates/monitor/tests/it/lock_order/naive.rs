//! Random programs and interleavings: the verdicts on cycles are those of a naive reference, which keeps all
//! acquisitions with their held locks and the complete happens-before relation, and enumerates all chains.
//!
//! The holders are asked themselves, or as those of the calling thread, which has a shorter path for orders
//! that it knows.

use super::program::{LOCKS, Op, Program, can_take};
use super::recorder;
use selvedge_monitor::lock_order::{
    self, Access, Holder, HolderId, JoinTicket, LockId, LockOrder, LockTag, Reason,
};
use selvedge_testkit::{Random, is_long_run};
use std::collections::BTreeMap;
use std::panic::Location;

const CASES: u64 = 10_000;

/// Later verdicts are nearer to a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    OneHolder,
    Gate,
    Ordered,
    Allowed,
    Told,
}

/// The verdict on each cycle, by the locks that are wanted around it.
pub(super) type Verdicts = BTreeMap<Vec<usize>, Verdict>;

/// A blocking acquisition.
#[derive(Clone, Debug)]
struct Acquisition {
    event: usize,
    thread: usize,
    wanted: (usize, Access),
    held: Vec<(usize, Access)>,
}

/// All events of a run, with the edges of happens-before between them.
#[derive(Debug, Default)]
struct Reference {
    /// The direct predecessors of each event.
    predecessors: Vec<Vec<usize>>,
    acquisitions: Vec<Acquisition>,
    allowed: Option<(usize, usize)>,
}

impl Reference {
    fn happens_before(&self, first: usize, second: usize) -> bool {
        first == second || self.predecessors[second].iter().any(|event| self.happens_before(first, *event))
    }

    fn verdicts(&self) -> Verdicts {
        let mut verdicts = Verdicts::new();
        for start in 0..self.acquisitions.len() {
            self.extend(&mut vec![start], &mut verdicts);
        }
        verdicts
    }

    fn extend(&self, chain: &mut Vec<usize>, verdicts: &mut Verdicts) {
        let last = &self.acquisitions[*chain.last().unwrap()];
        for next in 0..self.acquisitions.len() {
            if !blocks(&self.acquisitions[next], last.wanted) {
                continue;
            }
            if next == chain[0] && chain.len() > 1 {
                self.judge(chain, verdicts);
            } else if !chain.contains(&next) {
                chain.push(next);
                if self.has_distinct_goals(chain) {
                    self.extend(chain, verdicts);
                }
                chain.pop();
            }
        }
    }

    /// The wanted locks differ, but for a writer behind a reader: next to each other, around the cycle.
    fn has_distinct_goals(&self, chain: &[usize]) -> bool {
        let wanted = |index: usize| self.acquisitions[chain[index]].wanted;
        let is_reader_and_writer = |reader: usize, writer: usize| {
            wanted(reader).1 == Access::Read && wanted(writer).1 == Access::Write
        };
        let mut pairs = (0..chain.len()).flat_map(|a| (a + 1..chain.len()).map(move |b| (a, b)));
        pairs.all(|(a, b)| {
            let is_last_to_first = a == 0 && b == chain.len() - 1 && is_reader_and_writer(b, a);
            wanted(a).0 != wanted(b).0 || (b == a + 1 && is_reader_and_writer(a, b)) || is_last_to_first
        })
    }

    fn judge(&self, chain: &[usize], verdicts: &mut Verdicts) {
        let members: Vec<&Acquisition> = chain.iter().map(|index| &self.acquisitions[*index]).collect();
        let any_pair = |test: &dyn Fn(&Acquisition, &Acquisition) -> bool| {
            (0..members.len()).any(|a| (0..members.len()).any(|b| a != b && test(members[a], members[b])))
        };
        let is_gate = |a: &Acquisition, b: &Acquisition| {
            a.held.iter().any(|x| b.held.iter().any(|y| x.0 == y.0 && x.1.excludes(y.1)))
        };
        let locks: Vec<usize> = members.iter().map(|member| member.wanted.0).collect();
        let verdict = if any_pair(&|a, b| a.thread == b.thread) {
            Verdict::OneHolder
        } else if any_pair(&is_gate) {
            Verdict::Gate
        } else if any_pair(&|a, b| self.happens_before(a.event, b.event)) {
            Verdict::Ordered
        } else if (0..locks.len()).any(|i| self.allowed == Some((locks[i], locks[(i + 1) % locks.len()]))) {
            Verdict::Allowed
        } else {
            Verdict::Told
        };
        let best = verdicts.entry(smallest_rotation(&locks)).or_insert(verdict);
        *best = verdict.max(*best);
    }
}

fn blocks(other: &Acquisition, wanted: (usize, Access)) -> bool {
    other.held.iter().any(|(lock, access)| *lock == wanted.0 && access.excludes(wanted.1))
        || (wanted.1 == Access::Read && other.wanted == (wanted.0, Access::Write))
}

fn smallest_rotation(locks: &[usize]) -> Vec<usize> {
    (0..locks.len()).map(|start| [&locks[start..], &locks[..start]].concat()).min().unwrap()
}

/// The verdicts of the recorder.
pub(super) fn verdicts_of(order: &LockOrder, tags: &[LockTag]) -> Verdicts {
    assert!(order.notes().is_empty());
    let lock = |id: &LockId| tags.iter().position(|tag| tag.id() == *id).unwrap();
    let key = |locks: Vec<LockId>| smallest_rotation(&locks.iter().map(lock).collect::<Vec<_>>());
    let told = order.cycles().into_iter().map(|cycle| (key(cycle.locks()), Verdict::Told));
    let suppressed = order.suppressed().into_iter().map(|suppressed| {
        let verdict = match suppressed.reason {
            Reason::OneHolder => Verdict::OneHolder,
            Reason::Gate(_) => Verdict::Gate,
            Reason::Ordered => Verdict::Ordered,
            Reason::Allowed(_) => Verdict::Allowed,
        };
        (key(suppressed.cycle.locks()), verdict)
    });
    let count = order.cycles().len() + order.suppressed().len();
    let verdicts: Verdicts = told.chain(suppressed).collect();
    assert_eq!(verdicts.len(), count, "a cycle is told once");
    verdicts
}

/// A thread of the program, at some operation.
struct Thread {
    /// Installed in the calling thread, if this is the current thread.
    holder: Option<Holder>,
    /// Until the thread ends.
    id: Option<HolderId>,
    ticket: Option<JoinTicket>,
    next: usize,
    held: Vec<(usize, Access)>,
    last_event: Option<usize>,
}

impl Thread {
    fn begin(&mut self, holder: Holder) {
        self.id = Some(holder.id());
        self.ticket = Some(holder.ticket());
        self.holder = Some(holder);
    }
}

/// Which holders are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Those of the program's threads.
    Direct,
    /// That of the calling thread: a thread of the program installs its holder before it goes on.
    Installed { current: Option<usize> },
}

/// Runs a program in a random interleaving, by the recorder and by the reference.
struct Run<'p> {
    program: &'p Program,
    mode: Mode,
    tags: Vec<LockTag>,
    threads: Vec<Thread>,
    reference: Reference,
}

impl<'p> Run<'p> {
    fn new(program: &'p Program, order: &LockOrder, mode: Mode) -> Run<'p> {
        let idle =
            || Thread { holder: None, id: None, ticket: None, next: 0, held: Vec::new(), last_event: None };
        let mut threads: Vec<Thread> = program.threads.iter().map(|_| idle()).collect();
        threads[0].begin(order.holder("main"));
        let tags: Vec<LockTag> = (0..LOCKS).map(|_| LockTag::new()).collect();
        // Numbers in the order of the locks, so that the smallest rotations agree.
        assert!(tags.iter().map(LockTag::id).is_sorted());
        Run { program, mode, tags, threads, reference: Reference::default() }
    }

    /// Calls the function with the holder of a thread.
    fn with_holder<R>(&mut self, index: usize, function: impl FnOnce(&mut Holder) -> R) -> R {
        match self.mode {
            Mode::Direct => function(self.threads[index].holder.as_mut().unwrap()),
            Mode::Installed { .. } => {
                self.install(index);
                lock_order::with_current(function).unwrap()
            }
        }
    }

    /// The thread goes on.
    fn install(&mut self, index: usize) {
        let Mode::Installed { current } = &mut self.mode else { return };
        let before = current.replace(index);
        if before == Some(index) {
            return;
        }
        let holder = lock_order::install(self.threads[index].holder.take());
        if let Some(before) = before {
            self.threads[before].holder = holder;
        }
    }

    fn end(&mut self, index: usize) {
        self.install(index);
        let installed = match &mut self.mode {
            Mode::Direct => None,
            Mode::Installed { current } => {
                *current = None;
                lock_order::install(None)
            }
        };
        drop(installed.or(self.threads[index].holder.take()));
        self.threads[index].id = None;
    }

    fn finish(mut self, random: &mut Random) -> (Vec<LockTag>, Verdicts) {
        loop {
            let can_run = |index: &usize| self.can_run(*index);
            let runnable: Vec<usize> = (0..self.threads.len()).filter(can_run).collect();
            match runnable[..] {
                [] => break,
                _ => self.step(random.pick(&runnable)),
            }
        }
        (self.tags, self.reference.verdicts())
    }

    fn can_run(&self, index: usize) -> bool {
        let thread = &self.threads[index];
        match self.program.threads[index].get(thread.next) {
            _ if thread.id.is_none() => false,
            Some(Op::Join(child)) => {
                self.threads[*child].ticket.is_some() && self.threads[*child].id.is_none()
            }
            _ => true,
        }
    }

    fn event(&mut self, index: usize, also_after: Option<usize>) -> usize {
        let event = self.reference.predecessors.len();
        let before = self.threads[index].last_event.replace(event);
        self.reference.predecessors.push(before.into_iter().chain(also_after).collect());
        event
    }

    fn step(&mut self, index: usize) {
        let op = self.program.threads[index].get(self.threads[index].next).copied();
        self.threads[index].next += 1;
        match op {
            None => self.end(index),
            Some(Op::Take { lock, access, is_blocking }) => self.take(index, lock, access, is_blocking),
            Some(Op::Release(number)) => self.release(index, index, number),
            Some(Op::ReleaseOf { thread, number }) => self.release(index, thread, number),
            Some(Op::Spawn(child)) => {
                let event = self.event(index, None);
                let holder = self.with_holder(index, |holder| holder.spawns("child"));
                self.threads[child].begin(holder);
                self.threads[child].last_event = Some(event);
            }
            Some(Op::Join(child)) => {
                self.event(index, self.threads[child].last_event);
                let ticket = self.threads[child].ticket.clone().unwrap();
                self.with_holder(index, |holder| holder.joins(&ticket));
            }
        }
    }

    fn take(&mut self, index: usize, lock: usize, access: Access, is_blocking: bool) {
        if !can_take(&self.threads[index].held, lock, access) {
            return;
        }
        let event = self.event(index, None);
        self.install(index);
        let thread = &mut self.threads[index];
        if is_blocking {
            let held = thread.held.clone();
            let acquisition = Acquisition { event, thread: index, wanted: (lock, access), held };
            self.reference.acquisitions.push(acquisition);
        }
        thread.held.push((lock, access));
        let tag = &self.tags[lock];
        match &mut thread.holder {
            Some(holder) => {
                if is_blocking {
                    holder.requests(tag, access);
                }
                holder.acquires(tag, access);
            }
            None => {
                let taken = lock_order::takes(tag, access, Location::caller(), is_blocking);
                assert_eq!(taken, thread.id);
            }
        }
    }

    fn release(&mut self, by: usize, of: usize, number: usize) {
        let Some(owner) = self.threads[of].id else { return };
        let held = &mut self.threads[of].held;
        if held.is_empty() {
            return;
        }
        let (lock, _) = held.remove(number % held.len());
        self.install(by);
        match &mut self.threads[by].holder {
            Some(holder) => holder.releases(&self.tags[lock], owner),
            None => lock_order::releases(&self.tags[lock], owner),
        }
    }
}

#[test]
fn verdicts_are_those_of_the_naive_reference() {
    check_verdicts(Mode::Direct);
}

#[test]
fn verdicts_on_the_holder_of_the_calling_thread_are_those_of_the_naive_reference() {
    check_verdicts(Mode::Installed { current: None });
}

fn check_verdicts(mode: Mode) {
    let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
    let mut longest = 0;
    for seed in 0..if is_long_run() { 20 * CASES } else { CASES } {
        let mut random = Random(seed);
        let program = Program::random(&mut random, true);
        let order = recorder();
        let mut run = Run::new(&program, &order, mode);
        if random.below(2) == 0 {
            let pair = (random.below(LOCKS), random.below(LOCKS));
            order.allow(run.tags[pair.0].id(), run.tags[pair.1].id(), "drawn");
            run.reference.allowed = Some(pair);
        }
        let (tags, expected) = run.finish(&mut random);
        assert_eq!(verdicts_of(&order, &tags), expected, "seed {seed}: {program:?}");
        for (key, verdict) in expected {
            *counts.entry(verdict).or_default() += 1;
            longest = longest.max(key.len());
        }
    }
    // Every verdict is drawn often, and so are long cycles.
    assert_eq!(counts.len(), 5);
    assert!(counts.values().all(|count| *count >= 100), "{counts:?}");
    assert!(longest >= 4, "{longest}");
}
