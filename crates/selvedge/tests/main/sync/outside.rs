//! Outside explorations: std's behaviour, with threads of the operating system.

use super::panic_of;
use selvedge::sync::mpsc::{RecvTimeoutError, TryRecvError, TrySendError, channel, sync_channel};
use selvedge::sync::{
    Arc, Barrier, Condvar, LazyLock, MVar, Mutex, Once, OnceLock, RwLock, RwLockWriteGuard, TryLockError,
};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

const SOON: Duration = Duration::from_millis(20);
const THREADS: usize = 4;
const ROUNDS: usize = 1000;

/// Runs the function on several threads at once.
fn on_all_threads(work: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        for number in 0..THREADS {
            let work = &work;
            scope.spawn(move || work(number));
        }
    });
}

#[test]
fn locks_exclude_each_other() {
    let (mutex, lock) = (Mutex::new(0), RwLock::new(0));
    on_all_threads(|_| {
        for _ in 0..ROUNDS {
            *mutex.lock().unwrap() += 1;
            *lock.write().unwrap() += 1;
            assert!(*lock.read().unwrap() > 0);
        }
    });
    assert_eq!(format!("{mutex:?}"), format!("{:?}", std::sync::Mutex::new(THREADS * ROUNDS)));
    assert_eq!(format!("{lock:?}"), format!("{:?}", std::sync::RwLock::new(THREADS * ROUNDS)));
    let guard = RwLockWriteGuard::downgrade(lock.write().unwrap());
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    assert_eq!(*lock.try_read().unwrap(), *guard);
    let held = mutex.lock().unwrap();
    assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
    assert_eq!(format!("{held} {held:?} {mutex:?}"), {
        let mutex = std::sync::Mutex::new(THREADS * ROUNDS);
        let held = mutex.lock().unwrap();
        format!("{held} {held:?} {mutex:?}")
    });
}

#[test]
fn a_panic_poisons_a_lock() {
    let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
    thread::scope(|scope| {
        let work = || {
            let _guards = (mutex.lock(), lock.write());
            std::panic::resume_unwind(Box::new("quietly"));
        };
        assert!(scope.spawn(work).join().is_err());
    });
    assert!(mutex.is_poisoned() && mutex.lock().is_err() && mutex.try_lock().is_err());
    assert!(lock.is_poisoned() && lock.read().is_err() && lock.try_write().is_err());
    mutex.clear_poison();
    lock.clear_poison();
    assert_eq!((mutex.into_inner().unwrap(), lock.into_inner().unwrap()), (1, 1));
}

#[test]
fn waits_are_notified_or_time_out() {
    let (turn, changed) = (Mutex::new(0), Condvar::new());
    on_all_threads(|number| {
        let mut guard = changed.wait_while(turn.lock().unwrap(), |turn| *turn != number).unwrap();
        *guard += 1;
        changed.notify_all();
    });
    let guard = turn.lock().unwrap();
    assert_eq!(*guard, THREADS);
    let (guard, result) = changed.wait_timeout(guard, SOON).unwrap();
    // A spurious wake-up is possible here.
    let _ = result.timed_out();
    let (guard, result) = changed.wait_timeout_while(guard, SOON, |_| true).unwrap();
    assert!(result.timed_out());
    let (_guard, result) = changed.wait_timeout_while(guard, SOON, |_| false).unwrap();
    assert!(!result.timed_out());
    assert_eq!(format!("{changed:?} {result:?}"), "Condvar { .. } WaitTimeoutResult(false)");
}

#[test]
fn once_and_lazy_values_are_initialised_once() {
    let count = AtomicUsize::new(0);
    let (once, cell) = (Once::new(), OnceLock::new());
    let lazy = LazyLock::new(|| count.fetch_add(1, SeqCst));
    on_all_threads(|number| {
        once.call_once(|| {
            count.fetch_add(1, SeqCst);
        });
        let value = *cell.get_or_init(|| number);
        assert_eq!((Some(&value), value), (cell.get(), *cell.wait()));
        let _ = *lazy;
        once.wait();
    });
    assert_eq!(count.load(SeqCst), 2);
    assert!(once.is_completed() && cell.set(9).is_err());
    let poisoned = Once::new();
    assert!(panic_of(|| poisoned.call_once(|| std::panic::resume_unwind(Box::new("quietly")))).is_some());
    let mut saw = false;
    poisoned.call_once_force(|state| saw = state.is_poisoned());
    assert!(saw);
    let failed: LazyLock<()> = LazyLock::new(|| std::panic::resume_unwind(Box::new("quietly")));
    assert_eq!(panic_of(|| *failed).as_deref(), Some("quietly"));
    assert_eq!(format!("{cell:?}").split('(').next(), Some("OnceLock"));
    assert_eq!(format!("{failed:?} {once:?}"), "LazyLock(<uninit>) Once { .. }");
}

#[test]
fn a_barrier_has_one_leader() {
    let (barrier, leaders) = (Barrier::new(THREADS), AtomicUsize::new(0));
    on_all_threads(|_| {
        for _ in 0..100 {
            leaders.fetch_add(usize::from(barrier.wait().is_leader()), SeqCst);
        }
    });
    assert_eq!(leaders.load(SeqCst), 100);
}

#[test]
fn channels_carry_messages_between_threads() {
    for bound in [None, Some(0), Some(1), Some(10)] {
        let mut received = match bound {
            None => {
                let (sender, receiver) = channel();
                thread::spawn(move || on_all_threads(|number| sender.clone().send(number).unwrap()));
                receiver.into_iter().collect::<Vec<_>>()
            }
            Some(bound) => {
                let (sender, receiver) = sync_channel(bound);
                thread::spawn(move || on_all_threads(|number| sender.clone().send(number).unwrap()));
                receiver.iter().collect()
            }
        };
        received.sort_unstable();
        assert_eq!(received, [0, 1, 2, 3], "{bound:?}");
    }
    let (sender, receiver) = sync_channel(0);
    assert_eq!(sender.try_send(1), Err(TrySendError::Full(1)));
    assert_eq!(receiver.recv_timeout(SOON), Err(RecvTimeoutError::Timeout));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(format!("{sender:?} {receiver:?}"), "SyncSender { .. } Receiver { .. }");
    drop(sender);
    assert!(receiver.recv().is_err() && receiver.try_iter().next().is_none());
}

#[test]
fn an_mvar_hands_values_over() {
    let (full, empty) = (Arc::new(MVar::new(0)), MVar::empty());
    on_all_threads(|_| {
        for _ in 0..ROUNDS {
            full.put(full.take() + 1);
            let _ = full.try_read();
        }
    });
    assert_eq!((full.read(), format!("{full:?}")), (THREADS * ROUNDS, format!("MVar({})", THREADS * ROUNDS)));
    // Each put value is taken once, and readers take none.
    let sum = AtomicUsize::new(0);
    on_all_threads(|number| {
        for round in 0..ROUNDS {
            if number % 2 == 0 {
                empty.put(round);
            } else {
                sum.fetch_add(empty.take(), SeqCst);
            }
        }
    });
    assert_eq!(sum.load(SeqCst), ROUNDS * (ROUNDS - 1));
    assert_eq!((empty.try_take(), empty.try_put(1), empty.try_put(2)), (None, Ok(()), Err(2)));
}
