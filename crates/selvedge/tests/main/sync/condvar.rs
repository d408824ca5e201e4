//! `Condvar`.

use super::{check, explore, returns};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::{Explorer, Outcome, Strategy, thread};
use std::time::Duration;

const SOON: Duration = Duration::from_millis(10);

type Pair<T> = Arc<(Mutex<T>, Condvar)>;

fn pair<T>(value: T) -> Pair<T> {
    Arc::new((Mutex::new(value), Condvar::new()))
}

#[test]
fn a_notification_that_comes_too_early_is_lost() {
    check(
        || {
            let pair = pair(());
            let other = pair.clone();
            let waiter = thread::spawn(move || drop(other.1.wait(other.0.lock().unwrap())));
            pair.1.notify_one();
            waiter.join().unwrap();
        },
        &[Outcome::Returned(()), Outcome::Deadlock],
    );
}

#[test]
fn with_a_flag_behind_the_lock_no_notification_is_lost() {
    for notify in [Condvar::notify_one, Condvar::notify_all] {
        returns(
            move || {
                let pair = pair(false);
                let other = pair.clone();
                let waiter = thread::spawn(move || {
                    *other.1.wait_while(other.0.lock().unwrap(), |ready| !*ready).unwrap()
                });
                *pair.0.lock().unwrap() = true;
                notify(&pair.1);
                waiter.join().unwrap()
            },
            [true],
        );
    }
}

/// Two threads wait, if they arrive in time; then a notification comes, and the body checks which of them
/// have gone on.
fn two_waiters(notify: fn(&Condvar)) -> impl Fn() -> Option<u32> + Send + Sync {
    move || {
        let pair = pair(0);
        let awake = Arc::new(AtomicU32::new(0));
        for bit in [1, 2] {
            let (other, awake) = (pair.clone(), awake.clone());
            thread::spawn(move || {
                let mut guard = other.0.lock().unwrap();
                *guard += 1;
                drop(other.1.wait(guard));
                awake.fetch_or(bit, SeqCst);
            });
        }
        let both_wait = *pair.0.lock().unwrap() == 2;
        if !both_wait {
            return None;
        }
        notify(&pair.1);
        Some(awake.load(SeqCst))
    }
}

#[test]
fn notify_one_wakes_any_waiter_but_not_two() {
    returns(two_waiters(Condvar::notify_one), [None, Some(0), Some(1), Some(2)]);
}

#[test]
fn notify_all_wakes_all_waiters() {
    returns(two_waiters(Condvar::notify_all), [None, Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn a_wait_with_a_timeout_is_notified_or_times_out() {
    returns(
        || {
            let pair = pair(());
            let other = pair.clone();
            let notifier = thread::spawn(move || other.1.notify_one());
            let (guard, result) = pair.1.wait_timeout(pair.0.lock().unwrap(), SOON).unwrap();
            drop(guard);
            notifier.join().unwrap();
            result.timed_out()
        },
        [false, true],
    );
    returns(
        || {
            let (mutex, condvar) = (Mutex::new(()), Condvar::new());
            #[allow(deprecated)]
            let was_notified = condvar.wait_timeout_ms(mutex.lock().unwrap(), 10).unwrap().1;
            (condvar.wait_timeout(mutex.lock().unwrap(), SOON).unwrap().1.timed_out(), was_notified)
        },
        [(true, false)],
    );
}

#[test]
fn wait_timeout_while_returns_whether_the_condition_still_held() {
    // (the flag, whether the wait timed out): never both, since the flag is checked after the timeout.
    returns(
        || {
            let pair = pair(false);
            let other = pair.clone();
            let setter = thread::spawn(move || {
                *other.0.lock().unwrap() = true;
                other.1.notify_one();
            });
            let guard = pair.0.lock().unwrap();
            let (guard, result) = pair.1.wait_timeout_while(guard, SOON, |ready| !*ready).unwrap();
            let seen = (*guard, result.timed_out());
            drop(guard);
            setter.join().unwrap();
            seen
        },
        [(false, true), (true, false)],
    );
}

#[test]
fn a_wait_wakes_spuriously_only_if_that_is_enabled() {
    let body = || {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        drop(condvar.wait(mutex.lock().unwrap()));
    };
    check(body, &[Outcome::Deadlock]);
    let report = Explorer::new().strategy(Strategy::exhaustive()).spurious_wakeups(true).explore(body);
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(()), &Outcome::Deadlock]);
}

#[test]
fn a_missing_notification_is_found_although_waits_may_wake_spuriously() {
    let body = || {
        let pair = pair(false);
        let other = pair.clone();
        let setter = thread::spawn(move || *other.0.lock().unwrap() = true);
        drop(pair.1.wait_while(pair.0.lock().unwrap(), |ready| !*ready));
        setter.join().unwrap();
    };
    for strategy in [Strategy::systematic(), Strategy::random(1, 100)] {
        let explorer = Explorer::new().strategy(strategy).spurious_wakeups(true).max_executions(1000);
        let report = explorer.explore(body);
        assert_eq!(
            report.outcomes().keys().collect::<Vec<_>>(),
            [&Outcome::Returned(()), &Outcome::Deadlock]
        );
    }
}

#[test]
fn the_lock_is_free_during_a_wait_and_held_after_it() {
    // The body could not lock if the wait kept the lock; and its writes are complete when the waiter goes
    // on.
    returns(
        || {
            let pair = pair((0, 0));
            let other = pair.clone();
            let waiter = thread::spawn(move || {
                *other.1.wait_while(other.0.lock().unwrap(), |pair| pair.0 == 0).unwrap()
            });
            let mut guard = pair.0.lock().unwrap();
            guard.0 = 1;
            pair.1.notify_one();
            guard.1 = 1;
            drop(guard);
            waiter.join().unwrap()
        },
        [(1, 1)],
    );
}

#[test]
fn one_condition_variable_with_two_mutexes_is_a_mistake() {
    let message = "attempted to use a condition variable with two mutexes";
    let report = explore(|| {
        let (one, two, condvar) = (Mutex::new(()), Mutex::new(()), Condvar::new());
        drop(condvar.wait_timeout(one.lock().unwrap(), SOON));
        drop(condvar.wait_timeout(two.lock().unwrap(), SOON));
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Panicked(message.to_owned())]);
}

#[test]
fn a_wait_on_a_poisoned_lock_is_an_error() {
    let report = explore(|| {
        let pair = pair(());
        let guard = pair.0.lock().unwrap();
        let other = pair.clone();
        let thread = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.1.notify_one();
            panic!("oh")
        });
        let is_poisoned = pair.1.wait(guard).is_err();
        assert!(thread.join().is_err());
        is_poisoned
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(true)]);
}
