//! Small random programs over `MVar`, transactions, atomic references and exceptions. The same code runs
//! them inside of explorations and, with random delays, on threads of the operating system.
//!
//! The first thread spawns the other threads, so it knows them all, and each of them knows the threads
//! before it. So for any two threads, at least one can throw to the other, and no thread waits for a handle.

#![cfg(feature = "check")]

mod draw;

pub(crate) use draw::Flavour;

use selvedge::interrupt::{self, Killed, Restore, Thrown};
use selvedge::stm::{self, TVar, Transaction, atomically};
use selvedge::sync::{Arc, AtomicRef, MVar, Ticket};
use selvedge::thread::{self, JoinHandle, Thread};
use selvedge_explore::Random;
use std::cell::RefCell;
use std::sync::{Barrier, Mutex};
use std::time::Duration;

/// An operation of a thread. The numbers are the numbers of objects, values and threads.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Put(usize, u32),
    Take(usize),
    Read(usize),
    TryPut(usize, u32),
    TryTake(usize),
    TryRead(usize),
    With(usize, Box<Op>),
    Add(usize),
    /// A transaction that retries if the variable is 0.
    TakeOne(usize),
    TakeEither(usize, usize),
    /// A transaction that writes and throws.
    AddAndThrow(usize),
    LoadRef(usize),
    StoreRef(usize, u32),
    SwapRef(usize, u32),
    ModifyRef(usize),
    TakeTicket(usize),
    ExchangeRef(usize, u32),
    Throw(u32),
    ThrowTo(usize, u32),
    Kill(usize),
    Point,
    Yield,
    Sleep,
    CatchAlarm(Vec<Op>),
    CatchKilled(Vec<Op>),
    Mask(Vec<Op>),
    Uninterruptible(Vec<Op>),
    /// Runs in the masking state from before the nearest mask.
    Restore(Vec<Op>),
}

/// The exception that programs throw beside [`Killed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alarm(u32);

/// A program: the operations of each thread.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Op>>,
    /// Is each variable full at first?
    pub(crate) is_full: [bool; OBJECTS],
    /// Do all threads but the first begin masked?
    pub(crate) begins_masked: bool,
}

/// The results of each thread, and then the final values of the objects.
pub(crate) type Values = Vec<Vec<u32>>;

/// The number of objects of each sort.
pub(crate) const OBJECTS: usize = 2;

/// The result for an empty variable.
const NOTHING: u32 = 9;

/// The state that the threads share. Explorations do not control the types of std in it, so these take no
/// steps.
struct Shared {
    vars: [MVar<u32>; OBJECTS],
    numbers: [TVar<u32>; OBJECTS],
    refs: [AtomicRef<u32>; OBJECTS],
    results: Mutex<Values>,
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// Real threads begin together at this barrier.
    start: Option<Barrier>,
}

impl Program {
    /// Runs the program: on real threads if `delays` is the seed of their delays.
    pub(crate) fn run(&self, delays: Option<u64>) -> Values {
        let count = self.threads.len();
        let shared = Arc::new(Shared {
            vars: self.is_full.map(|is_full| if is_full { MVar::new(0) } else { MVar::empty() }),
            numbers: std::array::from_fn(|_| TVar::new(0)),
            refs: std::array::from_fn(|_| AtomicRef::new(0)),
            results: Mutex::new(vec![Vec::new(); count]),
            handles: Mutex::default(),
            start: delays.map(|_| Barrier::new(count)),
        });
        let mut random = Random(delays.unwrap_or(0));
        let seeds: Vec<Option<u64>> = self.threads.iter().map(|_| delays.map(|_| random.word())).collect();
        let (program, same) = (self.clone(), shared.clone());
        let first = interrupt::spawn(move || run_first_thread(&program, &same, &seeds));
        let mut ends = vec![join_result(first)];
        let handles = std::mem::take(&mut *shared.handles.lock().expect("whole"));
        ends.extend(handles.into_iter().map(join_result));
        let mut values = std::mem::take(&mut *shared.results.lock().expect("whole"));
        values.iter_mut().zip(ends).for_each(|(results, end)| results.extend(end));
        values.push(shared.vars.iter().map(|var| var.try_read().unwrap_or(NOTHING)).collect());
        values.push(shared.numbers.iter().map(TVar::load).collect());
        values.push(shared.refs.iter().map(|reference| *reference.load()).collect());
        values
    }

    /// All programs with one operation removed, or with one scope replaced by its operations or made
    /// smaller.
    pub(crate) fn smaller(&self) -> Vec<Program> {
        let with = |thread: usize, ops: Vec<Op>| {
            let mut smaller = self.clone();
            smaller.threads[thread] = ops;
            smaller
        };
        let threads = self.threads.iter().enumerate();
        threads.flat_map(|(at, ops)| draw::smaller(ops).into_iter().map(move |ops| with(at, ops))).collect()
    }
}

/// Waits for a thread. Returns the number of the exception that ended it, if any.
fn join_result(handle: JoinHandle<()>) -> Option<u32> {
    let payload = handle.join().err()?;
    let thrown = payload.downcast::<Thrown>().expect("nothing panics");
    Some(thrown.downcast_ref::<Alarm>().map_or(100, |alarm| 100 + alarm.0))
}

/// Spawns the other threads, and then performs its own operations.
fn run_first_thread(program: &Program, shared: &Arc<Shared>, seeds: &[Option<u64>]) {
    let mut threads = vec![thread::current()];
    for (number, seed) in seeds.iter().enumerate().skip(1) {
        let (ops, same, targets, seed) =
            (program.threads[number].clone(), shared.clone(), threads.clone(), *seed);
        let work = move || ProgramThread::new(number, same, targets, seed).work(&ops);
        let spawn = || interrupt::spawn(work);
        let handle = if program.begins_masked { interrupt::mask(|_| spawn()) } else { spawn() };
        threads.push(handle.thread().clone());
        shared.handles.lock().expect("whole").push(handle);
    }
    ProgramThread::new(0, shared.clone(), threads, seeds[0]).work(&program.threads[0]);
}

/// One thread of a program. It shares its results when it is dropped, also if an exception ends it.
struct ProgramThread {
    number: usize,
    shared: Arc<Shared>,
    /// The threads that it can throw to.
    targets: Vec<Thread>,
    results: RefCell<Vec<u32>>,
    tickets: RefCell<[Option<Ticket<u32>>; OBJECTS]>,
    delays: Option<RefCell<Random>>,
}

impl Drop for ProgramThread {
    fn drop(&mut self) {
        let mut all = self.shared.results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all[self.number] = self.results.take();
    }
}

impl ProgramThread {
    fn new(number: usize, shared: Arc<Shared>, targets: Vec<Thread>, seed: Option<u64>) -> ProgramThread {
        let delays = seed.map(|seed| RefCell::new(Random(seed)));
        let (results, tickets) = (RefCell::default(), RefCell::default());
        ProgramThread { number, shared, targets, results, tickets, delays }
    }

    fn work(&self, ops: &[Op]) {
        if let Some(start) = &self.shared.start {
            start.wait();
        }
        self.perform_all(ops, None);
    }

    fn perform_all(&self, ops: &[Op], restore: Option<Restore>) {
        ops.iter().for_each(|op| self.perform(op, restore));
    }

    fn record(&self, value: u32) {
        self.results.borrow_mut().push(value);
    }

    /// On real threads, waits for a random short time.
    fn delay(&self) {
        let Some(delays) = &self.delays else { return };
        let mut random = delays.borrow_mut();
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        match below(8) {
            0 => std::thread::yield_now(),
            1 => std::thread::sleep(Duration::from_micros(below(80) as u64)),
            2..=4 => (0..below(2_000)).for_each(|_| std::hint::spin_loop()),
            _ => {}
        }
    }

    fn perform(&self, op: &Op, restore: Option<Restore>) {
        self.delay();
        match op {
            Op::CatchAlarm(ops) => {
                if let Err(alarm) = interrupt::catch::<Alarm, _>(|| self.perform_all(ops, restore)) {
                    self.record(20 + alarm.0);
                }
            }
            Op::CatchKilled(ops) => {
                if interrupt::catch::<Killed, _>(|| self.perform_all(ops, restore)).is_err() {
                    self.record(30);
                }
            }
            Op::Mask(ops) => interrupt::mask(|restore| self.perform_all(ops, Some(restore))),
            Op::Uninterruptible(ops) => {
                interrupt::uninterruptible_mask(|restore| self.perform_all(ops, Some(restore)));
            }
            Op::Restore(ops) => match restore {
                Some(restore) => restore.run(|| self.perform_all(ops, None)),
                None => self.perform_all(ops, None),
            },
            Op::With(var, op) => self.shared.vars[*var].with(|value| {
                *value += 1;
                self.perform(op, restore);
            }),
            Op::Throw(value) => interrupt::throw(Alarm(*value)),
            Op::ThrowTo(..) | Op::Kill(_) | Op::Point | Op::Yield | Op::Sleep => self.interrupt(op),
            op => self.record(self.perform_on_object(op)),
        }
    }

    fn interrupt(&self, op: &Op) {
        let target = |number: &usize| &self.targets[number % self.targets.len()];
        match op {
            Op::ThrowTo(thread, value) => interrupt::throw_to(target(thread), Alarm(*value)),
            Op::Kill(thread) => interrupt::kill(target(thread)),
            Op::Yield => interrupt::yield_now(),
            Op::Sleep => interrupt::sleep(Duration::from_micros(10)),
            _ => interrupt::point(),
        }
    }

    /// Performs an operation on an object. Returns its result.
    fn perform_on_object(&self, op: &Op) -> u32 {
        let Shared { vars, numbers, refs, .. } = &*self.shared;
        match op {
            Op::Put(var, value) => {
                vars[*var].put(*value);
                0
            }
            Op::Take(var) => vars[*var].take(),
            Op::Read(var) => vars[*var].read(),
            Op::TryPut(var, value) => vars[*var].try_put(*value).is_ok().into(),
            Op::TryTake(var) => vars[*var].try_take().unwrap_or(NOTHING),
            Op::TryRead(var) => vars[*var].try_read().unwrap_or(NOTHING),
            Op::Add(number) => atomically(|tx| add(&numbers[*number], tx)),
            Op::TakeOne(number) => atomically(|tx| take_one(&numbers[*number], tx)),
            Op::TakeEither(one, other) => atomically(|tx| {
                stm::or_else(
                    tx,
                    |tx| take_one(&numbers[*one], tx),
                    |tx| Ok(10 + take_one(&numbers[*other], tx)?),
                )
            }),
            Op::AddAndThrow(number) => atomically(|tx| {
                add(&numbers[*number], tx)?;
                stm::throw(Alarm(3))
            }),
            Op::LoadRef(at) => *refs[*at].load(),
            Op::StoreRef(at, value) => {
                refs[*at].store(*value);
                0
            }
            Op::SwapRef(at, value) => *refs[*at].swap(*value),
            Op::ModifyRef(at) => refs[*at].modify(|value| (value + 1, *value)),
            Op::TakeTicket(at) => **self.tickets.borrow_mut()[*at].insert(refs[*at].ticket()),
            Op::ExchangeRef(at, value) => self.exchange(*at, *value),
            _ => NOTHING,
        }
    }

    /// Exchanges by the thread's last ticket of that reference, or by a new ticket if there is none.
    fn exchange(&self, at: usize, value: u32) -> u32 {
        let reference = &self.shared.refs[at];
        let ticket = self.tickets.borrow_mut()[at].take().unwrap_or_else(|| reference.ticket());
        let result = reference.compare_exchange(&ticket, value);
        let observed = result.as_ref().map_or_else(|newer| **newer + 10, |new| **new);
        self.tickets.borrow_mut()[at] = Some(result.unwrap_or_else(|newer| newer));
        observed
    }
}

fn add(number: &TVar<u32>, tx: &mut Transaction) -> stm::Stm<u32> {
    number.modify(tx, |value| value + 1)?;
    number.read(tx)
}

fn take_one(number: &TVar<u32>, tx: &mut Transaction) -> stm::Stm<u32> {
    let value = number.read(tx)?;
    stm::guard(value > 0)?;
    number.write(tx, value - 1)?;
    Ok(value)
}
