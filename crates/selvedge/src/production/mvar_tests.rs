//! What can be seen only from inside: who waits, in which order they are served, and that each is woken once.
//!
//! On real threads, in both builds. A thread is known to wait when it is in the queue, so no test depends on time.

use super::interrupt::{self, Killed};
use super::mvar::MVar;
use crate::sync::Arc;
use crate::thread::{self, JoinHandle};

const CROWD: usize = 8;

/// Spawns threads one after the other, each when the one before waits.
fn line_up<R: Send + 'static>(
    mvar: &Arc<MVar<usize>>,
    waits: impl Fn(&MVar<usize>, usize) -> R + Copy + Send + 'static,
) -> Vec<JoinHandle<R>> {
    let (before, _) = mvar.waiting();
    let spawn = |number| {
        let its = mvar.clone();
        let thread = interrupt::spawn(move || waits(&its, number));
        until(mvar, before + number + 1);
        thread
    };
    (0..CROWD).map(spawn).collect()
}

/// Until so many wait.
fn until(mvar: &MVar<usize>, count: usize) {
    while mvar.waiting() != (count, count) {
        thread::yield_now();
    }
}

fn results<R>(threads: Vec<JoinHandle<R>>) -> Vec<R> {
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn those_who_take_are_served_in_order_and_one_wakes_for_each_value() {
    let mvar = Arc::new(MVar::empty());
    let takers = line_up(&mvar, |mvar, _| mvar.take());
    for value in 0..CROWD {
        mvar.put(value);
        // The others wait as before: none of them was woken to look.
        assert_eq!(mvar.waiting(), (CROWD - value - 1, CROWD - value - 1));
    }
    assert_eq!(results(takers), (0..CROWD).collect::<Vec<_>>());
    assert_eq!(mvar.try_take(), None);
}

#[test]
fn those_who_put_are_served_in_order_and_nobody_gets_between() {
    let mvar = Arc::new(MVar::new(CROWD));
    let putters = line_up(&mvar, |mvar, value| mvar.put(value));
    let mut taken = Vec::new();
    for waiting in (0..CROWD).rev() {
        taken.push(mvar.take());
        // The first value is in already, whether its thread has run or not.
        assert_eq!((mvar.waiting(), mvar.try_put(99)), ((waiting, waiting), Err(99)));
    }
    taken.push(mvar.take());
    let expected: Vec<_> = [CROWD].into_iter().chain(0..CROWD).collect();
    assert_eq!((taken, mvar.try_take()), (expected, None));
    results(putters);
}

#[test]
fn those_who_read_are_served_before_those_who_take() {
    let mvar = Arc::new(MVar::empty());
    let takers = line_up(&mvar, |mvar, _| mvar.take());
    let readers = line_up(&mvar, |mvar, _| mvar.read());
    (0..CROWD).for_each(|value| mvar.put(value));
    assert_eq!(results(readers), [0; CROWD]);
    assert_eq!(results(takers), (0..CROWD).collect::<Vec<_>>());
}

#[test]
fn who_is_interrupted_leaves_the_queue_and_its_value_goes_to_the_next() {
    let mvar = Arc::new(MVar::empty());
    let takers = line_up(&mvar, |mvar, _| interrupt::catch::<Killed, _>(|| mvar.take()));
    interrupt::kill(takers[0].thread());
    interrupt::kill(takers[2].thread());
    (0..CROWD - 2).for_each(|value| mvar.put(value));
    let mut expected: Vec<_> = [Err(Killed), Ok(0), Err(Killed)].into();
    expected.extend((1..CROWD - 2).map(Ok));
    assert_eq!((results(takers), mvar.try_take()), (expected, None));
}

#[test]
fn a_value_whose_put_is_interrupted_is_dropped_and_never_seen() {
    let mvar = Arc::new(MVar::new(CROWD));
    let putters = line_up(&mvar, |mvar, value| interrupt::catch::<Killed, _>(|| mvar.put(value)));
    interrupt::kill(putters[1].thread());
    let taken: Vec<_> = (0..CROWD).map(|_| mvar.take()).collect();
    let expected: Vec<_> = [CROWD, 0].into_iter().chain(2..CROWD).collect();
    assert_eq!((taken, mvar.try_take()), (expected, None));
    let interrupted: Vec<_> = results(putters).iter().map(Result::is_err).collect();
    assert_eq!(interrupted, (0..CROWD).map(|value| value == 1).collect::<Vec<_>>());
}

#[test]
fn a_clone_that_panics_does_so_where_it_was_asked_for() {
    struct Loud;
    impl Clone for Loud {
        fn clone(&self) -> Loud {
            std::panic::resume_unwind(Box::new("no copies"))
        }
    }
    let mvar = Arc::new(MVar::empty());
    let its = mvar.clone();
    let reader = thread::spawn(move || {
        its.read();
    });
    while mvar.waiting() != (1, 1) {
        thread::yield_now();
    }
    mvar.put(Loud);
    let payload = reader.join().unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"no copies"));
    assert!(mvar.try_take().is_some());
}

#[test]
fn a_value_that_is_lent_comes_back_if_the_function_unwinds() {
    let mvar = MVar::new(1);
    let caught = interrupt::catch::<&str, ()>(|| {
        mvar.with(|value| {
            *value = 2;
            interrupt::throw("out")
        });
    });
    assert_eq!((caught, mvar.try_read()), (Err("out"), Some(2)));
    let caught = interrupt::catch::<&str, ()>(|| mvar.modify(|_| interrupt::throw("out")));
    assert_eq!((caught, mvar.try_read()), (Err("out"), Some(2)));
    assert_eq!((mvar.modify(|value| (value + 1, *value)), mvar.into_inner()), (2, Some(3)));
}

#[test]
fn a_value_that_goes_back_waits_and_is_not_interrupted() {
    let mvar = Arc::new(MVar::new(1));
    let its = mvar.clone();
    let thread = interrupt::spawn(move || its.with(|value| its.put(*value + 10)));
    until(&mvar, 1);
    let to = thread.thread().clone();
    let killer = interrupt::spawn(move || interrupt::kill(&to));
    assert_eq!((mvar.take(), mvar.take()), (11, 1));
    // The exception comes too late for it: the thread has no further point.
    assert!(thread.join().is_ok());
    killer.join().unwrap();
}
