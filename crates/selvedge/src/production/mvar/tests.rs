//! Properties that need access to the queue: the order in which blocked operations complete, and one wake-up
//! for each.
//!
//! On real threads, in both builds. A test waits until a thread's request is in the queue, so no test
//! depends on time.

use super::MVar;
use crate::production::interrupt::{self, Killed};
use crate::sync::Arc;
use crate::thread::{self, JoinHandle};

const THREADS: usize = 8;

/// Spawns threads one after another; each begins when the operation of the thread before is blocked.
fn spawn_blocked<R: Send + 'static>(
    mvar: &Arc<MVar<usize>>,
    operation: impl Fn(&MVar<usize>, usize) -> R + Copy + Send + 'static,
) -> Vec<JoinHandle<R>> {
    let (before, _) = mvar.request_counts();
    let spawn = |number| {
        let shared = mvar.clone();
        let thread = interrupt::spawn(move || operation(&shared, number));
        wait_until_blocked(mvar, before + number + 1);
        thread
    };
    (0..THREADS).map(spawn).collect()
}

/// Waits until this many operations are blocked.
fn wait_until_blocked(mvar: &MVar<usize>, count: usize) {
    while mvar.request_counts() != (count, count) {
        thread::yield_now();
    }
}

fn results<R>(threads: Vec<JoinHandle<R>>) -> Vec<R> {
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn blocked_takes_complete_in_order_and_each_put_wakes_one() {
    let mvar = Arc::new(MVar::empty());
    let takers = spawn_blocked(&mvar, |mvar, _| mvar.take());
    for value in 0..THREADS {
        mvar.put(value);
        // All other requests are untouched: the put has woken no other thread.
        assert_eq!(mvar.request_counts(), (THREADS - value - 1, THREADS - value - 1));
    }
    assert_eq!(results(takers), (0..THREADS).collect::<Vec<_>>());
    assert_eq!(mvar.try_take(), None);
}

#[test]
fn blocked_puts_complete_in_order_and_no_later_put_overtakes() {
    let mvar = Arc::new(MVar::new(THREADS));
    let putters = spawn_blocked(&mvar, |mvar, value| mvar.put(value));
    let mut taken = Vec::new();
    for waiting in (0..THREADS).rev() {
        taken.push(mvar.take());
        // The first blocked put has filled the variable, whether its thread has run or not.
        assert_eq!((mvar.request_counts(), mvar.try_put(99)), ((waiting, waiting), Err(99)));
    }
    taken.push(mvar.take());
    let expected: Vec<_> = [THREADS].into_iter().chain(0..THREADS).collect();
    assert_eq!((taken, mvar.try_take()), (expected, None));
    results(putters);
}

#[test]
fn blocked_reads_complete_before_blocked_takes() {
    let mvar = Arc::new(MVar::empty());
    let takers = spawn_blocked(&mvar, |mvar, _| mvar.take());
    let readers = spawn_blocked(&mvar, |mvar, _| mvar.read());
    (0..THREADS).for_each(|value| mvar.put(value));
    assert_eq!(results(readers), [0; THREADS]);
    assert_eq!(results(takers), (0..THREADS).collect::<Vec<_>>());
}

#[test]
fn an_interrupted_take_leaves_the_queue_and_its_value_goes_to_the_next() {
    let mvar = Arc::new(MVar::empty());
    let takers = spawn_blocked(&mvar, |mvar, _| interrupt::catch::<Killed, _>(|| mvar.take()));
    interrupt::kill(takers[0].thread());
    interrupt::kill(takers[2].thread());
    (0..THREADS - 2).for_each(|value| mvar.put(value));
    let mut expected: Vec<_> = [Err(Killed), Ok(0), Err(Killed)].into();
    expected.extend((1..THREADS - 2).map(Ok));
    assert_eq!((results(takers), mvar.try_take()), (expected, None));
}

#[test]
fn an_interrupted_put_drops_its_value_and_no_thread_takes_it() {
    let mvar = Arc::new(MVar::new(THREADS));
    let putters = spawn_blocked(&mvar, |mvar, value| interrupt::catch::<Killed, _>(|| mvar.put(value)));
    interrupt::kill(putters[1].thread());
    let taken: Vec<_> = (0..THREADS).map(|_| mvar.take()).collect();
    let expected: Vec<_> = [THREADS, 0].into_iter().chain(2..THREADS).collect();
    assert_eq!((taken, mvar.try_take()), (expected, None));
    let interrupted: Vec<_> = results(putters).iter().map(Result::is_err).collect();
    assert_eq!(interrupted, (0..THREADS).map(|value| value == 1).collect::<Vec<_>>());
}

#[test]
fn a_panic_of_a_clone_is_raised_in_the_thread_that_reads() {
    struct PanickingClone;
    impl Clone for PanickingClone {
        fn clone(&self) -> PanickingClone {
            std::panic::resume_unwind(Box::new("no copies"))
        }
    }
    let mvar = Arc::new(MVar::empty());
    let shared = mvar.clone();
    let reader = thread::spawn(move || {
        shared.read();
    });
    while mvar.request_counts() != (1, 1) {
        thread::yield_now();
    }
    mvar.put(PanickingClone);
    let payload = reader.join().unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"no copies"));
    assert!(mvar.try_take().is_some());
}

#[test]
fn with_puts_the_value_back_if_the_function_unwinds() {
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
fn with_waits_uninterrupted_to_put_the_value_back() {
    let mvar = Arc::new(MVar::new(1));
    let shared = mvar.clone();
    let thread = interrupt::spawn(move || shared.with(|value| shared.put(*value + 10)));
    wait_until_blocked(&mvar, 1);
    let target = thread.thread().clone();
    let killer = interrupt::spawn(move || interrupt::kill(&target));
    assert_eq!((mvar.take(), mvar.take()), (11, 1));
    // The exception comes too late: the thread has no further interruption point.
    assert!(thread.join().is_ok());
    killer.join().unwrap();
}
