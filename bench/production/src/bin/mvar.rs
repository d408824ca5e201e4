//! `MVar` beside a mutex with condition variables, and a rendezvous channel.
//!
//! `cargo run --release -p selvedge-bench-production --bin mvar` in `bench/`. The contestants take turns in
//! each round, and the best round of each counts: other work on the machine only makes a round slower.

use selvedge::sync::MVar;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Instant;

const ROUNDS: usize = 60;

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

/// Nanoseconds for each of so many operations.
fn measure(work: Work, count: u64) -> f64 {
    let start = Instant::now();
    work(count);
    start.elapsed().as_nanos() as f64 / count as f64
}

fn line(name: &str, count: u64, contestants: &[Option<Work>; 3]) {
    let mut best = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for (best, work) in best.iter_mut().zip(contestants) {
            if let Some(work) = work {
                *best = measure(*work, count).min(*best);
            }
        }
    }
    let [ours, std, channel] = best;
    let (channel, beside) = match contestants[2] {
        Some(_) => (format!("{channel:.0}"), format!("{:.2}", ours / channel)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    println!("{name:<24}{ours:>9.0}{std:>9.0}{:>7.2}{channel:>10}{beside:>7}", ours / std);
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

fn main() {
    println!("ns per hand-over         MVar      std  ratio   channel  ratio");
    line(
        "alone",
        50_000,
        &without_channel([Some(alone::<MVar<u64>>), Some(alone::<MutexAndCondvars>), None]),
    );
    line("ping-pong", 2_000, &contestants!(ping_pong));
    line("1 puts, 1 takes", 4_000, &contestants!(crowd, 1));
    line("2 put, 2 take", 4_000, &contestants!(crowd, 2));
    line("4 put, 4 take", 4_000, &contestants!(crowd, 4));
    line("counter, 2 threads", 10_000, &without_channel(contestants!(counter, 2)));
    line("counter, 4 threads", 10_000, &without_channel(contestants!(counter, 4)));
    let best = (0..ROUNDS).map(|_| measure(points, 1_000_000)).fold(f64::INFINITY, f64::min);
    println!("an interruption point where nothing waits: {best:.1} ns");
}
