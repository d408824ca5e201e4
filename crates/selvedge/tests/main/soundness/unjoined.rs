//! Threads that are never joined, and a body that reads what it and they have stored: the reduction finds
//! what the exhaustive strategy finds, although a run ends with stores that are never committed.
//!
//! The body itself stores and loads here, so that it reads its own stores from its buffer, and other threads
//! copy values, so that it is observed when they read.

use super::traces::TraceCounter;
use super::{check_equal, count, explorer, seed};
use selvedge::sync::Arc;
use selvedge::sync::atomic::AtomicU32;
use selvedge::sync::atomic::Ordering::{self, Relaxed, Release, SeqCst};
use selvedge::{MemoryModel, Strategy, thread};
use selvedge_explore::Random;

/// An operation on atomics, by their numbers.
#[derive(Clone, Debug)]
enum Op {
    Load(usize, Ordering),
    Store(usize, u32, Ordering),
    Swap(usize, u32),
    /// Loads the first and stores its value in the second.
    Copy(usize, usize),
}

impl Op {
    fn draw(random: &mut Random, objects: usize) -> Op {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let (object, other, value) = (below(objects), below(objects), below(2) as u32 + 1);
        match below(10) {
            0..3 => Op::Load(object, [Relaxed, SeqCst][below(2)]),
            3..7 => Op::Store(object, value, [Relaxed, Relaxed, Release, SeqCst][below(4)]),
            7 => Op::Swap(object, value),
            _ => Op::Copy(object, other),
        }
    }

    /// Executes the operation. Returns what it observes.
    fn execute(&self, atomics: &[AtomicU32; 2]) -> Option<u32> {
        match self {
            Op::Load(object, order) => Some(atomics[*object].load(*order)),
            Op::Store(object, value, order) => {
                atomics[*object].store(*value, *order);
                None
            }
            Op::Swap(object, value) => Some(atomics[*object].swap(*value, SeqCst)),
            Op::Copy(from, to) => {
                let value = atomics[*from].load(SeqCst);
                atomics[*to].store(value, Relaxed);
                Some(value)
            }
        }
    }
}

/// The operations of the body, and of each thread that it spawns at first.
#[derive(Clone, Debug)]
struct Program {
    body: Vec<Op>,
    threads: Vec<Vec<Op>>,
}

impl Program {
    /// The body stores and loads at last.
    fn draw(random: &mut Random) -> Program {
        let mut below = |bound: usize| random.below(bound).unwrap_or(0);
        let (objects, threads) = (below(2) + 1, below(2) + 1);
        let (object, last, value) = (below(objects), below(objects), below(2) as u32 + 1);
        let mut ops = |most: usize| -> Vec<Op> {
            (0..random.below(most + 1).unwrap_or(0)).map(|_| Op::draw(random, objects)).collect()
        };
        let mut body = ops(3);
        body.extend([Op::Store(object, value, Relaxed), Op::Load(last, Relaxed)]);
        let threads = (0..threads).map(|_| ops(4 - threads));
        Program { threads: threads.collect(), body }
    }

    /// Returns what the body observes. It is the first to use each atomic, so that atomics have the same
    /// numbers in all runs.
    fn run(&self) -> Vec<u32> {
        let atomics = Arc::new([const { AtomicU32::new(0) }; 2]);
        for atomic in &*atomics {
            atomic.load(Relaxed);
        }
        for ops in &self.threads {
            let (atomics, ops) = (atomics.clone(), ops.clone());
            thread::spawn(move || {
                for op in &ops {
                    op.execute(&atomics);
                }
            });
        }
        self.body.iter().filter_map(|op| op.execute(&atomics)).collect()
    }

    /// All programs with one operation less.
    fn smaller(&self) -> Vec<Program> {
        let mut smaller = Vec::new();
        for at in 0..self.body.len() {
            let mut program = self.clone();
            program.body.remove(at);
            smaller.push(program);
        }
        for (thread, ops) in self.threads.iter().enumerate() {
            for at in 0..ops.len() {
                let mut program = self.clone();
                program.threads[thread].remove(at);
                smaller.push(program);
            }
        }
        smaller
    }
}

/// Compares outcomes with runs that end with the return of the body, and the number of runs with the number
/// of traces of runs that go on. `Ok`: was the program small enough to be compared?
fn compare(program: &Program, memory: MemoryModel, max_runs: u64) -> Result<bool, String> {
    let explorer = || explorer().memory(memory);
    let exhaustive = explorer().strategy(Strategy::exhaustive()).max_executions(max_runs);
    let exhaustive = exhaustive.explore(|| program.run());
    if exhaustive.limit().is_some() {
        return Ok(false);
    }
    let report = explorer().strategy(Strategy::systematic()).explore(|| program.run());
    let [found, expected] = [&report, &exhaustive].map(|report| report.values().collect::<Vec<_>>());
    check_equal("values, by the reduction and by brute force", &found, &expected)?;
    check_equal("completeness", &report.is_complete(), &true)?;
    let (counting, traces) = TraceCounter::going_on();
    let all = explorer().strategy(Strategy::custom(counting)).max_executions(4 * max_runs);
    if all.explore(|| program.run()).limit().is_none() {
        let (runs, traces) = (report.executions(), traces.lock().expect("not poisoned").len());
        check_equal("runs, at most one for each trace", &runs, &runs.min(traces))?;
    }
    let figures = report.figures().expect("figures");
    check_equal("runs in vain", &(figures.sleep_set_blocked, figures.infeasible_reversals), &(0, 0))?;
    Ok(true)
}

#[test]
fn the_reduction_finds_what_a_body_reads_of_threads_that_are_never_joined() {
    for (number, memory) in (90..).zip([MemoryModel::Tso, MemoryModel::Pso]) {
        let mut random = Random(seed(number));
        let mut compared = 0;
        while compared < count(400) {
            let mut program = Program::draw(&mut random);
            match compare(&program, memory, 2_000) {
                Ok(is_compared) => compared += usize::from(is_compared),
                Err(mut difference) => {
                    while let Some((smaller, error)) = program.smaller().into_iter().find_map(|smaller| {
                        compare(&smaller, memory, 2_000).err().map(|error| (smaller, error))
                    }) {
                        (program, difference) = (smaller, error);
                    }
                    panic!("seed {}, {memory:?}: {program:?}\n{difference}", seed(number));
                }
            }
        }
    }
}
