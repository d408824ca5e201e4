//! One run for each Mazurkiewicz trace, in programs with known numbers of traces.
//!
//! Brute force and an optimal model checker for C agree on the numbers. Memory is sequentially consistent
//! unless a test names another model. Several workers make as many runs as a single worker.

#![cfg(feature = "check")]

use selvedge_testkit::scaling;

use scaling::{filesystem, indexer, lastzero, readers_of_one, together};
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy, thread};
use std::collections::BTreeMap;

const SC: Ordering = Ordering::SeqCst;

/// Explores completely, and checks that no run was redundant. Returns the number of runs, and the length of
/// a run for each outcome.
#[track_caller]
fn explore<T>(body: impl Fn() -> T + Send + Sync) -> (usize, BTreeMap<Outcome<T>, usize>)
where
    T: Ord + Clone + std::fmt::Debug + Send + 'static,
{
    let report = Explorer::new().memory(MemoryModel::Sc).strategy(Strategy::systematic()).explore(&body);
    assert!(report.is_complete(), "{report}");
    let figures = report.figures().expect("figures of a reduction");
    assert_eq!((figures.sleep_set_blocked, figures.infeasible_reversals), (0, 0), "{report}");
    assert_eq!(figures.runs as usize, report.executions());
    for workers in [2, 3, 4].into_iter().filter(|_| report.executions() < 10_000) {
        let many = Explorer::new().memory(MemoryModel::Sc).workers(workers).explore(&body);
        assert_eq!(many.executions(), report.executions(), "{workers} workers: {many}");
        assert!(many.is_complete() && many.outcomes().keys().eq(report.outcomes().keys()), "{many}");
    }
    (
        report.executions(),
        report.outcomes().iter().map(|(outcome, trace)| (outcome.clone(), trace.len())).collect(),
    )
}

/// The number of runs.
#[track_caller]
fn runs<T>(body: impl Fn() -> T + Send + Sync) -> usize
where
    T: Ord + Clone + std::fmt::Debug + Send + 'static,
{
    explore(body).0
}

fn inc(threads: usize, times: usize) {
    let x = AtomicUsize::new(0);
    together(threads, |_| {
        for _ in 0..times {
            let read = x.load(SC);
            x.store(read + 1, SC);
        }
    });
}

#[test]
fn increments_by_load_and_store_take_one_run_per_trace() {
    for (threads, times, expected) in
        [(2, 1, 4), (2, 2, 34), (2, 3, 328), (3, 1, 36), (3, 2, 7134), (4, 1, 576)]
    {
        assert_eq!(runs(|| inc(threads, times)), expected, "inc({threads}, {times})");
    }
}

#[test]
fn atomic_increments_take_one_run_per_trace() {
    for (threads, expected) in [(3, 6), (4, 24)] {
        let body = || {
            let x = AtomicUsize::new(0);
            together(threads, |_| {
                x.fetch_add(1, SC);
            });
        };
        assert_eq!(runs(body), expected, "fetch_add({threads})");
    }
}

#[test]
fn increments_under_a_lock_take_one_run_per_trace() {
    for (threads, times, expected) in [(2, 1, 2), (3, 1, 6), (3, 2, 90), (4, 1, 24)] {
        let body = || {
            let x = Mutex::new(0);
            together(threads, |_| (0..times).for_each(|_| *x.lock().unwrap() += 1));
        };
        assert_eq!(runs(body), expected, "mutex({threads}, {times})");
    }
}

/// Three philosophers have one meal each. `forks` holds the first and the second fork of each philosopher.
fn philosophers(forks: [(usize, usize); 3]) {
    let table: [Mutex<()>; 3] = std::array::from_fn(|_| Mutex::new(()));
    together(3, |number| {
        let (first, second) = forks[number];
        let _first = table[first].lock().unwrap();
        let _second = table[second].lock().unwrap();
    });
}

#[test]
fn philosophers_with_ordered_forks_take_one_run_per_trace() {
    assert_eq!(explore(|| philosophers([(0, 1), (1, 2), (0, 2)])).0, 6);
}

#[test]
fn philosophers_with_the_left_fork_first_take_one_run_per_trace_and_deadlock() {
    let (runs, outcomes) = explore(|| philosophers([(0, 1), (1, 2), (2, 0)]));
    assert_eq!(runs, 7);
    let outcomes: Vec<&Outcome<()>> = outcomes.keys().collect();
    assert_eq!(outcomes, [&Outcome::Returned(()), &Outcome::Deadlock]);
}

#[test]
fn readers_of_one_store_take_one_run_per_trace() {
    for (readers, expected) in [(3, 8), (8, 256), (13, 8192)] {
        assert_eq!(runs(|| readers_of_one(readers)), expected, "readers({readers})");
    }
}

#[test]
fn the_last_zero_takes_one_run_per_trace() {
    for (n, expected) in [(3, 12), (4, 28), (5, 64), (10, 3328)] {
        assert_eq!(runs(|| lastzero(n)), expected, "lastzero({n})");
    }
}

#[test]
#[ignore = "147,456 runs of 47 steps: seconds"]
fn the_last_zero_of_fifteen_takes_one_run_per_trace() {
    assert_eq!(runs(|| lastzero(15)), 147_456);
}

/// A run identifies objects by the order of their first uses. If the first uses come late and differ between
/// runs, the reduction cannot be certain that two objects are different, and gives up some runs on the way.
/// A program that uses all its objects before it spawns threads avoids that. The number of completed runs is
/// the same.
#[track_caller]
fn check_early_and_late_use(expected: usize, name: &str, body: impl Fn(bool) + Send + Sync) {
    assert_eq!(runs(|| body(true)), expected, "{name}");
    let report = Explorer::new().memory(MemoryModel::Sc).explore(|| body(false));
    assert_eq!((report.executions(), report.is_complete()), (expected, true), "{name}, used late");
}

#[test]
fn an_indexer_takes_one_run_per_trace() {
    for (threads, expected) in [(2, 1), (11, 1), (12, 8), (15, 4096)] {
        check_early_and_late_use(expected, &format!("indexer({threads})"), |early| indexer(threads, early));
    }
}

#[test]
fn a_file_system_takes_one_run_per_trace() {
    for (threads, expected) in [(13, 1), (14, 2), (16, 8), (18, 32)] {
        check_early_and_late_use(expected, &format!("filesystem({threads})"), |early| {
            filesystem(threads, early);
        });
    }
}

#[test]
fn one_reader_of_many_writers_takes_one_run_per_trace() {
    for (writers, expected) in [(3, 8), (4, 16)] {
        let body = || {
            let cells: Vec<AtomicUsize> = (0..writers).map(|_| AtomicUsize::new(0)).collect();
            together(writers + 1, |number| match number {
                0 => cells.iter().for_each(|cell| {
                    cell.load(SC);
                }),
                _ => cells[number - 1].store(1, SC),
            });
        };
        assert_eq!(runs(body), expected, "{writers} writers");
    }
}

#[test]
fn store_buffering_and_message_passing_take_one_run_per_trace() {
    let pair = || [AtomicUsize::new(0), AtomicUsize::new(0)];
    let buffering = || {
        let cells = pair();
        together(2, |number| {
            cells[number].store(1, SC);
            cells[1 - number].load(SC);
        });
    };
    let passing = || {
        let [x, y] = pair();
        together(2, |number| {
            if number == 0 {
                x.store(1, SC);
                y.store(1, SC);
            } else {
                y.load(SC);
                x.load(SC);
            }
        });
    };
    assert_eq!((runs(buffering), runs(passing)), (3, 3));
}

/// Treiber's stack of numbered cells; 0 is the bottom. No other thread reads a cell before it is on the
/// stack, so the accesses to `below` need not be visible.
struct Stack {
    head: AtomicUsize,
    below: [std::sync::atomic::AtomicUsize; 3],
}

impl Stack {
    fn new() -> Stack {
        Stack { head: AtomicUsize::new(0), below: Default::default() }
    }

    fn push(&self, cell: usize) {
        loop {
            let head = self.head.load(SC);
            self.below[cell].store(head, SC);
            if self.head.compare_exchange(head, cell, SC, SC).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SC);
            if head == 0 {
                return None;
            }
            let below = self.below[head].load(SC);
            if self.head.compare_exchange(head, below, SC, SC).is_ok() {
                return Some(head);
            }
        }
    }
}

#[test]
fn treibers_stack_takes_one_run_per_trace() {
    let body = |pushes: usize, pops: usize| {
        move || {
            let stack = Stack::new();
            together(pushes + pops, |number| {
                if number < pushes {
                    stack.push(number + 1);
                } else {
                    stack.pop();
                }
            });
        }
    };
    assert_eq!([runs(body(1, 1)), runs(body(2, 0)), runs(body(2, 1))], [2, 4, 22]);
}

#[test]
fn the_return_of_the_body_interleaves_with_every_step_of_an_unjoined_thread() {
    // The return may come before or after each step of the other thread, and before its first step.
    let body = || {
        let x = Arc::new(AtomicUsize::new(0));
        let same = x.clone();
        thread::spawn(move || {
            same.store(1, SC);
            same.store(2, SC);
        });
        x.load(SC)
    };
    let (_, outcomes) = explore(body);
    let values: Vec<Outcome<usize>> = outcomes.into_keys().collect();
    assert_eq!(values, [0, 1, 2].map(Outcome::Returned));
}

/// The number of runs under each memory model.
fn runs_under_each_model(body: impl Fn() + Send + Sync + Copy) -> [usize; 3] {
    [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(|memory| {
        let report = Explorer::new().memory(memory).explore(body);
        let figures = report.figures().expect("figures of a reduction");
        assert_eq!(
            (report.is_complete(), figures.sleep_set_blocked, figures.infeasible_reversals),
            (true, 0, 0),
            "{report}"
        );
        let two = Explorer::new().memory(memory).workers(2).explore(body);
        assert_eq!(two.executions(), report.executions(), "{two}");
        report.executions()
    })
}

#[test]
fn store_buffering_takes_one_more_run_with_store_buffers() {
    let buffering = || {
        let cells = [AtomicUsize::new(0), AtomicUsize::new(0)];
        together(2, |number| {
            cells[number].store(1, Ordering::Relaxed);
            cells[1 - number].load(Ordering::Relaxed);
        });
    };
    assert_eq!(runs_under_each_model(buffering), [3, 4, 4]);
}

#[test]
fn unobservable_orders_of_buffered_stores_cost_no_runs() {
    let apart = || {
        let cells: [AtomicUsize; 4] = std::array::from_fn(|_| AtomicUsize::new(0));
        together(4, |number| {
            (0..3).for_each(|value| cells[number].store(value, Ordering::Relaxed));
            cells[number].load(Ordering::Relaxed);
        });
    };
    assert_eq!(runs_under_each_model(apart), [1, 1, 1]);
}

#[test]
fn commits_pending_at_the_return_cost_no_runs() {
    let pending = || {
        let cells: Arc<[AtomicUsize; 3]> = Arc::new(std::array::from_fn(|_| AtomicUsize::new(0)));
        let same = cells.clone();
        let other = thread::spawn(move || same[0].load(Ordering::Relaxed));
        other.join().unwrap();
        cells.iter().for_each(|cell| cell.store(1, Ordering::Relaxed));
    };
    assert_eq!(runs_under_each_model(pending), [1, 1, 1]);
}
