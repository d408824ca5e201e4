//! `MVar` and interrupts on threads of the operating system: no value is lost or doubled, and every thread
//! ends.

#[cfg(feature = "check")]
use selvedge::private::production::{MVar, interrupt};
#[cfg(not(feature = "check"))]
use selvedge::{interrupt, sync::MVar};

use interrupt::{Killed, Masking, Thrown};
use selvedge::sync::Arc;
use selvedge::thread::{self, JoinHandle, Thread};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

const THREADS: usize = 4;
const ROUNDS: usize = 2000;

/// Puts values of its own. Returns the values that were put.
fn put_all(mvar: &MVar<usize>, number: usize) -> Vec<usize> {
    let values = (0..ROUNDS).map(|round| number * ROUNDS + round);
    values.filter(|value| interrupt::catch::<Killed, _>(|| mvar.put(*value)).is_ok()).collect()
}

/// Takes values until `is_over`.
fn take_all(mvar: &MVar<usize>, is_over: &AtomicBool) -> Vec<usize> {
    let mut taken = Vec::new();
    while !is_over.load(SeqCst) {
        taken.extend(interrupt::catch::<Killed, _>(|| mvar.take()));
    }
    taken
}

#[test]
fn no_value_is_lost_or_doubled_while_threads_are_interrupted() {
    let (mvar, is_over) = (Arc::new(MVar::empty()), Arc::new(AtomicBool::new(false)));
    let putters: Vec<_> = (0..THREADS)
        .map(|number| {
            let mvar = mvar.clone();
            interrupt::spawn(move || put_all(&mvar, number))
        })
        .collect();
    let takers: Vec<_> = (0..THREADS)
        .map(|_| {
            let (mvar, is_over) = (mvar.clone(), is_over.clone());
            interrupt::spawn(move || {
                // The mask protects the thread between its catches; inside a catch it is interrupted only
                // while it waits.
                interrupt::mask(|_| take_all(&mvar, &is_over))
            })
        })
        .collect();
    let mut kills = 0;
    while !putters.iter().all(JoinHandle::is_finished) {
        takers.iter().for_each(|taker| interrupt::kill(taker.thread()));
        putters.iter().take(2).for_each(|putter| interrupt::kill(putter.thread()));
        kills += 1;
    }
    let put: Vec<usize> = putters.into_iter().flat_map(|putter| putter.join().unwrap()).collect();
    is_over.store(true, SeqCst);
    takers.iter().for_each(|taker| interrupt::kill(taker.thread()));
    let mut taken: Vec<usize> = takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect();
    taken.extend(mvar.try_take());
    assert!(kills > 0 && put.len() >= ROUNDS);
    assert_eq!(taken.len(), put.len(), "as many come out as went in");
    assert_eq!(taken.into_iter().collect::<BTreeSet<_>>(), put.into_iter().collect::<BTreeSet<_>>());
}

#[test]
fn readers_see_growing_values_in_order() {
    let mvar = Arc::new(MVar::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let readers = [(); THREADS].map(|()| {
        let (mvar, is_over) = (mvar.clone(), is_over.clone());
        thread::spawn(move || {
            let mut last = 0;
            while !is_over.load(SeqCst) {
                let now = mvar.read();
                assert!(now >= last, "values only grow");
                last = now;
            }
        })
    });
    let writers = [(); 2].map(|()| {
        let mvar = mvar.clone();
        thread::spawn(move || (0..ROUNDS).for_each(|_| mvar.with(|value| *value += 1)))
    });
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    is_over.store(true, SeqCst);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    assert_eq!(mvar.take(), 2 * ROUNDS);
}

#[test]
fn two_threads_that_throw_to_each_other_do_not_wait_for_ever() {
    for _ in 0..200 {
        let (first, second) = (Arc::new(MVar::<Thread>::empty()), Arc::new(MVar::<Thread>::empty()));
        let throws = |other: &Arc<MVar<Thread>>| {
            let other = other.clone();
            interrupt::spawn(move || {
                let other = interrupt::uninterruptible_mask(|_| other.take());
                interrupt::catch::<Killed, _>(|| interrupt::kill(&other)).is_err()
            })
        };
        let threads = [throws(&first), throws(&second)];
        first.put(threads[1].thread().clone());
        second.put(threads[0].thread().clone());
        let interrupted = threads.map(|thread| thread.join().unwrap());
        // A thread may end before the other throws. At most one thread is interrupted.
        assert_ne!(interrupted, [true, true]);
    }
}

#[test]
fn sleeping_and_parking_can_be_interrupted_and_otherwise_behave_as_in_std() {
    for sleeps in [true, false] {
        let thread = interrupt::spawn(move || {
            if sleeps {
                interrupt::sleep(Duration::MAX);
            } else {
                loop {
                    interrupt::park();
                }
            }
        });
        interrupt::kill(thread.thread());
        assert!(thread.join().unwrap_err().downcast_ref::<Thrown>().unwrap().is::<Killed>());
    }
    thread::current().unpark();
    interrupt::park();
    interrupt::sleep(Duration::from_micros(10));
}

#[test]
fn an_unpark_during_a_wait_for_an_mvar_is_not_lost() {
    for _ in 0..500 {
        let mvar = Arc::new(MVar::empty());
        let shared = mvar.clone();
        let thread = thread::spawn(move || {
            shared.take();
            // The token of the program's `unpark`, which may arrive during the wait for the value.
            thread::park();
        });
        thread.thread().unpark();
        mvar.put(());
        thread.join().unwrap();
    }
}

#[test]
fn throwing_to_an_ended_thread_has_no_effect() {
    let ended = interrupt::spawn(thread::current);
    let handle = ended.thread().clone();
    ended.join().unwrap();
    interrupt::kill(&handle);
    let plain = thread::spawn(interrupt::point);
    let handle = plain.thread().clone();
    plain.join().unwrap();
    interrupt::kill(&handle);
}

#[test]
fn a_destructor_that_runs_while_its_thread_unwinds_is_not_interrupted() {
    struct Waits(Arc<MVar<u8>>, Arc<MVar<u8>>);
    impl Drop for Waits {
        fn drop(&mut self) {
            self.1.put(self.0.take());
        }
    }
    let (there, back) = (Arc::new(MVar::empty()), Arc::new(MVar::empty()));
    let waits = Waits(there.clone(), back.clone());
    let thread = interrupt::spawn(move || {
        let _waits = waits;
        interrupt::throw("first");
    });
    let target = thread.thread().clone();
    let killer = interrupt::spawn(move || interrupt::kill(&target));
    there.put(1);
    assert_eq!(back.take(), 1);
    assert!(thread.join().unwrap_err().downcast_ref::<Thrown>().unwrap().is::<&str>());
    killer.join().unwrap();
}

#[test]
fn masking_states_nest_and_come_back_when_scopes_unwind() {
    let state = interrupt::masking_state;
    interrupt::uninterruptible_mask(|outer| {
        interrupt::mask(|inner| {
            assert_eq!((state(), inner.run(state)), (Masking::Uninterruptible, Masking::Uninterruptible));
            assert_eq!(outer.run(|| interrupt::mask(|_| state())), Masking::Interruptible);
        });
    });
    let caught = interrupt::catch::<u8, ()>(|| interrupt::mask(|_| interrupt::throw(1_u8)));
    assert_eq!((caught, state()), (Err(1), Masking::Unmasked));
    let spawned = interrupt::mask(|_| (thread::spawn(state), interrupt::spawn(state)));
    assert_eq!(
        (spawned.0.join().unwrap(), spawned.1.join().unwrap()),
        (Masking::Unmasked, Masking::Interruptible)
    );
}
