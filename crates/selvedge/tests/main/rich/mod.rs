//! Small programs over `MVar`, transactions, atomic references and exceptions, drawn by chance. The same code runs them inside of explorations
//! and, with random delays, on threads of the operating system.
//!
//! The first thread begins the others, so that it knows them all, and each of them knows those before it: any two threads can
//! throw to each other, and nobody has to wait for a handle.

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

/// What a thread does. Numbers are those of objects, values and threads.
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
    /// A transaction that retries where the variable is 0.
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
    /// In the masking state that was before the nearest mask.
    Restore(Vec<Op>),
}

/// What is thrown, but for [`Killed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alarm(u32);

/// A program: what each of its threads does.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Op>>,
    /// Which variables are full in the beginning.
    pub(crate) is_full: [bool; OBJECTS],
    /// Do all but the first thread begin masked?
    pub(crate) begins_masked: bool,
}

/// What each thread saw, and then what is left in the objects.
pub(crate) type Values = Vec<Vec<u32>>;

/// So many objects of each sort there are.
pub(crate) const OBJECTS: usize = 2;

/// What is seen where there is nothing.
const NOTHING: u32 = 9;

/// What the threads share. What is std's is not watched by explorations, and takes part in no run.
struct World {
    vars: [MVar<u32>; OBJECTS],
    numbers: [TVar<u32>; OBJECTS],
    refs: [AtomicRef<u32>; OBJECTS],
    seen: Mutex<Values>,
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// Where real threads begin together.
    start: Option<Barrier>,
}

impl Program {
    /// Runs it; on real threads, with delays that this number decides.
    pub(crate) fn run(&self, delays: Option<u64>) -> Values {
        let count = self.threads.len();
        let world = Arc::new(World {
            vars: self.is_full.map(|is_full| if is_full { MVar::new(0) } else { MVar::empty() }),
            numbers: std::array::from_fn(|_| TVar::new(0)),
            refs: std::array::from_fn(|_| AtomicRef::new(0)),
            seen: Mutex::new(vec![Vec::new(); count]),
            handles: Mutex::default(),
            start: delays.map(|_| Barrier::new(count)),
        });
        let mut random = Random(delays.unwrap_or(0));
        let seeds: Vec<Option<u64>> = self.threads.iter().map(|_| delays.map(|_| random.word())).collect();
        let (program, same) = (self.clone(), world.clone());
        let first = interrupt::spawn(move || first_thread(&program, &same, &seeds));
        let mut ends = vec![ended(first)];
        let handles = std::mem::take(&mut *world.handles.lock().expect("whole"));
        ends.extend(handles.into_iter().map(ended));
        let mut values = std::mem::take(&mut *world.seen.lock().expect("whole"));
        values.iter_mut().zip(ends).for_each(|(seen, end)| seen.extend(end));
        values.push(world.vars.iter().map(|var| var.try_read().unwrap_or(NOTHING)).collect());
        values.push(world.numbers.iter().map(TVar::load).collect());
        values.push(world.refs.iter().map(|reference| *reference.load()).collect());
        values
    }

    /// All programs with one operation less, or with what one does outside of it.
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

/// Waits for a thread; says what ended it if it did not return.
fn ended(handle: JoinHandle<()>) -> Option<u32> {
    let payload = handle.join().err()?;
    let thrown = payload.downcast::<Thrown>().expect("nothing panics");
    Some(thrown.downcast_ref::<Alarm>().map_or(100, |alarm| 100 + alarm.0))
}

/// Begins the others, and does what is its own.
fn first_thread(program: &Program, world: &Arc<World>, seeds: &[Option<u64>]) {
    let mut threads = vec![thread::current()];
    for (number, seed) in seeds.iter().enumerate().skip(1) {
        let (ops, same, others, seed) =
            (program.threads[number].clone(), world.clone(), threads.clone(), *seed);
        let work = move || Worker::new(number, same, others, seed).work(&ops);
        let spawn = || interrupt::spawn(work);
        let handle = if program.begins_masked { interrupt::mask(|_| spawn()) } else { spawn() };
        threads.push(handle.thread().clone());
        world.handles.lock().expect("whole").push(handle);
    }
    Worker::new(0, world.clone(), threads, seeds[0]).work(&program.threads[0]);
}

/// One thread at work. What it has seen is told when it is dropped, also where an exception ends it.
struct Worker {
    number: usize,
    world: Arc<World>,
    /// Those that it can throw to.
    others: Vec<Thread>,
    seen: RefCell<Vec<u32>>,
    tickets: RefCell<[Option<Ticket<u32>>; OBJECTS]>,
    delays: Option<RefCell<Random>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut all = self.world.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all[self.number] = self.seen.take();
    }
}

impl Worker {
    fn new(number: usize, world: Arc<World>, others: Vec<Thread>, seed: Option<u64>) -> Worker {
        let delays = seed.map(|seed| RefCell::new(Random(seed)));
        Worker { number, world, others, seen: RefCell::default(), tickets: RefCell::default(), delays }
    }

    fn work(&self, ops: &[Op]) {
        if let Some(start) = &self.world.start {
            start.wait();
        }
        self.do_all(ops, None);
    }

    fn do_all(&self, ops: &[Op], restore: Option<Restore>) {
        ops.iter().for_each(|op| self.perform(op, restore));
    }

    fn see(&self, value: u32) {
        self.seen.borrow_mut().push(value);
    }

    /// On real threads, something takes a while.
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
                if let Err(alarm) = interrupt::catch::<Alarm, _>(|| self.do_all(ops, restore)) {
                    self.see(20 + alarm.0);
                }
            }
            Op::CatchKilled(ops) => {
                if interrupt::catch::<Killed, _>(|| self.do_all(ops, restore)).is_err() {
                    self.see(30);
                }
            }
            Op::Mask(ops) => interrupt::mask(|restore| self.do_all(ops, Some(restore))),
            Op::Uninterruptible(ops) => {
                interrupt::uninterruptible_mask(|restore| self.do_all(ops, Some(restore)));
            }
            Op::Restore(ops) => match restore {
                Some(restore) => restore.run(|| self.do_all(ops, None)),
                None => self.do_all(ops, None),
            },
            Op::With(var, op) => self.world.vars[*var].with(|value| {
                *value += 1;
                self.perform(op, restore);
            }),
            Op::Throw(value) => interrupt::throw(Alarm(*value)),
            Op::ThrowTo(..) | Op::Kill(_) | Op::Point | Op::Yield | Op::Sleep => self.interrupt(op),
            op => self.see(self.observe(op)),
        }
    }

    fn interrupt(&self, op: &Op) {
        let other = |number: &usize| &self.others[number % self.others.len()];
        match op {
            Op::ThrowTo(thread, value) => interrupt::throw_to(other(thread), Alarm(*value)),
            Op::Kill(thread) => interrupt::kill(other(thread)),
            Op::Yield => interrupt::yield_now(),
            Op::Sleep => interrupt::sleep(Duration::from_micros(10)),
            _ => interrupt::point(),
        }
    }

    /// Does an operation on an object. Returns what came of it.
    fn observe(&self, op: &Op) -> u32 {
        let World { vars, numbers, refs, .. } = &*self.world;
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

    /// By the thread's last ticket of that reference; without any, by one taken for it.
    fn exchange(&self, at: usize, value: u32) -> u32 {
        let reference = &self.world.refs[at];
        let ticket = self.tickets.borrow_mut()[at].take().unwrap_or_else(|| reference.ticket());
        let result = reference.compare_exchange(&ticket, value);
        let seen = result.as_ref().map_or_else(|found| **found + 10, |new| **new);
        self.tickets.borrow_mut()[at] = Some(result.unwrap_or_else(|found| found));
        seen
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
