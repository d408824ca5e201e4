//! The happens-before relation that each type establishes: the vector clocks behind the detection of data
//! races.

use super::mpsc::{channel, sync_channel};
use super::{Arc, Barrier, Condvar, MVar, Mutex, Once, RwLock};
use crate::controlled::current;
use crate::{Explorer, Outcome, Strategy, thread};
use std::fmt::Debug;

/// A memory location: each access as the accessing thread and its time.
#[derive(Default)]
struct MemoryLocation(std::sync::Mutex<Vec<(usize, u32)>>);

impl MemoryLocation {
    /// Accesses the location. Do all earlier accesses happen before this one?
    fn access(&self) -> bool {
        let execution = current().expect("only in explorations");
        let state = execution.state.borrow();
        let running = state.running.index();
        let clock = &state.threads[state.running].clock;
        let mut accesses = self.0.lock().unwrap();
        let is_ordered = accesses.iter().all(|(thread, time)| clock.get(*thread) >= *time);
        accesses.push((running, clock.get(running)));
        is_ordered
    }
}

#[track_caller]
fn check<T: Ord + Clone + Debug + Send + 'static>(
    body: impl Fn() -> T + Send + std::marker::Sync,
    expected: impl IntoIterator<Item = T>,
) {
    let report = Explorer::new().strategy(Strategy::exhaustive()).explore(body);
    let expected: Vec<_> = expected.into_iter().map(Outcome::Returned).collect();
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
}

/// Two threads access a location, each in its own way. Does the earlier access happen before the later one?
fn two_threads<S: Send + std::marker::Sync + 'static>(
    shared: fn() -> S,
    spawned: fn(&S, &MemoryLocation) -> bool,
    main: fn(&S, &MemoryLocation) -> bool,
) -> impl Fn() -> bool + Send + std::marker::Sync {
    move || {
        let (shared, location) = (Arc::new(shared()), Arc::new(MemoryLocation::default()));
        let other = (shared.clone(), location.clone());
        let thread = thread::spawn(move || spawned(&other.0, &other.1));
        let is_ordered = main(&shared, &location);
        thread.join().unwrap() && is_ordered
    }
}

#[test]
fn without_synchronisation_accesses_are_unordered() {
    check(two_threads(|| (), |(), location| location.access(), |(), location| location.access()), [false]);
}

#[test]
fn a_mutex_orders_its_critical_sections() {
    let access = |mutex: &Mutex<()>, location: &MemoryLocation| {
        let _guard = mutex.lock().unwrap();
        location.access()
    };
    check(two_threads(|| Mutex::new(()), access, access), [true]);
    let after = |mutex: &Mutex<()>, location: &MemoryLocation| {
        drop(mutex.lock());
        location.access()
    };
    check(two_threads(|| Mutex::new(()), after, after), [false]);
}

#[test]
fn a_write_lock_is_ordered_with_all_others_and_two_read_locks_are_not() {
    let read = |lock: &RwLock<()>, location: &MemoryLocation| {
        let _guard = lock.read().unwrap();
        location.access()
    };
    let write = |lock: &RwLock<()>, location: &MemoryLocation| {
        let _guard = lock.write().unwrap();
        location.access()
    };
    check(two_threads(|| RwLock::new(()), read, write), [true]);
    check(two_threads(|| RwLock::new(()), write, write), [true]);
    check(two_threads(|| RwLock::new(()), read, read), [false]);
}

#[test]
fn a_notification_orders_nothing_by_itself() {
    // A notified thread is ordered only after the earlier owners of the lock.
    let body = |with_lock: bool| {
        move || {
            let shared = Arc::new((Mutex::new(false), Condvar::new(), MemoryLocation::default()));
            let other = shared.clone();
            let thread = thread::spawn(move || {
                let guard = other.0.lock().unwrap();
                let (guard, result) = other.1.wait_timeout(guard, std::time::Duration::ZERO).unwrap();
                drop(guard);
                (!result.timed_out()).then(|| other.2.access())
            });
            shared.2.access();
            if with_lock {
                *shared.0.lock().unwrap() = true;
            }
            shared.1.notify_one();
            thread.join().unwrap()
        }
    };
    check(body(false), [None, Some(false)]);
    // The waiting thread locks again after the critical section of the body.
    check(body(true), [None, Some(true)]);
}

#[test]
fn a_receive_is_ordered_after_its_own_sender_and_no_other() {
    // Which message is received, and is the receive ordered after the access of the first sender?
    check(
        || {
            let location = Arc::new(MemoryLocation::default());
            let (sender, receiver) = channel();
            let (other, other_location) = (sender.clone(), location.clone());
            thread::spawn(move || {
                other_location.access();
                let _ = sender.send(1);
            });
            thread::spawn(move || other.send(2).is_ok());
            (receiver.recv().unwrap(), location.access())
        },
        [(1, true), (2, false)],
    );
}

#[test]
fn a_send_is_ordered_after_the_receive_that_freed_its_slot() {
    // The receiver accesses the location and receives; the sender sends all messages and accesses the
    // location.
    let body = |capacity: usize, messages: usize| {
        move || {
            let location = Arc::new(MemoryLocation::default());
            let (sender, receiver) = sync_channel(capacity);
            let other_location = location.clone();
            let thread = thread::spawn(move || {
                other_location.access();
                receiver.iter().count()
            });
            (0..messages).for_each(|message| sender.send(message).unwrap());
            let is_ordered = location.access();
            drop(sender);
            assert_eq!(thread.join().unwrap(), messages);
            is_ordered
        }
    };
    check(body(1, 1), [false]);
    check(body(1, 2), [true]);
    check(body(0, 1), [true]);
}

#[test]
fn a_disconnection_happens_before_its_observation() {
    check(
        || {
            let location = Arc::new(MemoryLocation::default());
            let (sender, receiver) = channel::<()>();
            let other_location = location.clone();
            thread::spawn(move || {
                other_location.access();
                drop(sender);
            });
            (receiver.recv().is_err(), location.access())
        },
        [(true, true)],
    );
}

#[test]
fn an_initialisation_happens_before_every_observation_of_its_end() {
    check(
        || {
            let shared = Arc::new((Once::new(), MemoryLocation::default()));
            let other = shared.clone();
            let thread = thread::spawn(move || other.0.call_once(|| _ = other.1.access()));
            let seen = (shared.0.is_completed(), shared.1.access());
            thread.join().unwrap();
            seen
        },
        // A thread that does not observe the end may access first, or unordered.
        [(false, false), (false, true), (true, true)],
    );
}

#[test]
fn a_barrier_orders_everything_before_it_with_everything_after_it() {
    let before = |barrier: &Barrier, location: &MemoryLocation| {
        let is_ordered = location.access();
        barrier.wait();
        is_ordered
    };
    let after = |barrier: &Barrier, location: &MemoryLocation| {
        barrier.wait();
        location.access()
    };
    check(two_threads(|| Barrier::new(2), before, after), [true]);
    check(two_threads(|| Barrier::new(2), after, before), [true]);
    check(two_threads(|| Barrier::new(2), after, after), [false]);
}

#[test]
fn a_take_is_ordered_after_the_put_of_its_value_and_a_put_after_the_take_before() {
    let put = |mvar: &MVar<()>, location: &MemoryLocation| {
        let is_ordered = location.access();
        mvar.put(());
        is_ordered
    };
    let put_then_access = |mvar: &MVar<()>, location: &MemoryLocation| {
        mvar.put(());
        location.access()
    };
    let take = |mvar: &MVar<()>, location: &MemoryLocation| {
        mvar.take();
        location.access()
    };
    let access_then_take = |mvar: &MVar<()>, location: &MemoryLocation| {
        let is_ordered = location.access();
        mvar.take();
        is_ordered
    };
    check(two_threads(MVar::empty, put, take), [true]);
    check(
        two_threads(MVar::empty, put, |mvar, location| {
            mvar.read();
            location.access()
        }),
        [true],
    );
    check(two_threads(|| MVar::new(()), access_then_take, put_then_access), [true]);
    check(two_threads(MVar::empty, put_then_access, take), [false]);
}
