//! Tasks on real threads, with and without the feature `check`: thousands of races and cancellations, each
//! checked.

use selvedge::interrupt::{self, Killed, Thrown};
use selvedge::sync::{Arc, MVar};
use selvedge::task::{self, Either, Task};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const ROUNDS: usize = 500;

fn never() {
    MVar::<()>::empty().take();
}

fn was_killed(payload: Box<dyn std::any::Any + Send>) -> bool {
    payload.downcast::<Thrown>().is_ok_and(|thrown| thrown.is::<Killed>())
}

/// Counts the tasks that have begun and not ended.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn new(count: &Arc<AtomicUsize>) -> Running {
        count.fetch_add(1, SeqCst);
        Running(count.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

#[test]
fn tasks_return_throw_and_panic_as_their_functions_do() {
    assert_eq!(task::spawn(|| 1).wait(), 1);
    let thrown = task::spawn(|| -> () { interrupt::throw("no") });
    assert_eq!(interrupt::catch::<&str, _>(|| thrown.wait()), Err("no"));
    let panicked = task::spawn(|| -> () { std::panic::resume_unwind(Box::new(7)) });
    assert_eq!(panicked.join().unwrap_err().downcast_ref(), Some(&7));
    let mut task = task::spawn(|| 2);
    let result = loop {
        match task.try_join() {
            Ok(result) => break result,
            Err(again) => task = again,
        }
    };
    assert_eq!(result.unwrap(), 2);
}

#[test]
fn cancel_returns_after_the_task_has_ended() {
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..ROUNDS {
        let tasks: Vec<Task<()>> = (0..3)
            .map(|_| {
                let running = Running::new(&count);
                task::spawn(move || {
                    let _running = running;
                    never();
                })
            })
            .collect();
        tasks.iter().for_each(Task::cancel);
        assert_eq!(count.load(SeqCst), 0);
        assert!(tasks.into_iter().all(|task| was_killed(task.join().unwrap_err())));
    }
}

#[test]
fn a_cancelled_task_gives_its_value_or_the_exception() {
    let mut ends = [0; 2];
    for round in 0..ROUNDS {
        let variable = Arc::new(MVar::empty());
        let same = variable.clone();
        let task = task::spawn(move || same.put(1));
        if round % 2 == 0 {
            std::thread::yield_now();
        }
        task.cancel();
        let was_put = task.join().map_err(was_killed);
        assert_ne!(was_put, Err(false));
        assert_eq!(variable.try_take().is_some(), was_put.is_ok());
        ends[usize::from(was_put.is_ok())] += 1;
    }
    assert_eq!(ends[0] + ends[1], ROUNDS);
}

#[test]
fn races_have_one_winner_and_leave_no_running_task() {
    let count = Arc::new(AtomicUsize::new(0));
    for round in 0..ROUNDS {
        let runner = |wins: bool| {
            let running = Running::new(&count);
            move || {
                let _running = running;
                if !wins {
                    never();
                }
                round
            }
        };
        let winner = task::race(runner(round % 2 == 0), runner(round % 2 == 1));
        assert_eq!(winner, if round % 2 == 0 { Either::Left(round) } else { Either::Right(round) });
        assert_eq!(count.load(SeqCst), 0);
        assert_eq!(task::race(runner(true), runner(true)).into_inner(), round);
        assert_eq!(count.load(SeqCst), 0);
    }
}

#[test]
fn both_return_or_the_failure_of_one_side_ends_the_other() {
    let count = Arc::new(AtomicUsize::new(0));
    for round in 0..ROUNDS {
        assert_eq!(task::both(move || round, move || round + 1), (round, round + 1));
        let running = Running::new(&count);
        let waits = move || {
            let _running = running;
            never();
        };
        let fails = move || -> () { interrupt::throw(round) };
        assert_eq!(interrupt::catch::<usize, _>(|| task::both(waits, fails)), Err(round));
        assert_eq!(count.load(SeqCst), 0);
    }
}

#[test]
fn a_cancelled_both_ends_its_two_sides_and_their_tasks() {
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..ROUNDS / 5 {
        let leaf = || {
            let running = Running::new(&count);
            move || {
                let _running = running;
                never();
            }
        };
        let (one, two, three) = (leaf(), leaf(), leaf());
        let tree = task::spawn(move || task::both(one, || task::race(two, three)));
        tree.cancel();
        assert_eq!(count.load(SeqCst), 0);
        assert!(catch_unwind(AssertUnwindSafe(|| tree.wait())).is_err_and(was_killed));
    }
}
