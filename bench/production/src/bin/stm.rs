//! Transactions per second of computing time, beside the crate `stm` and one mutex over everything.
//!
//! `cargo run --release -p selvedge-bench-production --bin stm` in `bench/` fills the table of
//! `RESULTS-stm.md`. The state is 64 numbers. A short transaction touches two of them at random; a long one
//! reads all and, if it writes, writes every fourth. In *read-mostly* work one transaction of ten writes, in
//! *write-heavy* work nine of ten. The computing time is that of all threads together: what a retry or a
//! wake-up costs counts, waiting does not.

use selvedge_bench_harness::machine::crate_version;
use selvedge_bench_harness::{Clock, Plan, Run, Samples, Table, number, take_turns};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// The numbers of the state.
const SIZE: usize = 64;

/// The time of one repetition, by the clock.
const ROUND: Duration = Duration::from_millis(100);

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

const COLUMNS: [&str; 9] = [
    "work",
    "threads",
    "transactions/s by stm's",
    "spread",
    "transactions/s by the mutex's",
    "mutex spread",
    "transactions/s",
    "stm's",
    "the mutex's",
];

fn main() -> ExitCode {
    let mut run = Run::begin(Plan::from_arguments(), "RESULTS-stm.md");
    run.head("run", &[crate_version("stm")]);
    let mut table = Table::new("stm", &COLUMNS);
    for work in WORKS {
        for threads in [1, 2, 4] {
            let states: [Box<dyn State>; 3] = [
                Box::new(SelvedgeState((0..SIZE).map(|_| selvedge::stm::TVar::new(0)).collect())),
                Box::new(StmState((0..SIZE).map(|_| stm::TVar::new(0)).collect())),
                Box::new(LockedState(Mutex::new(vec![0; SIZE]))),
            ];
            table.row(row(work, threads, &states, run.plan.repetitions));
        }
    }
    for (name, state) in [("selvedge", same_answer(Kind::Selvedge)), ("stm", same_answer(Kind::Stm))] {
        run.same(
            &format!("the sums after a thousand transactions, {name}"),
            &state,
            &same_answer(Kind::Locked),
        );
    }
    run.table(&table);
    run.finish()
}

/// Measures one line.
fn row(work: Work, threads: u64, states: &[Box<dyn State>; 3], repetitions: usize) -> Vec<String> {
    let [ours, theirs, locked] = states;
    let measured = take_turns(
        repetitions,
        &mut [
            &mut || per_second(work, threads, &**ours),
            &mut || per_second(work, threads, &**theirs),
            &mut || per_second(work, threads, &**locked),
        ],
    );
    let rates: Vec<Samples> = measured.into_iter().map(Samples::from_iter).collect();
    let mut cells = vec![work.name.to_owned(), threads.to_string()];
    cells.extend(Table::ratio(&rates[0].over(&rates[1])));
    cells.extend(Table::ratio(&rates[0].over(&rates[2])));
    cells.extend(rates.iter().map(|rate| number(rate.median())));
    cells
}

/// A contestant.
enum Kind {
    Selvedge,
    Stm,
    Locked,
}

/// The sum of all numbers after a thousand transactions of one thread, which all contestants agree on.
fn same_answer(kind: Kind) -> u64 {
    let state: Box<dyn State> = match kind {
        Kind::Selvedge => Box::new(SelvedgeState((0..SIZE).map(|_| selvedge::stm::TVar::new(0)).collect())),
        Kind::Stm => Box::new(StmState((0..SIZE).map(|_| stm::TVar::new(0)).collect())),
        Kind::Locked => Box::new(LockedState(Mutex::new(vec![0; SIZE]))),
    };
    let all: Vec<usize> = (0..SIZE).collect();
    for number in 0..1000 {
        state.add(&all[number % SIZE..], 1 + number % 5);
    }
    state.sum(&all)
}

/// Transactions for each second that the threads compute.
fn per_second(work: Work, threads: u64, state: &dyn State) -> f64 {
    let (is_over, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let ((), computed) = Clock::Process.time(|| {
        thread::scope(|scope| {
            for seed in 1..=threads {
                let (is_over, count) = (&is_over, &count);
                scope.spawn(move || count.fetch_add(run_transactions(work, seed, state, is_over), Relaxed));
            }
            thread::sleep(ROUND);
            is_over.store(true, Relaxed);
        });
    });
    count.into_inner() as f64 / computed
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
