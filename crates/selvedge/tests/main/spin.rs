//! Loops that poll until a change: they end, or they are livelocks and the report names them.

#![cfg(feature = "check")]

use selvedge::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};
use selvedge::sync::{Arc, Condvar, Mutex, mpsc};
use selvedge::{Explorer, MemoryModel, Outcome, Report, Strategy, hint, thread};
use std::fmt::Debug;
use std::time::Duration;

/// The outcomes are exactly these, by exhaustive search and by the reduction, under each memory model.
#[track_caller]
fn check<T: Ord + Clone + Debug + Send + 'static>(
    body: impl Fn() -> T + Send + Sync,
    expected: &[Outcome<T>],
) -> Report<T> {
    let mut reports = Vec::new();
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        for strategy in [Strategy::exhaustive(), Strategy::systematic()] {
            let name = strategy.to_string();
            let report = Explorer::new().memory(model).max_steps(500).strategy(strategy).explore(&body);
            assert!(report.is_complete(), "{name} under {model:?}: {report}");
            assert!(report.outcomes().keys().eq(expected), "{name} under {model:?}: {report}");
            reports.push(report);
        }
    }
    reports.pop().unwrap()
}

#[test]
fn a_loop_that_waits_for_a_flag_ends() {
    let waits: [fn(); 2] = [thread::yield_now, hint::spin_loop];
    for wait in waits {
        let body = move || {
            let shared = Arc::new((AtomicBool::new(false), AtomicU32::new(0)));
            let other = shared.clone();
            let writer = thread::spawn(move || {
                other.1.store(7, Relaxed);
                other.0.store(true, Release);
            });
            while !shared.0.load(Acquire) {
                wait();
            }
            let seen = shared.1.load(Relaxed);
            writer.join().unwrap();
            seen
        };
        check(body, &[Outcome::Returned(7)]);
    }
}

#[test]
fn two_threads_that_wait_for_each_other_in_turn_end() {
    let body = || {
        let turn = Arc::new(AtomicU32::new(0));
        let other = turn.clone();
        let play = |mine: u32, turn: &AtomicU32| {
            for _ in 0..2 {
                while turn.load(Acquire) % 2 != mine {
                    hint::spin_loop();
                }
                turn.fetch_add(1, AcqRel);
            }
        };
        let thread = thread::spawn(move || play(1, &other));
        play(0, &turn);
        thread.join().unwrap();
        turn.load(Relaxed)
    };
    check(body, &[Outcome::Returned(4)]);
}

#[test]
fn a_loop_that_no_thread_ends_is_a_livelock_and_named() {
    let body = || {
        let flag = AtomicBool::new(false);
        while !flag.load(Relaxed) {
            thread::yield_now();
        }
    };
    let report = check(body, &[Outcome::Deadlock]);
    let ending = &report.outcomes()[&Outcome::Deadlock].endings[0];
    let state = &ending.state;
    assert!(
        state.starts_with("spins at yield, waiting for atomic#1 (") && state.ends_with(") to be written"),
        "{state}"
    );
    assert!(ending.site.to_string().contains("spin.rs"), "{}", ending.site);
    let message = std::panic::catch_unwind(|| selvedge::autocheck(body)).unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("error[run::livelock]: no thread can go on, and those that spin wait for ever"),
        "{message}"
    );
}

#[test]
fn a_loop_that_polls_several_objects_waits_for_any_of_them() {
    let body = || {
        let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
        let other = flags.clone();
        let writer = thread::spawn(move || other[1].store(true, Relaxed));
        while !flags[0].load(Relaxed) && !flags[1].load(Relaxed) {
            thread::yield_now();
        }
        writer.join().unwrap();
    };
    check(body, &[Outcome::Returned(())]);
    let livelock = || {
        let flags = [AtomicBool::new(false), AtomicBool::new(false)];
        while !flags[0].load(Relaxed) && !flags[1].load(Relaxed) {
            thread::yield_now();
        }
    };
    let report = check(livelock, &[Outcome::Deadlock]);
    let state = &report.outcomes()[&Outcome::Deadlock].endings[0].state;
    assert!(state.contains("atomic#1 (") && state.contains(" or atomic#2 ("), "{state}");
}

#[test]
fn a_change_between_two_loads_of_one_iteration_counts() {
    let body = || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let writer = thread::spawn(move || other.store(true, Relaxed));
        loop {
            let (first, _second) = (flag.load(Relaxed), flag.load(Relaxed));
            if first {
                break;
            }
            thread::yield_now();
        }
        writer.join().unwrap();
    };
    check(body, &[Outcome::Returned(())]);
}

#[test]
fn failed_tries_count_as_reads() {
    let locks = || {
        let mutex = Arc::new(Mutex::new(0));
        let other = mutex.clone();
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        while mutex.try_lock().is_err() {
            hint::spin_loop();
        }
        thread.join().unwrap();
    };
    check(locks, &[Outcome::Returned(())]);
    let receives = || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(3).unwrap());
        let received = loop {
            match receiver.try_recv() {
                Ok(value) => break value,
                Err(_) => thread::yield_now(),
            }
        };
        thread.join().unwrap();
        received
    };
    check(receives, &[Outcome::Returned(3)]);
    let exchanges = || {
        let lock = Arc::new((AtomicBool::new(false), AtomicU32::new(0)));
        let work = |lock: &(AtomicBool, AtomicU32)| {
            while lock.0.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
                hint::spin_loop();
            }
            lock.1.store(lock.1.load(Relaxed) + 1, Relaxed);
            lock.0.store(false, Release);
        };
        let other = lock.clone();
        let thread = thread::spawn(move || work(&other));
        work(&lock);
        thread.join().unwrap();
        lock.1.load(Relaxed)
    };
    check(exchanges, &[Outcome::Returned(2)]);
}

#[test]
fn a_loop_can_poll_for_the_end_of_a_thread() {
    let body = || {
        let flag = Arc::new(AtomicU32::new(0));
        let other = flag.clone();
        let thread = thread::spawn(move || other.store(1, Relaxed));
        while !thread.is_finished() {
            thread::yield_now();
        }
        flag.load(Relaxed)
    };
    check(body, &[Outcome::Returned(1)]);
    let never = || {
        let (sender, receiver) = mpsc::channel::<u32>();
        let thread = thread::spawn(move || receiver.recv());
        while !thread.is_finished() {
            thread::yield_now();
        }
        drop(sender);
    };
    let report = check(never, &[Outcome::Deadlock]);
    let endings = &report.outcomes()[&Outcome::Deadlock].endings;
    assert_eq!(endings[0].state, "spins at yield, waiting for the end of `thread 1`");
}

#[test]
fn a_store_of_a_destructor_while_unwinding_wakes_a_spinning_thread() {
    struct Sets(Arc<AtomicBool>);
    impl Drop for Sets {
        fn drop(&mut self) {
            self.0.store(true, Release);
        }
    }
    let report = Explorer::new().strategy(Strategy::exhaustive()).explore(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let sets = Sets(flag.clone());
        let thread = thread::spawn(move || {
            let _sets = sets;
            thread::yield_now();
            panic!("on purpose");
        });
        while !flag.load(Acquire) {
            thread::yield_now();
        }
        thread.join().is_err()
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(true)]);
}

#[test]
fn a_yield_does_not_wait_after_a_write_or_without_a_read() {
    let body = || {
        let flag = AtomicU32::new(0);
        thread::yield_now();
        thread::yield_now();
        flag.load(Relaxed);
        flag.store(1, Relaxed);
        thread::yield_now();
        thread::yield_now();
        flag.load(Relaxed)
    };
    check(body, &[Outcome::Returned(1)]);
}

#[test]
fn random_strategies_wait_in_polling_loops_too() {
    let strategies = [
        Strategy::random(1, 200),
        Strategy::pct(3, 1, 200),
        Strategy::swarm(1, 200),
        Strategy::pos(1, 200),
        Strategy::round_robin(),
    ];
    for strategy in strategies {
        let name = strategy.to_string();
        let report = Explorer::new().max_steps(100).strategy(strategy).explore(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let other = flag.clone();
            let writer = thread::spawn(move || other.store(true, Relaxed));
            while !flag.load(Relaxed) {
                hint::spin_loop();
            }
            writer.join().unwrap();
        });
        assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(())], "{name}");
    }
}

/// A lock that a thread tries by a swap, which may store the old value.
struct TestAndSet(AtomicBool);

impl TestAndSet {
    fn with(&self, work: impl FnOnce()) {
        while self.0.swap(true, Acquire) {
            hint::spin_loop();
        }
        work();
        self.0.store(false, Release);
    }
}

#[test]
fn a_test_and_set_lock_is_explored_completely() {
    let body = || {
        let shared = Arc::new((TestAndSet(AtomicBool::new(false)), AtomicU32::new(0)));
        let count = |shared: &(TestAndSet, AtomicU32)| {
            shared.0.with(|| shared.1.store(shared.1.load(Relaxed) + 1, Relaxed));
        };
        let other = shared.clone();
        let thread = thread::spawn(move || count(&other));
        count(&shared);
        thread.join().unwrap();
        shared.1.load(Relaxed)
    };
    check(body, &[Outcome::Returned(2)]);
}

/// Explores a polling loop: there are infinitely many runs, but each run ends.
#[track_caller]
fn every_run_ends(body: fn()) {
    let report = Explorer::new().max_executions(100).explore(body);
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(())], "{report}");
}

/// A flag that another thread sets.
fn flag() -> (Arc<AtomicBool>, thread::JoinHandle<()>) {
    let flag = Arc::new(AtomicBool::new(false));
    let other = flag.clone();
    (flag, thread::spawn(move || other.store(true, Release)))
}

#[test]
fn a_polling_thread_that_waits_in_between_lets_other_threads_run() {
    every_run_ends(|| {
        let (flag, thread) = flag();
        while !flag.load(Acquire) {
            thread::sleep(Duration::from_millis(1));
        }
        thread.join().unwrap();
    });
    every_run_ends(|| {
        let (flag, thread) = flag();
        while !flag.load(Acquire) {
            thread::park_timeout(Duration::from_millis(1));
        }
        thread.join().unwrap();
    });
    every_run_ends(|| {
        let shared = Arc::new(());
        let other = shared.clone();
        let thread = thread::spawn(move || drop(other));
        while Arc::strong_count(&shared) > 1 {
            thread::yield_now();
        }
        thread.join().unwrap();
    });
    every_run_ends(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || *other.0.lock().unwrap() = true);
        let mut is_done = shared.0.lock().unwrap();
        while !*is_done {
            is_done = shared.1.wait_timeout(is_done, Duration::from_millis(1)).unwrap().0;
        }
        drop(is_done);
        thread.join().unwrap();
    });
}

/// A lock-free queue with this capacity between a sender and a receiver. Both poll both ends. Returns the
/// received items.
fn ring(items: u32, capacity: usize) -> Vec<u32> {
    struct Ring {
        head: AtomicUsize,
        tail: AtomicUsize,
        slots: Vec<AtomicU32>,
    }
    let slots = (0..capacity).map(|_| AtomicU32::new(0)).collect();
    let ring = Arc::new(Ring { head: AtomicUsize::new(0), tail: AtomicUsize::new(0), slots });
    let other = ring.clone();
    let sender = thread::spawn(move || {
        for item in 1..=items {
            loop {
                let (head, tail) = (other.head.load(Acquire), other.tail.load(Relaxed));
                if tail - head < capacity {
                    other.slots[tail % capacity].store(item, Relaxed);
                    break other.tail.store(tail + 1, Release);
                }
                thread::yield_now();
            }
        }
    });
    let mut received = Vec::new();
    while received.len() < items as usize {
        let (head, tail) = (ring.head.load(Relaxed), ring.tail.load(Acquire));
        if head < tail {
            received.push(ring.slots[head % capacity].load(Relaxed));
            ring.head.store(head + 1, Release);
        } else {
            thread::yield_now();
        }
    }
    sender.join().unwrap();
    received
}

/// A yield that waits for two objects depends on these two, not on every object. If it depended on every
/// object, a ring of capacity two would take three hundred thousand runs.
#[test]
fn rings_take_few_runs() {
    check(|| ring(1, 1), &[Outcome::Returned(vec![1])]);
    let runs = |memory, items, capacity| {
        let report = Explorer::new().memory(memory).explore(move || ring(items, capacity));
        assert!(report.is_complete(), "{report}");
        assert!(report.values().eq([&(1..=items).collect::<Vec<_>>()]), "{report}");
        report.executions()
    };
    let found = [(2, 1), (3, 2)].map(|(items, capacity)| {
        [MemoryModel::Sc, MemoryModel::Tso].map(|memory| runs(memory, items, capacity))
    });
    assert_eq!(found, [[64, 64], [620, 1444]]);
}

/// Polls a flag this many times, then gives up. There is no other thread.
fn poll_and_give_up_after(rounds: usize, then: fn()) -> bool {
    let flag = AtomicBool::new(false);
    for _ in 0..rounds {
        if flag.load(SeqCst) {
            return true;
        }
        hint::spin_loop();
    }
    then();
    false
}

#[test]
fn a_loop_that_gives_up_is_no_livelock() {
    for strategy in [Strategy::systematic(), Strategy::exhaustive(), Strategy::random(1, 10)] {
        let report = Explorer::new().strategy(strategy).explore(|| poll_and_give_up_after(3, || {}));
        assert!(report.outcomes().keys().eq([&Outcome::Returned(false)]), "{report}");
        assert!(
            !report.is_complete() && report.notes().iter().any(|note| note.contains("gave up")),
            "{report}"
        );
    }
}

#[test]
fn a_thread_that_gives_up_polling_and_then_parks_for_ever_is_a_deadlock() {
    let report = Explorer::new().explore(|| poll_and_give_up_after(3, thread::park));
    assert!(report.outcomes().keys().eq([&Outcome::Deadlock]), "{report}");
    let trace = &report.outcomes()[&Outcome::Deadlock];
    assert!(trace.endings[0].state.contains("waits to be unparked"), "{:?}", trace.endings);
}

#[test]
fn a_run_in_which_a_thread_gives_up_polling_can_be_replayed() {
    let body = || poll_and_give_up_after(3, || panic!("gave up"));
    let outcome = Outcome::Panicked("gave up".to_owned());
    let report = Explorer::new().explore(body);
    assert!(report.outcomes().keys().eq([&outcome]), "{report}");
    let recording = report.outcomes()[&outcome].recording(&[]);
    let again = Explorer::new().strategy(Strategy::replay(recording)).explore(body);
    assert!(again.outcomes().keys().eq([&outcome]) && again.notes().is_empty(), "{again}");
}
