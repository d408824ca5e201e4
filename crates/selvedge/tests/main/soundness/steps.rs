//! Programs as lists of steps, one list for each thread: each visible action of the library is one step
//! here.
//!
//! Written from the documentation of [`selvedge::sync`] and from `docs/memory.md`, not from the library's
//! code: a wait is three steps, a send without capacity is two, dropping an end of a channel is one, and the
//! end of a thread is none.
//!
//! Promise: a thread takes the same steps in the same order as in [`Program::run`], jumps included.

use super::program::{Op, PARK_TIME, Program, RECEIVE_TIME, WAIT_TIME};
use selvedge::sync::atomic::Ordering;

/// A step. The steps of the last group are invisible: they are executed together with the step before them.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Load(usize),
    Store(usize, u8, Ordering),
    Add(usize),
    Swap(usize, u8),
    Exchange(usize, u8, u8),
    Fence(Ordering),

    /// A failed try skips this many steps.
    Lock(usize),
    TryLock(usize, usize),
    Unlock(usize),
    ReadLock(usize),
    TryReadLock(usize, usize),
    UnlockRead(usize),
    /// Takes the lock, or begins to wait if readers hold it.
    WriteLock(usize),
    TryWriteLock(usize, usize),
    UnlockWrite(usize),
    Downgrade(usize),

    /// Begins to wait, and releases the lock of the same number.
    Wait(usize),
    Wake(usize, Timeout),
    NotifyOne(usize),
    NotifyAll(usize),

    Send(u8),
    TrySend(u8),
    /// Without capacity: the sender arrives. If it meets the receiver, `AwaitHandover` is skipped.
    Offer(u8),
    /// The message was received, or will never be.
    AwaitHandover,
    /// Without capacity: the receiver arrives. If it meets a sender, `Receive` is skipped.
    ReceiverArrives,
    Receive(Timeout),
    TryReceive,
    HangUp(End),

    Put(usize, u8),
    Take(usize),
    ReadVar(usize),
    TryPut(usize, u8),
    TryTake(usize),

    /// Begins to initialise a value, unless it is complete: then `Complete` is skipped.
    Begin(usize),
    Complete(usize, u8),
    Look(usize),

    Park(Timeout),
    Unpark(usize),
    Spawn(usize),
    Join(usize),
    Yield,
    /// Fixes the deadline of the wait that follows: now and so many milliseconds.
    FixDeadline(u8),
    Sleep,
    ReadClock,
    Choose,
    /// Counts the effects so far, and observes their number.
    Effect,

    /// Adds one to the value that the lock protects.
    Count(LockedValue),
    /// The thread observes the sum of these values.
    See(Vec<LockedValue>),
    /// The thread observes the value that the lock protects, and whether its wait timed out.
    SeeInTime(usize),
    /// The head of a loop: skips this many steps, unless the value that the lock protects is 0.
    SkipUnlessZero(usize, usize),
    /// The end of a loop: jumps this many steps back.
    Back(usize),
}

/// Can a wait time out?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timeout {
    Endless,
    Short,
}

/// An end of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Sender,
    Receiver,
}

/// The value that a lock protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockedValue {
    Lock(usize),
    RwLock(usize),
}

impl Step {
    /// Is the step executed together with the step before it?
    pub(crate) fn is_silent(&self) -> bool {
        use Step::{Back, Count, See, SeeInTime, SkipUnlessZero};
        matches!(self, Count(_) | See(_) | SeeInTime(_) | SkipUnlessZero(..) | Back(_))
    }

    /// Must the stores of the thread be in memory before this step? See the table of `docs/memory.md`.
    pub(crate) fn drains(&self) -> bool {
        match self {
            Step::Store(_, _, order) | Step::Fence(order) => *order == Ordering::SeqCst,
            Step::Load(_) | Step::Yield | Step::Choose => false,
            Step::FixDeadline(_) | Step::Sleep | Step::ReadClock => false,
            _ => true,
        }
    }
}

/// The steps of all threads: of the body, then of the program's threads, then of the threads that these
/// spawn. `has_deadlines`: timed waits fix their deadlines.
pub(crate) fn steps(program: &Program, has_deadlines: bool) -> Vec<Vec<Step>> {
    let mut all = all_steps(program);
    if !has_deadlines {
        all.iter_mut().for_each(|steps| steps.retain(|step| !matches!(step, Step::FixDeadline(_))));
    }
    all
}

fn all_steps(program: &Program) -> Vec<Vec<Step>> {
    let count = program.threads.len();
    let has_channel = program.has_channel();
    let mut body = if program.uses_all_first { (0..3).flat_map(first_uses).collect() } else { Vec::new() };
    let mut all = vec![Vec::new(); count + 1];
    for (number, ops) in program.threads.iter().enumerate() {
        if has_channel && !ops.iter().any(Op::uses_channel) {
            // The sender that was cloned for a thread without channel operations is dropped at once.
            body.push(Step::HangUp(End::Sender));
        }
        body.push(Step::Spawn(number + 1));
        all[number + 1] = thread_steps(program, number, &mut all);
    }
    body.extend(has_channel.then_some(Step::HangUp(End::Sender)));
    if program.joins {
        body.extend((1..=count).map(Step::Join));
    } else {
        body.extend((0..3).map(Step::Load));
    }
    all[0] = body;
    all
}

/// Uses one object of each kind.
fn first_uses(number: usize) -> Vec<Step> {
    let mut steps = vec![Step::Load(number), Step::Lock(number), Step::Unlock(number)];
    steps.extend([Step::ReadLock(number), Step::UnlockRead(number)]);
    steps.extend([Step::NotifyAll(number), Step::TryTake(number), Step::Look(number)]);
    steps
}

/// The steps of a thread of the program. The steps of threads that it spawns are appended to `all`.
fn thread_steps(program: &Program, number: usize, all: &mut Vec<Vec<Step>>) -> Vec<Step> {
    let ops = &program.threads[number];
    let (mut steps, mut children) = (Vec::new(), Vec::new());
    for op in ops {
        match op {
            Op::Spawn(op) | Op::SpawnAndGoOn(op) => {
                all.push(op_steps(op));
                steps.push(Step::Spawn(all.len() - 1));
                children.push(Step::Join(all.len() - 1));
            }
            // A thread knows the threads that were spawned before it, and itself.
            Op::Unpark(other) => steps.push(Step::Unpark(1 + number.min(*other))),
            op if op.uses_channel() => steps.extend(channel_steps(op, number == 0, program.room)),
            op => steps.extend(op_steps(op)),
        }
        if matches!(op, Op::Spawn(_)) {
            steps.extend(children.pop());
        }
    }
    steps.extend(children);
    if ops.iter().any(Op::uses_channel) {
        steps.push(Step::HangUp(End::Sender));
    }
    if number == 0 && program.has_channel() {
        steps.push(Step::HangUp(End::Receiver));
    }
    steps
}

/// A thread without the receiver sends a 3 instead of receiving.
fn channel_steps(op: &Op, has_receiver: bool, room: usize) -> Vec<Step> {
    let send = |value: u32| match room {
        0 => vec![Step::Offer(value as u8), Step::AwaitHandover],
        _ => vec![Step::Send(value as u8)],
    };
    let receive = |time: Timeout| match room {
        0 => vec![Step::ReceiverArrives, Step::Receive(time)],
        _ => vec![Step::Receive(time)],
    };
    match op {
        Op::Send(value) => send(*value),
        Op::TrySend(value) => vec![Step::TrySend(*value as u8)],
        Op::Receive if has_receiver => receive(Timeout::Endless),
        Op::ReceiveATime if has_receiver => {
            [vec![Step::FixDeadline(RECEIVE_TIME)], receive(Timeout::Short)].concat()
        }
        Op::TryReceive if has_receiver => vec![Step::TryReceive],
        _ => send(3),
    }
}

fn op_steps(op: &Op) -> Vec<Step> {
    match *op {
        Op::Load(x, _) => vec![Step::Load(x)],
        Op::Store(x, value, order) => vec![Step::Store(x, value as u8, order)],
        Op::Add(x, _) => vec![Step::Add(x)],
        Op::Swap(x, value) => vec![Step::Swap(x, value as u8)],
        Op::Exchange(x, from, to) => vec![Step::Exchange(x, from as u8, to as u8)],
        Op::Fence(order) => vec![Step::Fence(order)],
        Op::Wait(_) | Op::WaitFor(_) | Op::WaitATime(_) | Op::NotifyOne(_) | Op::NotifyAll(_) => {
            condvar_steps(op)
        }
        Op::Put(v, value) => vec![Step::Put(v, value as u8)],
        Op::Take(v) => vec![Step::Take(v)],
        Op::ReadVar(v) => vec![Step::ReadVar(v)],
        Op::TryPut(v, value) => vec![Step::TryPut(v, value as u8)],
        Op::TryTake(v) => vec![Step::TryTake(v)],
        Op::Initialise(o, value) => vec![Step::Begin(o), Step::Complete(o, value as u8)],
        Op::Look(o) => vec![Step::Look(o)],
        Op::Park => vec![Step::Park(Timeout::Endless)],
        Op::ParkATime => vec![Step::FixDeadline(PARK_TIME), Step::Park(Timeout::Short)],
        Op::Yield => vec![Step::Yield],
        Op::Sleep(time) => vec![Step::FixDeadline(time as u8), Step::Sleep],
        Op::ReadClock => vec![Step::ReadClock],
        Op::Choose => vec![Step::Choose],
        Op::Effect => vec![Step::Effect],
        _ => lock_steps(op),
    }
}

fn lock_steps(op: &Op) -> Vec<Step> {
    use LockedValue::{Lock, RwLock};
    let counted = |value: LockedValue| vec![Step::Count(value), Step::See(vec![value])];
    let around = |first: Step, inside: Vec<Step>, last: Step| [vec![first], inside, vec![last]].concat();
    match *op {
        Op::Lock(m) => around(Step::Lock(m), counted(Lock(m)), Step::Unlock(m)),
        Op::TryLock(m) => around(Step::TryLock(m, 3), counted(Lock(m)), Step::Unlock(m)),
        Op::LockBoth(a, b) if a == b => around(Step::Lock(a), counted(Lock(a)), Step::Unlock(a)),
        Op::LockBoth(a, b) => {
            let inside = vec![Step::Count(Lock(a)), Step::See(vec![Lock(a), Lock(b)])];
            let inner = around(Step::Lock(b), inside, Step::Unlock(b));
            around(Step::Lock(a), inner, Step::Unlock(a))
        }
        Op::Read(b) => around(Step::ReadLock(b), vec![Step::See(vec![RwLock(b)])], Step::UnlockRead(b)),
        Op::Write(b) => around(Step::WriteLock(b), counted(RwLock(b)), Step::UnlockWrite(b)),
        Op::TryRead(b) => {
            around(Step::TryReadLock(b, 2), vec![Step::See(vec![RwLock(b)])], Step::UnlockRead(b))
        }
        Op::TryWrite(b) => around(Step::TryWriteLock(b, 3), counted(RwLock(b)), Step::UnlockWrite(b)),
        Op::ReadBoth(a, b) if a == b => {
            around(Step::ReadLock(a), vec![Step::See(vec![RwLock(a)])], Step::UnlockRead(a))
        }
        Op::ReadBoth(a, b) => {
            let inside = vec![Step::Count(RwLock(b)), Step::See(vec![RwLock(a), RwLock(b)])];
            let inner = around(Step::WriteLock(b), inside, Step::UnlockWrite(b));
            around(Step::ReadLock(a), inner, Step::UnlockRead(a))
        }
        Op::ReadTwice(b) => {
            let seen = vec![Step::See(vec![RwLock(b), RwLock(b)])];
            let inner = around(Step::ReadLock(b), seen, Step::UnlockRead(b));
            around(Step::ReadLock(b), inner, Step::UnlockRead(b))
        }
        Op::Downgrade(b) => {
            let inside = vec![Step::Count(RwLock(b)), Step::Downgrade(b), Step::See(vec![RwLock(b)])];
            around(Step::WriteLock(b), inside, Step::UnlockRead(b))
        }
        _ => unreachable!("{op:?} is done by a thread of the program only"),
    }
}

fn condvar_steps(op: &Op) -> Vec<Step> {
    let wait = |c: usize, time: Timeout| vec![Step::Wait(c), Step::Wake(c, time), Step::Lock(c)];
    match *op {
        Op::Wait(c) => {
            let seen = vec![Step::See(vec![LockedValue::Lock(c)]), Step::Unlock(c)];
            [vec![Step::Lock(c)], wait(c, Timeout::Endless), seen].concat()
        }
        Op::WaitFor(c) => {
            let head = vec![Step::Lock(c), Step::SkipUnlessZero(c, 4)];
            let rest = vec![Step::Back(4), Step::See(vec![LockedValue::Lock(c)]), Step::Unlock(c)];
            [head, wait(c, Timeout::Endless), rest].concat()
        }
        Op::WaitATime(c) => {
            let head = vec![Step::Lock(c), Step::FixDeadline(WAIT_TIME)];
            [head, wait(c, Timeout::Short), vec![Step::SeeInTime(c), Step::Unlock(c)]].concat()
        }
        Op::NotifyOne(c) => {
            vec![Step::Lock(c), Step::Count(LockedValue::Lock(c)), Step::Unlock(c), Step::NotifyOne(c)]
        }
        Op::NotifyAll(c) => vec![Step::NotifyAll(c)],
        _ => unreachable!("{op:?} has nothing to do with condition variables"),
    }
}
