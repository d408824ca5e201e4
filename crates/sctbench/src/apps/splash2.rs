//! barnes, fft, lu: numerical programs with barriers (SPLASH-2).
//!
//! Main and one worker compute in phases. The bug: the macro that should wait for the end of the workers is
//! empty, so main can assert that all have finished before they have. Without it, main waits. Left out: the
//! numbers. The phases are those of the programs: barnes builds a tree under locks, computes forces and
//! moves bodies in each step of time; fft has three transpositions between barriers; lu has two barriers
//! for each block of the diagonal.

use crate::parts::{Racy, join_one, lock, spawn};
use crate::{Failure, Program, Suite};
use selvedge::sync::{Barrier, Mutex};
use std::sync::Arc;

pub(crate) const SPLASH2: [Program; 3] = [
    program("barnes", 4449, || run(barnes, false), || run(barnes, true)),
    program("fft", 152, || run(fft, false), || run(fft, true)),
    program("lu", 140, || run(lu, false), || run(lu, true)),
];

const fn program(name: &'static str, steps: usize, buggy: fn(), correct: fn()) -> Program {
    Program { name, suite: Suite::Splash2, threads: 2, steps, failure: Failure::Assertion, buggy, correct }
}

const WORKERS: usize = 2;
const TIME_STEPS: usize = 4;
const BODIES: usize = 4;
const CELLS: usize = 2;
const TRANSPOSITIONS: usize = 3;
const BLOCKS: usize = 4;

struct Shared {
    barrier: Barrier,
    cells: [Mutex<usize>; CELLS],
    numbers: Mutex<usize>,
    finished: Racy,
}

fn barnes(shared: &Shared, worker: usize) {
    for _ in 0..TIME_STEPS {
        for body in 0..BODIES {
            *lock(&shared.cells[(worker + body) % CELLS]) += 1;
        }
        shared.barrier.wait();
        *lock(&shared.numbers) += 1;
        shared.barrier.wait();
    }
}

fn fft(shared: &Shared, _worker: usize) {
    for _ in 0..TRANSPOSITIONS {
        *lock(&shared.numbers) += 1;
        shared.barrier.wait();
    }
}

fn lu(shared: &Shared, _worker: usize) {
    for _ in 0..BLOCKS {
        shared.barrier.wait();
        *lock(&shared.numbers) += 1;
        shared.barrier.wait();
    }
}

fn run(compute: fn(&Shared, usize), waits: bool) {
    let shared = Arc::new(Shared {
        barrier: Barrier::new(WORKERS),
        cells: std::array::from_fn(|_| Mutex::new(0)),
        numbers: Mutex::new(0),
        finished: Racy::new(0),
    });
    let worker = spawn(&shared, move |shared| {
        compute(shared, 1);
        shared.finished.set(1);
    });
    compute(&shared, 0);
    if waits {
        join_one(worker);
    }
    assert_eq!(shared.finished.get(), 1, "a worker has not finished");
}
