//! Runs of generated programs: what their operations do, and the objects that they share.

use super::program::{Op, PARK_TIME, Program, RECEIVE_TIME, WAIT_TIME};
use selvedge::sync::atomic::{AtomicU32, Ordering, fence};
use selvedge::sync::{Arc, AtomicRef, Condvar, LazyLock, MVar, Mutex, OnceLock};
use selvedge::sync::{RwLock, RwLockWriteGuard, Ticket, mpsc};
use selvedge::thread::{self, Thread};
use selvedge::time::SystemTime;
use std::num::NonZero;
use std::ops::Deref;
use std::time::Duration;

/// An atomic whose raw values differ between runs, as pointers do: the same offset is added to
/// each.
struct OffsetAtomic {
    atomic: Home<AtomicU32>,
    offset: u32,
}

impl OffsetAtomic {
    fn new(offset: u32) -> OffsetAtomic {
        OffsetAtomic { atomic: Home::Own(AtomicU32::new(offset)), offset }
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

/// An object of the program.
enum Home<T: 'static> {
    /// Each run makes its own.
    Own(T),
    Static(&'static T),
}

impl<T> Deref for Home<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Home::Own(object) => object,
            Home::Static(object) => object,
        }
    }
}

/// The objects that the threads share. Dropping it is not visible.
struct SharedObjects {
    atomics: [OffsetAtomic; 3],
    locks: [Home<Mutex<u32>>; 3],
    rw_locks: [Home<RwLock<u32>>; 3],
    condvars: [Home<Condvar>; 3],
    cells: [Home<OnceLock<u32>>; 3],
    vars: [Home<MVar<u32>>; 3],
    refs: [Home<AtomicRef<u32>>; 3],
    list: std::sync::Mutex<Vec<u32>>,
}

static ATOMICS: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];
static LOCKS: [Mutex<u32>; 3] = [const { Mutex::new(0) }; 3];
static RW_LOCKS: [RwLock<u32>; 3] = [const { RwLock::new(0) }; 3];
static CONDVARS: [Condvar; 3] = [const { Condvar::new() }; 3];
static CELLS: [OnceLock<u32>; 3] = [const { OnceLock::new() }; 3];
static VARS: LazyLock<[MVar<u32>; 3]> = LazyLock::new(|| std::array::from_fn(|_| MVar::empty()));
static REFS: LazyLock<[AtomicRef<u32>; 3]> = LazyLock::new(|| std::array::from_fn(|_| AtomicRef::new(0)));

impl SharedObjects {
    /// New objects, with this offset of atomics.
    fn new(offset: u32) -> SharedObjects {
        SharedObjects {
            atomics: std::array::from_fn(|_| OffsetAtomic::new(offset)),
            locks: std::array::from_fn(|_| Home::Own(Mutex::new(0))),
            rw_locks: std::array::from_fn(|_| Home::Own(RwLock::new(0))),
            condvars: std::array::from_fn(|_| Home::Own(Condvar::new())),
            cells: std::array::from_fn(|_| Home::Own(OnceLock::new())),
            vars: std::array::from_fn(|_| Home::Own(MVar::empty())),
            refs: std::array::from_fn(|_| Home::Own(AtomicRef::new(0))),
            list: std::sync::Mutex::new(Vec::new()),
        }
    }

    /// Objects that all runs of all tests share, or that a run initialises here.
    fn statics() -> SharedObjects {
        let (vars, refs) = (LazyLock::force(&VARS), LazyLock::force(&REFS));
        let atomic = |atomic| OffsetAtomic { atomic: Home::Static(atomic), offset: 0 };
        SharedObjects {
            atomics: ATOMICS.each_ref().map(atomic),
            locks: LOCKS.each_ref().map(Home::Static),
            rw_locks: RW_LOCKS.each_ref().map(Home::Static),
            condvars: CONDVARS.each_ref().map(Home::Static),
            cells: CELLS.each_ref().map(Home::Static),
            vars: vars.each_ref().map(Home::Static),
            refs: refs.each_ref().map(Home::Static),
            list: std::sync::Mutex::new(Vec::new()),
        }
    }

    fn use_all(&self) {
        for number in 0..3 {
            self.atomics[number].load(Ordering::Relaxed);
            drop(self.locks[number].lock());
            drop(self.rw_locks[number].read());
            self.condvars[number].notify_all();
            self.vars[number].try_take();
            self.cells[number].get();
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
        self.run_on(SharedObjects::new(offset))
    }

    /// The same with objects that are statics.
    pub(crate) fn run_on_statics(&self) -> Vec<Vec<u32>> {
        self.run_on(SharedObjects::statics())
    }

    fn run_on(&self, objects: SharedObjects) -> Vec<Vec<u32>> {
        let (sender, mut receiver) = self.has_channel().then(|| mpsc::sync_channel(self.room)).unzip();
        let shared = Arc::new(objects);
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
        (Op::ReceiveATime, _, Some(receiver)) => {
            receiver.recv_timeout(Duration::from_millis(u64::from(RECEIVE_TIME))).unwrap_or(9)
        }
        (_, Some(sender), _) => u32::from(sender.send(3).is_ok()),
        _ => 8,
    }
}

/// The virtual clock in milliseconds since the beginning of the run, which is in the year 2000.
fn milliseconds() -> u32 {
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(946_684_800);
    SystemTime::now().duration_since(start).expect("time goes forward").as_millis() as u32
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
        Op::Read(_) | Op::Write(_) | Op::TryRead(_) | Op::TryWrite(_) => use_rw_lock(op, shared),
        Op::ReadBoth(..) | Op::ReadTwice(_) | Op::Downgrade(_) => use_rw_lock(op, shared),
        Op::Lock(m) => Some(add(&mut shared.locks[*m].lock().expect("not poisoned"))),
        Op::TryLock(m) => Some(shared.locks[*m].try_lock().map_or(99, |mut guard| add(&mut guard))),
        Op::LockBoth(a, b) => {
            let mut first = shared.locks[*a].lock().expect("not poisoned");
            let second = (a != b).then(|| shared.locks[*b].lock().expect("not poisoned"));
            Some(add(&mut first) + second.map_or(0, |guard| *guard))
        }
        Op::Wait(_) | Op::WaitFor(_) | Op::WaitATime(_) | Op::NotifyOne(_) | Op::NotifyAll(_) => {
            use_condvar(op, shared)
        }
        Op::Park => {
            thread::park();
            None
        }
        Op::ParkATime => {
            thread::park_timeout(Duration::from_millis(u64::from(PARK_TIME)));
            None
        }
        Op::Put(..) | Op::Take(_) | Op::ReadVar(_) | Op::TryPut(..) | Op::TryTake(_) => use_mvar(op, shared),
        Op::Initialise(o, value) => Some(*shared.cells[*o].get_or_init(|| *value)),
        Op::Look(o) => Some(shared.cells[*o].get().copied().unwrap_or(99)),
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
        Op::Sleep(time) => {
            thread::sleep(Duration::from_millis(u64::from(*time)));
            None
        }
        Op::ReadClock => Some(milliseconds()),
        Op::Choose => Some(selvedge::choose(2) as u32),
        Op::Effect => Some(append_by_effect(shared)),
        _ => None,
    }
}

fn use_rw_lock(op: &Op, shared: &SharedObjects) -> Option<u32> {
    let add = |value: &mut u32| {
        *value += 1;
        *value
    };
    match op {
        Op::Read(b) => Some(*shared.rw_locks[*b].read().expect("not poisoned")),
        Op::Write(b) => Some(add(&mut shared.rw_locks[*b].write().expect("not poisoned"))),
        Op::TryRead(b) => Some(shared.rw_locks[*b].try_read().map_or(99, |guard| *guard)),
        Op::TryWrite(b) => Some(shared.rw_locks[*b].try_write().map_or(99, |mut guard| add(&mut guard))),
        Op::ReadBoth(a, b) => {
            let first = shared.rw_locks[*a].read().expect("not poisoned");
            let second = (a != b).then(|| shared.rw_locks[*b].write().expect("not poisoned"));
            Some(*first + second.map_or(0, |mut guard| add(&mut guard)))
        }
        Op::ReadTwice(b) => {
            let first = shared.rw_locks[*b].read().expect("not poisoned");
            let second = shared.rw_locks[*b].read().expect("not poisoned");
            Some(*first + *second)
        }
        Op::Downgrade(b) => {
            let mut writer = shared.rw_locks[*b].write().expect("not poisoned");
            add(&mut writer);
            Some(*RwLockWriteGuard::downgrade(writer))
        }
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
            let time = Duration::from_millis(u64::from(WAIT_TIME));
            let (guard, result) = shared.condvars[*c].wait_timeout(guard, time).expect("not poisoned");
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
