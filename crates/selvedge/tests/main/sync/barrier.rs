//! `Barrier`.

use super::{check, returns};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Barrier};
use selvedge::{Outcome, thread};

#[test]
fn any_waiting_thread_can_be_the_leader() {
    returns(
        || {
            let barrier = Arc::new(Barrier::new(3));
            let others = [(); 2].map(|()| {
                let barrier = barrier.clone();
                thread::spawn(move || barrier.wait().is_leader())
            });
            let mine = barrier.wait().is_leader();
            let [one, two] = others.map(|other| other.join().unwrap());
            [mine, one, two]
        },
        [[false, false, true], [false, true, false], [true, false, false]],
    );
}

#[test]
fn no_thread_leaves_before_all_have_arrived() {
    returns(
        || {
            let shared = Arc::new((Barrier::new(2), AtomicU32::new(0)));
            let other = shared.clone();
            let thread = thread::spawn(move || {
                other.1.fetch_add(1, SeqCst);
                other.0.wait();
                other.1.load(SeqCst)
            });
            shared.1.fetch_add(1, SeqCst);
            shared.0.wait();
            (shared.1.load(SeqCst), thread.join().unwrap())
        },
        [(2, 2)],
    );
}

#[test]
fn a_thread_alone_at_a_barrier_for_two_waits_for_ever() {
    check(|| Barrier::new(2).wait().is_leader(), &[Outcome::Deadlock]);
}

#[test]
fn a_barrier_for_one_or_zero_threads_does_not_block() {
    returns(|| [0, 1].map(|size| Barrier::new(size).wait().is_leader()), [[true, true]]);
}

#[test]
fn a_barrier_can_be_reused() {
    // In each round both threads wait for the other; one of them leads.
    returns(
        || {
            let barrier = Arc::new(Barrier::new(2));
            let other = barrier.clone();
            let thread = thread::spawn(move || [other.wait().is_leader(), other.wait().is_leader()]);
            let mine = [barrier.wait().is_leader(), barrier.wait().is_leader()];
            let theirs = thread.join().unwrap();
            assert_eq!(mine, theirs.map(|leads| !leads));
            mine
        },
        [[false, false], [false, true], [true, false], [true, true]],
    );
}
