//! Programs as lists of steps, one for each thread: what the library calls visible is one step here.
//!
//! Written from the documentation of [`selvedge::sync`] and from `docs/memory.md`, not from the library's code: a wait is three
//! steps, a send without room is two, an end of a channel that goes is one, and the end of a thread is none.
//!
//! Promise: a thread's steps, with the jumps in them, are those of [`Program::run`], in the same order.

use super::program::{Op, Program};
use selvedge::sync::atomic::Ordering;

/// One step. Those of the last group are not visible: they are done together with what comes before them.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Load(usize),
    Store(usize, u8, Ordering),
    Add(usize),
    Swap(usize, u8),
    Exchange(usize, u8, u8),
    Fence(Ordering),

    /// One that fails goes past so many steps.
    Lock(usize),
    TryLock(usize, usize),
    Unlock(usize),
    ReadLock(usize),
    TryReadLock(usize, usize),
    UnlockRead(usize),
    WriteLock(usize),
    TryWriteLock(usize, usize),
    UnlockWrite(usize),

    /// Begins to wait, and gives the lock of the same number back.
    Wait(usize),
    Wake(usize, Time),
    NotifyOne(usize),
    NotifyAll(usize),

    Send(u8),
    TrySend(u8),
    /// Where there is no room: the sender comes. If it meets the receiver, `Handed` is left out.
    Offer(u8),
    /// The message was received, or never will be.
    Handed,
    /// Where there is no room: the receiver comes. If it meets a sender, `Receive` is left out.
    Come,
    Receive(Time),
    TryReceive,
    HangUp(End),

    Put(usize, u8),
    Take(usize),
    ReadVar(usize),
    TryPut(usize, u8),
    TryTake(usize),

    Park(Time),
    Unpark(usize),
    Spawn(usize),
    Join(usize),
    Yield,
    Sleep,
    Choose,

    /// One is added to what the lock has in it.
    Count(Place),
    /// The thread sees the sum of these.
    See(Vec<Place>),
    /// The thread sees what is in the lock, and whether its time was up.
    SeeInTime(usize),
    /// Past so many steps, unless 0 is in the lock: the head of a loop.
    PastUnlessZero(usize, usize),
    /// So many steps back: the end of a loop.
    Back(usize),
}

/// Does a wait end because of the time?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    Endless,
    Short,
}

/// An end of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Sender,
    Receiver,
}

/// What a lock has in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Lock(usize),
    Book(usize),
}

impl Step {
    /// Is it done together with what comes before it?
    pub(crate) fn is_silent(&self) -> bool {
        use Step::{Back, Count, PastUnlessZero, See, SeeInTime};
        matches!(self, Count(_) | See(_) | SeeInTime(_) | PastUnlessZero(..) | Back(_))
    }

    /// Must the stores of its thread be in memory before? The table of `docs/memory.md`.
    pub(crate) fn drains(&self) -> bool {
        match self {
            Step::Store(_, _, order) | Step::Fence(order) => *order == Ordering::SeqCst,
            Step::Load(_) | Step::Yield | Step::Sleep | Step::Choose => false,
            _ => true,
        }
    }
}

/// The steps of all threads: those of the body, then of the program's threads, then of threads that these spawn.
pub(crate) fn steps(program: &Program) -> Vec<Vec<Step>> {
    let count = program.threads.len();
    let has_channel = program.has_channel();
    let mut body = if program.uses_all_first { (0..3).flat_map(first_uses).collect() } else { Vec::new() };
    let mut all = vec![Vec::new(); count + 1];
    for (number, ops) in program.threads.iter().enumerate() {
        if has_channel && !ops.iter().any(Op::uses_channel) {
            // A sender was cloned for it in vain.
            body.push(Step::HangUp(End::Sender));
        }
        body.push(Step::Spawn(number + 1));
        all[number + 1] = of_thread(program, number, &mut all);
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
    steps.extend([Step::NotifyAll(number), Step::TryTake(number)]);
    steps
}

/// What a thread of the program does. Those that it spawns are added to all.
fn of_thread(program: &Program, number: usize, all: &mut Vec<Vec<Step>>) -> Vec<Step> {
    let ops = &program.threads[number];
    let (mut steps, mut children) = (Vec::new(), Vec::new());
    for op in ops {
        match op {
            Op::Spawn(op) | Op::SpawnAndGoOn(op) => {
                all.push(of_op(op));
                steps.push(Step::Spawn(all.len() - 1));
                children.push(Step::Join(all.len() - 1));
            }
            // It knows those that were spawned before it, and itself.
            Op::Unpark(other) => steps.push(Step::Unpark(1 + number.min(*other))),
            op if op.uses_channel() => steps.extend(of_talk(op, number == 0, program.room)),
            op => steps.extend(of_op(op)),
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

/// Who has no receiver sends a 3 instead.
fn of_talk(op: &Op, has_receiver: bool, room: usize) -> Vec<Step> {
    let send = |value: u32| match room {
        0 => vec![Step::Offer(value as u8), Step::Handed],
        _ => vec![Step::Send(value as u8)],
    };
    let receive = |time: Time| match room {
        0 => vec![Step::Come, Step::Receive(time)],
        _ => vec![Step::Receive(time)],
    };
    match op {
        Op::Send(value) => send(*value),
        Op::TrySend(value) => vec![Step::TrySend(*value as u8)],
        Op::Receive if has_receiver => receive(Time::Endless),
        Op::ReceiveATime if has_receiver => receive(Time::Short),
        Op::TryReceive if has_receiver => vec![Step::TryReceive],
        _ => send(3),
    }
}

fn of_op(op: &Op) -> Vec<Step> {
    match *op {
        Op::Load(x, _) => vec![Step::Load(x)],
        Op::Store(x, value, order) => vec![Step::Store(x, value as u8, order)],
        Op::Add(x, _) => vec![Step::Add(x)],
        Op::Swap(x, value) => vec![Step::Swap(x, value as u8)],
        Op::Exchange(x, from, to) => vec![Step::Exchange(x, from as u8, to as u8)],
        Op::Fence(order) => vec![Step::Fence(order)],
        Op::Wait(_) | Op::WaitFor(_) | Op::WaitATime(_) | Op::NotifyOne(_) | Op::NotifyAll(_) => {
            of_signal(op)
        }
        Op::Put(v, value) => vec![Step::Put(v, value as u8)],
        Op::Take(v) => vec![Step::Take(v)],
        Op::ReadVar(v) => vec![Step::ReadVar(v)],
        Op::TryPut(v, value) => vec![Step::TryPut(v, value as u8)],
        Op::TryTake(v) => vec![Step::TryTake(v)],
        Op::Park => vec![Step::Park(Time::Endless)],
        Op::ParkATime => vec![Step::Park(Time::Short)],
        Op::Yield => vec![Step::Yield],
        Op::Sleep => vec![Step::Sleep],
        Op::Choose => vec![Step::Choose],
        _ => of_lock(op),
    }
}

fn of_lock(op: &Op) -> Vec<Step> {
    use Place::{Book, Lock};
    let counted = |place: Place| vec![Step::Count(place), Step::See(vec![place])];
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
        Op::Read(b) => around(Step::ReadLock(b), vec![Step::See(vec![Book(b)])], Step::UnlockRead(b)),
        Op::Write(b) => around(Step::WriteLock(b), counted(Book(b)), Step::UnlockWrite(b)),
        Op::TryRead(b) => {
            around(Step::TryReadLock(b, 2), vec![Step::See(vec![Book(b)])], Step::UnlockRead(b))
        }
        Op::TryWrite(b) => around(Step::TryWriteLock(b, 3), counted(Book(b)), Step::UnlockWrite(b)),
        Op::ReadBoth(a, b) if a == b => {
            around(Step::ReadLock(a), vec![Step::See(vec![Book(a)])], Step::UnlockRead(a))
        }
        Op::ReadBoth(a, b) => {
            let inside = vec![Step::Count(Book(b)), Step::See(vec![Book(a), Book(b)])];
            let inner = around(Step::WriteLock(b), inside, Step::UnlockWrite(b));
            around(Step::ReadLock(a), inner, Step::UnlockRead(a))
        }
        _ => unreachable!("{op:?} is done by a thread of the program only"),
    }
}

fn of_signal(op: &Op) -> Vec<Step> {
    let wait = |c: usize, time: Time| vec![Step::Wait(c), Step::Wake(c, time), Step::Lock(c)];
    match *op {
        Op::Wait(c) => {
            let seen = vec![Step::See(vec![Place::Lock(c)]), Step::Unlock(c)];
            [vec![Step::Lock(c)], wait(c, Time::Endless), seen].concat()
        }
        Op::WaitFor(c) => {
            let head = vec![Step::Lock(c), Step::PastUnlessZero(c, 4)];
            let rest = vec![Step::Back(4), Step::See(vec![Place::Lock(c)]), Step::Unlock(c)];
            [head, wait(c, Time::Endless), rest].concat()
        }
        Op::WaitATime(c) => {
            [vec![Step::Lock(c)], wait(c, Time::Short), vec![Step::SeeInTime(c), Step::Unlock(c)]].concat()
        }
        Op::NotifyOne(c) => {
            vec![Step::Lock(c), Step::Count(Place::Lock(c)), Step::Unlock(c), Step::NotifyOne(c)]
        }
        Op::NotifyAll(c) => vec![Step::NotifyAll(c)],
        _ => unreachable!("{op:?} has nothing to do with condition variables"),
    }
}
