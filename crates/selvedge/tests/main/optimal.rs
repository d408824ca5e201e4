//! One run for each Mazurkiewicz trace: programs whose numbers of traces are known.
//!
//! The numbers were counted by brute force and by an optimal model checker for C, which agree. Memory is sequentially
//! consistent but where it is said. Several workers make as many runs as one.

#![cfg(feature = "check")]

use selvedge_testkit::scaling;

use scaling::{filesystem, indexer, lastzero, readers_of_one, together};
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Explorer, MemoryModel, Outcome, Strategy, thread};
use std::collections::BTreeMap;

const SC: Ordering = Ordering::SeqCst;

/// Explores completely, and sees to it that nothing was done in vain.
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

/// How many runs.
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
fn increments_by_load_and_store() {
    for (threads, times, expected) in
        [(2, 1, 4), (2, 2, 34), (2, 3, 328), (3, 1, 36), (3, 2, 7134), (4, 1, 576)]
    {
        assert_eq!(runs(|| inc(threads, times)), expected, "inc({threads}, {times})");
    }
}

#[test]
fn increments_at_once() {
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
fn increments_under_a_lock() {
    for (threads, times, expected) in [(2, 1, 2), (3, 1, 6), (3, 2, 90), (4, 1, 24)] {
        let body = || {
            let x = Mutex::new(0);
            together(threads, |_| (0..times).for_each(|_| *x.lock().unwrap() += 1));
        };
        assert_eq!(runs(body), expected, "mutex({threads}, {times})");
    }
}

/// Three philosophers, one meal each; which fork each takes first, and which then.
fn philosophers(forks: [(usize, usize); 3]) {
    let table: [Mutex<()>; 3] = std::array::from_fn(|_| Mutex::new(()));
    together(3, |number| {
        let (first, then) = forks[number];
        let _first = table[first].lock().unwrap();
        let _then = table[then].lock().unwrap();
    });
}

#[test]
fn philosophers_who_take_forks_in_order() {
    assert_eq!(explore(|| philosophers([(0, 1), (1, 2), (0, 2)])).0, 6);
}

#[test]
fn philosophers_who_take_the_left_fork_first_find_their_deadlock() {
    let (runs, outcomes) = explore(|| philosophers([(0, 1), (1, 2), (2, 0)]));
    assert_eq!(runs, 7);
    let outcomes: Vec<&Outcome<()>> = outcomes.keys().collect();
    assert_eq!(outcomes, [&Outcome::Returned(()), &Outcome::Deadlock]);
}

#[test]
fn readers_of_one_store() {
    for (readers, expected) in [(3, 8), (8, 256), (13, 8192)] {
        assert_eq!(runs(|| readers_of_one(readers)), expected, "readers({readers})");
    }
}

#[test]
fn the_last_zero() {
    for (n, expected) in [(3, 12), (4, 28), (5, 64), (10, 3328)] {
        assert_eq!(runs(|| lastzero(n)), expected, "lastzero({n})");
    }
}

#[test]
#[ignore = "147,456 runs of 47 steps: seconds"]
fn the_last_zero_of_fifteen() {
    assert_eq!(runs(|| lastzero(15)), 147_456);
}

/// Objects are told apart by the order of their first uses; where these come late, and differ from run to run, the
/// reduction cannot tell for certain that two are not the same, and gives up some runs on the way. Programs that use
/// all of theirs before there are threads spare it that. The runs that count are the same.
#[track_caller]
fn used_early_or_late(expected: usize, name: &str, body: impl Fn(bool) + Send + Sync) {
    assert_eq!(runs(|| body(true)), expected, "{name}");
    let report = Explorer::new().memory(MemoryModel::Sc).explore(|| body(false));
    assert_eq!((report.executions(), report.is_complete()), (expected, true), "{name}, used late");
}

#[test]
fn an_indexer() {
    for (threads, expected) in [(2, 1), (11, 1), (12, 8), (15, 4096)] {
        used_early_or_late(expected, &format!("indexer({threads})"), |early| indexer(threads, early));
    }
}

#[test]
fn a_file_system() {
    for (threads, expected) in [(13, 1), (14, 2), (16, 8), (18, 32)] {
        used_early_or_late(expected, &format!("filesystem({threads})"), |early| filesystem(threads, early));
    }
}

#[test]
fn one_reader_of_many_writers() {
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
fn store_buffering_and_message_passing() {
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

/// Treiber's stack of numbered cells; 0 is the bottom. Nobody else looks at a cell before it is on the stack, so what is
/// below it is no visible matter.
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
fn treibers_stack() {
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
fn threads_that_nobody_joins_are_seen_at_every_point() {
    // The return may come before or after each step of the other thread, and before it begins.
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

/// How many runs under each memory model.
fn under_each(body: impl Fn() + Send + Sync + Copy) -> [usize; 3] {
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
fn store_buffering_has_one_run_more_where_stores_are_buffered() {
    let buffering = || {
        let cells = [AtomicUsize::new(0), AtomicUsize::new(0)];
        together(2, |number| {
            cells[number].store(1, Ordering::Relaxed);
            cells[1 - number].load(Ordering::Relaxed);
        });
    };
    assert_eq!(under_each(buffering), [3, 4, 4]);
}

#[test]
fn buffered_stores_that_nobody_can_tell_apart_cost_no_runs() {
    let apart = || {
        let cells: [AtomicUsize; 4] = std::array::from_fn(|_| AtomicUsize::new(0));
        together(4, |number| {
            (0..3).for_each(|value| cells[number].store(value, Ordering::Relaxed));
            cells[number].load(Ordering::Relaxed);
        });
    };
    assert_eq!(under_each(apart), [1, 1, 1]);
}

#[test]
fn commits_that_are_pending_at_the_return_cost_no_runs() {
    let pending = || {
        let cells: Arc<[AtomicUsize; 3]> = Arc::new(std::array::from_fn(|_| AtomicUsize::new(0)));
        let same = cells.clone();
        let other = thread::spawn(move || same[0].load(Ordering::Relaxed));
        other.join().unwrap();
        cells.iter().for_each(|cell| cell.store(1, Ordering::Relaxed));
    };
    assert_eq!(under_each(pending), [1, 1, 1]);
}
