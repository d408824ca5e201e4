//! Threads of `std::thread` inside explored bodies: refused if they use the objects of explored threads.

use crate::{all, panic_of};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, LazyLock, MVar, Mutex, Once, OnceLock, RwLock, mpsc};
use selvedge::{Explorer, Keep, Outcome, thread};

/// Explores a body that uses an object which an uncontrolled thread uses too. Returns the panic message.
fn refusal<T: Send + Sync + 'static>(make: fn() -> T, use_it: fn(&T)) -> String {
    panic_of(move || {
        all(move || {
            let shared = Arc::new(make());
            use_it(&shared);
            // A panic of the uncontrolled thread does not matter: the exploration reports the refusal.
            let _ = std::thread::spawn(move || use_it(&shared)).join();
        })
    })
}

#[track_caller]
fn check_refusal(message: &str) {
    assert!(message.starts_with("selvedge: an object of an explored body, made at "), "{message}");
    assert!(message.contains("is used at crates/selvedge/tests/survival/uncontrolled.rs:"), "{message}");
    assert!(message.contains("begin threads with `selvedge::thread`, not with `std::thread`"), "{message}");
}

#[test]
#[allow(clippy::redundant_closure)] // A path has no call site in the source.
fn every_kind_of_object_refuses_an_uncontrolled_thread() {
    check_refusal(&refusal(|| AtomicU32::new(0), |atomic| _ = atomic.fetch_add(1, SeqCst)));
    check_refusal(&refusal(|| AtomicU32::new(0), |atomic| _ = atomic.load(SeqCst)));
    check_refusal(&refusal(|| AtomicU32::new(0), |atomic| atomic.store(1, SeqCst)));
    check_refusal(&refusal(|| AtomicU32::new(0), |atomic| _ = atomic.compare_exchange(0, 1, SeqCst, SeqCst)));
    check_refusal(&refusal(|| Mutex::new(0), |lock| *lock.lock().unwrap() += 1));
    check_refusal(&refusal(|| RwLock::new(0), |lock| _ = *lock.read().unwrap()));
    check_refusal(&refusal(|| Once::new(), |once| once.call_once(|| ())));
    check_refusal(&refusal(|| OnceLock::new(), |once| _ = once.set(1)));
    check_refusal(&refusal(|| MVar::new(1), |variable| _ = variable.try_read()));
    check_refusal(&refusal(|| mpsc::channel().0, |sender| _ = sender.send(1)));
}

#[test]
fn an_uncontrolled_thread_that_uses_an_object_first_is_refused() {
    let message = panic_of(|| {
        all(|| {
            let atomic = Arc::new(AtomicU32::new(0));
            let other = atomic.clone();
            std::thread::spawn(move || other.fetch_add(1, SeqCst)).join().unwrap();
            atomic.load(SeqCst)
        })
    });
    assert!(message.starts_with("selvedge: an object of an explored body, made at "), "{message}");
    assert!(message.contains(" is also used by a thread that is not explored, "), "{message}");
}

#[test]
fn an_uncontrolled_thread_on_explored_objects_is_refused_in_every_try() {
    for _ in 0..200 {
        let message = panic_of(|| {
            all(|| {
                let atomic = Arc::new(AtomicU32::new(0));
                let other = atomic.clone();
                let uncontrolled = std::thread::spawn(move || other.fetch_add(1, SeqCst));
                atomic.fetch_add(1, SeqCst);
                // It panics if it comes second.
                let _ = uncontrolled.join();
            })
        });
        assert!(message.starts_with("selvedge: an object of an explored body, made at "), "{message}");
    }
}

#[test]
fn an_object_that_was_used_before_the_exploration_is_not_refused() {
    let atomic = AtomicU32::new(0);
    // A run is under way meanwhile, and does not use it.
    all(|| std::thread::scope(|scope| _ = scope.spawn(|| atomic.store(1, SeqCst)).join()));
    let report = Explorer::new().simplify(false).explore(|| atomic.load(SeqCst));
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(1)]);
}

#[test]
fn an_uncontrolled_thread_may_use_its_own_objects() {
    let report = all(|| {
        let own = std::thread::spawn(|| {
            let own = Mutex::new(1);
            *own.lock().unwrap() += 1;
            own.into_inner().unwrap()
        });
        let explored = thread::spawn(|| 1);
        own.join().unwrap() + explored.join().unwrap()
    });
    assert!(report.is_complete());
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(3)]);
}

#[test]
fn stateless_statics_may_be_used_by_other_threads_at_the_same_time() {
    static LOCK: Mutex<()> = Mutex::new(());
    static TABLE: LazyLock<[u32; 2]> = LazyLock::new(|| [1, 2]);
    assert_eq!(TABLE[0], 1);
    let report = all(|| {
        let sum = TABLE.iter().sum::<u32>();
        drop(LOCK.lock().unwrap());
        let other = std::thread::spawn(|| {
            drop(LOCK.lock().unwrap());
            TABLE[1]
        });
        // Joined before a controlled thread takes the lock: a lock that is held outside is refused.
        let other = other.join().unwrap();
        thread::spawn(|| drop(LOCK.lock().unwrap())).join().unwrap();
        sum + other
    });
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&Outcome::Returned(5)]);
}

/// A value of a run that is compared by its content.
#[derive(Clone, Debug)]
struct Counted(Arc<AtomicU32>);

impl Counted {
    fn current(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Counted) -> bool {
        self.current() == other.current()
    }
}

impl Eq for Counted {}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Counted) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Counted) -> std::cmp::Ordering {
        self.current().cmp(&other.current())
    }
}

#[test]
fn a_returned_value_may_be_used_by_any_thread_after_the_run() {
    for workers in [1, 2] {
        let body = || {
            let counter = Arc::new(AtomicU32::new(0));
            let other = counter.clone();
            let thread = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
            counter.store(counter.load(SeqCst) + 1, SeqCst);
            thread.join().unwrap();
            Counted(counter)
        };
        // The explorer reads the value between two runs, and compares it with others.
        let filter = |outcome: &Outcome<Counted>| match outcome {
            Outcome::Returned(counted) if counted.current() > 0 => Keep::All,
            other => panic!("{other}"),
        };
        let report = Explorer::new().workers(workers).explore_keeping(body, filter);
        assert!(report.is_complete());
        let seen: Vec<u32> = std::thread::scope(|scope| {
            let outcomes = report.outcomes().keys();
            let read = |outcome: &Outcome<Counted>| match outcome {
                Outcome::Returned(counted) => counted.0.fetch_add(0, SeqCst),
                other => panic!("{other}"),
            };
            scope.spawn(move || outcomes.map(read).collect()).join().unwrap()
        });
        assert_eq!(seen, [1, 2]);
    }
}
