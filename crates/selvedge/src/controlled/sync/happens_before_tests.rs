//! What happens before what, by each type: the clocks that find data races, looked at directly.

use super::mpsc::{channel, sync_channel};
use super::{Arc, Barrier, Condvar, MVar, Mutex, Once, RwLock};
use crate::control::current;
use crate::{Explorer, Outcome, Strategy, thread};
use std::fmt::Debug;

/// A place in memory: who touched it, and when by their clocks.
#[derive(Default)]
struct Place(std::sync::Mutex<Vec<(usize, u32)>>);

impl Place {
    /// Touches it. Did all that touched it before happen before?
    fn touch(&self) -> bool {
        let execution = current().expect("only in explorations");
        let state = execution.state.borrow();
        let running = state.running.index();
        let clock = &state.threads[running].clock;
        let mut touched = self.0.lock().unwrap();
        let is_ordered = touched.iter().all(|(thread, at)| clock.get(*thread) >= *at);
        touched.push((running, clock.get(running)));
        is_ordered
    }
}

#[track_caller]
fn returns<T: Ord + Clone + Debug + Send + 'static>(
    body: impl Fn() -> T + Send + std::marker::Sync,
    expected: impl IntoIterator<Item = T>,
) {
    let report = Explorer::new().strategy(Strategy::exhaustive()).explore(body);
    let expected: Vec<_> = expected.into_iter().map(Outcome::Returned).collect();
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
}

/// Two threads touch a place, each in its own way; is the later touch ordered after the earlier?
fn both<S: Send + std::marker::Sync + 'static>(
    shared: fn() -> S,
    theirs: fn(&S, &Place) -> bool,
    mine: fn(&S, &Place) -> bool,
) -> impl Fn() -> bool + Send + std::marker::Sync {
    move || {
        let (shared, place) = (Arc::new(shared()), Arc::new(Place::default()));
        let other = (shared.clone(), place.clone());
        let thread = thread::spawn(move || theirs(&other.0, &other.1));
        let mine = mine(&shared, &place);
        thread.join().unwrap() && mine
    }
}

#[test]
fn without_anything_between_nothing_is_ordered() {
    returns(both(|| (), |(), place| place.touch(), |(), place| place.touch()), [false]);
}

#[test]
fn a_mutex_orders_those_who_have_it() {
    let touch = |mutex: &Mutex<()>, place: &Place| {
        let _guard = mutex.lock().unwrap();
        place.touch()
    };
    returns(both(|| Mutex::new(()), touch, touch), [true]);
    let after = |mutex: &Mutex<()>, place: &Place| {
        drop(mutex.lock());
        place.touch()
    };
    returns(both(|| Mutex::new(()), after, after), [false]);
}

#[test]
fn writers_are_ordered_with_all_and_readers_not_with_one_another() {
    let read = |lock: &RwLock<()>, place: &Place| {
        let _guard = lock.read().unwrap();
        place.touch()
    };
    let write = |lock: &RwLock<()>, place: &Place| {
        let _guard = lock.write().unwrap();
        place.touch()
    };
    returns(both(|| RwLock::new(()), read, write), [true]);
    returns(both(|| RwLock::new(()), write, write), [true]);
    returns(both(|| RwLock::new(()), read, read), [false]);
}

#[test]
fn a_notification_orders_nothing_by_itself() {
    // Where the waiter is notified, it is ordered after the lock's earlier owners only.
    let body = |with_lock: bool| {
        move || {
            let shared = Arc::new((Mutex::new(false), Condvar::new(), Place::default()));
            let other = shared.clone();
            let thread = thread::spawn(move || {
                let guard = other.0.lock().unwrap();
                let (guard, result) = other.1.wait_timeout(guard, std::time::Duration::ZERO).unwrap();
                drop(guard);
                (!result.timed_out()).then(|| other.2.touch())
            });
            shared.2.touch();
            if with_lock {
                *shared.0.lock().unwrap() = true;
            }
            shared.1.notify_one();
            thread.join().unwrap()
        }
    };
    returns(body(false), [None, Some(false)]);
    // The waiter takes the lock again after the body had it.
    returns(body(true), [None, Some(true)]);
}

#[test]
fn a_message_comes_after_its_own_sender_and_no_other() {
    // Whose message is received, and is the receiver ordered after what the first sender did?
    returns(
        || {
            let place = Arc::new(Place::default());
            let (sender, receiver) = channel();
            let (other, theirs) = (sender.clone(), place.clone());
            thread::spawn(move || {
                theirs.touch();
                let _ = sender.send(1);
            });
            thread::spawn(move || other.send(2).is_ok());
            (receiver.recv().unwrap(), place.touch())
        },
        [(1, true), (2, false)],
    );
}

#[test]
fn a_send_comes_after_the_receive_that_made_room_for_it() {
    // The receiver touches and receives; the sender sends so often into a channel with so much room, and touches.
    let body = |room: usize, messages: usize| {
        move || {
            let place = Arc::new(Place::default());
            let (sender, receiver) = sync_channel(room);
            let theirs = place.clone();
            let thread = thread::spawn(move || {
                theirs.touch();
                receiver.iter().count()
            });
            (0..messages).for_each(|message| sender.send(message).unwrap());
            let is_ordered = place.touch();
            drop(sender);
            assert_eq!(thread.join().unwrap(), messages);
            is_ordered
        }
    };
    returns(body(1, 1), [false]);
    returns(body(1, 2), [true]);
    returns(body(0, 1), [true]);
}

#[test]
fn who_learns_that_the_other_end_is_gone_comes_after_what_it_did() {
    returns(
        || {
            let place = Arc::new(Place::default());
            let (sender, receiver) = channel::<()>();
            let theirs = place.clone();
            thread::spawn(move || {
                theirs.touch();
                drop(sender);
            });
            (receiver.recv().is_err(), place.touch())
        },
        [(true, true)],
    );
}

#[test]
fn what_happened_once_comes_before_all_who_know_it() {
    returns(
        || {
            let shared = Arc::new((Once::new(), Place::default()));
            let other = shared.clone();
            let thread = thread::spawn(move || other.0.call_once(|| _ = other.1.touch()));
            let seen = (shared.0.is_completed(), shared.1.touch());
            thread.join().unwrap();
            seen
        },
        // Who does not know it may come first, or in any case unordered.
        [(false, false), (false, true), (true, true)],
    );
}

#[test]
fn a_barrier_orders_all_before_it_with_all_after_it() {
    let before = |barrier: &Barrier, place: &Place| {
        let is_ordered = place.touch();
        barrier.wait();
        is_ordered
    };
    let after = |barrier: &Barrier, place: &Place| {
        barrier.wait();
        place.touch()
    };
    returns(both(|| Barrier::new(2), before, after), [true]);
    returns(both(|| Barrier::new(2), after, before), [true]);
    returns(both(|| Barrier::new(2), after, after), [false]);
}

#[test]
fn a_value_is_taken_after_it_was_put_and_put_after_it_was_taken() {
    let put = |mvar: &MVar<()>, place: &Place| {
        let is_ordered = place.touch();
        mvar.put(());
        is_ordered
    };
    let put_and_touch = |mvar: &MVar<()>, place: &Place| {
        mvar.put(());
        place.touch()
    };
    let take = |mvar: &MVar<()>, place: &Place| {
        mvar.take();
        place.touch()
    };
    let touch_and_take = |mvar: &MVar<()>, place: &Place| {
        let is_ordered = place.touch();
        mvar.take();
        is_ordered
    };
    returns(both(MVar::empty, put, take), [true]);
    returns(
        both(MVar::empty, put, |mvar, place| {
            mvar.read();
            place.touch()
        }),
        [true],
    );
    returns(both(|| MVar::new(()), touch_and_take, put_and_touch), [true]);
    returns(both(MVar::empty, put_and_touch, take), [false]);
}
