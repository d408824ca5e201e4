//! Small random programs over objects of all kinds.

use selvedge::sync::atomic::{AtomicU32, Ordering, fence};
use selvedge::sync::{Arc, AtomicRef, Condvar, MVar, Mutex, RwLock, Ticket, mpsc};
use selvedge::thread::{self, Thread};
use selvedge::time::SystemTime;
use selvedge_explore::Random;
use std::num::NonZero;
use std::time::Duration;

/// An operation of a thread. Its numbers denote objects, values and threads.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Load(usize, Ordering),
    Store(usize, u32, Ordering),
    Add(usize, Ordering),
    Swap(usize, u32),
    Exchange(usize, u32, u32),
    Fence(Ordering),
    Lock(usize),
    TryLock(usize),
    LockBoth(usize, usize),
    Read(usize),
    Write(usize),
    TryRead(usize),
    TryWrite(usize),
    ReadBoth(usize, usize),
    Wait(usize),
    WaitFor(usize),
    WaitATime(usize),
    NotifyOne(usize),
    NotifyAll(usize),
    Send(u32),
    TrySend(u32),
    Receive,
    TryReceive,
    ReceiveATime,
    Park,
    ParkATime,
    Unpark(usize),
    Put(usize, u32),
    Take(usize),
    ReadVar(usize),
    TryPut(usize, u32),
    TryTake(usize),
    LoadRef(usize),
    StoreRef(usize, u32),
    SwapRef(usize, u32),
    ModifyRef(usize),
    TakeTicket(usize),
    ExchangeRef(usize, u32),
    AskParallelism,
    SetParallelism(u32),
    Spawn(Box<Op>),
    SpawnAndGoOn(Box<Op>),
    Yield,
    Sleep,
    ReadClock,
    Choose,
    /// Appends to a list of std's by an effect, and observes its length.
    Effect,
    /// The thread panics.
    Fail,
    /// The thread panics unless the atomic is 0.
    FailUnlessZero(usize),
    /// The thread repeats the operation so often.
    Repeat(Box<Op>, usize),
}

/// Endless repetition.
const FOREVER: usize = usize::MAX;

/// At most these many operations a thread for 2, 3 and 4 threads.
pub(crate) const SMALL: [usize; 3] = [4, 3, 2];

/// The kinds of operations of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    Atomics,
    Locks,
    Waiting,
    Channels,
    Threads,
    Variables,
    References,
    Mixed,
}

pub(crate) const FLAVOURS: [Flavour; 8] = [
    Flavour::Atomics,
    Flavour::Locks,
    Flavour::Waiting,
    Flavour::Channels,
    Flavour::Threads,
    Flavour::Variables,
    Flavour::References,
    Flavour::Mixed,
];

/// A program: the operations of each of its threads.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Op>>,
    /// The capacity of the channel.
    pub(crate) room: usize,
    /// Does the body wait for its threads?
    pub(crate) joins: bool,
    /// Does the body use all objects once before there are threads? Then they have the same numbers in all
    /// runs.
    pub(crate) uses_all_first: bool,
}

fn order(random: &mut Random, orders: &[Ordering]) -> Ordering {
    orders[random.below(orders.len()).unwrap_or(0)]
}

impl Op {
    /// A random operation; small programs do not have all objects.
    pub(crate) fn draw(random: &mut Random, flavour: Flavour, objects: usize, threads: usize) -> Op {
        use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let (object, other, value) = (below(objects), below(objects), below(2) as u32 + 1);
        let (choice, thread) = (below(16), below(threads));
        if below(12) == 0 {
            return [Op::Yield, Op::Sleep, Op::ReadClock, Op::Effect][below(4)].clone();
        }
        match (flavour, choice) {
            (Flavour::Atomics, 0..=4) => Op::Load(object, order(random, &[Relaxed, Acquire, SeqCst])),
            (Flavour::Atomics, 5..=9) => Op::Store(object, value, order(random, &[Relaxed, Release, SeqCst])),
            (Flavour::Atomics, 10..=11) => Op::Add(object, order(random, &[Relaxed, AcqRel, SeqCst])),
            (Flavour::Atomics, 12) => Op::Swap(object, value),
            (Flavour::Atomics, 13..=14) => Op::Exchange(object, below(2) as u32, value),
            (Flavour::Atomics, _) => Op::Fence(order(random, &[Acquire, Release, AcqRel, SeqCst])),
            (Flavour::Locks, 0..=2) => Op::Lock(object),
            (Flavour::Locks, 3..=4) => Op::TryLock(object),
            (Flavour::Locks, 5..=6) => Op::LockBoth(object, other),
            (Flavour::Locks, 7..=8) => Op::Read(object),
            (Flavour::Locks, 9..=10) => Op::Write(object),
            (Flavour::Locks, 11) => Op::TryRead(object),
            (Flavour::Locks, 12) => Op::TryWrite(object),
            (Flavour::Locks, _) => Op::ReadBoth(object, other),
            (Flavour::Waiting, 0..=2) => Op::Wait(object),
            (Flavour::Waiting, 3..=5) => Op::WaitFor(object),
            (Flavour::Waiting, 6..=7) => Op::WaitATime(object),
            (Flavour::Waiting, 8..=11) => Op::NotifyOne(object),
            (Flavour::Waiting, 12..=13) => Op::NotifyAll(object),
            (Flavour::Waiting, _) => Op::Lock(object),
            (Flavour::Channels, 0..=4) => Op::Send(value),
            (Flavour::Channels, 5..=6) => Op::TrySend(value),
            (Flavour::Channels, 7..=10) => Op::Receive,
            (Flavour::Channels, 11..=13) => Op::TryReceive,
            (Flavour::Channels, _) => Op::ReceiveATime,
            (Flavour::Threads, 0..=2) => Op::Park,
            (Flavour::Threads, 3) => Op::ParkATime,
            (Flavour::Threads, 4..=8) => Op::Unpark(thread),
            (Flavour::Threads, 9..=10) => {
                Op::Spawn(Box::new(Op::draw(random, Flavour::Atomics, objects, threads)))
            }
            (Flavour::Threads, 11) => {
                Op::SpawnAndGoOn(Box::new(Op::draw(random, Flavour::Atomics, objects, threads)))
            }
            (Flavour::Threads, 12) => Op::Choose,
            (Flavour::Threads, 13) => Op::Yield,
            (Flavour::Threads, _) => Op::draw(random, Flavour::Atomics, objects, threads),
            (Flavour::Variables, 0..=4) => Op::Put(object, value),
            (Flavour::Variables, 5..=9) => Op::Take(object),
            (Flavour::Variables, 10..=11) => Op::ReadVar(object),
            (Flavour::Variables, 12..=13) => Op::TryPut(object, value),
            (Flavour::Variables, _) => Op::TryTake(object),
            (Flavour::References, _) => Op::draw_reference(random, choice, object, value),
            (Flavour::Mixed, _) => {
                let flavour = FLAVOURS[below(FLAVOURS.len() - 1)];
                Op::draw(random, flavour, objects, threads)
            }
        }
    }
}

impl Op {
    /// An operation on an atomic reference.
    fn draw_reference(random: &mut Random, choice: usize, object: usize, value: u32) -> Op {
        match choice {
            0..=3 => Op::LoadRef(object),
            4..=7 => Op::StoreRef(object, value),
            8 => Op::SwapRef(object, value),
            9 => Op::ModifyRef(object),
            10..=11 => Op::TakeTicket(object),
            12..=14 => Op::ExchangeRef(object, value),
            _ if random.below(2) == Some(0) => Op::AskParallelism,
            _ => Op::SetParallelism(value + 2),
        }
    }
}

/// All operations on one object of each kind, except spawns.
pub(crate) fn all_ops() -> Vec<Op> {
    use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    let mut ops = vec![
        Op::Add(0, Relaxed),
        Op::Add(0, SeqCst),
        Op::Swap(0, 2),
        Op::Exchange(0, 0, 1),
        Op::Exchange(0, 1, 2),
        Op::Lock(0),
        Op::TryLock(0),
        Op::Read(0),
        Op::Write(0),
        Op::TryRead(0),
        Op::TryWrite(0),
        Op::Wait(0),
        Op::WaitFor(0),
        Op::WaitATime(0),
        Op::NotifyOne(0),
        Op::NotifyAll(0),
        Op::Send(1),
        Op::TrySend(1),
        Op::Receive,
        Op::TryReceive,
        Op::ReceiveATime,
        Op::Park,
        Op::ParkATime,
        Op::Unpark(0),
        Op::Put(0, 1),
        Op::Take(0),
        Op::ReadVar(0),
        Op::TryPut(0, 1),
        Op::TryTake(0),
        Op::LoadRef(0),
        Op::StoreRef(0, 1),
        Op::SwapRef(0, 1),
        Op::ModifyRef(0),
        Op::TakeTicket(0),
        Op::ExchangeRef(0, 1),
        Op::AskParallelism,
        Op::SetParallelism(3),
        Op::Yield,
        Op::Sleep,
        Op::ReadClock,
        Op::Choose,
        Op::Effect,
    ];
    ops.extend([Relaxed, Acquire, SeqCst].map(|order| Op::Load(0, order)));
    ops.extend([Relaxed, Release, SeqCst].map(|order| Op::Store(0, 1, order)));
    ops.extend([Acquire, Release, AcqRel, SeqCst].map(Op::Fence));
    ops
}

impl Program {
    /// A program of three threads with up to three of these operations each.
    pub(crate) fn draw_of(random: &mut Random, ops: &[Op]) -> Program {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let mut thread = || (0..=below(3)).map(|_| ops[below(ops.len())].clone()).collect();
        let threads = vec![thread(), thread(), thread()];
        Program { threads, room: 1, joins: true, uses_all_first: below(2) == 0 }
    }

    /// The same of two threads with up to five operations each.
    pub(crate) fn draw_of_two_threads(random: &mut Random, ops: &[Op]) -> Program {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let mut thread = || (0..=below(5)).map(|_| ops[below(ops.len())].clone()).collect();
        let threads = vec![thread(), thread()];
        Program { threads, room: 1, joins: true, uses_all_first: below(2) == 0 }
    }

    /// The same of few kinds of operations, drawn from all of them, so that kinds that seldom occur together
    /// elsewhere meet.
    pub(crate) fn draw_of_few_kinds(random: &mut Random) -> Program {
        let all = all_ops();
        let kinds = 2 + random.below(4).unwrap_or(0);
        let ops: Vec<Op> = (0..kinds).map(|_| all[random.below(all.len()).unwrap_or(0)].clone()).collect();
        Program::draw_of(random, &ops)
    }

    /// A program of 2 to 4 threads over 1 to 3 objects of each kind, with at most these many operations a
    /// thread for 2, 3 and 4 threads.
    pub(crate) fn draw(random: &mut Random, max_ops: [usize; 3]) -> Program {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let flavour = FLAVOURS[below(FLAVOURS.len())];
        let (threads, objects) = (below(3) + 2, below(3) + 1);
        let (room, joins) = (below(3), below(6) > 0);
        let max_ops = max_ops[threads - 2];
        let threads_of = |random: &mut Random| {
            let length = random.below(max_ops).unwrap_or(0) + 1;
            (0..length).map(|_| Op::draw(random, flavour, objects, threads)).collect()
        };
        Program {
            threads: (0..threads).map(|_| threads_of(random)).collect(),
            room,
            joins,
            uses_all_first: false,
        }
    }

    /// A program whose threads outlive the body. Some of them fail.
    pub(crate) fn draw_with_daemons(random: &mut Random, max_ops: [usize; 3]) -> Program {
        let mut program = Program::draw(random, max_ops);
        for ops in &mut program.threads {
            let mut below = |bound: usize| random.below(bound).unwrap_or(0);
            let at = below(ops.len() + 1);
            match below(4) {
                0 => ops.insert(at, Op::FailUnlessZero(below(3))),
                1 => ops.truncate(at.max(1)),
                _ => continue,
            }
            if below(2) == 0 && at < ops.len() {
                ops.insert(at + 1, Op::Fail);
            }
        }
        Program { joins: false, uses_all_first: random.below(2) == Some(0), ..program }
    }

    /// The same; some threads repeat their last operation for ever.
    pub(crate) fn draw_with_loops(random: &mut Random, max_ops: [usize; 3]) -> Program {
        let mut program = Program::draw_with_daemons(random, max_ops);
        for ops in &mut program.threads {
            // The body drops a sender before it returns: a thread that receives for ever would starve it.
            let can_loop = |op: &Op| !matches!(op, Op::Fail) && !op.spawns() && !op.uses_channel();
            if random.below(2) == Some(0)
                && let Some(op) = ops.pop_if(|op| can_loop(op))
            {
                ops.push(Op::Repeat(Box::new(op), FOREVER));
            }
        }
        program
    }

    /// Does a thread repeat an operation?
    pub(crate) fn repeats(&self) -> bool {
        self.threads.iter().flatten().any(|op| matches!(op, Op::Repeat(..)))
    }

    /// The same program with so many repetitions.
    pub(crate) fn repeating(&self, times: usize) -> Program {
        let mut program = self.clone();
        for op in program.threads.iter_mut().flatten() {
            if let Op::Repeat(_, often) = op {
                *often = times;
            }
        }
        program
    }
}

/// An atomic whose raw values differ between runs, as pointers do: the same offset is added to
/// each.
struct OffsetAtomic {
    atomic: AtomicU32,
    offset: u32,
}

impl OffsetAtomic {
    fn new(offset: u32) -> OffsetAtomic {
        OffsetAtomic { atomic: AtomicU32::new(offset), offset }
    }

    fn load(&self, order: Ordering) -> u32 {
        self.atomic.load(order).wrapping_sub(self.offset)
    }

    fn store(&self, value: u32, order: Ordering) {
        self.atomic.store(value.wrapping_add(self.offset), order);
    }

    fn increment(&self, order: Ordering) -> u32 {
        self.atomic.fetch_add(1, order).wrapping_sub(self.offset)
    }

    fn swap(&self, value: u32, order: Ordering) -> u32 {
        self.atomic.swap(value.wrapping_add(self.offset), order).wrapping_sub(self.offset)
    }

    fn compare_exchange(&self, from: u32, to: u32, order: Ordering) -> Result<u32, u32> {
        let [from, to] = [from, to].map(|value| value.wrapping_add(self.offset));
        let result = self.atomic.compare_exchange(from, to, order, order);
        let without_offset = |value: u32| value.wrapping_sub(self.offset);
        result.map(without_offset).map_err(without_offset)
    }
}

/// The number of runs that have begun.
static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// The objects that the threads share. Dropping it is not visible.
struct SharedObjects {
    atomics: [OffsetAtomic; 3],
    locks: [Mutex<u32>; 3],
    rw_locks: [RwLock<u32>; 3],
    condvars: [Condvar; 3],
    vars: [MVar<u32>; 3],
    refs: [AtomicRef<u32>; 3],
    list: std::sync::Mutex<Vec<u32>>,
}

impl SharedObjects {
    fn use_all(&self) {
        for number in 0..3 {
            self.atomics[number].load(Ordering::Relaxed);
            drop(self.locks[number].lock());
            drop(self.rw_locks[number].read());
            self.condvars[number].notify_all();
            self.vars[number].try_take();
        }
    }
}

/// The objects that one thread has to itself.
struct ThreadContext {
    sender: Option<mpsc::SyncSender<u32>>,
    receiver: Option<mpsc::Receiver<u32>>,
    /// The threads that were spawned before it.
    others: Vec<Thread>,
}

impl Program {
    /// Runs the program, with another offset of atomics each time. Returns the observations of each thread.
    pub(crate) fn run(&self) -> Vec<Vec<u32>> {
        self.run_with(RUNS.fetch_add(1, Ordering::Relaxed).wrapping_mul(1_000_003))
    }

    /// The same with this offset.
    pub(crate) fn run_with(&self, offset: u32) -> Vec<Vec<u32>> {
        let (sender, mut receiver) = self.has_channel().then(|| mpsc::sync_channel(self.room)).unzip();
        let shared = Arc::new(SharedObjects {
            atomics: std::array::from_fn(|_| OffsetAtomic::new(offset)),
            locks: std::array::from_fn(|_| Mutex::new(0)),
            rw_locks: std::array::from_fn(|_| RwLock::new(0)),
            condvars: std::array::from_fn(|_| Condvar::new()),
            vars: std::array::from_fn(|_| MVar::empty()),
            refs: std::array::from_fn(|_| AtomicRef::new(0)),
            list: std::sync::Mutex::new(Vec::new()),
        });
        if self.uses_all_first {
            shared.use_all();
        }
        let mut handles: Vec<thread::JoinHandle<Vec<u32>>> = Vec::new();
        for ops in &self.threads {
            let (shared, ops) = (shared.clone(), ops.clone());
            let sends = ops.iter().any(Op::uses_channel);
            let others = handles.iter().map(|handle| handle.thread().clone()).collect();
            let context =
                ThreadContext { sender: sender.clone().filter(|_| sends), receiver: receiver.take(), others };
            handles.push(thread::spawn(move || run_thread(&ops, &shared, &context)));
        }
        drop(sender);
        if self.repeats() {
            // A thread that writes for ever would starve a body that reads.
            return Vec::new();
        }
        if !self.joins {
            return vec![shared.atomics.iter().map(|atomic| atomic.load(Ordering::SeqCst)).collect()];
        }
        handles.into_iter().map(|handle| handle.join().expect("no panics")).collect()
    }
}

impl Program {
    /// All programs with one operation less. Threads without operations are removed.
    pub(crate) fn smaller(&self) -> Vec<Program> {
        let without = |thread: usize, op: usize| {
            let mut smaller = self.clone();
            smaller.threads[thread].remove(op);
            smaller.threads.retain(|ops| !ops.is_empty());
            smaller
        };
        let threads = self.threads.iter().enumerate();
        threads.flat_map(|(thread, ops)| (0..ops.len()).map(move |op| without(thread, op))).collect()
    }

    pub(crate) fn has_channel(&self) -> bool {
        self.threads.iter().flatten().any(Op::uses_channel)
    }
}

impl Op {
    /// Does the library have other steps for this operation than the reference, with the same outcomes? The
    /// library picks the notified waiter at another time; a token that comes at the timeout can be taken in
    /// two ways.
    pub(crate) fn has_other_steps_than_reference(&self) -> bool {
        matches!(self, Op::NotifyOne(_) | Op::WaitATime(_) | Op::ParkATime)
    }

    /// The reference has no atomic references, no clock, and no available parallelism.
    pub(crate) fn is_known_to_reference(&self) -> bool {
        match self {
            Op::Spawn(op) | Op::SpawnAndGoOn(op) => op.is_known_to_reference(),
            Op::LoadRef(_) | Op::StoreRef(..) | Op::SwapRef(..) | Op::ModifyRef(_) => false,
            Op::TakeTicket(_) | Op::ExchangeRef(..) => false,
            Op::Fail | Op::FailUnlessZero(_) | Op::Repeat(..) => false,
            op => !matches!(op, Op::AskParallelism | Op::SetParallelism(_) | Op::ReadClock),
        }
    }

    pub(crate) fn spawns(&self) -> bool {
        matches!(self, Op::Spawn(_) | Op::SpawnAndGoOn(_))
    }

    pub(crate) fn fails(&self) -> bool {
        matches!(self, Op::Fail | Op::FailUnlessZero(_))
    }

    pub(crate) fn uses_channel(&self) -> bool {
        if let Op::Repeat(op, _) = self {
            return op.uses_channel();
        }
        matches!(self, Op::Send(_) | Op::TrySend(_) | Op::Receive | Op::TryReceive | Op::ReceiveATime)
    }
}

/// Executes the operations of one thread. Returns its observations.
fn run_thread(ops: &[Op], shared: &Arc<SharedObjects>, context: &ThreadContext) -> Vec<u32> {
    let mut seen = Vec::new();
    let mut children = Vec::new();
    let mut tickets = [const { None }; 3];
    let repeated = ops.iter().flat_map(|op| match op {
        Op::Repeat(op, times) => std::iter::repeat_n(&**op, *times),
        op => std::iter::repeat_n(op, 1),
    });
    for op in repeated {
        match op {
            Op::Fail => panic!("fails"),
            Op::FailUnlessZero(x) => {
                assert_eq!(shared.atomics[*x].load(Ordering::SeqCst), 0, "the atomic is not 0");
            }
            Op::TakeTicket(_) | Op::ExchangeRef(..) => seen.extend(exchange(op, shared, &mut tickets)),
            Op::Send(_) | Op::TrySend(_) | Op::Receive | Op::TryReceive | Op::ReceiveATime => {
                seen.push(use_channel(op, context.sender.as_ref(), context.receiver.as_ref()));
            }
            Op::SpawnAndGoOn(op) => {
                let (op, shared) = (op.clone(), shared.clone());
                children.push(thread::spawn(move || execute(&op, &shared)));
            }
            Op::Unpark(thread) => context.others.get(*thread).unwrap_or(&thread::current()).unpark(),
            op => seen.extend(execute(op, shared)),
        }
    }
    for child in children {
        seen.extend(child.join().expect("no panics"));
    }
    seen
}

fn use_channel(
    op: &Op,
    sender: Option<&mpsc::SyncSender<u32>>,
    receiver: Option<&mpsc::Receiver<u32>>,
) -> u32 {
    match (op, sender, receiver) {
        (Op::Send(value), Some(sender), _) => u32::from(sender.send(*value).is_ok()),
        (Op::TrySend(value), Some(sender), _) => u32::from(sender.try_send(*value).is_ok()),
        (Op::Receive, _, Some(receiver)) => receiver.recv().unwrap_or(9),
        (Op::TryReceive, _, Some(receiver)) => receiver.try_recv().unwrap_or(9),
        (Op::ReceiveATime, _, Some(receiver)) => receiver.recv_timeout(Duration::from_millis(1)).unwrap_or(9),
        (_, Some(sender), _) => u32::from(sender.send(3).is_ok()),
        _ => 8,
    }
}

/// The virtual clock in milliseconds.
fn milliseconds() -> u32 {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    time.expect("time goes forward").as_millis() as u32
}

/// Executes an operation. Returns its observation.
fn execute(op: &Op, shared: &Arc<SharedObjects>) -> Option<u32> {
    const SC: Ordering = Ordering::SeqCst;
    let add = |value: &mut u32| {
        *value += 1;
        *value
    };
    match op {
        Op::Load(x, order) => Some(shared.atomics[*x].load(*order)),
        Op::Store(x, value, order) => {
            shared.atomics[*x].store(*value, *order);
            None
        }
        Op::Add(x, order) => Some(shared.atomics[*x].increment(*order)),
        Op::Swap(x, value) => Some(shared.atomics[*x].swap(*value, SC)),
        Op::Exchange(x, from, to) => {
            Some(shared.atomics[*x].compare_exchange(*from, *to, SC).unwrap_or_else(|current| current + 10))
        }
        Op::Fence(order) => {
            fence(*order);
            None
        }
        Op::Lock(m) => Some(add(&mut shared.locks[*m].lock().expect("not poisoned"))),
        Op::TryLock(m) => Some(shared.locks[*m].try_lock().map_or(99, |mut guard| add(&mut guard))),
        Op::LockBoth(a, b) => {
            let mut first = shared.locks[*a].lock().expect("not poisoned");
            let second = (a != b).then(|| shared.locks[*b].lock().expect("not poisoned"));
            Some(add(&mut first) + second.map_or(0, |guard| *guard))
        }
        Op::Read(b) => Some(*shared.rw_locks[*b].read().expect("not poisoned")),
        Op::Write(b) => Some(add(&mut shared.rw_locks[*b].write().expect("not poisoned"))),
        Op::TryRead(b) => Some(shared.rw_locks[*b].try_read().map_or(99, |guard| *guard)),
        Op::TryWrite(b) => Some(shared.rw_locks[*b].try_write().map_or(99, |mut guard| add(&mut guard))),
        Op::ReadBoth(a, b) => {
            let first = shared.rw_locks[*a].read().expect("not poisoned");
            let second = (a != b).then(|| shared.rw_locks[*b].write().expect("not poisoned"));
            Some(*first + second.map_or(0, |mut guard| add(&mut guard)))
        }
        Op::Wait(_) | Op::WaitFor(_) | Op::WaitATime(_) | Op::NotifyOne(_) | Op::NotifyAll(_) => {
            use_condvar(op, shared)
        }
        Op::Park => {
            thread::park();
            None
        }
        Op::ParkATime => {
            thread::park_timeout(Duration::from_millis(1));
            None
        }
        Op::Put(..) | Op::Take(_) | Op::ReadVar(_) | Op::TryPut(..) | Op::TryTake(_) => use_mvar(op, shared),
        Op::LoadRef(_) | Op::StoreRef(..) | Op::SwapRef(..) | Op::ModifyRef(_) => use_reference(op, shared),
        Op::AskParallelism | Op::SetParallelism(_) => use_parallelism(op),
        Op::Spawn(op) => {
            let (op, shared) = (op.clone(), shared.clone());
            thread::spawn(move || execute(&op, &shared)).join().expect("no panics")
        }
        Op::Yield => {
            thread::yield_now();
            None
        }
        Op::Sleep => {
            thread::sleep(Duration::from_millis(1));
            None
        }
        Op::ReadClock => Some(milliseconds()),
        Op::Choose => Some(selvedge::choose(2) as u32),
        Op::Effect => Some(append_by_effect(shared)),
        _ => None,
    }
}

/// Appends to a list of std's. Returns its length.
fn append_by_effect(shared: &SharedObjects) -> u32 {
    selvedge::effect(|| {
        let mut list = shared.list.lock().expect("not poisoned");
        list.push(0);
        list.len() as u32
    })
}

fn use_mvar(op: &Op, shared: &SharedObjects) -> Option<u32> {
    match op {
        Op::Put(v, value) => {
            shared.vars[*v].put(*value);
            None
        }
        Op::Take(v) => Some(shared.vars[*v].take()),
        Op::ReadVar(v) => Some(shared.vars[*v].read()),
        Op::TryPut(v, value) => Some(u32::from(shared.vars[*v].try_put(*value).is_ok())),
        Op::TryTake(v) => Some(shared.vars[*v].try_take().unwrap_or(99)),
        _ => None,
    }
}

fn use_reference(op: &Op, shared: &SharedObjects) -> Option<u32> {
    match op {
        Op::LoadRef(r) => Some(*shared.refs[*r].load()),
        Op::StoreRef(r, value) => {
            shared.refs[*r].store(*value);
            None
        }
        Op::SwapRef(r, value) => Some(*shared.refs[*r].swap(*value)),
        Op::ModifyRef(r) => Some(shared.refs[*r].modify(|value| (value + 1, *value))),
        _ => None,
    }
}

/// Exchanges by the thread's last ticket of that reference, and keeps the newer ticket; takes a ticket first
/// if there is none.
fn exchange(op: &Op, shared: &SharedObjects, tickets: &mut [Option<Ticket<u32>>; 3]) -> Option<u32> {
    match op {
        Op::TakeTicket(r) => {
            let ticket = tickets[*r].insert(shared.refs[*r].ticket());
            Some(**ticket)
        }
        Op::ExchangeRef(r, value) => {
            let ticket = tickets[*r].take().unwrap_or_else(|| shared.refs[*r].ticket());
            let result = shared.refs[*r].compare_exchange(&ticket, *value);
            let seen = result.as_ref().map_or_else(|current| **current + 10, |new| **new);
            tickets[*r] = result.map_or_else(Some, Some);
            Some(seen)
        }
        _ => None,
    }
}

fn use_parallelism(op: &Op) -> Option<u32> {
    if let Op::SetParallelism(count) = op {
        thread::set_available_parallelism(NonZero::new(*count as usize)?);
        return None;
    }
    Some(thread::available_parallelism().ok()?.get() as u32)
}

fn use_condvar(op: &Op, shared: &SharedObjects) -> Option<u32> {
    match op {
        Op::Wait(c) => {
            let guard = shared.locks[*c].lock().expect("not poisoned");
            Some(*shared.condvars[*c].wait(guard).expect("not poisoned"))
        }
        Op::WaitFor(c) => {
            let mut guard = shared.locks[*c].lock().expect("not poisoned");
            while *guard == 0 {
                guard = shared.condvars[*c].wait(guard).expect("not poisoned");
            }
            Some(*guard)
        }
        Op::WaitATime(c) => {
            let guard = shared.locks[*c].lock().expect("not poisoned");
            let (guard, result) =
                shared.condvars[*c].wait_timeout(guard, Duration::from_millis(1)).expect("not poisoned");
            Some(*guard * 2 + u32::from(result.timed_out()))
        }
        Op::NotifyOne(c) => {
            *shared.locks[*c].lock().expect("not poisoned") += 1;
            shared.condvars[*c].notify_one();
            None
        }
        _ => {
            if let Op::NotifyAll(c) = op {
                shared.condvars[*c].notify_all();
            }
            None
        }
    }
}
