//! Small random programs over objects of all kinds.

use selvedge::sync::atomic::Ordering;
use selvedge_explore::Random;

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
    ReadTwice(usize),
    Downgrade(usize),
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
    Initialise(usize, u32),
    Look(usize),
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
    /// For so many milliseconds.
    Sleep(u32),
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

/// The durations of timed waits, in milliseconds.
pub(crate) const WAIT_TIME: u8 = 1;
pub(crate) const PARK_TIME: u8 = 2;
pub(crate) const RECEIVE_TIME: u8 = 3;

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
    Lazies,
    References,
    Mixed,
}

pub(crate) const FLAVOURS: [Flavour; 9] = [
    Flavour::Atomics,
    Flavour::Locks,
    Flavour::Waiting,
    Flavour::Channels,
    Flavour::Threads,
    Flavour::Variables,
    Flavour::Lazies,
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
            return [Op::Yield, Op::Sleep(value), Op::ReadClock, Op::Effect][below(4)].clone();
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
            (Flavour::Locks, 13) => Op::ReadBoth(object, other),
            (Flavour::Locks, 14) => Op::ReadTwice(object),
            (Flavour::Locks, _) => Op::Downgrade(object),
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
            (Flavour::Lazies, 0..=6) => Op::Initialise(object, value),
            (Flavour::Lazies, 7..=10) => Op::Look(object),
            (Flavour::Lazies, _) => Op::draw(random, Flavour::Atomics, objects, threads),
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
        Op::ReadTwice(0),
        Op::Downgrade(0),
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
        Op::Initialise(0, 1),
        Op::Look(0),
        Op::LoadRef(0),
        Op::StoreRef(0, 1),
        Op::SwapRef(0, 1),
        Op::ModifyRef(0),
        Op::TakeTicket(0),
        Op::ExchangeRef(0, 1),
        Op::AskParallelism,
        Op::SetParallelism(3),
        Op::Yield,
        Op::Sleep(1),
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

impl Program {
    pub(crate) fn reads_clock(&self) -> bool {
        self.threads.iter().flatten().any(|op| op.has(|op| matches!(op, Op::ReadClock)))
    }

    pub(crate) fn has_timed_waits(&self) -> bool {
        let is_timed =
            |op: &Op| matches!(op, Op::Sleep(_) | Op::WaitATime(_) | Op::ParkATime | Op::ReceiveATime);
        self.threads.iter().flatten().any(|op| op.has(is_timed))
    }

    /// Do the deadlines of its waits make a difference?
    pub(crate) fn needs_deadlines(&self) -> bool {
        self.reads_clock() && self.has_timed_waits()
    }
}

impl Op {
    /// Does the library have other steps for this operation than the reference, with the same outcomes? The
    /// library picks the notified waiter at another time; a token that comes at the timeout can be taken in
    /// two ways.
    pub(crate) fn has_other_steps_than_reference(&self) -> bool {
        matches!(self, Op::NotifyOne(_) | Op::WaitATime(_) | Op::ParkATime)
    }

    /// The reference has no atomic references, and no available parallelism.
    pub(crate) fn is_known_to_reference(&self) -> bool {
        match self {
            Op::Spawn(op) | Op::SpawnAndGoOn(op) => op.is_known_to_reference(),
            Op::LoadRef(_) | Op::StoreRef(..) | Op::SwapRef(..) | Op::ModifyRef(_) => false,
            Op::TakeTicket(_) | Op::ExchangeRef(..) => false,
            Op::Fail | Op::FailUnlessZero(_) | Op::Repeat(..) => false,
            op => !matches!(op, Op::AskParallelism | Op::SetParallelism(_)),
        }
    }

    /// Does it hold of this operation, or of the one that it repeats or lets another thread do?
    fn has(&self, is_it: fn(&Op) -> bool) -> bool {
        match self {
            Op::Spawn(op) | Op::SpawnAndGoOn(op) | Op::Repeat(op, _) => op.has(is_it),
            op => is_it(op),
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
