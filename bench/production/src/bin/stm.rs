//! Transactions per second, beside the crate `stm` and one mutex over everything.
//!
//! `cargo run --release -p selvedge-bench-production --bin stm` in `bench/`. The state is 64 numbers. A
//! short transaction touches two of them at random; a long one reads all and, if it writes, writes every
//! fourth. In *read-mostly* work one transaction of ten writes, in *write-heavy* work nine of ten. Each
//! figure is the best of several rounds, in which the three contestants take turns, since machines are
//! noisy.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// The numbers of the state.
const SIZE: usize = 64;

/// The rounds of each contestant.
const ROUNDS: usize = 7;

/// The time of one round.
const ROUND: Duration = Duration::from_millis(60);

/// A state that transactions read and change.
trait State: Sync {
    /// The sum of the numbers at these indices.
    fn sum(&self, indices: &[usize]) -> u64;
    /// Reads the numbers at these indices and adds one to the first of every so many; returns their sum.
    fn add(&self, indices: &[usize], every: usize) -> u64;
}

struct SelvedgeState(Vec<selvedge::stm::TVar<u64>>);
struct StmState(Vec<stm::TVar<u64>>);
struct LockedState(Mutex<Vec<u64>>);

impl State for SelvedgeState {
    fn sum(&self, indices: &[usize]) -> u64 {
        selvedge::stm::atomically(|tx| {
            let mut sum = 0;
            for index in indices {
                sum += self.0[*index].read(tx)?;
            }
            Ok(sum)
        })
    }

    fn add(&self, indices: &[usize], every: usize) -> u64 {
        selvedge::stm::atomically(|tx| {
            let mut sum = 0;
            for (number, index) in indices.iter().enumerate() {
                let value = self.0[*index].read(tx)?;
                sum += value;
                if number % every == 0 {
                    self.0[*index].write(tx, value + 1)?;
                }
            }
            Ok(sum)
        })
    }
}

impl State for StmState {
    fn sum(&self, indices: &[usize]) -> u64 {
        stm::atomically(|tx| {
            let mut sum = 0;
            for index in indices {
                sum += self.0[*index].read(tx)?;
            }
            Ok(sum)
        })
    }

    fn add(&self, indices: &[usize], every: usize) -> u64 {
        stm::atomically(|tx| {
            let mut sum = 0;
            for (number, index) in indices.iter().enumerate() {
                let value = self.0[*index].read(tx)?;
                sum += value;
                if number % every == 0 {
                    self.0[*index].write(tx, value + 1)?;
                }
            }
            Ok(sum)
        })
    }
}

impl State for LockedState {
    fn sum(&self, indices: &[usize]) -> u64 {
        let state = self.0.lock().expect("whole");
        indices.iter().map(|index| state[*index]).sum()
    }

    fn add(&self, indices: &[usize], every: usize) -> u64 {
        let mut state = self.0.lock().expect("whole");
        let sum = indices.iter().map(|index| state[*index]).sum();
        indices.iter().step_by(every).for_each(|index| state[*index] += 1);
        sum
    }
}

/// A mix of transactions.
#[derive(Clone, Copy)]
struct Work {
    name: &'static str,
    is_long: bool,
    /// So many of ten transactions write.
    writes: u64,
}

const WORKS: [Work; 4] = [
    Work { name: "short, read-mostly", is_long: false, writes: 1 },
    Work { name: "short, write-heavy", is_long: false, writes: 9 },
    Work { name: "long, read-mostly", is_long: true, writes: 1 },
    Work { name: "long, write-heavy", is_long: true, writes: 9 },
];

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    println!(
        "{:19} {:>7} | {:>11} {:>11} {:>6} | {:>11} {:>6}",
        "work", "threads", "selvedge/s", "stm/s", "ratio", "mutex/s", "ratio"
    );
    for work in WORKS.iter().filter(|work| work.name.contains(&wanted)) {
        for threads in [1, 2, 4] {
            measure(*work, threads);
        }
    }
}

/// Measures one line and prints it.
fn measure(work: Work, threads: u64) {
    let states: [Box<dyn State>; 3] = [
        Box::new(SelvedgeState((0..SIZE).map(|_| selvedge::stm::TVar::new(0)).collect())),
        Box::new(StmState((0..SIZE).map(|_| stm::TVar::new(0)).collect())),
        Box::new(LockedState(Mutex::new(vec![0; SIZE]))),
    ];
    let mut best = [0.0_f64; 3];
    for _ in 0..ROUNDS {
        for (best, state) in best.iter_mut().zip(&states) {
            *best = best.max(per_second(work, threads, &**state));
        }
    }
    let [ours, theirs, locked] = best;
    println!(
        "{:19} {threads:>7} | {ours:>11.0} {theirs:>11.0} {:>6.2} | {locked:>11.0} {:>6.2}",
        work.name,
        ours / theirs,
        ours / locked
    );
}

/// Transactions per second of all threads together.
fn per_second(work: Work, threads: u64, state: &dyn State) -> f64 {
    let (is_over, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let started = Instant::now();
    thread::scope(|scope| {
        for seed in 1..=threads {
            let (is_over, count) = (&is_over, &count);
            scope.spawn(move || count.fetch_add(run_transactions(work, seed, state, is_over), Relaxed));
        }
        thread::sleep(ROUND);
        is_over.store(true, Relaxed);
    });
    count.into_inner() as f64 / started.elapsed().as_secs_f64()
}

/// Runs transactions until the round is over; returns their number.
fn run_transactions(work: Work, seed: u64, state: &dyn State, is_over: &AtomicBool) -> u64 {
    let all: Vec<usize> = (0..SIZE).collect();
    let (mut random, mut count) = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), 0);
    while !is_over.load(Relaxed) {
        // Marsaglia's xorshift.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let two = [(random >> 8) as usize % SIZE, (random >> 20) as usize % SIZE];
        let (indices, every) = if work.is_long { (&all[..], 4) } else { (&two[..], 1) };
        let sum =
            if (random >> 40) % 10 < work.writes { state.add(indices, every) } else { state.sum(indices) };
        std::hint::black_box(sum);
        count += 1;
    }
    count
}
