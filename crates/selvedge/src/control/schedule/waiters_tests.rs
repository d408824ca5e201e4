//! The waiters of all objects, compared as in `handoff_tests.rs`: random programs wait for barriers,
//! notifications, messages, `MVar`s, one-time initialisations and park tokens, with a timeout and without.
//!
//! Many of their runs deadlock, or end while threads wait; that does not matter here.

use super::handoff_tests::check;
use crate::sync::mpsc::{self, Receiver, SyncSender};
use crate::sync::{Arc, Barrier, Condvar, MVar, Mutex, OnceLock};
use crate::thread::{self, Thread};
use selvedge_explore::Random;
use std::time::Duration;

const SOON: Duration = Duration::from_millis(1);

/// The shared objects of a random program.
struct Shared {
    lock: Mutex<usize>,
    condvar: Condvar,
    barrier: Barrier,
    once: OnceLock<usize>,
    mvar: MVar<usize>,
}

/// A step that any thread can make.
fn step(shared: &Shared, random: &mut Random, main: &Thread) {
    let lock = || shared.lock.lock().unwrap();
    match random.below(15) {
        Some(0) => drop(shared.barrier.wait()),
        Some(1) => drop(shared.condvar.wait(lock())),
        Some(2) => drop(shared.condvar.wait_timeout(lock(), SOON)),
        Some(3) => drop(shared.condvar.wait_while(lock(), |number| *number == 0)),
        Some(4) => {
            *lock() += 1;
            shared.condvar.notify_all();
        }
        Some(5) => shared.condvar.notify_one(),
        Some(6) => shared.mvar.put(1),
        Some(7) => drop(shared.mvar.take()),
        Some(8) => drop(shared.mvar.try_take()),
        Some(9) => drop(shared.mvar.read()),
        Some(10) => drop(shared.once.get_or_init(|| *lock())),
        Some(11) => drop(shared.once.get()),
        Some(12) => thread::park(),
        Some(13) => thread::park_timeout(SOON),
        _ => main.unpark(),
    }
}

fn send(sender: &SyncSender<usize>, random: &mut Random) {
    match random.below(2) {
        Some(0) => drop(sender.send(0)),
        _ => drop(sender.try_send(1)),
    }
}

fn receive(receiver: &Receiver<usize>, random: &mut Random) {
    match random.below(3) {
        Some(0) => drop(receiver.recv()),
        Some(1) => drop(receiver.try_recv()),
        _ => drop(receiver.recv_timeout(SOON)),
    }
}

/// A program with this many threads, and a channel of this capacity.
fn program(seed: u64, threads: usize, capacity: usize) {
    let shared = Arc::new(Shared {
        lock: Mutex::new(0),
        condvar: Condvar::new(),
        barrier: Barrier::new(2),
        once: OnceLock::new(),
        mvar: MVar::empty(),
    });
    let mut random = Random(seed);
    let main = thread::current();
    let (sender, receiver) = mpsc::sync_channel(capacity);
    let spawn = |number: usize| {
        let (shared, sender, main) = (shared.clone(), sender.clone(), main.clone());
        let mut random = Random(seed ^ (number as u64 + 1) << 32);
        thread::spawn(move || {
            for _ in 0..3 {
                match random.below(4) {
                    Some(0) => send(&sender, &mut random),
                    _ => step(&shared, &mut random, &main),
                }
            }
        })
    };
    let others: Vec<_> = (0..threads).map(spawn).collect();
    drop(sender);
    for _ in 0..4 {
        match random.below(4) {
            Some(0) => receive(&receiver, &mut random),
            Some(1) => others[random.below(threads).unwrap_or(0)].thread().unpark(),
            _ => step(&shared, &mut random, &main),
        }
    }
    drop(receiver);
    others.into_iter().for_each(|thread| drop(thread.join()));
}

#[test]
fn waiters_of_all_objects_step_the_same_on_both_paths() {
    for seed in 0..40 {
        check(|| program(seed, 2 + seed as usize % 2, seed as usize % 3));
    }
}

#[test]
fn waiters_among_many_threads_step_the_same_on_both_paths() {
    for seed in 40..52 {
        check(|| program(seed, 8, seed as usize % 3));
    }
}

#[test]
fn many_waiters_of_an_object_step_the_same_on_both_paths() {
    check(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new(), Barrier::new(7)));
        let spawn = |_| {
            let shared = shared.clone();
            thread::spawn(move || {
                let (lock, condvar, barrier) = &*shared;
                drop(condvar.wait_while(lock.lock().unwrap(), |is_open| !*is_open));
                barrier.wait();
            })
        };
        let others: Vec<_> = (0..6).map(spawn).collect();
        *shared.0.lock().unwrap() = true;
        shared.1.notify_all();
        shared.2.wait();
        others.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
