//! `Mutex` and `RwLock`.

use super::{check, explore, panic_of, returns};
use selvedge::sync::atomic::{AtomicBool, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex, RwLock, RwLockWriteGuard, TryLockError};
use selvedge::{Outcome, thread};

#[test]
fn readers_share_the_lock() {
    // The thread reads while the body has a guard and waits for the thread.
    returns(
        || {
            let lock = Arc::new(RwLock::new(7));
            let mine = lock.read().unwrap();
            let other = lock.clone();
            let theirs = thread::spawn(move || *other.read().unwrap()).join().unwrap();
            (*mine, theirs)
        },
        [(7, 7)],
    );
}

#[test]
fn a_writer_waits_for_readers_and_a_reader_for_the_writer() {
    let reader_first = || {
        let lock = Arc::new(RwLock::new(0));
        let _guard = lock.read().unwrap();
        let other = lock.clone();
        thread::spawn(move || *other.write().unwrap() = 1).join().unwrap();
    };
    check(reader_first, &[Outcome::Deadlock]);
    let writer_first = || {
        let lock = Arc::new(RwLock::new(0));
        let _guard = lock.write().unwrap();
        let other = lock.clone();
        thread::spawn(move || *other.read().unwrap()).join().unwrap();
    };
    check(writer_first, &[Outcome::Deadlock]);
}

#[test]
fn a_reader_sees_all_writes_of_a_writer_or_none() {
    returns(
        || {
            let lock = Arc::new(RwLock::new((0, 0)));
            let other = lock.clone();
            let writer = thread::spawn(move || {
                let mut guard = other.write().unwrap();
                guard.0 += 1;
                thread::yield_now();
                guard.1 += 1;
            });
            let seen = *lock.read().unwrap();
            writer.join().unwrap();
            seen
        },
        [(0, 0), (1, 1)],
    );
}

/// Reads twice while another thread writes. Returns the values that were read, and the value in the end.
fn read_twice(second_read: fn(&RwLock<i32>) -> Option<i32>) -> (i32, Option<i32>, i32) {
    let lock = Arc::new(RwLock::new(0));
    let first = lock.read().unwrap();
    let other = lock.clone();
    let writer = thread::spawn(move || *other.write().unwrap() = 1);
    let seen = (*first, second_read(&lock));
    drop(first);
    writer.join().unwrap();
    (seen.0, seen.1, *lock.read().unwrap())
}

#[test]
fn a_thread_that_reads_twice_while_a_writer_waits_deadlocks() {
    let body = || read_twice(|lock| lock.read().ok().map(|guard| *guard));
    check(body, &[Outcome::Returned((0, Some(0), 1)), Outcome::Deadlock]);
    let report = selvedge::Explorer::new().explore(body);
    // The writer begins to wait during the first read, during both, or after the second; or it comes last.
    assert_eq!((report.executions(), report.is_complete()), (4, true), "{report}");
    let trace = &report.outcomes()[&Outcome::Deadlock];
    let [main, writer] = [0, 1].map(|thread| trace.endings[thread].state.clone());
    assert!(main.contains("waits for rwlock#1"), "{main}");
    assert!(main.contains("which `thread 1` waits to write; held by `main`"), "{main}");
    assert!(writer.contains("waits for rwlock#1") && writer.contains("held by `main`"), "{writer}");
    assert!(trace.steps().iter().any(|step| step.event.action.kind.text() == "wait_to_write"));
}

#[test]
fn try_read_fails_while_a_writer_waits() {
    let body = || read_twice(|lock| lock.try_read().ok().map(|guard| *guard));
    returns(body, [(0, Some(0), 1), (0, None, 1)]);
}

#[test]
fn a_reader_may_come_before_a_writer_that_waited_for_the_reader_before() {
    // The lock of `std` on futexes does that: a release wakes the writer, which has no claim to the lock.
    let body = || {
        let lock = Arc::new(RwLock::new(0));
        let first = lock.read().unwrap();
        let other = lock.clone();
        let writer = thread::spawn(move || *other.write().unwrap() = 1);
        let while_it_waits = lock.try_read().is_err();
        drop(first);
        let then = *lock.read().unwrap();
        writer.join().unwrap();
        (while_it_waits, then)
    };
    returns(body, [(false, 0), (false, 1), (true, 0), (true, 1)]);
}

#[test]
fn a_writer_that_finds_the_lock_free_takes_it_in_one_step() {
    let body = || {
        let lock = Arc::new(RwLock::new(0));
        let writers = [1, 2].map(|value| {
            let lock = lock.clone();
            thread::spawn(move || *lock.write().unwrap() = value)
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        *lock.read().unwrap()
    };
    let report = selvedge::Explorer::new().explore(body);
    assert_eq!((report.executions(), report.is_complete()), (2, true), "{report}");
}

#[test]
fn a_writer_keeps_readers_out_that_come_after_a_downgrade() {
    let body = || {
        let lock = Arc::new(RwLock::new(0));
        let guard = RwLockWriteGuard::downgrade(lock.write().unwrap());
        let other = lock.clone();
        let writer = thread::spawn(move || *other.write().unwrap() = 1);
        let reads = lock.try_read().is_ok();
        drop(guard);
        writer.join().unwrap();
        reads
    };
    returns(body, [false, true]);
}

#[test]
fn a_writer_that_is_stopped_while_it_waits_keeps_no_reader_out() {
    let body = || {
        let lock = Arc::new(RwLock::new(0));
        let guard = lock.read().unwrap();
        let part = selvedge::contained(|| {
            let other = lock.clone();
            thread::spawn(move || *other.write().unwrap() = 1).join().unwrap();
        });
        let reads = lock.try_read().is_ok();
        drop(guard);
        (part == Outcome::Deadlock, reads)
    };
    returns(body, [(true, true)]);
}

#[test]
fn try_lock_try_read_and_try_write_never_wait() {
    returns(
        || {
            let lock = RwLock::new(());
            let blocked = |would_block: bool| would_block;
            let reading = lock.read().unwrap();
            let with_reader =
                (lock.try_read().is_ok(), blocked(matches!(lock.try_write(), Err(TryLockError::WouldBlock))));
            drop(reading);
            let writing = lock.write().unwrap();
            let with_writer = (
                blocked(matches!(lock.try_read(), Err(TryLockError::WouldBlock))),
                blocked(matches!(lock.try_write(), Err(TryLockError::WouldBlock))),
            );
            drop(writing);
            (with_reader, with_writer, lock.try_write().is_ok())
        },
        [((true, true), (true, true), true)],
    );
    // A mutex that another thread may hold: before, during and after that.
    returns(
        || {
            let lock = Arc::new(Mutex::new(0));
            let other = lock.clone();
            let thread = thread::spawn(move || *other.lock().unwrap() = 1);
            let seen = lock.try_lock().map(|guard| *guard).ok();
            thread.join().unwrap();
            seen
        },
        [None, Some(0), Some(1)],
    );
}

#[test]
fn no_write_comes_between_a_writer_and_its_downgraded_read() {
    // The other writer comes before (2, then 1 overwrites it) or after (1 is read, and 2 remains).
    let body = |downgrades: bool| {
        move || {
            let lock = Arc::new(RwLock::new(0));
            let other = lock.clone();
            let thread = thread::spawn(move || *other.write().unwrap() = 2);
            let mut guard = lock.write().unwrap();
            *guard = 1;
            let seen = if downgrades {
                *RwLockWriteGuard::downgrade(guard)
            } else {
                drop(guard);
                *lock.read().unwrap()
            };
            thread.join().unwrap();
            (seen, *lock.read().unwrap())
        }
    };
    returns(body(true), [(1, 1), (1, 2)]);
    returns(body(false), [(1, 1), (1, 2), (2, 2)]);
}

#[test]
fn a_panic_of_a_writer_poisons_the_lock_and_a_panic_of_a_reader_does_not() {
    returns(
        || {
            let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
            let panics = |function: &dyn Fn()| panic_of(function).is_some();
            assert!(panics(&|| {
                let _guard = lock.read().unwrap();
                panic!("while reading")
            }));
            let after_reading = lock.is_poisoned();
            assert!(panics(&|| {
                let _guards = (mutex.lock().unwrap(), lock.write().unwrap());
                panic!("while writing")
            }));
            let after_writing = (mutex.is_poisoned(), lock.is_poisoned());
            let values = (*mutex.lock().unwrap_err().into_inner(), *lock.write().unwrap_err().into_inner());
            mutex.clear_poison();
            lock.clear_poison();
            (after_reading, after_writing, values, mutex.lock().is_ok(), lock.read().is_ok())
        },
        [(false, (true, true), (1, 1), true, true)],
    );
}

#[test]
fn a_poisoned_lock_is_an_error_to_a_waiting_thread() {
    // The body has the lock before or after the thread that panics with it.
    let report = explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("oh")
        });
        let is_poisoned = lock.lock().is_err();
        assert!(thread.join().is_err());
        is_poisoned
    });
    let outcomes: Vec<_> = report.outcomes().keys().cloned().collect();
    assert_eq!(outcomes, [Outcome::Returned(false), Outcome::Returned(true)]);
}

#[test]
fn a_thread_that_is_stopped_poisons_nothing() {
    // The body returns while the thread holds the lock. The thread's destructor then takes another lock that
    // the thread held: it would panic while it unwinds, and abort, if the end of the run had poisoned that
    // lock.
    struct Locks(Arc<Mutex<i32>>, Arc<RwLock<i32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
            *self.1.write().unwrap() += 1;
        }
    }
    returns(
        || {
            let (mutex, lock) = (Arc::new(Mutex::new(0)), Arc::new(RwLock::new(0)));
            let locks = Locks(mutex.clone(), lock.clone());
            let (stopped, never) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(())));
            let _never = never.lock().unwrap();
            let (flag, waits) = (stopped.clone(), never.clone());
            thread::spawn(move || {
                let _locks = locks;
                let _guards = (mutex.lock().unwrap(), lock.write().unwrap());
                flag.store(true, SeqCst);
                drop(waits.lock());
            });
            stopped.load(SeqCst)
        },
        [false, true],
    );
}

#[test]
fn a_lock_can_be_used_by_its_unsized_type() {
    returns(
        || {
            let lock: Arc<Mutex<[u8]>> = Arc::new(Mutex::new([1, 2, 3]));
            let other: Arc<RwLock<dyn Fn() -> u8 + Send + Sync>> = Arc::new(RwLock::new(|| 4));
            lock.lock().unwrap()[0] = (other.read().unwrap())();
            lock.lock().unwrap().to_vec()
        },
        [vec![4, 2, 3]],
    );
}
