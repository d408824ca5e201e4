//! `MVar` beside a mutex with condition variables, and a rendezvous channel.
//!
//! `cargo run --release -p selvedge-bench-production --bin mvar` in `bench/` fills the table of
//! `RESULTS-production.md`. A repetition has several rounds in which the contestants take turns. Time is the
//! computing time of all threads: parking and waking count as far as the system computes for them, the
//! latency of a sleeping core does not.

use selvedge::sync::MVar;
use selvedge_bench_harness::machine::crate_version;
use selvedge_bench_harness::{Clock, Plan, Run, Samples, Table, number, take_turns};
use std::process::ExitCode;
use std::sync::{Condvar, Mutex};
use std::thread;

/// A repetition has so many rounds.
const ROUNDS: u64 = 10;

/// A variable that hands values from one thread to another.
trait HandOver: Sync {
    fn new() -> Self;
    fn put(&self, value: u64);
    fn take(&self) -> u64;
}

impl HandOver for MVar<u64> {
    fn new() -> Self {
        MVar::empty()
    }

    fn put(&self, value: u64) {
        MVar::put(self, value);
    }

    fn take(&self) -> u64 {
        MVar::take(self)
    }
}

/// The same with a mutex and two condition variables of the standard library.
struct MutexAndCondvars {
    value: Mutex<Option<u64>>,
    was_filled: Condvar,
    was_emptied: Condvar,
}

impl HandOver for MutexAndCondvars {
    fn new() -> Self {
        MutexAndCondvars { value: Mutex::new(None), was_filled: Condvar::new(), was_emptied: Condvar::new() }
    }

    fn put(&self, value: u64) {
        let mut slot = self.was_emptied.wait_while(self.value.lock().unwrap(), |it| it.is_some()).unwrap();
        *slot = Some(value);
        drop(slot);
        self.was_filled.notify_one();
    }

    fn take(&self) -> u64 {
        let mut slot = self.was_filled.wait_while(self.value.lock().unwrap(), |it| it.is_none()).unwrap();
        let value = slot.take().unwrap();
        drop(slot);
        self.was_emptied.notify_one();
        value
    }
}

struct Channel(crossbeam_channel::Sender<u64>, crossbeam_channel::Receiver<u64>);

impl HandOver for Channel {
    fn new() -> Self {
        let (sender, receiver) = crossbeam_channel::bounded(0);
        Channel(sender, receiver)
    }

    fn put(&self, value: u64) {
        self.0.send(value).unwrap();
    }

    fn take(&self) -> u64 {
        self.1.recv().unwrap()
    }
}

/// One thread puts and takes.
fn alone<P: HandOver>(count: u64) {
    let variable = P::new();
    for value in 0..count {
        variable.put(value);
        assert_eq!(variable.take(), value);
    }
}

/// Two threads and two variables: there and back.
fn ping_pong<P: HandOver>(count: u64) {
    let (there, back) = (P::new(), P::new());
    thread::scope(|scope| {
        scope.spawn(|| (0..count).for_each(|_| back.put(there.take() + 1)));
        for value in 0..count {
            there.put(value);
            assert_eq!(back.take(), value + 1);
        }
    });
}

/// So many threads put into one variable, and as many threads take.
fn crowd<P: HandOver, const PAIRS: u64>(count: u64) {
    let variable = P::new();
    let each = count / PAIRS;
    let taken: u64 = thread::scope(|scope| {
        let takers: Vec<_> =
            (0..PAIRS).map(|_| scope.spawn(|| (0..each).map(|_| variable.take()).sum::<u64>())).collect();
        (0..PAIRS).for_each(|_| {
            scope.spawn(|| (0..each).for_each(|value| variable.put(value)));
        });
        takers.into_iter().map(|taker| taker.join().unwrap()).sum()
    });
    assert_eq!(taken, PAIRS * each * (each - 1) / 2);
}

/// So many threads take, increment and put: the variable as a lock.
fn counter<P: HandOver, const THREADS: u64>(count: u64) {
    let variable = P::new();
    variable.put(0);
    let each = count / THREADS;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..each).for_each(|_| variable.put(variable.take() + 1)));
        }
    });
    assert_eq!(variable.take(), THREADS * each);
}

type Work = fn(u64);

/// Nanoseconds of computing for each of so many operations.
fn measure(work: Work, count: u64) -> f64 {
    let ((), seconds) = Clock::Process.time(|| (0..ROUNDS).for_each(|_| work(count)));
    seconds * 1e9 / (count * ROUNDS) as f64
}

fn row(name: &str, count: u64, contestants: &[Option<Work>; 3], repetitions: usize) -> Vec<String> {
    let mut measures: Vec<Box<dyn FnMut() -> f64>> = Vec::new();
    for work in contestants.iter().flatten() {
        let work = *work;
        measures.push(Box::new(move || measure(work, count)));
    }
    let mut turns: Vec<&mut dyn FnMut() -> f64> =
        measures.iter_mut().map(|measure| &mut **measure as &mut dyn FnMut() -> f64).collect();
    let measured = take_turns(repetitions, &mut turns);
    let times: Vec<Samples> = measured.into_iter().map(Samples::from_iter).collect();
    let ratio = |at: usize| match times.get(at) {
        Some(peer) => Table::ratio(&times[0].over(peer)),
        None => [String::new(), String::new()],
    };
    let median = |at: usize| times.get(at).map_or(String::new(), |times| number(times.median()));
    let mut cells = vec![name.to_owned()];
    cells.extend([ratio(1), ratio(2)].into_iter().flatten());
    cells.extend([median(0), median(1), median(2)]);
    cells
}

macro_rules! contestants {
    ($work:ident $(, $more:literal)?) => {
        [Some($work::<MVar<u64> $(, $more)?> as Work), Some($work::<MutexAndCondvars $(, $more)?>), Some($work::<Channel $(, $more)?>)]
    };
}

/// The cost of an interruption point without a pending exception; every operation of an `MVar` is one.
fn points(count: u64) {
    (0..count).for_each(|_| selvedge::interrupt::point());
}

fn without_channel([ours, std, _]: [Option<Work>; 3]) -> [Option<Work>; 3] {
    [ours, std, None]
}

const COLUMNS: [&str; 8] = [
    "work",
    "time by std's",
    "spread",
    "time by the channel's",
    "channel spread",
    "ns for a value",
    "std's ns",
    "the channel's ns",
];

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-production.md");
    run.head("run", &[crate_version("crossbeam-channel")]);
    let alone = without_channel([Some(alone::<MVar<u64>>), Some(alone::<MutexAndCondvars>), None]);
    let rows: [(&str, u64, [Option<Work>; 3]); 7] = [
        ("alone", 50_000, alone),
        ("ping-pong", 2_000, contestants!(ping_pong)),
        ("1 puts, 1 takes", 4_000, contestants!(crowd, 1)),
        ("2 put, 2 take", 4_000, contestants!(crowd, 2)),
        ("4 put, 4 take", 4_000, contestants!(crowd, 4)),
        ("counter, 2 threads", 10_000, without_channel(contestants!(counter, 2))),
        ("counter, 4 threads", 10_000, without_channel(contestants!(counter, 4))),
    ];
    let mut table = Table::new("mvar", &COLUMNS);
    for (name, count, contestants) in &rows {
        table.row(row(name, *count, contestants, run.plan.repetitions));
    }
    run.table(&table);
    let points: Samples = (0..run.plan.repetitions).map(|_| measure(points, 1_000_000)).collect();
    run.fill("point", &format!("An interruption point where nothing waits: {} ns.", number(points.median())));
    run.finish()
}
