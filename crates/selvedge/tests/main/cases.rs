//! Ten programs with outcomes that are worked out by hand. The exhaustive strategy finds exactly these
//! outcomes. No random strategy finds any other outcome, and each finds all of them within [`RUNS`] runs
//! from the seed 1.
#![cfg(feature = "check")]

use selvedge::predicate::gives;
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, MVar, Mutex, RwLock, mpsc};
use selvedge::{Explorer, Outcome, Strategy, thread};

/// Within this many runs each random strategy finds every outcome.
const RUNS: u64 = 2_000;

fn returned(values: &[&str]) -> Vec<Outcome<String>> {
    values.iter().map(|value| Outcome::Returned((*value).to_owned())).collect()
}

#[track_caller]
fn check(body: fn() -> String, expected: &[Outcome<String>]) {
    let exactly = || gives(expected.iter().cloned());
    let all = Explorer::new().strategy(Strategy::exhaustive()).explore(body);
    all.assert(&exactly());
    assert!(all.is_complete());
    let pct = |seed, runs| Strategy::pct(3, seed, runs);
    let random: [fn(u64, u64) -> Strategy; 5] =
        [Strategy::mixed, Strategy::random, pct, Strategy::swarm, Strategy::pos];
    for strategy in random {
        Explorer::new().strategy(strategy(1, RUNS)).explore(body).assert(&exactly());
        for seed in 2..20 {
            let sample = Explorer::new().strategy(strategy(seed, 20)).explore(body);
            let unexpected = sample.outcomes().keys().find(|outcome| !expected.contains(outcome));
            assert_eq!(unexpected, None, "seed {seed}");
            assert!(!sample.is_complete(), "a sample is never complete");
        }
    }
}

/// Runs two functions on two threads. Returns both results as text.
fn both(
    first: impl FnOnce() -> u32 + Send + 'static,
    second: impl FnOnce() -> u32 + Send + 'static,
) -> String {
    let (first, second) = (thread::spawn(first), thread::spawn(second));
    format!("{} {}", first.join().unwrap(), second.join().unwrap())
}

fn atomics() -> [Arc<AtomicU32>; 2] {
    [Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0))]
}

/// Both threads may read 0 before they write 1.
#[test]
fn an_increment_can_be_lost() {
    fn body() -> String {
        let [counter, _] = atomics();
        let increment = |counter: Arc<AtomicU32>| {
            move || {
                counter.store(counter.load(SeqCst) + 1, SeqCst);
                0
            }
        };
        both(increment(counter.clone()), increment(counter.clone()));
        counter.load(SeqCst).to_string()
    }
    check(body, &returned(&["1", "2"]));
}

/// The thread that stores last reads the other thread's 1.
#[test]
fn at_most_one_thread_misses_the_others_store() {
    fn body() -> String {
        let [x, y] = atomics();
        let (x2, y2) = (x.clone(), y.clone());
        let one = move || {
            x.store(1, SeqCst);
            y.load(SeqCst)
        };
        both(one, move || {
            y2.store(1, SeqCst);
            x2.load(SeqCst)
        })
    }
    check(body, &returned(&["0 1", "1 0", "1 1"]));
}

/// The data is written before the flag, so a thread that sees the flag sees the data.
#[test]
fn a_thread_that_sees_the_flag_sees_the_message() {
    fn body() -> String {
        let [data, flag] = atomics();
        let (data2, flag2) = (data.clone(), flag.clone());
        let send = move || {
            data.store(1, SeqCst);
            flag.store(1, SeqCst);
            0
        };
        both(send, move || flag2.load(SeqCst) * 10 + data2.load(SeqCst))
    }
    check(body, &returned(&["0 0", "0 1", "0 11"]));
}

/// Each thread holds one lock and waits for the other.
#[test]
fn locks_in_opposite_order_can_deadlock() {
    fn body() -> String {
        let (a, b) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
        let (a2, b2) = (a.clone(), b.clone());
        let one = move || *a.lock().unwrap() + *b.lock().unwrap();
        both(one, move || *b2.lock().unwrap() + *a2.lock().unwrap())
    }
    check(body, &[Outcome::Returned("3 3".to_owned()), Outcome::Deadlock]);
}

/// A notification before the wait is lost: the waiting thread checks no condition.
#[test]
fn a_notification_before_the_wait_is_lost() {
    fn body() -> String {
        let pair = Arc::new((Mutex::new(()), Condvar::new()));
        let other = pair.clone();
        let wait = move || {
            drop(pair.1.wait(pair.0.lock().unwrap()).unwrap());
            1
        };
        both(wait, move || {
            other.1.notify_one();
            2
        })
    }
    check(body, &[Outcome::Returned("1 2".to_owned()), Outcome::Deadlock]);
}

/// Two threads wait; the notified thread notifies the other. The order of arrival does not matter.
#[test]
fn a_notification_can_wake_either_waiting_thread() {
    fn body() -> String {
        let shared = Arc::new((Mutex::new((0, 0)), Condvar::new()));
        let wait = |shared: Arc<(Mutex<(u32, u32)>, Condvar)>| {
            move || {
                let mut state = shared.0.lock().unwrap();
                state.0 += 1;
                let mut state = shared.1.wait(state).unwrap();
                state.1 += 1;
                let position = state.1;
                drop(state);
                shared.1.notify_one();
                position
            }
        };
        let (one, other) = (thread::spawn(wait(shared.clone())), thread::spawn(wait(shared.clone())));
        while shared.0.lock().unwrap().0 < 2 {
            thread::yield_now();
        }
        shared.1.notify_one();
        format!("{} {}", one.join().unwrap(), other.join().unwrap())
    }
    // The loop makes the tree of all runs infinite, so this program is only sampled.
    let report = Explorer::new().strategy(Strategy::random(1, RUNS)).explore(body);
    report.assert(&gives(returned(&["1 2", "2 1"])));
}

/// Messages of one sender keep their order; messages of two senders have none.
#[test]
fn messages_of_two_senders_come_in_either_order() {
    fn body() -> String {
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        thread::spawn(move || sender.send(1).unwrap());
        thread::spawn(move || other.send(2).unwrap());
        receiver.iter().map(|message: u32| message.to_string()).collect()
    }
    check(body, &returned(&["12", "21"]));
}

/// The token stays until the thread parks.
#[test]
fn unpark_before_park_is_not_lost() {
    fn body() -> String {
        let sleeper = thread::spawn(|| {
            thread::park();
            "awake".to_owned()
        });
        sleeper.thread().unpark();
        sleeper.join().unwrap()
    }
    check(body, &returned(&["awake"]));
}

/// A reader sees the value from before the write or from after it, never from in between.
#[test]
fn a_reader_sees_no_half_written_value() {
    fn body() -> String {
        let value = Arc::new(RwLock::new((0, 0)));
        let other = value.clone();
        let write = move || {
            let mut value = value.write().unwrap();
            value.0 = 1;
            thread::yield_now();
            value.1 = 1;
            0
        };
        both(write, move || {
            let value = other.read().unwrap();
            value.0 * 10 + value.1
        })
    }
    check(body, &returned(&["0 0", "0 11"]));
}

/// One thread fills the variable; the other waits until it is empty again.
#[test]
fn an_mvar_holds_one_value_at_a_time() {
    fn body() -> String {
        let variable = Arc::new(MVar::empty());
        for value in [1, 2] {
            let variable = variable.clone();
            thread::spawn(move || variable.put(value));
        }
        format!("{} {}", variable.take(), variable.take())
    }
    check(body, &returned(&["1 2", "2 1"]));
}

/// The panic is an outcome only if it comes before the end of the run.
#[test]
fn a_panic_of_an_unjoined_thread_can_come_before_or_after_the_end_of_the_run() {
    fn body() -> String {
        let [x, _] = atomics();
        thread::spawn(move || {
            x.store(1, SeqCst);
            panic!("unheard");
        });
        "returned".to_owned()
    }
    check(body, &[Outcome::Returned("returned".to_owned()), Outcome::Panicked("unheard".to_owned())]);
}
